// SPDX-License-Identifier: Apache-2.0
// The folder triton: costs of conversions, and of accesses to shared and global memory.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "report/ttgir_answer.h"
#include "runner/check.h"
#include "tessera/access/register_access.h"
#include "tessera/relayout/register_plan.h"

namespace tessera::vectors {
namespace {

Result<TritonBases> bases_at(const Json& row, const char* key) {
  const auto layout = parse_triton_layout(text_of(row, key));
  if (!layout) return fail(layout.error());
  return triton_bases(layout->attribute, indices(row["shape"]));
}

Json side_json(const ExchangeSide& side) {
  return {{"vector", side.vector},
          {"instructions", side.instructions},
          {"wavefronts", side.wavefronts},
          {"floor", side.floor}};
}

// Whether the memory of an exchange has its wavefronts, counted as an access of the registers.
std::string memory_flaw(const Json& row, const Exchange& exchange, Index bits) {
  TritonLayout memory;
  memory.attribute.kind = TritonKind::shared_linear;
  memory.attribute.rank = static_cast<Index>(row["shape"].size());
  memory.attribute.offsets = exchange.memory;
  memory.attribute.alignment = 16;
  memory.form = TritonForm::shape;
  memory.shape = indices(row["shape"]);
  const auto from = bases_at(row, "from");
  const auto to = bases_at(row, "to");
  const auto write = local_access(*from, memory, bits, true, "cuda:60");
  const auto read = local_access(*to, memory, bits, false, "cuda:60");
  if (!write || !read) return to_string(write ? read.error() : write.error());
  if (write->wavefronts > exchange.write.wavefronts) return fmt::format("writes in {}", write->wavefronts);
  if (read->wavefronts > exchange.read.wavefronts) return fmt::format("reads in {}", read->wavefronts);
  return "";
}

VectorResult cost(const Json& row) {
  const auto from = bases_at(row, "from");
  const auto to = bases_at(row, "to");
  if (!from || !to) return VectorResult::fail("layouts", to_string(from ? to.error() : from.error()));
  const Index bits = triton_element_bits(text_of(row, "element"));
  const auto plan = plan_registers(*from, *to, bits, text_of(row, "target"));
  if (!plan) return VectorResult::fail("a plan", to_string(plan.error()));
  const RegisterCounts& counts = plan->counts;
  Json got = {{"level", to_string(plan->level)},
              {"counts",
               {{"points", counts.points},
                {"stay", counts.stay},
                {"register", counts.reg},
                {"lane", counts.lane},
                {"warp", counts.warp},
                {"block", counts.block}}},
              {"triton", to_string(plan->triton)},
              {"shuffles", plan->shuffles ? Json(*plan->shuffles) : Json(nullptr)},
              {"exchange", nullptr}};
  Json want = Json::object();
  for (const auto& [key, value] : got.items()) want[key] = row[key];
  if (plan->exchange) {
    const Exchange& exchange = *plan->exchange;
    got["exchange"] = {{"bytes", exchange.bytes},
                       {"write", side_json(exchange.write)},
                       {"read", side_json(exchange.read)},
                       {"matrix", nullptr}};
    if (exchange.matrix) got["exchange"]["matrix"] = {exchange.matrix->first, exchange.matrix->second};
    if (const std::string flaw = memory_flaw(row, exchange, bits); !flaw.empty()) got["memory"] = flaw;
    if (!want["exchange"].is_null()) want["exchange"].erase("memory");
  }
  return VectorResult::when(got == want, want.dump(), got.dump());
}

VectorResult local(const Json& row) {
  const auto registers = bases_at(row, "registers");
  auto memory = parse_triton_layout(text_of(row, "memory"));
  if (!registers || !memory) return VectorResult::fail("layouts", "an error");
  memory->form = TritonForm::shape;
  memory->shape = indices(row["shape"]);
  const auto found = local_access(*registers, *memory, triton_element_bits(text_of(row, "element")),
                                  text_of(row, "op") == "local_store", text_of(row, "target"));
  if (!found) return VectorResult::fail("an access", to_string(found.error()));
  Json got = {{"vector", found->vector},
              {"instructions", found->instructions},
              {"wavefronts", found->wavefronts},
              {"ideal", found->ideal},
              {"ways", found->ways},
              {"misaligned", found->misaligned},
              {"matrix", nullptr}};
  if (found->matrix)
    got["matrix"] = {{"mode", found->matrix->trans ? "trans" : "row"},
                     {"matrices", found->matrix->matrices},
                     {"wavefronts", found->matrix->wavefronts}};
  Json want = Json::object();
  for (const auto& [key, value] : got.items()) want[key] = row[key];
  return VectorResult::when(got == want, want.dump(), got.dump());
}

VectorResult global(const Json& row) {
  const auto registers = bases_at(row, "registers");
  if (!registers) return VectorResult::fail("a layout", to_string(registers.error()));
  std::vector<std::optional<Index>> strides;
  for (const Json& one : row["strides"])
    strides.push_back(one.is_null() ? std::nullopt : std::optional(one.get<Index>()));
  const auto found = global_access(*registers, strides, row["bits"].get<Index>(), row["align"].get<Index>());
  if (!found) return VectorResult::fail("an access", to_string(found.error()));
  const Json got = {{"vector", found->vector},       {"instructions", found->instructions},
                    {"requested", found->requested}, {"bytes", found->bytes},
                    {"sectors", found->sectors},     {"lines", found->lines}};
  Json want = Json::object();
  for (const auto& [key, value] : got.items()) want[key] = row[key];
  return VectorResult::when(got == want, want.dump(), got.dump());
}

// The files lie next to the vectors.
std::string file_text(const std::string& name) {
  for (const char* folder :
       {"../shared/vectors/triton/ttgir/", TESSERA_SOURCE_DIR "/tests/vectors/triton/ttgir/",
        TESSERA_SOURCE_DIR "/../shared/vectors/triton/ttgir/"}) {
    std::ifstream file(folder + name);
    if (!file) continue;
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  return "";
}

VectorResult report(const Json& row) {
  const auto found = read_ttgir(file_text(text_of(row, "file")));
  if (row["report"].is_null()) {
    const std::string got = found ? "a report" : std::string(to_string(found.error().code));
    return VectorResult::when(got == text_of(row, "error"), text_of(row, "error"), got);
  }
  if (!found) return VectorResult::fail("a report", to_string(found.error()));
  Json got = Json::parse(to_json(text_of(row, "file"), *found));
  got.erase("schema");
  got.erase("file");
  if (got == row["report"]) return VectorResult::pass();
  // The first differences.
  std::string differences;
  const Json patch = Json::diff(row["report"], got);
  for (std::size_t i = 0; i < patch.size() && i < 6; ++i) differences += patch[i].dump() + " ";
  return VectorResult::fail("the report", differences);
}

const Register kReport = row_check("triton", "report.jsonl", report);
const Register kCost = row_check("triton", "cost.jsonl", cost);
const Register kLocal = row_check("triton", "local.jsonl", local);
const Register kGlobal = row_check("triton", "global.jsonl", global);

}  // namespace
}  // namespace tessera::vectors
