// SPDX-License-Identifier: Apache-2.0
/// \file
/// The rules of the opcodes.
#pragma once

#include "hlo/verify/rule.h"

namespace tessera::detail {

/// The rules, one function for each family of opcodes.
Problem check_elementwise(const Rule& rule);
Problem check_shape(const Rule& rule);
Problem check_data_movement(const Rule& rule);
Problem check_dynamic(const Rule& rule);
Problem check_reduction(const Rule& rule);
Problem check_contraction(const Rule& rule);
Problem check_gather_scatter(const Rule& rule);
Problem check_linear_algebra(const Rule& rule);
Problem check_calls(const Rule& rule);
Problem check_collective(const Rule& rule);
Problem check_asynchronous(const Rule& rule);
Problem check_transfer(const Rule& rule);
Problem check_random(const Rule& rule);

/// Operands of an asynchronous start or update, `count` from `first_operand`, are the parameters of the
/// computation from `first`.
Problem check_bound(const Rule& rule, const Computation& called, std::size_t first, std::size_t first_operand,
                    std::size_t count);
/// The type is that of the root of the computation.
Problem gives_root(const Rule& rule, const Computation& called);

/// Checks the instruction by the rule of its opcode.
Problem check_instruction(const Rule& rule);

}  // namespace tessera::detail
