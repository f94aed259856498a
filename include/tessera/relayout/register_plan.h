// SPDX-License-Identifier: Apache-2.0
/// \file
/// RegisterPlan: what it costs to convert one layout of registers to another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/notation/triton_layout.h"

namespace tessera {

/// How far elements move.
enum class RegisterLevel : std::uint8_t {
  none,       ///< each stays in its register
  renaming,   ///< the compiler renames registers
  selection,  ///< a thread has what it needs, in a register that depends on the thread
  lanes,      ///< between lanes of a warp
  warps,      ///< between warps of a block
  blocks,     ///< between blocks
};

/// What Triton 3.9 does.
enum class TritonChoice : std::uint8_t { none, registers, shuffles, shared, distributed };

/// `none`, `renaming`, ...
std::string_view to_string(RegisterLevel level);
std::string_view to_string(TritonChoice choice);
/// The level with this name, if there is one.
std::optional<RegisterLevel> parse_register_level(std::string_view word);

/// Registers of all threads of the target, each counted at the nearest place of the source that has its
/// element.
struct RegisterCounts {
  Index points = 0;  ///< the sum of the others
  Index stay = 0;    ///< the same register of the same thread
  Index reg = 0;     ///< another register of the thread
  Index lane = 0;    ///< another lane of the warp
  Index warp = 0;    ///< another warp of the block
  Index block = 0;   ///< another block
};

/// One side of an exchange through shared memory, for all warps of a block.
struct ExchangeSide {
  Index vector = 1;  ///< elements of an instruction
  Index instructions = 0;
  Index wavefronts = 0;
  Index floor = 0;  ///< wavefronts if every access moved as many bytes as the memory can
};

/// The cheapest exchange through the shared memory of a block with ordinary loads and stores. No other layout
/// of the memory has fewer wavefronts with vectors that both sides allow.
struct Exchange {
  Index bytes = 0;
  ExchangeSide write = {};
  ExchangeSide read = {};
  /// How ldmatrix and stmatrix could reach the floor where the plain wavefronts do not: `vector`, `row` or
  /// `trans` for the write and the read.
  std::optional<std::pair<std::string_view, std::string_view>> matrix = {};
  TritonBasisList memory = {};  ///< the elements at offsets 1, 2, 4, ...: a layout with these wavefronts
};

struct RegisterPlan {
  RegisterLevel level = RegisterLevel::none;
  RegisterCounts counts = {};
  TritonChoice triton = TritonChoice::none;
  std::optional<Index> shuffles = {};     ///< of a warp, if Triton shuffles on NVIDIA
  std::optional<Exchange> exchange = {};  ///< if Triton goes through the shared memory of one NVIDIA block
};

/// The plan for tensors of this element, on `cuda:90`, `hip:gfx942`, ... Exact: counts follow from ranks over
/// F2, at any size. O(bits³). Errors: different_shape (shapes, or numbers of lanes, warps or blocks),
/// not_applicable (a layout of memory).
Result<RegisterPlan> plan_registers(const TritonBases& from, const TritonBases& to, Index element_bits,
                                    std::string_view target = "cuda:90");

}  // namespace tessera
