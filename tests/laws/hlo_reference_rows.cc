// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sorts, scans, transforms and solvers. Dependences are found by running the algorithm on sets of element
/// names instead of numbers.
#include <algorithm>

#include "hlo/syntax/attributes.h"
#include "laws/hlo_reference.h"

namespace tessera::laws {
namespace {

using Source = std::pair<std::size_t, Indices>;  // operand, element
using Sources = std::set<Source>;
using Array = std::map<Indices, Sources>;

void add(Sources& all, const Sources& more) { all.insert(more.begin(), more.end()); }

Relation from_operand(const Array& array, std::size_t operand) {
  Relation r;
  for (const auto& [o, sources] : array) {
    for (const auto& [which, x] : sources) {
      if (which == operand) r.insert({o, x});
    }
  }
  return r;
}

// All pairs of elements whose indices agree outside the given dimensions.
Relation rows(std::span<const Index> out, std::span<const Index> in, const std::set<std::size_t>& mixed) {
  Relation r;
  for_each_index(out, [&](const Indices& o) {
    for_each_index(in, [&](const Indices& x) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (!mixed.contains(i) && o[i] != x[i]) return;
      }
      r.insert({o, x});
    });
  });
  return r;
}

// The value of each instruction of a function, in order.
std::vector<Array> run(const Computation& function, const std::vector<Array>& arguments) {
  std::map<const Instruction*, Array> value;
  std::vector<Array> results;
  for (const auto& instruction : function.instructions) {
    if (instruction->opcode == Opcode::tuple) {
      for (const Operand& element : instruction->operands) results.push_back(value.at(element.instruction));
      continue;
    }
    Array& mine = value[instruction.get()];
    if (instruction->opcode == Opcode::parameter) {
      mine = arguments[static_cast<std::size_t>(instruction->parameter_number)];
      continue;
    }
    for_each_index(instruction->type.dims(), [&](const Indices& o) { mine[o]; });
    for (std::size_t j = 0; j < instruction->operands.size(); ++j) {
      const Relation reads = reference_relation(*instruction, 0, j, {}).value();
      for (const auto& [o, x] : reads) add(mine[o], value.at(instruction->operands[j].instruction)[x]);
    }
  }
  return results;
}

Relation scan(const Instruction& op, std::size_t output, std::size_t operand) {
  const auto dim = static_cast<std::size_t>(ints(op, "dimensions")[0]);
  const auto carries = static_cast<std::size_t>(int_of(op, "num_carries").value());
  const bool reverse = bool_of(op, "is_reverse", false).value();
  const std::size_t inputs = op.operands.size() - carries;
  const std::size_t arrays = outputs(op.type).size() - carries;
  const Index steps = operand_dims(op, 0)[dim];
  std::vector<Array> carry(carries);
  for (std::size_t c = 0; c < carries; ++c) {
    for_each_index(operand_dims(op, inputs + c), [&](const Indices& i) { carry[c][i] = {{inputs + c, i}}; });
  }
  const auto with_step = [&](Indices i, Index step) {
    i.insert(i.begin() + static_cast<std::ptrdiff_t>(dim), step);
    return i;
  };
  std::vector<Array> result(arrays);
  for (Index n = 0; n < steps; ++n) {
    const Index step = reverse ? steps - 1 - n : n;
    std::vector<Array> arguments;
    for (std::size_t j = 0; j < inputs; ++j) {
      Indices slice(operand_dims(op, j).begin(), operand_dims(op, j).end());
      slice.erase(slice.begin() + static_cast<std::ptrdiff_t>(dim));
      arguments.emplace_back();
      for_each_index(slice, [&](const Indices& i) { arguments.back()[i] = {{j, with_step(i, step)}}; });
    }
    arguments.insert(arguments.end(), carry.begin(), carry.end());
    const std::vector<Array> made = run(*called_by(op, "to_apply"), arguments);
    for (std::size_t k = 0; k < arrays; ++k) {
      for (const auto& [i, sources] : made[k]) result[k][with_step(i, step)] = sources;
    }
    carry.assign(made.begin() + static_cast<std::ptrdiff_t>(arrays), made.end());
  }
  result.insert(result.end(), carry.begin(), carry.end());
  return from_operand(result[output], operand);
}

