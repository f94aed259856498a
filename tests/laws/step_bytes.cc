// SPDX-License-Identifier: Apache-2.0
#include "laws/step_bytes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "laws/array_placement.h"
#include "laws/array_sizes.h"
#include "laws/operand_maps_laws.h"
#include "laws/tuple_leaves.h"

namespace tessera::laws {
namespace {

Index array_bytes(const HloType& type) {
  return count_of(type.dims()) * element_bytes_of(type.array().dtype);
}

/// An element of a parameter of a fusion: the parameter's number and the row-major number.
using FusedElement = std::pair<Index, Index>;
/// How many paths lead to each element.
using Paths = std::map<FusedElement, Index>;
/// The paths from each element of an array.
using TracedPaths = std::vector<Paths>;

void add_paths(Paths& to, const Paths& from) {
  for (const auto& [element, count] : from) to[element] += count;
}

/// Follows every element of a computation back to the parameters.
class Tracer {
 public:
  bool known = true;

  std::vector<TracedPaths> run(const Computation& computation,
                               const std::vector<std::vector<TracedPaths>>& parameters) {
    Values values;
    evaluate_integers(computation, values);
    std::map<const Instruction*, std::vector<TracedPaths>> traced;
    for (const auto& op : computation.instructions) {
      std::vector<std::vector<TracedPaths>> operands;
      for (const Operand& operand : op->operands) operands.push_back(traced.at(operand.instruction));
      traced[op.get()] = op->opcode == Opcode::parameter
                             ? parameters.at(static_cast<std::size_t>(op->parameter_number))
                             : one(*op, operands, values);
    }
    return traced.at(computation.root);
  }

