// SPDX-License-Identifier: Apache-2.0
/// \file
/// Elements of tensors as text.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/base/dtype.h"
#include "tessera/base/index.h"

namespace tessera {

/// The parts of an element: one number, or the real and the imaginary part of a complex one. Numbers are in
/// the shortest decimal text that reads back as the element, or `inf`, `-inf`, `nan`, `true`, `false`.
/// Without a type: the bits, `0x3f80`. The element has `bits` bits from bit `at` of `bytes` on,
/// little-endian. Exact.
std::vector<std::string> element_parts(std::span<const std::byte> bytes, Index at, Index bits,
                                       std::optional<DType> dtype);

}  // namespace tessera
