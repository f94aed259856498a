// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks the signature of the function of a reduction, a sort or a scatter.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "hlo/check/op_reader.h"

namespace tessera::detail {

// A function may compute in a different width from its operands (a sum of bf16 in f32), but not in a
// different kind of number. A function that could not be read is not checked.

/// Checks that attribute `key` names a function of scalars whose parameter k takes elements of operand
/// `operand_of[k]`. Problems: missing_attribute, operand_count, shape_mismatch.
Problem check_parameters(const OpReader& reader, std::string_view key,
                         std::span<const std::size_t> operand_of);

/// As check_parameters, but also checks that the function returns an element of each operand in `gives`, as a
/// tuple if there are several.
Problem check_function(const OpReader& reader, std::string_view key, std::span<const std::size_t> operand_of,
                       std::span<const std::size_t> gives);

/// Checks a function that combines, for each of the operands `[0, inputs)`, an accumulator with an element.
Problem check_reducer(const OpReader& reader, std::string_view key, std::size_t inputs);

/// Checks a function that combines two scalars of the kind of number that all operands have.
Problem check_shared_reducer(const OpReader& reader, std::string_view key);

/// Checks a function that takes two elements of each of the operands `[0, operands)` and returns pred.
Problem check_predicate(const OpReader& reader, std::string_view key, std::size_t operands);

/// Checks the function of a scan: its parameters take slices of the operands, and its results are slices of
/// the instruction's results. Checks only their number and the kinds of their elements.
Problem check_step(const OpReader& reader, std::string_view key);

}  // namespace tessera::detail
