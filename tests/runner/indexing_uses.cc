// SPDX-License-Identifier: Apache-2.0
// indexing/uses.jsonl
#include <fmt/core.h>

#include <cmath>
#include <optional>
#include <variant>

#include "runner/check.h"
#include "runner/hlo.h"
#include "runner/maps.h"
#include "tessera/access/access.h"
#include "tessera/access/memory_target.h"
#include "tessera/hlo/traffic.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::vectors {
namespace {

VectorResult judge_coalesced(const Json& row) {
  const auto answer = read_answer(text_of(row, "map"));
  if (!answer) return VectorResult::fail("a map", text_of(row, "map"));
  std::optional<IndexMap> map;
  if (const auto* known = std::get_if<IndexMap>(&*answer)) map = *known;
  const bool got = coalesced_by_xla_rule(map, row.at("element_bytes").get<Index>());
  const bool wanted = row.at("expected").get<bool>();
  return VectorResult::when(got == wanted, fmt::format("{}", wanted), fmt::format("{}", got));
}

VectorResult judge_segments(const Json& row) {
  const auto answer = read_answer(text_of(row, "map"));
  if (!answer || !std::holds_alternative<IndexMap>(*answer))
    return VectorResult::fail("a map", text_of(row, "map"));
  const std::vector<Access> accesses = {{.tv = std::get<IndexMap>(*answer)}};
  const auto got = analyze_accesses(*parse_layout("1099511627776:1"), accesses,
                                    {.element_bits = 8 * row.at("element_bytes").get<Index>(),
                                     .shared = false,
                                     .segments = {row.at("segment_bytes").get<Index>()}});
  if (!got) return VectorResult::fail(text_of(row, "expected"), to_string(got.error()));
  const SegmentReport& sum = got->each[0].global->sum;
  const Json json = {{"segments", sum.segments[0]}, {"minimum", sum.ideal_segments[0]}};
  return VectorResult::when(json == row.at("expected"), text_of(row, "expected"), json.dump());
}

VectorResult judge_bandwidth(const Json& row) {
  const auto type = parse_hlo_type(text_of(row, "shape"));
  if (!type || !type->is_array()) return VectorResult::fail("a shape", text_of(row, "shape"));
  const std::vector<Index> tile = indices(row.at("tile"));
  const std::vector<Index> strides =
      row.contains("strides") ? indices(row.at("strides")) : std::vector<Index>();
  const auto got = tile_bandwidth(type->array(), tile, strides, row.at("transaction_bytes").get<Index>());
  if (!got) return VectorResult::fail(text_of(row, "expected"), to_string(got.error()));
  return VectorResult::when(std::abs(*got - row.at("expected").get<double>()) < 1e-12,
                            text_of(row, "expected"), fmt::format("{}", *got));
}

// If a map is a superset, its counts are upper bounds, in the vectors too.
VectorResult judge_utilization(const Json& row) {
  const Program program = read_program(text_of(row, "hlo"));
  if (!program.error.empty()) return VectorResult::fail("a program", program.error);
  const auto got = count_reads(program.root(), {.operand = row.at("operand").get<std::size_t>()});
  if (!got) return VectorResult::fail(text_of(row, "expected"), to_string(got.error()));
  // The padding value is not read if the operand fills the result. The vectors count the reads of XLA's map,
  // which is a superset.
  const Instruction& root = program.root();
  if (root.opcode == Opcode::pad && row.at("operand") == 1 && got->reads == Count{}) {
    const auto operand = count_reads(root, {.operand = 0});
    const bool filled =
        operand && operand->exact() && operand->reads.upper == root.type.array().element_count();
    return VectorResult::when(filled, text_of(row, "expected"), "nothing is read");
  }
  const bool known = got->exactness == Exactness::superset || got->exact();
  const Json json = {{"elements", got->elements},
                     {"used", known && got->used.upper ? Json(*got->used.upper) : Json()},
                     {"reads", known && got->reads.upper ? Json(*got->reads.upper) : Json()}};
  return VectorResult::when(json == row.at("expected"), text_of(row, "expected"), json.dump());
}

VectorResult judge_uses(const Json& row) {
  const std::string op = text_of(row, "op");
  if (op == "coalesced_xla_rule") return judge_coalesced(row);
  if (op == "segments") return judge_segments(row);
  if (op == "tile_bandwidth") return judge_bandwidth(row);
  if (op == "utilization") return judge_utilization(row);
  return unknown_op(row);
}

const Register kUses = row_check("indexing", "uses.jsonl", judge_uses);

}  // namespace
}  // namespace tessera::vectors
