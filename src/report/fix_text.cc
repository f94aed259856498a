// SPDX-License-Identifier: Apache-2.0
// The fixes of `tessera access --fix` as text.
#include "report/fix_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/plural.h"
#include "report/access_answer.h"
#include "report/answer_rows.h"
#include "report/hardware_swizzle.h"
#include "tessera/notation/cute.h"

namespace tessera {
namespace {

using detail::plural;

// What the proofs assume of other layouts. Empty if every layout keeps blocks of one element whole.
std::string condition_text(const FixSet& set, Index element_bits) {
  if (8 * set.block_bytes <= element_bits) return "";
  return fmt::format(" that keeps blocks of {} whole", plural(set.block_bytes, "byte"));
}

std::string proof_text(const Fix& fix, const FixSet& set, Index element_bits) {
  const std::string condition = condition_text(set, element_bits);
  switch (fix.proof) {
    case FixProof::floor:
      return fmt::format("equal to the floor: no layout{} is better", condition);
    case FixProof::linear:
      return fmt::format("no linear map of offset bits{} is better; the floor is {}", condition, set.floor);
    case FixProof::family:
      return fmt::format("no other {}{} is better; the floor is {}",
                         fix.family == FixFamily::pad ? "padding of one stride" : "swizzle", condition,
                         set.floor);
    case FixProof::none:
      return fmt::format("none: the best found; the floor is {}", set.floor);
  }
  return "";
}

std::string_view plural_name(FixFamily family) {
  return family == FixFamily::swizzle ? "swizzles"
         : family == FixFamily::pad   ? "paddings of one stride"
                                      : "linear maps of offset bits";
}

// What was searched without success: `none of 34 swizzles and 31 paddings of one stride has fewer; the floor
// is 1`.
std::string search_text(const FixSet& set, const std::string& condition) {
  std::vector<std::string> complete;
  for (const FixSearch& search : set.searches) {
    if (!search.not_searched.empty() || !search.complete) continue;
    complete.push_back(search.family == FixFamily::linear
                           ? std::string(plural_name(search.family))
                           : fmt::format("{} {}", search.tried, plural_name(search.family)));
  }
  if (complete.empty()) return fmt::format("none: the floor is {}", set.floor);
  std::string list = complete.back();
  if (complete.size() > 1) {
    complete.pop_back();
    list = fmt::format("{} and {}", fmt::join(complete, ", "), list);
  }
  return fmt::format("none of the {}{} has fewer wavefronts; the floor is {}", list, condition, set.floor);
}

// One row for each family that was not searched, or only in part.
std::string gaps_text(const FixSet& set) {
  std::string out;
  for (const FixSearch& search : set.searches) {
    if (!search.not_searched.empty()) {
      out += detail::inner("not searched",
                           fmt::format("{}: {}", plural_name(search.family), search.not_searched));
    } else if (!search.complete) {
      out += detail::inner("limit", search.family == FixFamily::linear
                                        ? fmt::format("not all {} were searched", plural_name(search.family))
                                        : fmt::format("only {} {} were counted: there are more", search.tried,
                                                      plural_name(search.family)));
    }
  }
  return out;
}

std::string cost_text(const Fix& fix, Index element_bits) {
  std::string out =
      fmt::format("{}, {}", plural(fix.bytes, "byte"), plural(static_cast<Index>(fix.xor_terms), "xor term"));
  if (!fix.swizzle) return out;
  const std::optional<Swizzle> bytes = on_bytes(*fix.swizzle, element_bits);
  if (!bytes) return out;
  out += fmt::format("; on bytes {}", to_string(*bytes));
  if (const std::string_view name = hardware_name(*bytes); !name.empty()) out += fmt::format(": {}", name);
  return out + fmt::format(", period {}", period(*bytes));
}

}  // namespace

std::string fixed_text(const AccessAnswer& answer, const Fix& fix) {
  if (fix.layout) return to_string(*fix.layout);
  if (!fix.images.empty())
    return fmt::format("offset bits to {} after {}", fmt::join(fix.images, ","), to_string(answer.layout));
  return fmt::format("{} after {}", to_string(*fix.swizzle), to_string(answer.layout));
}

namespace detail {

std::string fixes_text(const AccessAnswer& answer) {
  const FixSet& set = *answer.fixes;
  const Fix& best = set.best_fix();
  if (best.family == FixFamily::none) {
    const std::string condition = condition_text(set, answer.options.element_bits);
    if (best.wavefronts == set.floor)
      return row("fix", "none") + inner("proof", fmt::format("no layout{} has fewer wavefronts", condition));
    return row("fix", "none") + inner("proof", search_text(set, condition)) + gaps_text(set);
  }
  std::vector<std::string> each;
  for (std::size_t i = 0; i < best.per_access.size(); ++i)
    each.push_back(fmt::format("{} {}", answer.reports.each[i].access.name, best.per_access[i]));
  std::string out = row("fix", fixed_text(answer, best));
  out += inner("wavefronts", fmt::format("{} of {}: {}", best.wavefronts, set.before, fmt::join(each, ", ")));
  out += inner("proof", proof_text(best, set, answer.options.element_bits));
  if (best.wavefronts > set.floor) out += gaps_text(set);
  out += inner("cost", cost_text(best, answer.options.element_bits));
  for (std::size_t i = 0; i < set.candidates.size(); ++i) {
    const Fix& other = set.candidates[i];
    if (i == set.best || other.family == FixFamily::none) continue;
    if (other.family == FixFamily::linear && other.swizzle && best.swizzle && *other.swizzle == *best.swizzle)
      continue;
    std::string text =
        fmt::format("{}: {}", fixed_text(answer, other), plural(other.wavefronts, "wavefront"));
    if (other.wavefronts == set.floor) text += ", equal to the floor";
    text += fmt::format(", {}", other.bytes != 0 ? plural(other.bytes, "byte")
                                                 : plural(static_cast<Index>(other.xor_terms), "xor term"));
    out += row("also", text);
  }
  for (std::size_t i = 0; i < set.floor_per_access.size(); ++i) {
    const SharedMemoryReport& shared = *answer.reports.each[i].shared;
    const Index ideal = shared.ideal * answer.reports.each[i].access.weight;
    if (set.floor_per_access[i] > ideal) {
      out +=
          row("note",
              fmt::format(
                  "{} cannot go below {} (ideal {}): wider vectors of other accesses keep its words together",
                  answer.reports.each[i].access.name, set.floor_per_access[i], ideal));
    }
  }
  return out;
}

}  // namespace detail
}  // namespace tessera
