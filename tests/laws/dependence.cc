// SPDX-License-Identifier: Apache-2.0
#include "laws/dependence.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "hlo/syntax/attributes.h"
#include "hlo/syntax/literal.h"
#include "laws/program_writer.h"
#include "laws/tuple_leaves.h"

namespace tessera::model {
namespace {

constexpr int kMaxTrips = 1000;

std::vector<Index> ints(const Instruction& op, std::string_view key) {
  const Attribute* const found = op.attribute(key);
  return found == nullptr ? std::vector<Index>() : read_ints(*found).value();
}

Traced blank(std::vector<Index> dims) {
  const auto count = static_cast<std::size_t>(element_count(dims));
  return {std::move(dims), std::vector<Sources>(count), std::vector<Index>(count)};
}

std::size_t place(const Traced& array, const Coordinates& at) {
  return static_cast<std::size_t>(linear(at, array.dims));
}

/// An operation that moves elements: `from` gives the operand's element for an output coordinate.
Traced moved(const Traced& array, std::vector<Index> dims,
             const std::function<Coordinates(const Coordinates&)>& from) {
  Traced out = blank(std::move(dims));
  for (std::size_t e = 0; e < out.elements.size(); ++e) {
    const std::size_t i = place(array, from(coordinates(static_cast<Index>(e), out.dims)));
    out.elements[e] = array.elements[i];
    out.values[e] = array.values[i];
  }
  return out;
}

Index compared(std::string_view direction, Index a, Index b) {
  if (direction == "LT") return a < b ? 1 : 0;
  if (direction == "LE") return a <= b ? 1 : 0;
  if (direction == "GT") return a > b ? 1 : 0;
  if (direction == "GE") return a >= b ? 1 : 0;
  return (direction == "EQ") == (a == b) ? 1 : 0;
}

class Run {
 public:
  std::optional<TracedValue> computation(const Computation& computation,
                                         const std::vector<TracedValue>& parameters) {
    std::map<const Instruction*, TracedValue> values;
    for (const auto& instruction : computation.instructions) {
      std::vector<TracedValue> operands;
      for (const Operand& operand : instruction->operands) operands.push_back(values.at(operand.instruction));
      auto value = instruction->opcode == Opcode::parameter
                       ? std::optional(parameters.at(static_cast<std::size_t>(instruction->parameter_number)))
                       : one(*instruction, operands);
      if (!value) return std::nullopt;
      values.emplace(instruction.get(), *std::move(value));
    }
    return values.at(computation.root);
  }

 private:
  std::optional<TracedValue> one(const Instruction& op, const std::vector<TracedValue>& operands) {
    switch (op.opcode) {
      case Opcode::tuple: {
        TracedValue out;
        for (const TracedValue& operand : operands) out.insert(out.end(), operand.begin(), operand.end());
        return out;
      }
      case Opcode::get_tuple_element:
        return laws::leaves_of_element(op, operands[0]);
      case Opcode::call:
      case Opcode::fusion:
        return computation(*op.called[0], operands);
      case Opcode::while_:
        return loop(op, operands[0]);
      default: {
        auto array = of_arrays(op, operands);
        if (!array) return std::nullopt;
        return TracedValue{*std::move(array)};
      }
    }
  }

  std::optional<TracedValue> loop(const Instruction& op, TracedValue state) {
    const Computation* condition = nullptr;
    const Computation* body = nullptr;
    for (const Computation* called : op.called) {
      (called->root->type.is_tuple() ? body : condition) = called;
    }
    Sources tested;
    for (int trips = 0; trips <= kMaxTrips; ++trips) {
      const auto more = computation(*condition, {state});
      if (!more) return std::nullopt;
      add(tested, more->at(0).elements[0]);
      if (more->at(0).values[0] == 0) {
        for (std::size_t leaf = 0; leaf < state.size(); ++leaf) {
          if (is_handed_on(*body, leaf)) continue;
          for (Sources& sources : state[leaf].elements) add(sources, tested);
        }
        return state;
      }
      auto next = computation(*body, {state});
      if (!next) return std::nullopt;
      state = *std::move(next);
    }
    return std::nullopt;
  }

  /// True if the body returns this element of its parameter unchanged. Requires flat tuples.
  static bool is_handed_on(const Computation& body, std::size_t element) {
    if (body.root->opcode != Opcode::tuple) return false;
    const Instruction& value = *body.root->operands[element].instruction;
    return value.opcode == Opcode::get_tuple_element &&
           read_int(*value.attribute("index")).value() == static_cast<Index>(element);
  }

