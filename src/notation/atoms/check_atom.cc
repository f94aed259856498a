// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "base/index_walk.h"
#include "tessera/notation/atoms.h"

namespace tessera {
namespace {

Failure broken(const Atom& atom, std::string_view what) {
  return fail(Code::verify_failed, fmt::format("atom {}: {}", atom.id, what));
}

// Calls `visit` with each index of a box, until it returns false.
bool all_indices(std::span<const Index> shape, const std::function<bool(std::span<const Index>)>& visit) {
  if (std::ranges::find(shape, 0) != shape.end()) return true;
  std::vector<Index> index(shape.size());
  do {
    if (!visit(index)) return false;
  } while (detail::next_index_first_fastest(index, shape));
  return true;
}

bool inside(std::span<const Index> result, std::span<const AtomAxis> codomain) {
  if (result.size() != codomain.size()) return false;
  for (std::size_t d = 0; d < result.size(); ++d)
    if (result[d] < 0 || result[d] >= codomain[d].extent) return false;
  return true;
}

}  // namespace

std::vector<Index> atom_result(const Atom& atom, Index value) {
  if (atom.codomain.size() != 2) return {value};
  const Index rows = atom.codomain[0].extent;
  return {value % rows, value / rows};
}

Result<AtomCoverage> check_atom(const Atom& atom) {
  const Result<Layout> layout = parse_layout(atom.layout);
  if (!layout) return fail(layout.error());
  if (!std::ranges::equal(layout->shape(), atom.domain, {}, {}, &AtomAxis::extent))
    return broken(atom, fmt::format("the layout has the shape ({})", fmt::join(layout->shape(), ",")));
  Index places = 1;
  for (const AtomAxis& axis : atom.codomain) places *= axis.extent;
  std::vector<bool> reached(static_cast<std::size_t>(places));
  Index count = 0;
  std::string outside;
  all_indices(layout->shape(), [&](std::span<const Index> index) {
    const Index value = layout->offset(index);
    const std::vector<Index> result = atom_result(atom, value);
    if (!inside(result, atom.codomain)) {
      outside = fmt::format("({}) maps to ({}), outside the codomain", fmt::join(index, ","),
                            fmt::join(result, ","));
      return false;
    }
    // For a pair (m, k), the value m + M * k is also the 1-D index of its position.
    if (!reached[static_cast<std::size_t>(value)]) ++count;
    reached[static_cast<std::size_t>(value)] = true;
    return true;
  });
  if (!outside.empty()) return broken(atom, outside);
  for (const AtomPoint& point : atom.points) {
    if (!inside(point.coordinate, atom.domain)) {
      return broken(atom,
                    fmt::format("the point ({}) is outside the domain", fmt::join(point.coordinate, ",")));
    }
    const std::vector<Index> result = atom_result(atom, layout->offset(point.coordinate));
    if (result != point.result) {
      return broken(
          atom, fmt::format("({}) maps to ({}), but its source has ({})", fmt::join(point.coordinate, ","),
                            fmt::join(result, ","), fmt::join(point.result, ",")));
    }
  }
  const AtomCoverage coverage = {.injective = count == layout->size(), .onto = count == places};
  if ((coverage.injective && coverage.onto) != atom.bijective)
    return broken(atom, atom.bijective ? "the layout is not bijective" : "the layout is bijective");
  return coverage;
}

std::vector<const Atom*> atoms_equal_to(const Layout& layout) {
  std::vector<const Atom*> found;
  for (const Atom& atom : atoms()) {
    if (!std::ranges::equal(layout.shape(), atom.domain, {}, {}, &AtomAxis::extent)) continue;
    const Result<Layout> own = parse_layout(atom.layout);
    const auto same = [&](std::span<const Index> index) {
      return layout.offset(index) == own->offset(index);
    };
    if (own && all_indices(layout.shape(), same)) found.push_back(&atom);
  }
  return found;
}

}  // namespace tessera
