// SPDX-License-Identifier: Apache-2.0
// Copies between two layouts, and the loop nests of plans.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/plural.h"
#include "code/build.h"
#include "code/lower.h"
#include "code/nest_test_text.h"
#include "code/nest_text.h"
#include "tessera/code/code.h"
#include "tessera/map/map_algebra.h"
#include "tessera/notation/layout.h"
#include "tessera/relayout/relayout.h"

namespace tessera {
namespace {

using coding::Function;

// The largest of 8, 4, 2, 1 bytes that divides every offset, stride and run.
Index common_unit(const std::vector<StridedMove>& nests, Index unit) {
  for (const StridedMove& nest : nests) {
    unit = std::gcd(std::gcd(unit, nest.from), nest.to);
    for (std::size_t i = 0; i + 1 < nest.loops.size(); ++i) {
      if (nest.loops[i].extent > 1) unit = std::gcd(std::gcd(unit, nest.loops[i].from), nest.loops[i].to);
    }
    unit = std::gcd(unit, nest.loops.back().extent);
  }
  return unit;
}

// Converts bytes to units, drops loops of one pass, and joins loops that are one loop on both sides. Keeps
// the plan's order of loops.
void rescale(StridedMove& nest, Index unit) {
  nest.from /= unit;
  nest.to /= unit;
  nest.loops.back().extent /= unit;
  std::vector<StridedLoop> kept;
  for (std::size_t i = 0; i < nest.loops.size(); ++i) {
    StridedLoop loop = nest.loops[i];
    if (i + 1 < nest.loops.size()) {
      loop.from /= unit;
      loop.to /= unit;
    }
    if (loop.extent == 1) continue;
    if (!kept.empty() && kept.back().from == loop.from * loop.extent &&
        kept.back().to == loop.to * loop.extent) {
      kept.back() = {kept.back().extent * loop.extent, loop.from, loop.to};
    } else {
      kept.push_back(loop);
    }
  }
  nest.loops = std::move(kept);
}

IndexMap map_of(const StridedMove& nest) {
  std::vector<Variable> variables;
  Expr src = Expr::constant(nest.from);
  Expr dst = Expr::constant(nest.to);
  Expr src_sum = Expr::constant(0);
  Expr dst_sum = Expr::constant(0);
  for (std::size_t i = 0; i < nest.loops.size(); ++i) {
    const StridedLoop& loop = nest.loops[i];
    variables.push_back({.bounds = Interval::of_extent(loop.extent), .name = fmt::format("i{}", i)});
    src_sum = src_sum + Expr::variable(static_cast<Index>(i)) * loop.from;
    dst_sum = dst_sum + Expr::variable(static_cast<Index>(i)) * loop.to;
  }
  return IndexMap::make_unchecked(Domain(std::move(variables), {}, {}), {src_sum + src, dst_sum + dst});
}

// A function whose parameters are the variables of a map, and whose values are the source and the destination
// offset.
Result<Function> copy_function(const IndexMap& map, const CodeOptions& options,
                               std::vector<std::string> about) {
  Result<Function> function = coding::start_function(options, "copy");
  if (!function) return function;
  function->about = std::move(about);
  std::vector<coding::TermId> variables;
  for (std::size_t v = 0; v < map.variables().size(); ++v)
    variables.push_back(coding::add_parameter(*function, map.domain().name(v), map.variables()[v].bounds));
  if (const auto added = coding::add_map(*function, map, variables); !added) return fail(added.error());
  return function;
}

bool by_element(const coding::Rules& rules) {
  return rules.family == coding::Family::arrays || rules.language == CodeLanguage::cuda ||
         rules.language == CodeLanguage::hip;
}

// The nests as one function.
Result<std::string> nests_text(const std::vector<StridedMove>& nests, Index unit, const CodeOptions& options,
                               const std::vector<std::string>& about) {
  std::vector<coding::LoopNest> loops;
  for (const StridedMove& nest : nests) {
    Result<Function> function = copy_function(map_of(nest), options, about);
    if (!function) return fail(function.error());
    loops.push_back({.function = *std::move(function), .body = coding::Body::copy, .element_bytes = unit});
  }
  return coding::nest_text(loops);
}

// The first offsets that a copy reads and writes. Arrays of Python count negative indices from the end.
Result<void> check_starts(const coding::Rules& rules, Index read, Index written) {
  const bool from_end = rules.family == coding::Family::python || rules.language == CodeLanguage::numpy ||
                        rules.language == CodeLanguage::jax;
  if (!from_end || (read >= 0 && written >= 0)) return {};
  return fail(Code::not_applicable,
              fmt::format("the copy {} offset {}, which {} counts from the end of the array",
                          read < 0 ? "reads" : "writes", read < 0 ? read : written, rules.name),
              {}, "add an offset to the layout, or choose --lang c, cpp, cuda, hip or triton");
}

std::size_t operations(const Function& function) { return function.terms.reachable(function.values).size(); }

// The work of one thread: copies element number n. The variables of the map are the digits of n, the last one
// fastest.
Result<Function> numbered_copy(const IndexMap& map, const CodeOptions& options,
                               const std::vector<std::string>& about) {
  const Result<IndexMap> numbered = coding::by_number(map);
  if (!numbered) return fail(numbered.error());
  const std::size_t digits = map.dim_count();
  // Two forms: the digits of n first, which both offsets share, or each offset simplified as a function of n.
  Result<Function> by_digits = coding::start_function(options, "copy");
  if (!by_digits) return by_digits;
  by_digits->about = about;
  const coding::TermId n[] = {coding::add_parameter(*by_digits, "n", numbered->variables()[0].bounds)};
  std::vector<coding::TermId> variables;
  for (std::size_t i = 0; i < digits; ++i) {
    const Result<coding::TermId> digit =
        coding::lower(by_digits->terms, simplify(numbered->results()[i], numbered->domain()), n);
    if (!digit) return fail(digit.error());
    variables.push_back(*digit);
  }
  if (const auto added = coding::add_map(*by_digits, simplify(map, Points::preserve), variables); !added)
    return fail(added.error());
  Result<IndexMap> direct = coding::prepared(IndexMap::make_unchecked(
      numbered->domain(), {numbered->results()[digits], numbered->results()[digits + 1]}));
  if (!direct) return fail(direct.error());
  Result<Function> simplified = copy_function(*direct, options, about);
  return simplified && operations(*simplified) < operations(*by_digits) ? simplified : by_digits;
}

}  // namespace

Result<SourceCode> copy_code(const Layout& from, const Layout& to, Index element_bytes,
                             const CodeOptions& options) {
  if (element_bytes != 1 && element_bytes != 2 && element_bytes != 4 && element_bytes != 8)
    return fail(Code::unsupported_width,
                fmt::format("elements of {} have no integer type", detail::plural(element_bytes, "byte")), {},
                "choose elements of 1, 2, 4 or 8 bytes");
  const Result<RelayoutPlan> plan = make_plan(from, to, element_bytes);
  if (!plan) return fail(plan.error());
  if (from.size() == 0) return fail(Code::bad_extent, "the layouts have no elements");
  const coding::Rules& rules = coding::rules_of(options.language);
  const Result<Interval> read = offset_range(from);
  if (!read) return fail(read.error());
  const Result<Interval> written = offset_range(to);
  if (!written) return fail(written.error());
  if (const auto starts = check_starts(rules, read->lower, written->lower); !starts)
    return fail(starts.error());
  const std::vector<std::string> about = {fmt::format("Copies {} to {}, elements of {}; offsets in elements.",
                                                      to_string(from), to_string(to),
                                                      detail::plural(element_bytes, "byte"))};
  auto nests = plan->moves();
  if (nests && nests->empty()) nests.reset();
  if (nests && common_unit(*nests, element_bytes) != element_bytes) nests.reset();
  std::string text;
  Index threads = 0;
  if (nests && by_element(rules) && nests->size() > 1) nests.reset();
  if (nests) {
    for (StridedMove& nest : *nests) rescale(nest, element_bytes);
  }
  IndexMap by_index;
  if (!nests || by_element(rules)) {
    const IndexMap src = lower(from);
    const IndexMap dst = lower(to);
    by_index = IndexMap::make_unchecked(Domain::box(from.shape()), {src.results()[0], dst.results()[0]});
  }
  if (by_element(rules)) {
    if (nests) {
      // Neighboring threads should write neighboring elements.
      StridedMove& nest = nests->front();
      std::ranges::stable_sort(nest.loops,
                               [](const StridedLoop& a, const StridedLoop& b) { return a.to > b.to; });
      by_index = map_of(nest);
    }
    const Result<Function> function = numbered_copy(by_index, options, about);
    if (!function) return fail(function.error());
    threads = from.size();
    Result<std::string> kernel = coding::element_copy_text(*function, element_bytes);
    if (!kernel) return fail(kernel.error());
    text = *std::move(kernel);
  } else if (nests) {
    Result<std::string> loops = nests_text(*nests, element_bytes, options, about);
    if (!loops) return fail(loops.error());
    text = *std::move(loops);
  } else {
    Result<Function> function = coding::start_function(options, "copy");
    if (!function) return fail(function.error());
    function->about = about;
    std::vector<coding::TermId> index;
    for (std::size_t i = 0; i < from.rank(); ++i)
      index.push_back(
          coding::add_parameter(*function, fmt::format("d{}", i), Interval::of_extent(from.shape()[i])));
    for (const Layout* layout : {&from, &to}) {
      const Result<coding::TermId> value = coding::lower(function->terms, *layout, index);
      if (!value) return fail(value.error());
      function->values.push_back(*value);
    }
    Result<std::string> loops = coding::nest_text(
        {{.function = *std::move(function), .body = coding::Body::copy, .element_bytes = element_bytes}});
    if (!loops) return fail(loops.error());
    text = *std::move(loops);
  }
  std::string test;
  if (options.test) {
    const Index limit = coding::point_limit(rules);
    if (read->lower < 0 || written->lower < 0 || read->upper >= limit || written->upper >= limit)
      return fail(Code::limit,
                  fmt::format("a test of buffers of more than {} elements is not supported", limit), {},
                  "leave out --test, or test a smaller shape");
    coding::CopyTest data{
        .name = options.name.empty() ? "copy" : options.name,
        .element_bytes = element_bytes,
        .src_elements = read->upper + 1,
        .dst = std::vector<std::uint64_t>(static_cast<std::size_t>(written->upper) + 1, coding::kUntouched),
        .threads = by_element(rules) ? threads : 0};
    std::vector<Interval> box;
    for (const Index extent : from.shape()) box.push_back(Interval::of_extent(extent));
    coding::for_each_point(box, [&](std::span<const Index> index) {
      data.dst[static_cast<std::size_t>(to.offset(index))] =
          coding::source_value(from.offset(index), element_bytes);
    });
    Result<std::string> made = coding::copy_test(rules, data);
    if (!made) return fail(made.error());
    test = *std::move(made);
  }
  return coding::finished(rules, std::move(text), std::move(test));
}

Result<SourceCode> plan_code(const RelayoutPlan& plan, const CodeOptions& options) {
  const coding::Rules& rules = coding::rules_of(options.language);
  if (rules.family == coding::Family::arrays)
    return fail(Code::not_applicable,
                fmt::format("a plan is written as loops, which {} does not have", rules.name), {},
                "write the copy with --copy-kernel");
  auto nests = plan.moves();
  if (!nests || nests->empty())
    return fail(Code::not_applicable,
                "plain loops cannot express a plan that has a lookup table, fills padding or evaluates a map",
                {}, "write the copy with --copy-kernel");
  const Index unit = common_unit(*nests, 8);
  const auto starts = check_starts(rules, plan.src_range().begin / unit, plan.dst_range().begin / unit);
  if (!starts) return fail(starts.error());
  for (StridedMove& nest : *nests) rescale(nest, unit);
  Result<std::string> text =
      nests_text(*nests, unit, options,
                 {fmt::format("A plan's loops; offsets in units of {}.", detail::plural(unit, "byte"))});
  if (!text) return fail(text.error());
  std::string test;
  if (options.test) {
    const Index limit = coding::point_limit(rules);
    const Index src_units = (plan.src_range().end + unit - 1) / unit;
    const Index dst_units = (plan.dst_range().end + unit - 1) / unit;
    if (plan.src_range().begin < 0 || plan.dst_range().begin < 0 || src_units > limit || dst_units > limit)
      return fail(Code::limit, fmt::format("a test of buffers of more than {} units is not supported", limit),
                  {}, "leave out --test, or test a smaller shape");
    std::vector<std::byte> src(static_cast<std::size_t>(src_units * unit));
    std::vector<std::byte> dst(static_cast<std::size_t>(dst_units * unit));
    const auto put = [unit](std::vector<std::byte>& to, Index i, std::uint64_t value) {
      for (Index b = 0; b < unit; ++b)
        to[static_cast<std::size_t>(i * unit + b)] = static_cast<std::byte>(value >> (8 * b));
    };
    for (Index i = 0; i < src_units; ++i) put(src, i, coding::source_value(i, unit));
    for (Index i = 0; i < dst_units; ++i) put(dst, i, coding::kUntouched);
    run(plan, src.data(), dst.data());
    coding::CopyTest data{.name = options.name.empty() ? "copy" : options.name,
                          .element_bytes = unit,
                          .src_elements = src_units};
    for (Index i = 0; i < dst_units; ++i) {
      std::uint64_t value = 0;
      for (Index b = unit; b-- > 0;)
        value = value << 8 | static_cast<std::uint64_t>(dst[static_cast<std::size_t>(i * unit + b)]);
      data.dst.push_back(value);
    }
    Result<std::string> made = coding::copy_test(rules, data);
    if (!made) return fail(made.error());
    test = *std::move(made);
  }
  return coding::finished(rules, *std::move(text), std::move(test));
}

}  // namespace tessera
