// SPDX-License-Identifier: Apache-2.0
/// \file
/// Divides the bytes of a step among the instructions that it contains.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "hlo/analysis/array_origin.h"
#include "hlo/analysis/in_place.h"
#include "tessera/hlo/traffic.h"

namespace tessera::detail {

/// What a step moves for one of the instructions that it contains.
struct StepPart {
  const Instruction* instruction = nullptr;
  Count moved = {};    ///< bytes read and written
  Count minimum = {};  ///< bytes that must be
};

/// Divides steps. A step other than a fusion is one part. Of a fusion, the bytes of an operand belong to the
/// first instruction inside, in text order, that uses it, past tuples and bitcasts; the bytes of a result to
/// the instruction that makes it. What the operands have in common, because arrays overlap or are updated in
/// place, is left out of the last ones. The sum of the parts is the step.
class StepDivider {
 public:
  /// The module must outlive the object.
  StepDivider(const HloModule& module, const Computation& start);
  ~StepDivider();
  StepDivider(const StepDivider&) = delete;
  StepDivider& operator=(const StepDivider&) = delete;

  std::vector<StepPart> divide(const StepTraffic& step);

 private:
  struct Fused;
  const Fused& fused(const Computation& computation);
  static const Instruction* element_with(const Computation& computation, const Instruction& value,
                                         std::size_t& leaf);
  const Instruction& reader(const Computation& computation, std::size_t parameter, std::size_t leaf);
  const Instruction& writer(const Computation& computation, std::size_t leaf);
  std::vector<std::pair<std::size_t, Count>> written(const StepTraffic& step);

  const HloModule& module_;
  std::vector<const Computation*> executed_;
  ArrayOrigins origins_;
  std::unique_ptr<InPlace> in_place_;
  const Computation& start_;
  std::unordered_map<const Computation*, std::unique_ptr<Fused>> fused_;
};

}  // namespace tessera::detail
