// SPDX-License-Identifier: Apache-2.0
/// \file
/// Options of a relayout.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera {

/// An instruction set of the copy kernels. `automatic` is the best one of this machine; `scalar` is plain
/// C++.
enum class Isa : std::uint8_t { automatic, scalar, sse4, avx2, avx512, avx512_dl, neon };

/// `auto`, `scalar`, `sse4`, `avx2`, `avx512`, `avx512_dl`, `neon`.
std::string_view to_string(Isa isa);

/// The instruction set with this name. Errors: bad_option for an unknown name, or one that this machine or
/// build does not support; the help lists the supported ones.
Result<Isa> parse_isa(std::string_view name);

/// The instruction sets that this build has kernels for and this machine can run, simplest first. Never
/// empty.
std::vector<Isa> available_isas();

/// What `automatic` means: the environment variable TESSERA_ISA if it names an available one, else the best.
Isa default_isa();

/// What a copy does with the bytes of the destination buffer that belong to no element.
enum class Padding : std::uint8_t {
  keep,   ///< unchanged
  zero,   ///< set to 0
  value,  ///< every padding element is set to PlanOptions::fill
  any,    ///< may be overwritten with anything: the fastest
};

/// Who reads the destination next. `near`: this core, soon, so it should stay in the cache. `far`: anyone
/// else.
enum class Consumer : std::uint8_t { far, near };

struct PlanOptions {
  Padding padding = Padding::keep;
  /// Padding::value: the bytes of one element, the first element_bytes of them.
  std::array<std::byte, 16> fill = {};
  Consumer consumer = Consumer::far;
  Isa isa = Isa::automatic;
  /// The number of threads to plan for, and the most chunks.
  int threads = 1;
  /// The smallest payload of a chunk. Below it, handing work to a thread costs more than it saves.
  Index min_chunk_bytes = Index{512} << 10;
  /// The size of one core's L2 cache, which decides whether to use streaming stores; 0 asks the system.
  Index l2_bytes = 0;

  friend bool operator==(const PlanOptions&, const PlanOptions&) = default;
};

}  // namespace tessera
