// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/state_of.h"
#include "notation/layout_form.h"

namespace tessera {

Notation Layout::notation() const { return state_->notation; }
std::span<const Index> Layout::shape() const { return state_->shape; }
Index Layout::size() const { return state_->size; }
const Digits* Layout::known_digits() const { return state_->digits ? &*state_->digits : nullptr; }
const void* Layout::value(const char* type_tag) const { return state_->form->value(type_tag); }

Index Layout::offset(std::span<const Index> index) const {
  return state_->digits ? state_->digits->offset(index) : state_->form->offset(index);
}

std::optional<Index> Layout::allocated_elements() const { return state_->form->allocated_elements(); }
std::optional<DType> Layout::dtype() const { return state_->form->dtype(); }
std::optional<Index> Layout::element_bits() const { return state_->form->element_bits(); }

Result<Index> Layout::buffer_size() const {
  if (const auto allocated = allocated_elements()) return *allocated;
  if (size() == 0) return 0;
  std::optional<Interval> bounds;
  if (!state_->digits) bounds = state_->form->offset_bounds();
  if (!bounds) {
    const auto range = offset_range(*this);
    if (!range) return fail(range.error());
    bounds = *range;
  }
  if (bounds->lower < 0) {
    return fail(Code::not_applicable,
                fmt::format("the smallest offset is {}, but memory starts at offset 0", bounds->lower), {},
                fmt::format("add an offset: np:(...):(...) + {}", 0 - bounds->lower));
  }
  if (bounds->upper == kIndexMax) return fail(Code::overflow, "the buffer size exceeds 64 bits");
  return bounds->upper + 1;
}

bool operator==(const Layout& a, const Layout& b) {
  return a.state_ == b.state_ || (a.notation() == b.notation() && a.state_->shape == b.state_->shape &&
                                  a.state_->form->equals(*b.state_->form));
}

Result<Digits> to_digits(const Layout& layout) {
  if (const Digits* known = layout.known_digits()) return *known;
  return detail::state_of(layout).form->to_digits(layout);
}

IndexMap lower(const Layout& layout) {
  if (const IndexMap* map = layout.as<IndexMap>()) return *map;
  if (const Digits* digits = layout.known_digits()) return digits->to_index_map();
  return detail::state_of(layout).form->to_index_map(layout.shape());
}

std::vector<std::vector<std::size_t>> interacting_dims(const Layout& layout) {
  if (layout.known_digits() != nullptr) return {};
  return detail::state_of(layout).form->interacting_dims(layout);
}

std::optional<LinearLayout> linear_form(const Layout& layout) {
  return detail::state_of(layout).form->linear_form(layout.shape());
}

std::string to_string(const Layout& layout) { return detail::state_of(layout).form->text(layout.shape()); }

std::string to_prefixed_string(const Layout& layout) {
  std::string text = to_string(layout);
  if (layout.notation() == Notation::named) return text;  // has prefixes of its own
  const std::string start = fmt::format("{}:", prefix(layout.notation()));
  return text.starts_with(start) ? text : start + text;
}

std::string order_text(const Layout& layout) { return detail::state_of(layout).form->order(); }

}  // namespace tessera
