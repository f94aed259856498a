// SPDX-License-Identifier: Apache-2.0
#include "access/lane_list.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::detail {
namespace {

constexpr const char* kHelp = "write active=0xff or active=0-15,24";

Result<std::uint64_t> parse_mask(const TextPart& mask) {
  constexpr std::size_t kPrefix = 2;
  const TextPart digits = mask.from(kPrefix);
  std::uint64_t out = 0;
  const char* const begin = digits.text.data();
  const auto [end, error] = std::from_chars(begin, begin + digits.text.size(), out, 16);
  if (error == std::errc::result_out_of_range)
    return bad_part(mask, "a mask has at most 64 bits, one for each lane", kHelp);
  if (end != begin + digits.text.size()) {
    const TextPart wrong = digits.from(static_cast<std::size_t>(end - begin)).first(1);
    return bad_part(wrong, fmt::format("'{}' is not a hexadecimal digit of a mask of lanes", wrong.text),
                    kHelp);
  }
  if (error != std::errc{}) return bad_part(mask, "a mask of lanes needs digits after 0x", kHelp);
  return out;
}

Result<Index> parse_lane(const TextPart& text, const MemoryTarget& target) {
  const std::optional<Index> lane = whole_number(text.text);
  if (!lane) return bad_part(text, fmt::format("'{}' is not the number of a lane", text.text), kHelp);
  if (*lane < 0 || *lane >= target.lanes()) {
    return bad_part(text, fmt::format("a warp of {} has no lane {}", target.name(), *lane),
                    fmt::format("lanes have the numbers 0 to {}", target.lanes() - 1));
  }
  return *lane;
}

}  // namespace

bool continues_lanes(std::string_view text) {
  text = without_leading_spaces(text);
  return text.empty() || text[0] == '-' || (text[0] >= '0' && text[0] <= '9');
}

Result<std::uint64_t> parse_lanes(const TextPart& list, const MemoryTarget& target) {
  if (list.text.starts_with("0x")) return parse_mask(list);
  std::uint64_t out = 0;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(list.text.find_first_of(",+", begin), list.text.size());
    TextPart item = list.first(end).from(begin);
    item = item.from(item.text.size() - without_leading_spaces(item.text).size());
    if (item.text.empty()) {
      // Points at the comma after the missing lane, or after the end.
      return bad_part({list.text.substr(end, 1), list.at + end}, "a lane is missing in the list", kHelp);
    }
    // The first minus is that of a negative number.
    const std::size_t dash = item.text.find('-', 1);
    const Result<Index> first = parse_lane(item.first(std::min(dash, item.text.size())), target);
    if (!first) return fail(first.error());
    const Result<Index> last =
        dash == std::string_view::npos ? first : parse_lane(item.from(dash + 1), target);
    if (!last) return fail(last.error());
    if (*first > *last) {
      return bad_part(item, fmt::format("the range {} ends before it begins", item.text),
                      fmt::format("write {}-{}", *last, *first));
    }
    for (Index lane = *first; lane <= *last; ++lane) out |= std::uint64_t{1} << lane;
    if (end == list.text.size()) return out;
    begin = end + 1;
  }
}

}  // namespace tessera::detail
