// SPDX-License-Identifier: Apache-2.0
#include "notation/offset_program.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/cancellation.h"
#include "map/values/enumerate.h"
#include "notation/layout_form.h"
#include "notation/not_representable.h"
#include "tessera/map/map_algebra.h"
#include "tessera/notation/digits.h"

namespace tessera::detail {
namespace {

// Evaluates the expression at every index of the box and returns the bounds of the values.
Result<Interval> enumerated(Expr expr, std::span<const Interval> box) {
  const auto points = point_count(box);
  if (!points || *points > kTableLimit) {
    return fail(
        Code::undecided,
        fmt::format("could not decide whether the map has a value at every index: its bounds do not prove "
                    "it, and it has more than {} indices, too many to enumerate",
                    kTableLimit));
  }
  BoxRows rows({box.begin(), box.end()});
  RowEvaluator evaluator(std::span(&expr, 1), box.size());
  Interval bounds;
  bool first = true;
  while (rows.next()) {
    evaluator.run(rows.base(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!evaluator.defined(0, i)) {
        const std::string witness = point_text(rows.point(i));
        auto none =
            not_representable("not_a_layout", fmt::format("the map has no value at {}", witness), witness);
        none.value().help = "a step there divides by 0 or does not fit in 64 bits";
        return none;
      }
      const Interval value = Interval::point(evaluator.value(0, i));
      bounds = first ? value : hull(bounds, value);
      first = false;
    }
  }
  if (detail::cancelled()) return detail::cancelled_failure();
  return bounds;
}

}  // namespace

Result<OffsetProgram> OffsetProgram::make(Expr expr, std::span<const Index> box) {
  OffsetProgram program;
  if (std::ranges::find(box, 0) != box.end()) return program;
  std::vector<Interval> intervals;
  for (const Index extent : box) intervals.push_back(Interval::of_extent(extent));
  program.program_.add(expr);
  const auto bounds = program.program_.bounds(intervals);
  if (bounds) {
    program.bounds_ = *bounds;
    if (check_bounds(*bounds)) return program;
    // The bounds of parts may exceed the values of the whole: x - (x / 2) * 2.
    std::vector<Variable> dims;
    for (const Interval b : intervals) dims.push_back({b});
    program.bounds_ = range(expr, Domain(std::move(dims), {}, {}));
    if (check_bounds(program.bounds_)) return program;
  }
  const auto seen = enumerated(expr, intervals);
  if (!seen && bounds) return program;
  if (!seen) return fail(seen.error());
  program.bounds_ = *seen;
  program.exact_ = true;
  return program;
}

}  // namespace tessera::detail
