// SPDX-License-Identifier: Apache-2.0
#include "notation/conversion.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/state_of.h"
#include "notation/layout_form.h"
#include "notation/notation_traits.h"
#include "tessera/notation/conversion.h"

namespace tessera {

Result<Conversion> detail::converted(Result<Layout> layout) {
  if (!layout) return fail(layout.error());
  return Conversion{*std::move(layout)};
}

void detail::add_spelling(std::vector<Layout>& all, Result<Layout> layout) {
  if (layout && std::ranges::find(all, *layout) == all.end()) all.push_back(*std::move(layout));
}

namespace {

// The buffer size of the source, if the offsets of the target do not imply it.
std::optional<Index> memory_beyond(const Layout& from, const Layout& to) {
  const auto memory = from.allocated_elements();
  if (!memory || to.allocated_elements()) return std::nullopt;
  if (to.known_digits() == nullptr) return memory;
  const auto reached = to.buffer_size();
  return reached && *reached == *memory ? std::nullopt : memory;
}

}  // namespace

Result<Conversion> convert(const Layout& from, Notation to) {
  if (const auto may = detail::state_of(from).form->may_convert(to); !may) return fail(may.error());
  auto out = detail::traits_of(to).convert(from);
  if (!out) return out;
  if (from.notation() != to) {
    if (const auto dtype = from.dtype(); dtype && !out->layout.dtype())
      out->dropped.push_back(fmt::format("type {}", to_string(*dtype)));
    for (std::string& property : detail::state_of(from).form->properties())
      out->dropped.push_back(std::move(property));
  }
  out->buffer_size = memory_beyond(from, out->layout);
  return out;
}

Result<std::vector<Layout>> spellings(const Layout& from, Notation to) {
  auto first = convert(from, to);
  if (!first) return fail(first.error());
  std::vector<Layout> all = {first->layout};
  if (from.notation() == to) detail::add_spelling(all, from);
  const detail::NotationTraits& traits = detail::traits_of(to);
  if (traits.add_spellings != nullptr) traits.add_spellings(from, first->layout, all);
  return all;
}

}  // namespace tessera