Indices with_matrix(const Indices& batch, Index row, Index column) {
  Indices i = batch;
  i.push_back(row);
  i.push_back(column);
  return i;
}

// Cholesky-Banachiewicz, row by row, on one triangle.
Relation cholesky(const Instruction& op) {
  const auto dims = output_dims(op, 0);
  const Index n = dims.back();
  const bool lower = bool_of(op, "lower", false).value();
  Array result;
  for_each_index(dims.first(dims.size() - 2), [&](const Indices& batch) {
    const auto element = [&](Index i, Index j) { return with_matrix(batch, lower ? i : j, lower ? j : i); };
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j <= i; ++j) {
        Sources sources{{0, element(i, j)}};
        for (Index k = 0; k < j; ++k) {
          add(sources, result[element(i, k)]);
          add(sources, result[element(j, k)]);
        }
        if (j < i) add(sources, result[element(j, j)]);
        result[element(i, j)] = sources;
      }
    }
  });
  return from_operand(result, 0);
}

// Substitution for a lower or upper triangle of `a`, or of its transpose: x[i] = (b[i] - sum of a[i][k] *
// x[k] over solved k) / a[i][i]. If `a` is on the left, solves each column of b; if it is on the right, each
// row.
Relation triangular_solve(const Instruction& op, std::size_t operand) {
  const auto dims = output_dims(op, 0);
  const bool left = bool_of(op, "left_side", false).value();
  const bool transposed = op.attribute("transpose_a")->value != "NO_TRANSPOSE";
  // x * a = b is equivalent to transpose(a) * transpose(x) = transpose(b).
  const bool flipped = transposed != !left;
  const bool lower = bool_of(op, "lower", false).value() != flipped;
  const bool unit = bool_of(op, "unit_diagonal", false).value();
  const Index n = left ? dims[dims.size() - 2] : dims.back();
  const Index others = left ? dims.back() : dims[dims.size() - 2];
  Array result;
  for_each_index(dims.first(dims.size() - 2), [&](const Indices& batch) {
    const auto of_a = [&](Index i, Index k) { return with_matrix(batch, flipped ? k : i, flipped ? i : k); };
    for (Index c = 0; c < others; ++c) {
      const auto of_b = [&](Index i) { return with_matrix(batch, left ? i : c, left ? c : i); };
      for (Index step = 0; step < n; ++step) {
        const Index i = lower ? step : n - 1 - step;
        Sources sources{{1, of_b(i)}};
        if (!unit) sources.insert({0, of_a(i, i)});
        for (Index k = lower ? 0 : i + 1; k < (lower ? i : n); ++k) {
          sources.insert({0, of_a(i, k)});
          add(sources, result[of_b(k)]);
        }
        result[of_b(i)] = sources;
      }
    }
  });
  return from_operand(result, operand);
}

}  // namespace

std::optional<Relation> reference_rows(const Instruction& op, std::size_t output, std::size_t operand) {
  switch (op.opcode) {
    case Opcode::sort:
      return rows(output_dims(op, output), operand_dims(op, operand),
                  {static_cast<std::size_t>(ints(op, "dimensions")[0])});
    case Opcode::topk:
      return rows(output_dims(op, output), operand_dims(op, operand), {operand_dims(op, 0).size() - 1});
    case Opcode::fft: {
      std::set<std::size_t> mixed;
      for (std::size_t i = 1; i <= ints(op, "fft_length").size(); ++i)
        mixed.insert(operand_dims(op, 0).size() - i);
      return rows(output_dims(op, 0), operand_dims(op, 0), mixed);
    }
    case Opcode::scan:
      return scan(op, output, operand);
    case Opcode::cholesky:
      return cholesky(op);
    case Opcode::triangular_solve:
      return triangular_solve(op, operand);
    case Opcode::rng:
    case Opcode::rng_bit_generator:
      return all_pairs(output_dims(op, output), operand_dims(op, operand));
    default:
      return std::nullopt;
  }
}

}  // namespace tessera::laws
