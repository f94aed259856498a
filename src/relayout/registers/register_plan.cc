// SPDX-License-Identifier: Apache-2.0
#include "tessera/relayout/register_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "notation/triton/compute_capability.h"
#include "relayout/registers/exchange.h"
#include "relayout/registers/triton_choice.h"

namespace tessera {
namespace {

using moving::FlatBases;

constexpr std::string_view kLevels[] = {"none", "renaming", "selection", "lanes", "warps", "blocks"};
constexpr std::string_view kChoices[] = {"none", "registers", "shuffles", "shared", "distributed"};

// How many places of the target find their element within the first `count` inputs of the source: all other
// inputs are the same on both sides. The number of solutions of a linear system over F2.
Index reach(const FlatBases& from, const FlatBases& to, std::size_t count) {
  detail::BitSpace span = from.span(count);
  int points = 0;
  int rank = 0;
  for (std::size_t j = 0; j < 4; ++j) {
    for (std::size_t i = 0; i < to.inputs[j].size(); ++i, ++points) {
      const bool same_place = j >= count;
      // A register that the source does not have is in no place of it.
      const bool lacks = same_place && i >= from.inputs[j].size();
      if (lacks || span.add(to.inputs[j][i] ^ (same_place ? from.inputs[j][i] : 0))) ++rank;
    }
  }
  return Index{1} << (points - rank);
}

RegisterLevel level_of(const RegisterCounts& counts, const FlatBases& from, const FlatBases& to) {
  if (counts.block > 0) return RegisterLevel::blocks;
  if (counts.warp > 0) return RegisterLevel::warps;
  if (counts.lane > 0) return RegisterLevel::lanes;
  if (counts.reg == 0) return RegisterLevel::none;
  for (std::size_t j = 1; j < 4; ++j) {
    if (from.inputs[j] != to.inputs[j]) return RegisterLevel::selection;
  }
  return RegisterLevel::renaming;
}

Result<void> comparable(const TritonBases& from, const TritonBases& to) {
  for (const TritonBases* side : {&from, &to}) {
    if (side->inputs.empty() || side->inputs.front().name != "register")
      return fail(Code::not_applicable, "a layout of memory has no registers", {},
                  "plan --from and --to take two layouts of registers, or two of memory");
  }
  if (std::string reason = different_places(from, to); !reason.empty())
    return fail(Code::different_shape, std::move(reason), {},
                from.shape == to.shape ? "a conversion keeps the threads that hold the tensor" : "");
  return {};
}

}  // namespace

std::string_view to_string(RegisterLevel level) { return kLevels[static_cast<std::size_t>(level)]; }
std::string_view to_string(TritonChoice choice) { return kChoices[static_cast<std::size_t>(choice)]; }

std::optional<RegisterLevel> parse_register_level(std::string_view word) {
  const auto found = std::ranges::find(kLevels, word);
  if (found == std::end(kLevels)) return std::nullopt;
  return static_cast<RegisterLevel>(found - std::begin(kLevels));
}

Result<RegisterPlan> plan_registers(const TritonBases& from, const TritonBases& to, Index element_bits,
                                    std::string_view target) {
  if (const auto same = comparable(from, to); !same) return fail(same.error());
  const FlatBases source = moving::flat_bases(from);
  const FlatBases wanted = moving::flat_bases(to);
  RegisterPlan plan;
  std::size_t bits = 0;
  for (const auto& input : wanted.inputs) bits += input.size();
  RegisterCounts& counts = plan.counts;
  counts.points = Index{1} << bits;
  counts.stay = reach(source, wanted, 0);
  const Index registers = reach(source, wanted, 1);
  const Index lanes = reach(source, wanted, 2);
  const Index warps = reach(source, wanted, 3);
  counts.reg = registers - counts.stay;
  counts.lane = lanes - registers;
  counts.warp = warps - lanes;
  counts.block = counts.points - warps;
  plan.level = level_of(counts, source, wanted);
  const moving::ChoiceOfTriton triton = moving::choice_of_triton(source, wanted, element_bits);
  plan.triton = triton.choice;
  if (!target.starts_with("cuda:")) return plan;
  if (triton.choice == TritonChoice::shuffles) plan.shuffles = triton.shuffles;
  if (triton.choice == TritonChoice::shared && wanted.inputs[3].empty() && source.inputs[3].empty()) {
    plan.exchange =
        moving::exchange_of(source, wanted, from.shape, element_bits, triton::compute_capability(target));
  }
  return plan;
}

}  // namespace tessera
