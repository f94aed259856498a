// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks the signature of a called computation.
#pragma once

#include <string_view>

#include "hlo/check/op_reader.h"

namespace tessera::detail {

/// Checks that parameter `number` of the computation, which attribute `key` names, takes the operand.
Problem check_parameter(const OpReader& reader, std::string_view key, const Computation& called,
                        std::size_t number, std::size_t operand);
/// Operands of an asynchronous start or update, `count` from `first_operand`, are the parameters of the
/// computation from `first`.
Problem check_bound(const OpReader& reader, const Computation& called, std::size_t first,
                    std::size_t first_operand, std::size_t count);
/// The type is that of the root of the computation.
Problem gives_root(const OpReader& reader, const Computation& called);

}  // namespace tessera::detail
