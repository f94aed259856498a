// SPDX-License-Identifier: Apache-2.0
#include "report/program/warp_access.h"

#include <optional>
#include <utility>
#include <vector>

#include "report/limits.h"
#include "tessera/access/access.h"
#include "tessera/hlo/module.h"
#include "tessera/map/map_algebra.h"
#include "tessera/notation/layout.h"

namespace tessera::detail {
namespace {

WarpAccess unknown_access(std::string reason) { return {.map = {}, .reason = std::move(reason)}; }

// A map from (thread, values) to the index of the operand. The threads compute the elements of the result in
// memory order. If `swept` is a variable, they instead take its values, for each element.
IndexMap threads_to_operand(const IndexMap& map, const TensorType& result, std::optional<std::size_t> swept) {
  const auto all = map.variables();
  std::vector<Variable> own(1);
  std::vector<Expr> moved(all.size());
  const auto take = [&](std::size_t v) {
    moved[v] = Expr::variable(static_cast<Index>(own.size()));
    own.push_back({all[v].bounds});
  };
  if (swept) {
    const Interval bounds = all[*swept].bounds;
    own[0].bounds = {0, bounds.upper - bounds.lower};
    moved[*swept] = Expr::variable(0) + bounds.lower;
    for (std::size_t v = 0; v < all.size(); ++v)
      if (v != *swept) take(v);
  } else {
    own[0].bounds = Interval::of_extent(result.element_count().value_or(0));
    Expr rest = Expr::variable(0);
    for (const Index d : result.minor_to_major()) {
      const auto i = static_cast<std::size_t>(d);
      moved[i] = mod(rest, result.dims[i]);
      rest = floor_div(rest, result.dims[i]);
    }
    for (std::size_t v = map.dim_count(); v < all.size(); ++v) take(v);
  }
  Domain domain(std::move(own), {}, {});
  for (std::size_t i = 0; i < map.dim_count(); ++i) domain.constrain(moved[i], all[i].bounds);
  for (const Constraint& c : map.constraints()) domain.constrain(substitute(c.expr, moved), c.range);
  std::vector<Expr> results;
  for (const Expr e : map.results()) results.push_back(substitute(e, moved));
  return simplify(IndexMap::make_unchecked(std::move(domain), std::move(results)));
}

WarpAccess count(IndexMap threads, const Layout& layout, Index element_bits) {
  if (threads.known_empty()) return {};
  WarpAccess out{.map = to_string(threads)};
  const AccessOptions options{
      .element_bits = element_bits, .shared = false, .most_pairs = kReportLimits.program.lanes};
  const std::vector<Access> accesses = {{.tv = std::move(threads)}};
  const Result<AccessReports> reports = analyze_accesses(layout, accesses, options);
  if (!reports) return unknown_access(reports.error().message);
  const AccessReport& report = reports->each[0];
  out.sectors = report.global->sum.sectors;
  out.fewest = report.global->sum.ideal_sectors;
  if (!report.global->exact) out.sampled = static_cast<Index>(report.instructions);
  return out;
}

bool fetches_less(const WarpAccess& a, const WarpAccess& b) {
  return a.known() && a.fewest > 0 &&
         static_cast<__int128>(a.sectors) * b.fewest < static_cast<__int128>(b.sectors) * a.fewest;
}

}  // namespace

WarpAccess warp_access(const Indexing& indexing, const TensorType& result, const TensorType& operand) {
  const IndexMap& map = indexing.map;
  if (indexing.exactness == Exactness::unknown) return unknown_access(indexing.reason);
  if (map.known_empty()) return {};
  if (!indexing.replica.empty()) return unknown_access("the elements are on other devices");
  if (map.runtime_count() > 0) return unknown_access("the address is known only when the program runs");
  if (result.layout != nullptr && !result.layout->is_plain())
    return unknown_access("the result has tiles, so neighboring elements are not computed by one warp");
  if (map.dim_count() != result.rank()) return unknown_access("the map is not one of the result");
  const auto layout = Layout::make(operand);
  if (!layout) return unknown_access(layout.error().message);
  const Index bits = layout->element_bits().value_or(0);
  if (bits < 8 || bits % 8 != 0) return unknown_access("the elements are not whole bytes");
  if (!result.is_static() || result.element_count().value_or(0) == 0) return {};
  WarpAccess best = count(threads_to_operand(map, result, {}), *layout, bits);
  for (std::size_t v = map.dim_count(); v < map.variables().size() && best.excess() > 0; ++v) {
    if (map.variables()[v].bounds.is_point()) continue;
    WarpAccess other = count(threads_to_operand(map, result, v), *layout, bits);
    if (!fetches_less(other, best)) continue;
    best = std::move(other);
    best.shares = true;
  }
  best.is_bound = indexing.exactness == Exactness::superset;
  return best;
}

}  // namespace tessera::detail
