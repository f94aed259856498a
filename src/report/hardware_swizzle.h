// SPDX-License-Identifier: Apache-2.0
/// \file
/// Swizzles on bytes, and the names that hardware gives them.
#pragma once

#include <optional>
#include <string_view>

#include "tessera/algebra/composed_layout.h"
#include "tessera/base/index.h"

namespace tessera {

/// A swizzle of elements as a swizzle of bytes. Empty if the element size is not a power of two bits, or if
/// the swizzle moves parts of bytes.
std::optional<Swizzle> on_bytes(const Swizzle& swizzle, Index element_bits);

/// `128B of TMA and UMMA, rows of 128 bytes`. Empty if no hardware mode has this swizzle on bytes.
std::string_view hardware_name(const Swizzle& bytes);

/// The number of bytes after which the pattern repeats.
Index period(const Swizzle& bytes);

}  // namespace tessera
