// SPDX-License-Identifier: Apache-2.0
#include "laws/integer_run.h"

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "hlo/syntax/attributes.h"
#include "hlo/syntax/literal.h"

namespace tessera::laws {
namespace {

bool holds_integers(const HloType& type) {
  return type.is_array() && (is_integer(type.array().dtype) || type.array().dtype == DType::pred);
}

Index wrap(Index value, DType type) {
  if (type == DType::pred) return value != 0 ? 1 : 0;
  const int bits = bit_width(type);
  if (bits == 64) return value;
  const Index modulus = Index{1} << bits;
  const Index low = ((value % modulus) + modulus) % modulus;
  const bool negative = dtype_class(type) == DTypeClass::signed_integer && low >= modulus / 2;
  return negative ? low - modulus : low;
}

class IntegerRun {
 public:
  IntegerRun(Values& values, bool& wrapped) : values_(values), wrapped_(wrapped) {}

  void computation(const Computation& called) {
    for (const auto& instruction : called.instructions) one(*instruction);
  }

 private:
  void one(const Instruction& op) {
    if (op.opcode == Opcode::call || op.opcode == Opcode::fusion) {
      const Computation& callee = *op.called[0];
      for (std::size_t p = 0; p < op.operands.size(); ++p) {
        if (const Indices* given = part(op.operands[p])) values_[callee.parameters[p]] = *given;
      }
      computation(callee);
      if (const auto found = values_.find(callee.root); found != values_.end()) values_[&op] = found->second;
      return;
    }
    if (!holds_integers(op.type) || values_.contains(&op)) return;
    Indices mine;
    switch (op.opcode) {
      case Opcode::constant:
        for_each_index(op.type.dims(),
                       [&](const Indices& at) { mine.push_back(integer_element(op, at).value()); });
        break;
      case Opcode::iota: {
        const auto d = static_cast<std::size_t>(int_of(op, "iota_dimension").value());
        for_each_index(op.type.dims(),
                       [&](const Indices& at) { mine.push_back(wrap(at[d], op.type.array().dtype)); });
        break;
      }
      case Opcode::get_tuple_element: {
        // Of a tuple, or of an opt-barrier of one.
        const Instruction* tuple = op.operands[0].instruction;
        if (tuple->opcode == Opcode::opt_barrier) tuple = tuple->operands[0].instruction;
        const auto index = static_cast<std::size_t>(int_of(op, "index").value());
        mine = *part(tuple->operands[index]);
        break;
      }
      case Opcode::opt_barrier:
        mine = *part(op.operands[0]);
        break;
      case Opcode::broadcast:
      case Opcode::reshape:
      case Opcode::bitcast:
      case Opcode::transpose:
      case Opcode::slice:
      case Opcode::reverse:
      case Opcode::concatenate:
      case Opcode::pad:
      case Opcode::dynamic_slice:
      case Opcode::dynamic_update_slice:
        mine = moved(op);
        break;
      default:
        mine = elementwise(op);
    }
    values_[&op] = std::move(mine);
  }

  const Indices* part(const Operand& operand) const {
    const auto found = values_.find(operand.instruction);
    return found == values_.end() ? nullptr : &found->second;
  }

  Indices moved(const Instruction& op) const {
    std::size_t count = 0;
    for_each_index(op.type.dims(), [&](const Indices&) { ++count; });
    Indices out(count);
    std::size_t sources = op.opcode == Opcode::concatenate ? op.operands.size() : 1;
    if (op.opcode == Opcode::pad || op.opcode == Opcode::dynamic_update_slice) sources = 2;
    for (std::size_t j = 0; j < sources; ++j) {
      const auto reads = reference_relation(op, 0, j, values_);
      TESSERA_CHECK(reads.has_value(), "an opcode without a reference");
      for (const auto& [to, from] : *reads) {
        out[static_cast<std::size_t>(number_of(op.type.dims(), to))] =
            (*part(op.operands[j]))[static_cast<std::size_t>(number_of(op.operand_type(j).dims(), from))];
      }
    }
    return out;
  }

  Indices elementwise(const Instruction& op) {
    std::vector<const Indices*> from;
    for (const Operand& operand : op.operands) from.push_back(part(operand));
    Indices out;
    std::size_t i = 0;
    for_each_index(op.type.dims(), [&](const Indices&) {
      Indices v;
      for (std::size_t j = 0; j < from.size(); ++j)
        v.push_back((*from[j])[op.operand_type(j).rank() == 0 ? 0 : i]);
      const Index exact = result(op, v);
      out.push_back(wrap(exact, op.type.array().dtype));
      wrapped_ = wrapped_ || (out.back() != exact && op.type.array().dtype != DType::pred);
      ++i;
    });
    return out;
  }

  static Index result(const Instruction& op, const Indices& v) {
    switch (op.opcode) {
      case Opcode::copy:
      case Opcode::convert:
      case Opcode::bitcast_convert:
        return v[0];
      case Opcode::negate:
        return -v[0];
      case Opcode::abs:
        return v[0] < 0 ? -v[0] : v[0];
      case Opcode::sign:
        return v[0] > 0 ? 1 : v[0] < 0 ? -1 : 0;
      case Opcode::not_:
        return op.type.array().dtype == DType::pred ? 1 - v[0] : -v[0] - 1;
      case Opcode::add:
        return v[0] + v[1];
      case Opcode::subtract:
        return v[0] - v[1];
      case Opcode::multiply:
        return v[0] * v[1];
      case Opcode::divide:
        return v[0] / v[1];
      case Opcode::remainder:
        return v[0] % v[1];
      case Opcode::maximum:
        return std::max(v[0], v[1]);
      case Opcode::minimum:
        return std::min(v[0], v[1]);
      case Opcode::and_:
        return v[0] & v[1];
      case Opcode::or_:
        return v[0] | v[1];
      case Opcode::xor_:
        return v[0] ^ v[1];
      case Opcode::select:
        return v[0] != 0 ? v[1] : v[2];
      case Opcode::clamp:
        return std::min(std::max(v[1], v[0]), v[2]);
      case Opcode::compare: {
        const std::string_view direction = op.attribute("direction")->value;
        if (direction == "LT") return v[0] < v[1] ? 1 : 0;
        if (direction == "GE") return v[0] >= v[1] ? 1 : 0;
        return (direction == "EQ") == (v[0] == v[1]) ? 1 : 0;
      }
      default:
        TESSERA_CHECK(false, "an opcode without a reference");
        return 0;
    }
  }

  Values& values_;
  bool& wrapped_;
};

}  // namespace

Values run_integers(const HloModule& module, const std::vector<Indices>& parameters, bool& wrapped) {
  Values values;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    if (holds_integers(module.entry->parameters[p]->type))
      values[module.entry->parameters[p]] = parameters[p];
  }
  IntegerRun(values, wrapped).computation(*module.entry);
  return values;
}

}  // namespace tessera::laws