  std::optional<Traced> of_arrays(const Instruction& op, const std::vector<TracedValue>& operands) {
    const auto dims_span = op.type.array().dims;
    const std::vector<Index> dims(dims_span.begin(), dims_span.end());
    const auto operand = [&](std::size_t i) -> const Traced& { return operands[i][0]; };
    Traced out = blank(dims);
    switch (op.opcode) {
      case Opcode::constant:
        for (std::size_t e = 0; e < out.values.size(); ++e)
          out.values[e] = integer_element(op, coordinates(static_cast<Index>(e), dims)).value_or(0);
        return out;
      case Opcode::reshape:
        out.elements = operand(0).elements;
        out.values = operand(0).values;
        return out;
      case Opcode::transpose: {
        const auto order = ints(op, "dimensions");
        return moved(operand(0), dims, [&](const Coordinates& at) {
          Coordinates from(at.size());
          for (std::size_t i = 0; i < at.size(); ++i) from[static_cast<std::size_t>(order[i])] = at[i];
          return from;
        });
      }
      case Opcode::reverse: {
        const auto reversed = ints(op, "dimensions");
        return moved(operand(0), dims, [&](Coordinates at) {
          for (const Index d : reversed)
            at[static_cast<std::size_t>(d)] =
                dims[static_cast<std::size_t>(d)] - 1 - at[static_cast<std::size_t>(d)];
          return at;
        });
      }
      case Opcode::broadcast: {
        const auto to = ints(op, "dimensions");
        return moved(operand(0), dims, [&](const Coordinates& at) {
          Coordinates from;
          for (const Index d : to) from.push_back(at[static_cast<std::size_t>(d)]);
          return from;
        });
      }
      case Opcode::reduce: {
        const auto gone = ints(op, "dimensions");
        for (std::size_t e = 0; e < operand(0).elements.size(); ++e) {
          const Coordinates at = coordinates(static_cast<Index>(e), operand(0).dims);
          Coordinates kept;
          for (std::size_t d = 0; d < at.size(); ++d) {
            if (std::ranges::find(gone, static_cast<Index>(d)) == gone.end()) kept.push_back(at[d]);
          }
          add(out.elements[place(out, kept)], operand(0).elements[e]);
        }
        for (Sources& sources : out.elements) add(sources, operand(1).elements[0]);
        return out;
      }
      case Opcode::dynamic_slice: {
        out = moved(operand(0), dims, [&](Coordinates at) {
          for (std::size_t d = 0; d < at.size(); ++d)
            at[d] += std::clamp<Index>(operand(d + 1).values[0], 0, operand(0).dims[d] - dims[d]);
          return at;
        });
        for (Sources& sources : out.elements) {
          for (std::size_t d = 0; d < dims.size(); ++d) add(sources, operand(d + 1).elements[0]);
        }
        return out;
      }
      case Opcode::dynamic_update_slice: {
        out = operand(0);
        const Traced& update = operand(1);
        for (std::size_t e = 0; e < update.elements.size(); ++e) {
          Coordinates at = coordinates(static_cast<Index>(e), update.dims);
          for (std::size_t d = 0; d < at.size(); ++d)
            at[d] += std::clamp<Index>(operand(d + 2).values[0], 0, dims[d] - update.dims[d]);
          out.elements[place(out, at)] = update.elements[e];
          out.values[place(out, at)] = update.values[e];
        }
        for (Sources& sources : out.elements) {
          for (std::size_t d = 0; d < dims.size(); ++d) add(sources, operand(d + 2).elements[0]);
        }
        return out;
      }
      default:
        return elementwise(op, operands, std::move(out));
    }
  }

  static std::optional<Traced> elementwise(const Instruction& op, const std::vector<TracedValue>& operands,
                                           Traced out) {
    for (std::size_t e = 0; e < out.elements.size(); ++e) {
      std::vector<Index> v;
      for (const TracedValue& operand : operands) {
        const std::size_t i = operand[0].dims.empty() ? 0 : e;
        add(out.elements[e], operand[0].elements[i]);
        v.push_back(operand[0].values[i]);
      }
      Index& value = out.values[e];
      switch (op.opcode) {
        case Opcode::copy:
        case Opcode::convert:
          value = v[0];
          break;
        case Opcode::negate:
          value = -v[0];
          break;
        case Opcode::add:
          value = v[0] + v[1];
          break;
        case Opcode::subtract:
          value = v[0] - v[1];
          break;
        case Opcode::multiply:
          value = v[0] * v[1];
          break;
        case Opcode::maximum:
          value = std::max(v[0], v[1]);
          break;
        case Opcode::minimum:
          value = std::min(v[0], v[1]);
          break;
        case Opcode::remainder:
          value = v[1] == 0 ? 0 : v[0] % v[1];
          break;
        case Opcode::divide:
          value = v[1] == 0 ? 0 : v[0] / v[1];
          break;
        case Opcode::select:
          value = v[0] != 0 ? v[1] : v[2];
          break;
        case Opcode::compare:
          value = compared(op.attribute("direction")->value, v[0], v[1]);
          break;
        default:
          return std::nullopt;
      }
    }
    return out;
  }
};

}  // namespace

std::optional<TracedValue> run(const HloModule& module, const std::vector<std::vector<Index>>& parameters) {
  std::vector<TracedValue> arguments;
  for (const Instruction* parameter : module.entry->parameters) {
    const std::size_t number = arguments.size();
    const auto dims = parameter->type.array().dims;
    Traced array = blank({dims.begin(), dims.end()});
    for (std::size_t e = 0; e < array.elements.size(); ++e) {
      array.elements[e].insert({number, static_cast<Index>(e)});
      array.values[e] = parameters.at(number).empty() ? 0 : parameters[number].at(e);
    }
    arguments.push_back({std::move(array)});
  }
  return Run().computation(*module.entry, arguments);
}

}  // namespace tessera::model
