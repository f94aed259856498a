// SPDX-License-Identifier: Apache-2.0
/// \file
/// Lists of bases: what they reach, and coordinates as numbers.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/power_of_two.h"
#include "tessera/notation/triton_layout.h"

namespace tessera::triton {

using tessera::detail::is_power_of_two;
using tessera::detail::log2_of;

/// The least powers of two above all coordinates.
std::vector<Index> extents_of(std::span<const TritonBasisList* const> lists, Index rank);
/// Dimensions in the order in which the bases first move in them, then the others from the last.
std::vector<Index> order_of_use(std::span<const TritonBasisList* const> lists, Index rank);
/// What is wrong with bases that should move in one dimension each, by each power of two once; empty if
/// nothing is.
std::string flaw_of_bases(std::span<const TritonBasisList* const> lists, Index rank);
/// Whether the bases, of any number, reach each coordinate of the extents, of at most 62 bits.
bool spans_all(std::span<const TritonBasisList* const> lists, std::span<const Index> extents);
/// The bases of offsets that count in this order.
TritonBasisList identity_bases(std::span<const Index> order, std::span<const Index> shape);
/// A coordinate as one number: bits of dimensions one after another, the first dimension lowest. Coordinates
/// are below the extents, which are powers of two.
Index flat_of(std::span<const Index> coordinate, std::span<const Index> extents);
std::vector<Index> unflat(Index flat, std::span<const Index> extents);

}  // namespace tessera::triton
