// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/state_of.h"
#include "base/try.h"
#include "notation/conversion.h"
#include "notation/layout_form.h"
#include "notation/named/name_search.h"
#include "notation/named/named_exprs.h"
#include "notation/named/refused.h"
#include "notation/notation_traits.h"
#include "notation/parse_layout.h"

namespace tessera {
namespace {

using detail::Claim;
using detail::NotationTraits;
using detail::TextStart;

class NamedForm : public detail::FormOf<NamedLayout> {
 public:
  using FormOf::FormOf;
  std::string text(std::span<const Index>) const override { return to_string(get()); }
  std::string order() const override {
    return fmt::format("named: rows first, cells of {} bit{}", get().type().bits,
                       get().type().bits == 1 ? "" : "s");
  }
  std::optional<Index> allocated_elements() const override { return get().buffer_bits() / get().type().bits; }
  std::optional<DType> dtype() const override { return get().type().dtype; }
  std::optional<Index> element_bits() const override { return get().type().bits; }
  Result<void> may_convert(Notation to) const override {
    if (get().type().dtype || to == Notation::named || to == Notation::map) return {};
    return detail::refused("no_cells",
                           fmt::format("no other notation has cells of {} bits", get().type().bits),
                           "its bits have a layout: convert --bits");
  }

  // Only for uneven groups.
  Index offset(std::span<const Index> index) const override {
    return detail::grouped_offset(detail::state_of(get()), index);
  }
  IndexMap to_index_map(std::span<const Index> shape) const override {
    return IndexMap::make_unchecked(Domain::box(shape), {detail::cell_expr(detail::state_of(get()))});
  }
  detail::DimGroups interacting_dims(const Layout&) const override {
    // The stride of a row depends on the columns of its group; rows of groups only begin elsewhere.
    const NamedLayout::State& state = detail::state_of(get());
    if (state.group_dim == state.batch) return {};
    return {{state.batch, state.group_dim}};
  }
};

Claim claim_named(const TextStart& start) {
  return start.inside == start.begin && is_named_text(start.text) ? Claim::certain : Claim::no;
}

Result<Layout> read_named(std::string_view text) {
  auto named = parse_named_layout(text);
  if (!named) return fail(named.error());
  return detail::placed(to_layout(*named), text);
}

}  // namespace

Result<Layout> to_layout(const NamedLayout& layout) {
  const NamedLayout::State& state = detail::state_of(layout);
  if (layout.kind() == NamedKind::stream) {
    return detail::refused("no_cells", fmt::format("elements of {} bits are not cells", state.type.bits),
                           "its bits have a layout: convert --bits");
  }
  if (layout.kind() == NamedKind::planes) {
    return detail::refused(
        "planes",
        fmt::format("the {} bits of an element lie in {} places", state.type.bits, state.regions.size()),
        "its bits have a layout: convert --bits");
  }
  TESSERA_TRY(size, detail::checked_size(state.shape));
  std::optional<Digits> digits;
  if (state.empty()) {
    digits = Digits::normalized(state.shape, 0, {});
  } else if (state.groups.empty()) {
    digits = Digits::normalized(state.shape, state.regions.front().base, state.regions.front().digits);
  }
  return detail::new_layout(Notation::named, state.shape, size, std::move(digits),
                            std::make_unique<NamedForm>(layout));
}

const NotationTraits& detail::named_traits() {
  static const NotationTraits traits = {
      .prefix = "named",
      .example = "a named layout is a family, a type and extents: scale:128x4 u8[300,7]",
      .claim = claim_named,
      .read = read_named,
      .convert = detail::convert_to_named,
      .add_spellings = detail::add_names,
  };
  return traits;
}

}  // namespace tessera
