// SPDX-License-Identifier: Apache-2.0
// indexing/ops.jsonl, ops_ext.jsonl, fusion.jsonl, graph.jsonl, errors.jsonl, beat.jsonl
#include <fmt/core.h>

#include <algorithm>

#include "runner/check.h"
#include "runner/hlo.h"
#include "runner/indexing_maps.h"
#include "runner/maps.h"
#include "runner/physical.h"
#include "tessera/hlo/walk.h"
#include "tessera/map/map_algebra.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::vectors {
namespace {

std::string match_word(const Json& row) { return row.contains("match") ? text_of(row, "match") : "exact"; }

Result<IndexingSet> indexing_of(const Json& row, const Instruction& instruction) {
  const OutputOperand pair{.output = row.at("output").get<std::size_t>(),
                           .operand = row.at("operand").get<std::size_t>()};
  const std::string direction = text_of(row, "direction");
  if (direction == "output_to_input") return output_to_input(instruction, pair);
  if (direction == "input_to_output") return input_to_output(instruction, pair);
  return fail(Code::bad_option, "unknown direction '" + direction + "'");
}

// If a vector does not name an operand, compares the maps of all operands together.
VectorResult judge_all_operands(const Json& row, const Program& program) {
  IndexingSet all;
  for (std::size_t i = 0; i < program.root().operands.size(); ++i) {
    const auto got =
        output_to_input(program.root(), {.output = row.at("output").get<std::size_t>(), .operand = i});
    if (!got) return VectorResult::fail(text_of(row, "expected"), to_string(got.error()));
    all.insert(all.end(), got->begin(), got->end());
  }
  return judge_indexings(row.at("expected"), match_word(row), all, program.module());
}

// The padding value is read only where the operand is not. The map in the vectors is a superset, as in XLA,
// so nothing is a better answer if the operand fills the result.
bool is_unread_padding(const Instruction& root, std::size_t operand, const IndexingSet& maps) {
  if (root.opcode != Opcode::pad || operand != 1 || maps.size() != 1 || !maps[0].map.known_empty())
    return false;
  const auto read = output_to_input(root, {.operand = 0});
  if (!read || read->size() != 1) return false;
  const Count filled = count_points((*read)[0].map);
  return filled.exact() && filled.upper == root.type.array().element_count();
}

// The vector is about the root of the entry.
VectorResult judge_op(const Json& row) {
  const Program program = read_program(text_of(row, "hlo"));
  if (!program.error.empty()) return VectorResult::fail("a program", program.error);
  // Makes sure that the vector tests the opcode that it names.
  const std::string op = text_of(row, "op");
  if (program.root().opcode_text != op)
    return VectorResult::fail(op, std::string(program.root().opcode_text));
  if (row.at("operand").is_null()) return judge_all_operands(row, program);
  const auto got = indexing_of(row, program.root());
  if (!got) return VectorResult::fail(text_of(row, "expected"), to_string(got.error()));
  if (is_unread_padding(program.root(), row.at("operand").get<std::size_t>(), *got))
    return VectorResult::pass();
  return judge_indexings(row.at("expected"), match_word(row), *got, program.module());
}

// `v0`, or `v0/f1:v0` for v0 in f1, the computation that the outer v0 calls. Callers come first.
std::optional<WalkStart> find_value(const HloModule& module, const std::string& name) {
  WalkStart start;
  const Computation* computation = module.entry;
  std::string rest = name;
  for (;;) {
    const std::size_t slash = rest.find('/');
    // A vector may consist of only a fused computation, which is then the entry.
    const Instruction* const found = computation->find(rest.substr(0, slash));
    if (found == nullptr) return std::nullopt;
    if (slash == std::string::npos) {
      start.value.instruction = found;
      return start;
    }
    start.callers.push_back(found);
    const std::size_t colon = rest.find(':', slash);
    if (colon == std::string::npos) return std::nullopt;
    computation = module.find(rest.substr(slash + 1, colon - slash - 1));
    if (computation == nullptr) return std::nullopt;
    rest = rest.substr(colon + 1);
  }
}

// Compares the sets of a grouped answer, by value name, with `expected` and `replica`.
VectorResult judge_groups(const Json& row, const HloModule& module, const std::vector<ValueIndexing>& got) {
  const auto set_of = [&](const std::string& name) {
    IndexingSet set;
    const auto value = find_value(module, name);
    for (const ValueIndexing& entry : got) {
      if (value && entry.value.instruction == value->value.instruction)
        set.insert(set.end(), entry.maps.begin(), entry.maps.end());
    }
    return set;
  };
  std::size_t compared = 0;
  for (const auto& [name, maps] : row.at("expected").items()) {
    if (row.contains("keys_checked") &&
        std::ranges::find(row.at("keys_checked"), Json(name)) == row.at("keys_checked").end()) {
      continue;
    }
    ++compared;
    Json wanted = Json::array();
    for (std::size_t i = 0; i < maps.size(); ++i) {
      Json entry = {{"map", maps[i]}};
      if (row.contains("replica") && row.at("replica").contains(name)) {
        // Json::array, because compilers disagree on whether a braced list of one element is an array or a
        // copy.
        entry["replica"] = Json::array({row.at("replica").at(name).at(i)});
      }
      wanted.push_back(std::move(entry));
    }
    VectorResult result = judge_indexings(wanted, match_word(row), set_of(name), module);
    if (!result.passed) return VectorResult::fail(name + ": " + result.expected, result.got);
  }
  std::size_t values = 0;
  for (const ValueIndexing& entry : got) values += entry.maps.empty() ? 0 : 1;
  if (!row.contains("keys_checked") && values != compared) {
    return VectorResult::fail(fmt::format("{} values", compared), fmt::format("{} values", values));
  }
  return VectorResult::pass();
}

VectorResult judge_grouped(const Json& row, const Program& program) {
  const auto start = find_value(program.module(), text_of(row, "start"));
  if (!start) return VectorResult::fail("a value", text_of(row, "start"));
  std::vector<const Instruction*> cluster;
  for (const Json& name : row.at("cluster")) {
    const auto member = find_value(program.module(), name.get<std::string>());
    if (!member) return VectorResult::fail("an instruction", name.dump());
    cluster.push_back(member->value.instruction);
  }
  ProgramIndexing indexing;
  const auto got = indexing.grouped(cluster, *start);
  if (!got) return VectorResult::fail(text_of(row, "expected"), to_string(got.error()));
  return judge_groups(row, program.module(), *got);
}

VectorResult judge_physical(const Json& row, const Program& program) {
  const Instruction& root = program.root();
  const auto logical = indexing_of(row, root);
  if (!logical) return VectorResult::fail(text_of(row, "expected"), to_string(logical.error()));
  const HloType& operand = leaf_type(root.operand_type(row.at("operand").get<std::size_t>()), 0);
  const HloType& output = leaf_type(root.type, row.at("output").get<std::size_t>());
  const bool backwards = text_of(row, "direction") == "output_to_input";
  const auto got = in_physical_form(*logical, (backwards ? output : operand).array(),
                                    (backwards ? operand : output).array());
  if (!got) return VectorResult::fail(text_of(row, "expected"), to_string(got.error()));
  return judge_indexings(row.at("expected"), match_word(row), *got, program.module());
}

VectorResult judge_linear(const Json& row) {
  const auto type = parse_hlo_type(text_of(row, "shape"));
  if (!type || !type->is_array()) return VectorResult::fail("a shape", text_of(row, "shape"));
  auto got = to_linear(type->array());
  if (!got) return VectorResult::fail(text_of(row, "expected"), to_string(got.error()));
  Json one = row;
  one["expected"] = row.at("expected").at(0);
  return judge_map(one, std::move(*got));
}

VectorResult judge_graph(const Json& row) {
  const std::string op = text_of(row, "op");
  if (op == "logical_to_linear_physical") return judge_linear(row);
  const Program program = read_program(text_of(row, "hlo"));
  if (!program.error.empty()) return VectorResult::fail("a program", program.error);
  if (op == "grouped_output_to_input") return judge_grouped(row, program);
  if (op == "physical") return judge_physical(row, program);
  ProgramIndexing indexing;
  if (op == "group_by_producer") {
    const auto got = indexing.group_by_producer({&program.root()});
    if (!got) return VectorResult::fail(text_of(row, "expected"), to_string(got.error()));
    return judge_groups(row, program.module(), *got);
  }
  if (op == "path_input_to_output") {
    const auto start = find_value(program.module(), text_of(row, "start"));
    const auto end = find_value(program.module(), text_of(row, "end"));
    if (!start || !end) return VectorResult::fail("two values", text_of(row, "start"));
    const auto got = indexing.path_input_to_output(*start->value.instruction, *end->value.instruction);
    if (!got) return VectorResult::fail(text_of(row, "expected"), to_string(got.error()));
    return judge_indexings(row.at("expected"), match_word(row), *got, program.module());
  }
  return unknown_op(row);
}

VectorResult judge_error(const Json& row) {
  const std::string op = text_of(row, "op");
  if (op == "compose") return judge_compose(row);
  if (op != "parse_hlo") return unknown_op(row);
  const Program program = read_program(text_of(row, "hlo"));
  return VectorResult::when(!program.error.empty(), text_of(row, "expected"),
                            program.error.empty() ? "a program without errors" : program.error);
}

VectorResult judge_beat(const Json& row) {
  const std::string op = text_of(row, "op");
  if (op == "simplify") return judge_simplify(row);
  if (op == "rescale_symbols+simplify") return judge_rescale_and_simplify(row);
  if (op != "fusion_output_to_input" && op != "grouped_output_to_input") return unknown_op(row);
  const Program program = read_program(text_of(row, "input"));
  if (!program.error.empty()) return VectorResult::fail("a program", program.error);
  const auto operand = row.at("operand").get<std::size_t>();
  if (op == "fusion_output_to_input") {
    const auto got = output_to_input(program.root(), {.operand = operand});
    if (!got) return VectorResult::fail(text_of(row, "expected"), to_string(got.error()));
    return judge_indexings(row.at("expected"), match_word(row), *got, program.module());
  }
  ProgramIndexing indexing;
  const auto got = indexing.grouped({.value = {&program.root()}});
  if (!got) return VectorResult::fail(text_of(row, "expected"), to_string(got.error()));
  for (const ValueIndexing& entry : *got) {
    if (entry.value.instruction == program.module().entry->parameters.at(operand)) {
      return judge_indexings(row.at("expected"), match_word(row), entry.maps, program.module());
    }
  }
  return VectorResult::fail(text_of(row, "expected"), "no maps for the parameter");
}

const Register kOps = row_check("indexing", "ops.jsonl", judge_op);
const Register kOpsExt = row_check("indexing", "ops_ext.jsonl", judge_op);
const Register kFusion = row_check("indexing", "fusion.jsonl", judge_op);
const Register kGraph = row_check("indexing", "graph.jsonl", judge_graph);
const Register kErrors = row_check("indexing", "errors.jsonl", judge_error);
const Register kBeat = row_check("indexing", "beat.jsonl", judge_beat);

}  // namespace
}  // namespace tessera::vectors
