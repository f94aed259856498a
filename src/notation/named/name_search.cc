// SPDX-License-Identifier: Apache-2.0
#include "notation/named/name_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "notation/conversion.h"
#include "notation/named/gguf_blocks.h"
#include "notation/named/named_family.h"
#include "notation/named/refused.h"
#include "notation/not_representable.h"
#include "tessera/notation/named_layout.h"

namespace tessera {
namespace {

using detail::NamedFamily;
using detail::ParameterRule;

// Offsets of a few indices, by which most candidates are rejected.
class Probe {
 public:
  explicit Probe(const Layout& layout) : layout_(layout) {
    if (layout.size() == 0) return;
    std::vector<Index> index(layout.rank(), 0);
    add(index);
    for (std::size_t d = 0; d < layout.rank(); ++d) {
      for (const Index at : {Index{1}, layout.shape()[d] / 2, layout.shape()[d] - 1}) {
        if (at < 1 || at >= layout.shape()[d]) continue;
        index[d] = at;
        add(index);
      }
      index[d] = layout.shape()[d] - 1;
      add(index);
      index[d] = 0;
    }
  }

  bool accepts(const Layout& candidate) const {
    return std::ranges::all_of(
               points_, [&](const auto& point) { return candidate.offset(point.first) == point.second; }) &&
           same_map(candidate, layout_).verdict == Verdict::yes;
  }

 private:
  void add(const std::vector<Index>& index) { points_.emplace_back(index, layout_.offset(index)); }

  const Layout& layout_;
  std::vector<std::pair<std::vector<Index>, Index>> points_;
};

class Search {
 public:
  Search(const Layout& layout, int bits) : layout_(layout), bits_(bits), probe_(layout) {}

  std::vector<NamedLayout> run() {
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
               .type = type});
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
    if (!fields.type) fields.type = own_type();
    const auto named = NamedLayout::make(fields);
    if (!named || named->kind() != NamedKind::cells) return;
    const auto candidate = Layout::make(*named);
    if (candidate && probe_.accepts(*candidate)) found_.push_back(*named);
  }

  CellType own_type() const {
    const auto dtype = layout_.dtype();
    if (dtype && bit_width(*dtype) == bits_) return *parse_cell_type(to_string(*dtype));
    return unsigned_type(bits_);
  }

  const Layout& layout_;
  int bits_;
  Probe probe_;
  std::vector<NamedLayout> found_;
};

}  // namespace

std::vector<NamedLayout> names_of(const Layout& layout, int bits) {
  if (bits < 1 || bits > 64) return {};
  return Search(layout, bits).run();
}

Result<Conversion> detail::convert_to_named(const Layout& from) {
  if (from.notation() == Notation::named) return Conversion{from};
  const auto bits = from.element_bits();
  if (!bits) {
    return refused("unnamed", "a name depends on the width of the elements",
                   "give the type of the elements: --type u8");
  }
  const std::vector<NamedLayout> names = names_of(from, static_cast<int>(*bits));
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