 private:
  std::vector<TracedPaths> one(const Instruction& op, const std::vector<std::vector<TracedPaths>>& operands,
                               const Values& values) {
    std::vector<TracedPaths> out;
    switch (op.opcode) {
      case Opcode::tuple:
        for (const std::vector<TracedPaths>& operand : operands)
          out.insert(out.end(), operand.begin(), operand.end());
        return out;
      case Opcode::get_tuple_element:
        return leaves_of_element(op, operands[0]);
      case Opcode::opt_barrier:
        return operands[0];
      case Opcode::call:
      case Opcode::fusion:
        return run(*op.called[0], operands);
      case Opcode::conditional: {
        out = run(*op.called[0], {operands[1]});
        const std::vector<TracedPaths> other = run(*op.called[1], {operands[2]});
        for (std::size_t leaf = 0; leaf < out.size(); ++leaf)
          for (std::size_t e = 0; e < out[leaf].size(); ++e) {
            add_paths(out[leaf][e], other[leaf][e]);
            add_paths(out[leaf][e], operands[0][0][0]);
          }
        return out;
      }
      default:
        break;
    }
    for (std::size_t k = 0; k < op.type.leaf_count(); ++k) {
      const auto dims = output_dims(op, k);
      out.emplace_back(static_cast<std::size_t>(count_of(dims)));
      for (std::size_t j = 0; j < operands.size(); ++j) {
        const auto relation = reference_relation(op, k, j, values);
        if (!relation) known = false;
        for (const auto& [to, from] : relation.value_or(Relation()))
          add_paths(out[k][static_cast<std::size_t>(number_of(dims, to))],
                    operands[j][0][static_cast<std::size_t>(number_of(operand_dims(op, j), from))]);
      }
    }
    return out;
  }
};

/// The paths from the outputs of a fusion to its operands.
std::optional<std::vector<TracedPaths>> trace(const Instruction& fusion) {
  std::vector<std::vector<TracedPaths>> parameters;
  for (std::size_t j = 0; j < fusion.operands.size(); ++j) {
    if (!fusion.operand_type(j).is_array()) return std::nullopt;
    TracedPaths own;
    for (Index e = 0; e < count_of(operand_dims(fusion, j)); ++e)
      own.push_back({{{static_cast<Index>(j), e}, 1}});
    parameters.push_back({std::move(own)});
  }
  Tracer tracer;
  std::vector<TracedPaths> out = tracer.run(*fusion.called[0], parameters);
  if (!tracer.known) return std::nullopt;
  return out;
}

bool forwards(Opcode opcode) {
  return opcode == Opcode::tuple || opcode == Opcode::get_tuple_element || opcode == Opcode::opt_barrier;
}

bool runs_others(Opcode opcode) {
  return opcode == Opcode::call || opcode == Opcode::conditional || opcode == Opcode::while_;
}

bool moves(Opcode opcode) {
  return opcode == Opcode::copy || opcode == Opcode::transpose || opcode == Opcode::reshape ||
         opcode == Opcode::slice || opcode == Opcode::reverse || opcode == Opcode::broadcast;
}

std::optional<StepBytes> fusion_bytes(const Instruction& fusion, const EqualOperands& equal) {
  const auto outputs = trace(fusion);
  if (!outputs) return std::nullopt;
  StepBytes out;
  std::map<std::size_t, std::set<Index>> used;  // for each array, by its first operand
  for (std::size_t j = 0; j < fusion.operands.size(); ++j) {
    std::set<Index>& own = used[equal[j]];
    Index paths = 0;
    for (const TracedPaths& output : *outputs) {
      for (const Paths& element : output) {
        for (const auto& [from, count] : element) {
          if (from.first != static_cast<Index>(j)) continue;
          own.insert(from.second);
          paths += count;
        }
      }
    }
    out.read += element_bytes_of(fusion.operand_type(j).array().dtype) * paths;
  }
  for (const auto& [operand, own] : used)
    out.used += element_bytes_of(fusion.operand_type(operand).array().dtype) * std::ssize(own);
  return out;
}

std::optional<StepBytes> plain_bytes(const Instruction& step, bool in_place, const EqualOperands& equal) {
  Values values;
  evaluate_integers(*step.parent, values);
  StepBytes out;
  std::map<std::size_t, std::set<Index>> used;  // for each array, by its first operand
  for (std::size_t j = in_place ? 1 : 0; j < step.operands.size(); ++j) {
    std::set<Relation> relations;  // outputs with the same relation are computed by one loop
    for (std::size_t k = 0; k < step.type.leaf_count(); ++k) {
      auto relation = reference_relation(step, k, j, values);
      if (!relation) return std::nullopt;
      relations.insert(*std::move(relation));
    }
    for (const Relation& relation : relations) {
      out.read += element_bytes_of(step.operand_type(j).array().dtype) * std::ssize(relation);
      for (const auto& [to, from] : relation) used[equal[j]].insert(number_of(operand_dims(step, j), from));
    }
  }
  for (const auto& [operand, own] : used)
    out.used += element_bytes_of(step.operand_type(operand).array().dtype) * std::ssize(own);
  return out;
}

}  // namespace

std::optional<StepBytes> step_bytes(const Instruction& step, bool in_place, const EqualOperands& equal) {
  const bool fusion = step.opcode == Opcode::fusion;
  if (fusion && in_place) return std::nullopt;
  auto out = fusion ? fusion_bytes(step, equal) : plain_bytes(step, in_place, equal);
  if (!out) return std::nullopt;
  if (in_place) {
    out->written = array_bytes(step.operand_type(1));
  } else {
    for (std::size_t k = 0; k < step.type.leaf_count(); ++k)
      out->written += array_bytes(leaf_type(step.type, k));
  }
  return out;
}

bool makes_an_array(const Instruction& op) {
  return op.opcode != Opcode::bitcast && !forwards(op.opcode) && !runs_others(op.opcode);
}

bool is_step(const Instruction& op) {
  if (op.opcode == Opcode::parameter || op.opcode == Opcode::constant || !makes_an_array(op)) return false;
  if (op.opcode != Opcode::reshape) return true;
  return buffers_differ(op.operand_type(0).array(), op.type.array(), *movement_sources(op));
}

std::optional<Indices> movement_sources(const Instruction& op) {
  if (op.operands.size() != 1 || !op.type.is_array() || !op.operand_type(0).is_array()) return std::nullopt;
  const auto in = operand_dims(op, 0);
  Indices out;
  if (moves(op.opcode)) {
    const Relation relation = reference_relation(op, 0, 0, {}).value();
    for (const auto& [to, from] : relation) out.push_back(number_of(in, from));
    return out;
  }
  if (op.opcode != Opcode::fusion) return std::nullopt;
  bool any = false;
  for (const auto& inner : op.called[0]->instructions) {
    if (inner->opcode != Opcode::parameter && !moves(inner->opcode)) return std::nullopt;
    any = any || moves(inner->opcode);
  }
  if (!any) return std::nullopt;
  const auto traced = trace(op);
  if (!traced) return std::nullopt;
  for (const Paths& element : traced->at(0)) out.push_back(element.begin()->first.second);
  return out;
}

}  // namespace tessera::laws
