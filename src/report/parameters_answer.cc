// SPDX-License-Identifier: Apache-2.0
#include "report/parameters_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/plural.h"
#include "base/printable.h"
#include "hlo/syntax/printer.h"
#include "report/indexing_maps.h"
#include "report/indexing_text.h"
#include "report/json.h"
#include "report/limits.h"

namespace tessera {
namespace {

const Instruction* parameter_of(const ParameterReads& reads, std::uint32_t number) {
  return number < reads.computation->parameters.size() ? reads.computation->parameters[number] : nullptr;
}

// `parameter 0 x = f32[32,8]{1,0}`, or `parameter 0 x {2} = f32[8]` for an array of a tuple.
std::string parameter_text(const ParameterReads& reads, std::uint32_t number, std::uint32_t leaf) {
  const Instruction* const parameter = parameter_of(reads, number);
  if (parameter == nullptr) return fmt::format("parameter {}", number);
  return fmt::format("parameter {} {}{} = {}", number, detail::printable(parameter->name),
                     parameter->type.is_tuple() ? fmt::format(" {{{}}}", leaf) : "",
                     to_string(leaf_type(parameter->type, leaf)));
}

std::string indented(const std::string& text) {
  std::string out = "  ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out + "\n";
}

// The map with its hops and its reason; the lines of the runtime values follow all maps.
std::string map_lines(Indexing x) {
  x.runtime.clear();
  return indented(to_text(x));
}

std::string maps_text(const IndexingSet& maps) {
  std::set<std::string> lines;
  for (const Indexing& x : maps) lines.insert(map_lines(x));
  return fmt::format("{}", fmt::join(lines, ""));
}

std::string runtime_line(const RuntimeInput& input) {
  std::string out = fmt::format("{}: {}", input.name, runtime_text(input.value));
  if (input.set) {
    out += fmt::format("; set to {}", *input.set);
    if (*input.clamped() != *input.set) out += fmt::format(", clamped to {}", *input.clamped());
  }
  return out + "\n";
}

// Only values that some map names: those of other outputs do not matter.
std::string runtime_lines(const ParameterReads& reads, const std::set<std::string>& named) {
  std::string out;
  for (const RuntimeInput& input : reads.runtime) {
    if (named.contains(input.name)) out += runtime_line(input);
  }
  return out;
}

void add_names(const Indexing& x, std::set<std::string>& names) {
  for (std::size_t i = 0; i < x.runtime.size() && x.exactness != Exactness::unknown; ++i)
    names.insert(x.map.domain().name(x.map.dim_count() + x.map.range_count() + i));
}

// The arrays that no entry of the output names.
std::string unread_line(const ParameterReads& reads,
                        const std::set<std::pair<std::uint32_t, std::uint32_t>>& read) {
  std::vector<std::string> names;
  std::size_t more = 0;
  for (std::uint32_t p = 0; p < reads.computation->parameters.size(); ++p) {
    const Instruction* const parameter = parameter_of(reads, p);
    if (parameter == nullptr) continue;
    for (std::uint32_t leaf = 0; leaf < parameter->type.leaf_count(); ++leaf) {
      if (read.contains({p, leaf}) || leaf_type(parameter->type, leaf).is_token()) continue;
      if (names.size() == detail::kReportLimits.parameter_boxes) {
        ++more;
      } else {
        names.push_back(fmt::format("parameter {} {}{}", p, detail::printable(parameter->name),
                                    parameter->type.is_tuple() ? fmt::format(" {{{}}}", leaf) : ""));
      }
    }
  }
  if (names.empty()) return "";
  return fmt::format("not read: {}{}\n", fmt::join(names, ", "),
                     more == 0 ? "" : fmt::format(", and {} more", more));
}

std::string range_text(Index lower, Index upper) {
  return upper - lower == 1 ? fmt::format("{}", lower) : fmt::format("{}..{}", lower, upper - 1);
}

// `(16, 0..7)`
std::string box_text(const ElementBox& box) {
  std::vector<std::string> parts;
  for (std::size_t d = 0; d < box.lower.size(); ++d) parts.push_back(range_text(box.lower[d], box.upper[d]));
  return fmt::format("({})", fmt::join(parts, ", "));
}

std::string elements_text(const ParameterElements& one) {
  if (one.exactness == Exactness::unknown) return "unknown";
  std::string out;
  if (one.listed()) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < std::min(one.boxes.size(), detail::kReportLimits.parameter_boxes); ++i)
      parts.push_back(box_text(one.boxes[i]));
    out = fmt::format("{}", fmt::join(parts, ", "));
    if (one.boxes.size() > detail::kReportLimits.parameter_boxes)
      out += fmt::format(", and {} more boxes", one.boxes.size() - detail::kReportLimits.parameter_boxes);
    if (const Index listed = one.count.upper.value_or(0); listed > 1)
      out += fmt::format("; {}{} elements", one.count.exact() ? "" : "at most ", listed);
  } else {
    out = fmt::format("{} elements", to_string(one.count));
    if (!one.count.exact() && !one.count.reason.empty()) out += fmt::format(" ({})", one.count.reason);
  }
  if (!one.depends.empty())
    return fmt::format("within {}; {} choose{}", out, fmt::join(one.depends, ", "),
                       one.depends.size() == 1 ? "s" : "");
  return one.exactness == Exactness::superset ? "within " + out : out;
}

std::string element_text(std::span<const Index> index) { return fmt::format("({})", fmt::join(index, ", ")); }

