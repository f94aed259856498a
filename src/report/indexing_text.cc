// SPDX-License-Identifier: Apache-2.0
#include "report/indexing_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/plural.h"
#include "base/printable.h"
#include "base/saturating.h"
#include "hlo/syntax/printer.h"
#include "tessera/hlo/walk.h"
#include "tessera/text/index_map.h"

namespace tessera {
namespace {

std::string map_text(const IndexMap& map, const std::vector<RuntimeValue>& runtime, bool legacy) {
  if (!legacy || map.known_empty()) return to_string(map);
  std::vector<LegacyRuntime> sources;
  for (const RuntimeValue& value : runtime) sources.push_back({source_text(value), value.map});
  return to_legacy_string(map, sources);
}

// The calls of a value, and the replica that reads it.
std::string place_of(const RuntimeValue& value, const std::string& reader) {
  std::string out;
  for (auto call = value.calls.rbegin(); call != value.calls.rend(); ++call) {
    const bool branch = call->caller->opcode == Opcode::conditional;
    out += branch ? fmt::format(" in branch {} of {}", call->first_operand - 1, call->caller->name)
                  : fmt::format(" in {}", call->caller->name);
  }
  if (!reader.empty()) out += fmt::format(" on {}", reader);
  return out;
}

// The maps of one operand in a fixed order: by element, then by text.
std::string set_text(const IndexingSet& maps, bool elements, const IndexingTextOptions& options) {
  struct MapText {
    std::int32_t element;
    std::string text;
    bool exact;
    auto operator<=>(const MapText&) const = default;
  };
  std::vector<MapText> parts;
  for (const Indexing& indexing : maps) {
    parts.push_back(
        {elements ? indexing.leaf : -1, to_text(indexing, options), indexing.exactness == Exactness::exact});
  }
  std::ranges::sort(parts);
  std::string out;
  bool broken = false;  // true if the previous map takes several lines
  for (const MapText& part : parts) {
    // A map that is not exact has a note below it, so no other map shares its line.
    out += out.empty() ? "" : broken || !part.exact ? "\n" : " ";
    if (part.element >= 0) out += fmt::format("{{{}}} ", part.element);
    out += part.text;
    broken = part.text.find('\n') != std::string::npos;
  }
  return out;
}

void append_operand(std::string& out, std::uint32_t operand, const IndexingSet& maps, bool elements,
                    const IndexingTextOptions& options) {
  const std::string text = maps.empty() ? "KNOWN EMPTY" : set_text(maps, elements, options);
  out += fmt::format("operand id = {} {}\n", operand, text);
}

}  // namespace

std::string_view to_string(Exactness exactness) {
  switch (exactness) {
    case Exactness::exact:
      return "exact";
    case Exactness::superset:
      return "superset";
    case Exactness::unknown:
      return "unknown";
  }
  return "";
}

std::string source_text(const RuntimeValue& value) {
  const std::string reader = value.hops == 0 ? "" : fmt::format("the replica after hop {}", value.hops);
  if (value.source == nullptr) {
    if (!value.groups.exist()) return value.text + place_of(value, reader);
    return fmt::format("position of {} in its group of {}", reader.empty() ? "this replica" : reader,
                       detail::printable(value.groups.text()));
  }
  const Instruction& source = *value.source;
  std::string text;
  if (source.opcode == Opcode::parameter) {
    text = fmt::format("parameter({})", source.parameter_number);
  } else if (source.opcode == Opcode::constant) {
    const bool scalar = source.type.is_array() && source.type.rank() == 0;
    text = scalar ? fmt::format("constant({})", detail::printable(source.literal)) : "constant";
  } else {
    text = source.name;
  }
  if (value.tuple_index >= 0) text += fmt::format("#{}", value.tuple_index);
  for (const TupleStep* step = value.inner; step != nullptr; step = step->next) {
    text += fmt::format("#{}", step->index);
  }
  return text + place_of(value, reader);
}

std::string runtime_text(const RuntimeValue& value) {
  const bool clamps = value.source != nullptr && value.clamp.is_finite();
  return fmt::format("{}{}; {}", source_text(value),
                     clamps ? fmt::format(" clamped to [{}, {}]", value.clamp.lower, value.clamp.upper) : "",
                     to_string(value.map));
}

IndexMap printed_hop(const Indexing& indexing, std::size_t hop) {
  const ReplicaHop& chosen = indexing.replica[hop];
  if (chosen.from != ReplicaHop::From::group || chosen.map.range_count() != 1) return chosen.map;
  const auto before = std::span(indexing.replica).first(hop);
  const auto number = indexing.map.range_count() + static_cast<std::size_t>(std::ranges::count(
                                                       before, ReplicaHop::From::group, &ReplicaHop::from));
  if (number == 0) return chosen.map;  // it keeps its default name
  Domain named({}, {Variable{chosen.map.variables()[0].bounds, fmt::format("s{}", number)}}, {});
  return IndexMap::make_unchecked(std::move(named),
                                  {chosen.map.results().begin(), chosen.map.results().end()});
}

std::string to_text(const Indexing& indexing, const IndexingTextOptions& options) {
  std::string out;
  if (indexing.exactness == Exactness::unknown) {
    out = "unknown indexing";
  } else {
    out = map_text(indexing.map, indexing.runtime, options.legacy);
    // The older form lists its runtime variables itself.
    if (!indexing.runtime.empty() && !options.legacy) {
      out += "\nruntime variables:\n";
      const std::size_t first = indexing.map.dim_count() + indexing.map.range_count();
      for (std::size_t i = 0; i < indexing.runtime.size(); ++i) {
        out +=
            fmt::format("\n{}: {}", indexing.map.domain().name(first + i), runtime_text(indexing.runtime[i]));
      }
    }
    for (std::size_t i = 0; i < indexing.replica.size(); ++i) {
      out += "\nreplica id:\n" + map_text(printed_hop(indexing, i), {}, options.legacy);
      // Without known groups, a position does not identify a replica.
      if (const CollectiveGroups& groups = indexing.replica[i].groups; groups.exist())
        out += fmt::format("\nreplica groups: {}", detail::printable(groups.text()));
    }
  }
  if (indexing.exactness != Exactness::exact) {
    out += fmt::format("\n{}: {}", to_string(indexing.exactness), detail::printable(indexing.reason));
  }
  return out;
}

std::string place_name(const Instruction& instruction) {
  return fmt::format("{}/{}", instruction.parent != nullptr ? instruction.parent->name : "",
                     instruction.name);
}

std::string header_text(const Instruction& instruction) {
  return fmt::format("{} = {} {}", place_name(instruction), detail::printable(type_text(instruction)),
                     instruction.opcode_text);
}

namespace {

// An element narrower than a byte may begin inside one.
std::string byte_text(Index bit) {
  return bit % 8 == 0 ? fmt::format("byte {}", bit / 8)
                      : fmt::format("byte {} bit {}", floor_div(bit, 8), mod(bit, 8));
}

std::string free_text(const FreeLayouts& free) {
  std::string out;
  const auto add = [&](const char* side, const std::optional<TensorType>& type) {
    if (type)
      out += fmt::format("{} the {} were {}", out.empty() ? "; a bitcast if" : ", or if", side,
                         to_string(*type));
  };
  add("result", free.result);
  add("operand", free.operand);
  return out;
}

}  // namespace

std::string to_text(const Instruction& instruction, const BitcastAnswer& answer, const FreeLayouts& free) {
  const std::string header = header_text(instruction);
  if (answer.verdict == Verdict::undecided)
    return fmt::format("unknown  {}: {}{}\n", header, detail::printable(answer.reason), free_text(free));
  if (answer.verdict == Verdict::yes)
    return fmt::format("yes      {}: {} stay{}\n", header, detail::plural(answer.bytes, "byte"),
                       answer.bytes == 1 ? "s" : "");
  std::string out = fmt::format("no       {}: ", header);
  if (answer.moved_bytes) {
    out += fmt::format("{} of {} move", *answer.moved_bytes, detail::plural(answer.bytes, "byte"));
  } else {
    out += fmt::format("some of {} move", detail::plural(answer.bytes, "byte"));
  }
  if (!answer.element.empty()) {
    out += fmt::format(", first ({}) from {} to {}", fmt::join(answer.element, ", "),
                       byte_text(answer.from_bit), byte_text(answer.to_bit));
  }
  if (!answer.reason.empty()) out += "; " + detail::printable(answer.reason);
  return out + free_text(free) + "\n";
}

void BitcastTotals::add(const BitcastAnswer& answer) {
  ++(answer.verdict == Verdict::yes ? yes : answer.verdict == Verdict::no ? no : unknown);
  if (answer.verdict == Verdict::undecided) return;
  bytes = detail::saturating_add(bytes, answer.bytes);
  moved_bytes = detail::saturating_add(moved_bytes, answer.moved_bytes.value_or(0));
  all_counted = all_counted && answer.moved_bytes;
}

std::string to_text(const BitcastTotals& totals) {
  return fmt::format("yes {}, no {}, unknown {}; {}{} of {} move\n", totals.yes, totals.no, totals.unknown,
                     totals.all_counted ? "" : "at least ", totals.moved_bytes,
                     detail::plural(totals.bytes, "byte"));
}

std::string to_text(const InstructionIndexing& maps, const IndexingTextOptions& options) {
  const Instruction& instruction = *maps.instruction;
  const bool elements = instruction.opcode != Opcode::get_tuple_element;
  std::string out;
  if (instruction.type.leaf_count() == 1 && !instruction.type.is_tuple()) {
    std::size_t next = 0;
    // An operand that could not be read has an entry in `pairs` but none in `operands`.
    const std::size_t operands = std::max(instruction.operands.size(), maps.pairs.size());
    for (std::uint32_t operand = 0; operand < operands; ++operand) {
      const bool read = next < maps.pairs.size() && maps.pairs[next].operand == operand;
      append_operand(out, operand, read ? maps.pairs[next].maps : IndexingSet(), elements, options);
      if (read) ++next;
    }
    return out;
  }
  std::int64_t output = -1;
  for (const PairIndexing& pair : maps.pairs) {
    if (pair.output != output) {
      output = pair.output;
      out += fmt::format("output {}:\n", output);
    }
    append_operand(out, pair.operand, pair.maps, elements, options);
  }
  return out;
}

}  // namespace tessera
