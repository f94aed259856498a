// SPDX-License-Identifier: Apache-2.0
#include "report/same_bytes_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/printable.h"
#include "report/indexing_text.h"
#include "report/json.h"

namespace tessera {
namespace {

std::string name_of(const HloValue& value) {
  std::string out = detail::printable(place_name(*value.instruction));
  if (value.instruction->type.is_tuple()) out += fmt::format("#{}", value.leaf);
  return out;
}

// Where the first holds the elements of the second.
std::string places_text(const HloValue& a, const HloValue& b, const SameBytes& answer) {
  if (answer.places)
    return fmt::format("from an index of {} to that of {} with the same element: {}\n", name_of(b),
                       name_of(a), to_string(*answer.places));
  if (answer.places_reason.empty()) return "";
  return fmt::format("no map is given from an index of {} to that of {} with the same element: {}\n",
                     name_of(b), name_of(a), detail::printable(answer.places_reason));
}

std::string verdict_text(const HloValue& a, const HloValue& b, const SameBytes& answer) {
  switch (answer.verdict) {
    case Verdict::yes:
      return fmt::format("yes: {} and {} hold the same {} bytes in the same order, elements of {}\n",
                         name_of(a), name_of(b), answer.bytes, name_of(*answer.source));
    case Verdict::no:
      if (!answer.byte)
        return fmt::format("no: {} and {}: {}\n", name_of(a), name_of(b), detail::printable(answer.reason));
      return fmt::format("no: at byte {}, {} holds element ({}) of {}, but {} holds element ({})\n",
                         *answer.byte, name_of(a), fmt::join(answer.first, ", "), name_of(*answer.source),
                         name_of(b), fmt::join(answer.second, ", "));
    case Verdict::undecided:
      break;
  }
  return fmt::format("undecided: {}\n", detail::printable(answer.reason));
}

}  // namespace

std::string to_text(const HloValue& a, const HloValue& b, const SameBytes& answer) {
  return verdict_text(a, b, answer) + places_text(a, b, answer);
}

std::string to_json(const InstructionPlace& place, const HloValue& a, const HloValue& b,
                    const SameBytes& answer) {
  const bool no = answer.verdict == Verdict::no && answer.byte;
  const Json json = {{"schema", "tessera.hlo/1"},
                     {"file", place.file},
                     {"module", place.module},
                     {"same_bytes",
                      {{"a", name_of(a)},
                       {"b", name_of(b)},
                       {"answer", answer.verdict == Verdict::yes  ? "yes"
                                  : answer.verdict == Verdict::no ? "no"
                                                                  : "undecided"},
                       {"source", answer.source ? Json(name_of(*answer.source)) : Json()},
                       {"bytes", answer.bytes},
                       {"byte", no ? Json(*answer.byte) : Json()},
                       {"element_a", no ? Json(answer.first) : Json()},
                       {"element_b", no ? Json(answer.second) : Json()},
                       {"reason", answer.reason},
                       {"places", answer.places ? Json(to_string(*answer.places)) : Json()},
                       {"places_reason", answer.places_reason}}}};
  return detail::dump(json) + "\n";
}

}  // namespace tessera
