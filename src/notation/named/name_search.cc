// SPDX-License-Identifier: Apache-2.0
#include "notation/named/name_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "notation/conversion.h"
#include "notation/named/gguf_blocks.h"
#include "notation/named/named_equality.h"
#include "notation/named/named_family.h"
#include "notation/named/refused.h"
#include "notation/not_representable.h"
#include "tessera/notation/named_layout.h"

namespace tessera {
namespace {

using detail::NamedFamily;
using detail::ParameterRule;

// The place of a bit of an element, in bits; empty beyond 64 bits.
std::optional<Index> bit_place(const NamedOrLayout& side, std::span<const Index> index, int bit, int bits) {
  if (!side.layout) return side.named->bit_offset(index, bit);
  const auto cell = checked_mul(side.layout->offset(index), Index{bits});
  return cell ? checked_add(*cell, Index{bit}) : std::nullopt;
}

// Places of a few elements, by which most candidates are rejected.
class Probe {
 public:
  Probe(const NamedOrLayout& layout, int bits) : layout_(layout), bits_(bits) {
    const std::span<const Index> shape = layout.shape();
    if (std::ranges::find(shape, 0) != shape.end()) return;
    std::vector<Index> index(shape.size(), 0);
    add(index);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      for (const Index at : {Index{1}, shape[d] / 2, shape[d] - 1}) {
        if (at < 1 || at >= shape[d]) continue;
        index[d] = at;
        add(index);
      }
      index[d] = shape[d] - 1;
      add(index);
      index[d] = 0;
    }
  }

  // Whether the candidate is the same function.
  Verdict compare(const NamedOrLayout& candidate) const {
    for (const auto& [index, places] : points_) {
      if (places_of(candidate, index) != places) return Verdict::no;
    }
    if (candidate.layout && layout_.layout) return same_map(*candidate.layout, *layout_.layout).verdict;
    const auto same = detail::compare_bits(candidate, layout_, bits_);
    return same ? same->verdict : Verdict::undecided;
  }

 private:
  using Places = std::vector<std::optional<Index>>;

  Places places_of(const NamedOrLayout& side, const std::vector<Index>& index) const {
    Places places;
    for (int bit = 0; bit < bits_; ++bit) places.push_back(bit_place(side, index, bit, bits_));
    return places;
  }
  void add(const std::vector<Index>& index) { points_.emplace_back(index, places_of(layout_, index)); }

  const NamedOrLayout& layout_;
  int bits_;
  std::vector<std::pair<std::vector<Index>, Places>> points_;
};

class Search {
 public:
  Search(const NamedOrLayout& layout, int bits, const std::optional<CellType>& type)
      : layout_(layout), bits_(bits), type_(type), probe_(layout, bits) {}

  detail::NameSearch run() {
    for (const NamedFamily& family : detail::families()) {
      if (family.searched && bits_ < 64 && (family.takes >> bits_ & 1) != 0) try_family(family);
    }
    for (const detail::GgufBlock& block : detail::gguf_blocks()) {
      for (const std::string_view field : detail::field_names(block)) {
        const auto type = parse_cell_type(detail::find_field(block, field)->type);
        if (type->bits == bits_)
          add({.prefix = "gguf",
               .family = std::string(block.name),
               .field = std::string(field),
               .type = type_ ? type_ : type});
      }
    }
    return std::move(found_);
  }

 private:
  // Each value of each parameter that is searched, the others at their defaults.
  void try_family(const NamedFamily& family) {
    const NamedFields plain = {.prefix = std::string(family.prefix), .family = std::string(family.name)};
    const auto rule = std::ranges::find_if(family.parameters,
                                           [](const ParameterRule& one) { return !one.searched.empty(); });
    if (rule == family.parameters.end()) return add(plain);
    for (const Index value : rule->searched) {
      NamedFields fields = plain;
      fields.parameters.push_back({std::string(rule->key), {value}});
      add(std::move(fields));
    }
  }

  void add(NamedFields fields) {
    fields.shape.assign(layout_.shape().begin(), layout_.shape().end());
    if (!fields.type) fields.type = type_ ? *type_ : own_type();
    const auto named = NamedLayout::make(fields);
    if (!named) return;
    NamedOrLayout candidate{.named = *named};
    if (named->kind() == NamedKind::cells) {
      auto cells = to_layout(*named);
      if (!cells) return;
      candidate.layout = *std::move(cells);
    }
    const Verdict verdict = probe_.compare(candidate);
    if (verdict == Verdict::yes) found_.names.push_back(*named);
    if (verdict == Verdict::undecided) found_.undecided.push_back(*named);
  }

  CellType own_type() const {
    if (layout_.named && layout_.named->type().bits == bits_) return layout_.named->type();
    const auto dtype = layout_.layout ? layout_.layout->dtype() : std::nullopt;
    if (dtype && bit_width(*dtype) == bits_) return *parse_cell_type(to_string(*dtype));
    return unsigned_type(bits_);
  }

  const NamedOrLayout& layout_;
  int bits_;
  std::optional<CellType> type_;
  Probe probe_;
  detail::NameSearch found_;
};

}  // namespace

std::vector<NamedLayout> names_of(const Layout& layout, int bits) {
  const NamedOrLayout side{.layout = layout};
  return detail::search_names(side, bits, std::nullopt).names;
}

detail::NameSearch detail::search_names(const NamedOrLayout& layout, int bits,
                                        const std::optional<CellType>& type) {
  if (bits < 1 || bits > 64) return {};
  if (layout.named && layout.named->type().bits != bits) return {};
  return Search(layout, bits, type).run();
}

Result<Conversion> detail::convert_to_named(const Layout& from) {
  if (from.notation() == Notation::named) return Conversion{from};
  const auto bits = from.element_bits();
  if (!bits) {
    return refused("unnamed", "a name depends on the width of the elements",
                   "give the type of the elements: --type u8");
  }
  std::vector<NamedLayout> names = names_of(from, static_cast<int>(*bits));
  std::erase_if(names, [](const NamedLayout& name) { return name.kind() != NamedKind::cells; });
  if (names.empty()) {
    return not_representable("unnamed",
                             fmt::format("no named layout of {}-bit elements is this function", *bits));
  }
  auto out = converted(Layout::make(names.front()));
  if (out && names.size() > 1) {
    std::vector<std::string> others;
    for (std::size_t i = 1; i < names.size(); ++i) others.push_back(name_of(names[i]));
    out->notes.push_back(fmt::format("on this shape, also {}", fmt::join(others, ", ")));
  }
  return out;
}

void detail::add_names(const Layout& from, const Layout&, std::vector<Layout>& all) {
  const auto bits = from.element_bits();
  if (!bits) return;
  for (const NamedLayout& name : names_of(from, static_cast<int>(*bits)))
    add_spelling(all, Layout::make(name));
}

}  // namespace tessera
