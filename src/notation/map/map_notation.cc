// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "notation/conversion.h"
#include "notation/layout_form.h"
#include "notation/limits.h"
#include "notation/notation_traits.h"
#include "notation/offset_program.h"
#include "notation/parse_layout.h"
#include "notation/structure.h"
#include "notation/to_digits.h"
#include "tessera/map/map_algebra.h"
#include "tessera/text/index_map.h"

namespace tessera {
namespace {

using detail::Claim;
using detail::is_empty;
using detail::NotationTraits;
using detail::TextStart;

class MapForm : public detail::FormOf<IndexMap> {
 public:
  MapForm(IndexMap map, detail::OffsetProgram program)
      : FormOf(std::move(map)), program_(std::move(program)) {}
  std::string text(std::span<const Index> shape) const override { return to_string(get(), shape); }
  std::string order() const override { return "index map: the offset from d0, d1, ..."; }
  Index offset(std::span<const Index> index) const override { return program_.run(index); }
  IndexMap to_index_map(std::span<const Index>) const override { return get(); }
  detail::DimGroups interacting_dims(const Layout&) const override { return detail::interacting_dims(get()); }
  std::optional<Interval> offset_bounds() const override {
    return program_.is_exact() ? std::optional(program_.bounds()) : std::nullopt;
  }

 private:
  detail::OffsetProgram program_;
};

constexpr std::string_view kMapExample = "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]";

Claim claim_map(const TextStart& start) {
  return start.has_arrow || start.rest().starts_with("KNOWN") ? Claim::certain : Claim::no;
}

Result<Layout> read_map(std::string_view text) {
  auto read = parse_box_map(text);
  auto layout = read ? detail::placed(Layout::make(std::move(read->map), read->extents), text)
                     : Result<Layout>(fail(read.error()));
  if (!layout && layout.error().reason == "not_a_layout" && layout.error().help.empty()) {
    layout.error().help =
        fmt::format("a layout has one result and dimensions that start at 0: {}", kMapExample);
  }
  return layout;
}

Result<Conversion> convert_to_map(const Layout& from) {
  if (is_empty(from)) return detail::converted(Layout::make(lower(from), detail::shape_of(from)));
  if (from.known_digits() == nullptr && from.size() <= detail::kNotationLimits.map_table) {
    // The box is small enough to find the digits by enumeration.
    if (const auto digits = to_digits(from)) return detail::converted(Layout::make(digits->to_index_map()));
  }
  if (from.known_digits() != nullptr) return detail::converted(Layout::make(lower(from)));
  return detail::converted(Layout::make(simplify(lower(from))));
}

void add_map_spellings(const Layout& from, const Layout&, std::vector<Layout>& all) {
  if (is_empty(from)) return;
  detail::add_spelling(all, Layout::make(simplify(lower(from))));
  detail::add_spelling(all, Layout::make(lower(from)));
  if (const TiledMap* tiled = from.tiled_map())
    detail::add_spelling(all, Layout::make(tiled->to_index_map()));
  if (const auto linear = linear_form(from); linear && std::ranges::equal(linear->shape(), from.shape()))
    detail::add_spelling(all, Layout::make(linear->to_index_map()));
}

}  // namespace

Result<Layout> to_layout(IndexMap map, const std::vector<Index>& empty_shape) {
  auto box = detail::box_of(map);
  if (!box) return fail(box.error());
  if (map.known_empty() && empty_shape.size() == box->size()) *box = empty_shape;
  const auto size = detail::checked_size(*box);
  if (!size) return fail(size.error());
  std::optional<Digits> digits = *size > 0 ? detail::structural_digits(map) : Digits::normalized(*box, 0, {});
  detail::OffsetProgram program;
  if (*size > 0) {
    auto made = detail::OffsetProgram::make(map.results()[0], *box);
    if (!made) return fail(made.error());
    const Interval bounds = digits ? digits->image_bounds() : made->bounds();
    if (const auto checked = detail::check_bounds(bounds); !checked) {
      if (digits || made->is_exact()) return fail(checked.error());
      return fail(
          Code::undecided,
          fmt::format("could not decide whether the offsets stay between -2^62 and 2^62: the bounds of "
                      "the map do not prove it, and it has more than {} indices, too many to enumerate",
                      kTableLimit));
    }
    program = *std::move(made);
  }
  return detail::new_layout(Notation::map, *std::move(box), *size, std::move(digits),
                            std::make_unique<MapForm>(std::move(map), std::move(program)));
}

Result<Layout> to_layout(const Digits& digits) {
  std::vector<Index> shape(digits.box().begin(), digits.box().end());
  const auto size = detail::checked_size(shape);
  if (!size) return fail(size.error());
  if (*size > 0) {
    if (const auto checked = detail::check_bounds(digits.image_bounds()); !checked)
      return fail(checked.error());
  }
  return detail::new_layout(Notation::map, std::move(shape), *size, digits,
                            std::make_unique<MapForm>(digits.to_index_map(), detail::OffsetProgram()));
}

const NotationTraits& detail::map_traits() {
  static const std::string example = fmt::format("a map has results and a domain: {}", kMapExample);
  static const NotationTraits traits = {
      .prefix = "map",
      .example = example,
      .claim = claim_map,
      .read = read_map,
      .convert = convert_to_map,
      .add_spellings = add_map_spellings,
  };
  return traits;
}

}  // namespace tessera
