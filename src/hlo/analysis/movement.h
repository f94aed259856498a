// SPDX-License-Identifier: Apache-2.0
/// \file
/// Instructions that only move elements, and chains of them.
#pragma once

#include <string>
#include <vector>

#include "hlo/analysis/bitcast.h"
#include "tessera/base/index.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/traffic.h"

namespace tessera {

/// Whether a result that has the bytes of its operand in the same order may live in the operand's buffer.
enum class BufferSharing : std::uint8_t {
  possible,    ///< nothing else needs the operand's buffer as it is
  impossible,  ///< the program returns both, or it returns a parameter that is not donated
  open,        ///< something may update one of the two in place
};

/// An instruction whose result only has elements of its operands, and constants as padding: a copy,
/// transpose, reshape, bitcast-convert, slice, reverse, concatenate, pad, broadcast, gather, dynamic-slice,
/// dynamic-update-slice or copy-start, or a fusion of nothing else.
struct Movement {
  const Instruction* instruction = nullptr;
  Count runs = {1, 1};
  /// `yes`: the bytes have the order of the operand. `no`: elements move; `bytes` are those of the result.
  BitcastAnswer answer;
  /// For `yes`: whether a bitcast would do.
  BufferSharing sharing = BufferSharing::open;
  /// What moves the elements: for a fusion, the opcodes inside it, from the operands to the result.
  std::vector<Opcode> by = {};
  /// Bytes that one run reads and writes, each byte once: StepTraffic::minimum.
  Index once = 0;
  /// The kernels of a plan that moves them, such as `transpose`, in the order of the plan; empty if there is
  /// none.
  std::vector<std::string> kernels = {};

  /// Bytes read and written by all runs, without padding; loops that run an unknown number of times count
  /// once. An upper bound if `answer` is undecided and the compiler may turn the instruction into a bitcast.
  Index traffic() const;
  /// Whether nothing is moved if the compiler can choose the layouts.
  bool may_vanish() const;
  /// What a bitcast in place of the instruction would save.
  Index saving() const {
    return answer.verdict == Verdict::yes && sharing == BufferSharing::possible ? traffic() : 0;
  }
};

/// Movements that follow each other, of which at least two move elements.
struct MovementChain {
  std::vector<const Instruction*> instructions;  ///< the first one first, with the bitcasts between them
  Count runs = {1, 1};
  BitcastAnswer answer;  ///< from the first operand to the last result
  /// Whether the last result may live in the buffer of the first operand, if the bytes are the same.
  BufferSharing sharing = BufferSharing::open;
  Index traffic = 0;  ///< sum over its members that move elements
  Index saving = 0;   ///< what one movement, or none if the chain cancels, would save

  /// Whether the last result has the same bytes in memory as the first operand and may share its buffer, so
  /// that nothing needs to move. Otherwise one movement is enough.
  bool cancels() const { return answer.verdict == Verdict::yes && sharing != BufferSharing::impossible; }
};

}  // namespace tessera