std::string elements_lines(const ParametersAnswer& answer) {
  std::string out;
  std::set<std::string> named;
  std::set<std::pair<std::uint32_t, std::uint32_t>> read;
  for (const ParameterElements& one : answer.elements) {
    read.insert({one.parameter, one.leaf});
    out += fmt::format("{}: {}\n", parameter_text(answer.reads, one.parameter, one.leaf), elements_text(one));
    const bool plain = one.depends.empty() && one.replica.empty() && one.listed();
    if (!plain && one.exactness != Exactness::unknown) out += maps_text(one.maps);
    if (plain || one.exactness == Exactness::unknown) {
      for (const std::string& reason : one.reasons)
        out += fmt::format("  {}: {}\n", to_string(one.exactness), detail::printable(reason));
    }
    named.insert(one.depends.begin(), one.depends.end());
  }
  for (const RuntimeInput& input : answer.reads.runtime) {
    if (input.set) named.insert(input.name);
  }
  return out + unread_line(answer.reads, read) + runtime_lines(answer.reads, named);
}

std::string maps_lines(const ParametersAnswer& answer) {
  const ParameterReads& reads = answer.reads;
  const Instruction& op = *reads.instruction;
  const auto outputs = static_cast<std::uint32_t>(op.type.leaf_count());
  std::string out;
  std::set<std::string> named;
  for (std::uint32_t output = 0; output < outputs; ++output) {
    if (op.type.is_tuple())
      out += fmt::format("output {} = {}\n", output, to_string(leaf_type(op.type, output)));
    std::set<std::pair<std::uint32_t, std::uint32_t>> read;
    for (const ParameterRead& one : reads.reads) {
      if (one.output != output) continue;
      const bool empty = std::ranges::all_of(
          one.maps, [](const Indexing& x) { return x.exactness == Exactness::exact && x.map.known_empty(); });
      if (empty) continue;
      read.insert({one.parameter, one.leaf});
      out += parameter_text(reads, one.parameter, one.leaf) + "\n" + maps_text(one.maps);
      for (const Indexing& x : one.maps) add_names(x, named);
    }
    out += unread_line(reads, read);
  }
  for (const RuntimeInput& input : reads.runtime) {
    if (input.set) named.insert(input.name);
  }
  return out + runtime_lines(reads, named);
}

Json box_json(const ElementBox& box) {
  Json out = Json::array();
  for (std::size_t d = 0; d < box.lower.size(); ++d) out.push_back({box.lower[d], box.upper[d]});
  return out;
}

Json input_json(const RuntimeInput& input) {
  Json out = {{"var", input.name}};
  out.update(detail::json_of(input.value));
  out["output"] = input.output;
  if (input.set) {
    out["set"] = *input.set;
    out["value"] = *input.clamped();
  }
  return out;
}

}  // namespace

std::string to_text(const ParametersAnswer& answer) {
  std::string out = header_text(*answer.reads.instruction);
  if (!answer.at) return out + "\n" + maps_lines(answer);
  const bool tuple = answer.reads.instruction->type.is_tuple();
  return fmt::format("{}, element {}{}\n", out, tuple ? fmt::format("{{{}}} ", answer.output) : "",
                     element_text(*answer.at)) +
         elements_lines(answer);
}

std::string to_json(const InstructionPlace& place, const ParametersAnswer& answer) {
  const ParameterReads& reads = answer.reads;
  const Instruction& op = *reads.instruction;
  Json json = {{"schema", "tessera.parameters/1"},
               {"status", 0},
               {"file", place.file},
               {"module", place.module},
               {"computation", op.parent != nullptr ? op.parent->name : ""},
               {"instruction", op.name},
               {"type", type_text(op)},
               {"opcode", op.opcode_text},
               {"parameters_of", reads.computation->name},
               {"exactness", to_string(reads.exactness())},
               {"parameters", Json::array()},
               {"reads", Json::array()},
               {"runtime", Json::array()}};
  for (const Instruction* parameter : reads.computation->parameters) {
    if (parameter == nullptr) {
      json["parameters"].push_back({{"name", ""}, {"type", ""}});
    } else {
      json["parameters"].push_back({{"name", parameter->name}, {"type", type_text(*parameter)}});
    }
  }
  for (const ParameterRead& one : reads.reads) {
    json["reads"].push_back({{"output", one.output},
                             {"parameter", one.parameter},
                             {"leaf", one.leaf},
                             {"maps", detail::json_of(one.maps)}});
  }
  for (const RuntimeInput& input : reads.runtime) json["runtime"].push_back(input_json(input));
  if (answer.at) {
    json["at"] = {{"output", answer.output}, {"index", *answer.at}, {"elements", Json::array()}};
    for (const ParameterElements& one : answer.elements) {
      Json boxes = Json::array();
      for (const ElementBox& box : one.boxes) boxes.push_back(box_json(box));
      json["at"]["elements"].push_back({{"parameter", one.parameter},
                                        {"leaf", one.leaf},
                                        {"listed", one.listed()},
                                        {"boxes", std::move(boxes)},
                                        {"count", detail::json_of(one.count)},
                                        {"depends", one.depends},
                                        {"maps", detail::json_of(one.maps)},
                                        {"exactness", to_string(one.exactness)},
                                        {"reasons", one.reasons}});
    }
  }
  return detail::dump(json) + "\n";
}

}  // namespace tessera
