// SPDX-License-Identifier: Apache-2.0
/// \file
/// The threads of an access, given by a register layout of Triton.
#pragma once

#include <optional>
#include <string_view>

#include "tessera/notation/layout.h"

namespace tessera::access {

struct TritonThreads {
  Layout tv;
  /// The widest vector of registers, if the accessed layout is one of Triton's shared memory: its values come
  /// first.
  std::optional<Index> vector = {};
};

/// The threads of a text such as `#ttg.blocked<{...}>` on the shape of `layout`. Errors: those of
/// parse_triton_layout and triton_bases, shape_mismatch, not_applicable (a layout of memory).
Result<TritonThreads> triton_threads(std::string_view text, const Layout& layout, Index element_bits);

}  // namespace tessera::access
