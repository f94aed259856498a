// SPDX-License-Identifier: Apache-2.0
/// \file
/// The bytes that a matrix product moves at least, if only so many fit on the chip.
#pragma once

#include <optional>

#include "hlo/analysis/array_origin.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// A product of matrices, or of many pairs of them, without how it is computed.
struct Product {
  Index multiplications = 0;  ///< one for each pair of elements that meet
  Index results = 0;          ///< elements of the result
  Index left_bits = 0;        ///< of an element of the left operand, as it lies in memory
  Index right_bits = 0;
  Index sum_bits = 0;      ///< of an element of the result before it is converted
  bool one_array = false;  ///< both operands are one array, or may be
};

/// The only product that a step computes, if each of its operands is an array of the step, perhaps converted
/// or rearranged, and each element of the result is needed: a dot, or a fusion with one. Empty for others.
std::optional<Product> product_of_step(const Instruction& step, ArrayOrigins& origins);

/// A number of bytes that must move between memory and `on_chip` bytes on the chip, read and written, if
/// `written` bytes of results are: 2 m sqrt(l r s / b) - 2 b - n s + written, in bits, for m multiplications
/// of elements of l and r bits, n sums of s bits, and b bits on the chip; half of the first term if both
/// operands are one array. It holds for every order of the multiplications, one for each pair of elements
/// (not for Strassen's method), if both elements and the sum are on the chip when they meet and a sum that is
/// not finished takes s bits at least.
///
/// Cut the computation where every 2 b bits have been read or sums begun. Between two cuts at most 3 b bits
/// of elements are at hand. By Loomis and Whitney's inequality these meet in at most sqrt(x y z) pairs, where
/// x, y and z are the elements of the three matrices; that is most if each has b bits: b^1.5 / sqrt(l r s).
/// A sum is begun once, or it has been written before. See Irony, Toledo and Tiskin, "Communication lower
/// bounds for distributed-memory matrix multiplication" (2004), and, for the constant 2, Smith, Lowery,
/// Langou and van de Geijn, "A tight I/O lower bound for matrix multiplication" (2019). 0 if the terms that
/// are subtracted are larger, or if two elements and a sum do not fit on the chip. O(1).
Index least_product_bytes(const Product& product, Index written, Index on_chip);

}  // namespace tessera::detail
