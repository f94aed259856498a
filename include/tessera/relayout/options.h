// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the caller of a relayout can choose.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera {

/// `automatic` is the best one this machine has; `scalar` is plain C++.
enum class Isa : std::uint8_t { automatic, scalar, sse4, avx2, avx512, avx512_dl, neon };

/// `auto`, `scalar`, `sse4`, `avx2`, `avx512`, `avx512_dl`, `neon`.
std::string_view to_string(Isa isa);

/// The instruction set of a name. Errors: bad_option for a name that does not exist, or that this machine or
/// build does not support; the help lists those that it does.
Result<Isa> parse_isa(std::string_view name);

/// The instruction sets that this build has kernels for and this machine can run, simplest first. Never
/// empty.
std::vector<Isa> available_isas();

/// What `automatic` means: the environment variable TESSERA_ISA if it names an available one, else the best.
Isa default_isa();

/// What happens to the bytes of the destination buffer that hold no element.
enum class Padding : std::uint8_t {
  keep,   ///< unchanged
  zero,   ///< set to 0
  value,  ///< every padding element is set to PlanOptions::fill
  any,    ///< whatever is fastest
};

/// Who reads the destination next: `near` is this core, soon.
enum class Consumer : std::uint8_t { far, near };

struct PlanOptions {
  Padding padding = Padding::keep;
  /// Padding::value: the bytes of one element, the first element_bytes of them.
  std::array<std::byte, 16> fill = {};
  Consumer consumer = Consumer::far;
  Isa isa = Isa::automatic;
  /// Threads that may run the plan: sets the number of chunks.
  int threads = 1;
  /// Smallest payload of a chunk: below it, passing work to a thread costs more than it saves.
  Index min_chunk_bytes = Index{512} << 10;
  /// Cache size of one core, which decides about streaming stores; 0 asks the system.
  Index l2_bytes = 0;

  friend bool operator==(const PlanOptions&, const PlanOptions&) = default;
};

}  // namespace tessera
