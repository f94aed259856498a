// SPDX-License-Identifier: Apache-2.0
/// \file
/// A hash of elements, for sums that do not depend on their order.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::transfer {

/// A hash of the bytes of an element. It is a bijection for up to 8 bytes.
std::uint64_t element_hash(const std::byte* element, std::size_t width);

}  // namespace tessera::transfer
