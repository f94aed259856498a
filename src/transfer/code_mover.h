// SPDX-License-Identifier: Apache-2.0
/// \file
/// Moves codes between two buffers.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "relayout/bits/form_of.h"
#include "tessera/relayout/relayout.h"
#include "transfer/code_side.h"
#include "transfer/index_box.h"
#include "transfer/recode.h"

namespace tessera {

/// A checked copy of codes from one layout to another.
class CodeMover {
 public:
  /// Errors: different_shape; different_type (see check_types); number_range for a number that an element
  /// cannot hold; broadcast if two indices of the destination share an offset.
  static Result<CodeMover> make(CodeSide from, CodeSide to, std::optional<Recode> recode = {});

  const CodeSide& from() const { return from_; }
  const CodeSide& to() const { return to_; }
  const std::optional<Recode>& recode() const { return recode_; }
  /// The code that an element of the destination has.
  std::uint64_t moved(std::uint64_t code) const;
  /// True if both sides are the same blocks of GGUF, whose bytes also have what no element has: scales. Then
  /// the bytes are copied as they are.
  bool moves_blocks() const;
  /// True if a side has no digits, so that both layouts are evaluated at each element.
  bool by_element() const { return from_forms_.empty() || to_forms_.empty(); }
  /// Where the bits of a side lie; empty without digits.
  const std::vector<moving::FormPiece>& from_forms() const { return from_forms_; }
  const std::vector<moving::FormPiece>& to_forms() const { return to_forms_; }

  /// Moves the elements of a box. `src` is the buffer of the source; byte `begin` of the destination is the
  /// first of `dst`. Other bits of `dst` are kept. Errors: number_range for an element that does not fit in
  /// its type; limit without memory.
  Result<void> move(const transfer::IndexBox& box, std::span<const std::byte> src, Index begin,
                    std::span<std::byte> dst, Executor& executor) const;

 private:
  CodeMover(CodeSide from, CodeSide to, std::optional<Recode> recode);
  Result<void> check_fit(const transfer::IndexBox& box, std::span<const std::byte> src) const;
  bool run_programs(const moving::BitForm& src, const moving::BitForm& dst, const transfer::IndexBox& box,
                    std::uint64_t flip, const std::byte* from, std::byte* to, Executor& executor) const;
  bool move_piece(const moving::BitForm& src_form, const moving::BitForm& dst_form,
                  const transfer::IndexBox& box, const std::byte* src, Index begin, std::byte* dst,
                  Executor& executor) const;
  bool move_through_codes(const moving::BitForm& src_form, const moving::BitForm& dst_form,
                          const transfer::IndexBox& box, const std::byte* src, Index begin, std::byte* dst,
                          Executor& executor) const;
  void move_each(const transfer::IndexBox& box, std::span<const std::byte> src, Index begin,
                 std::span<std::byte> dst) const;

  CodeSide from_;
  CodeSide to_;
  std::optional<Recode> recode_;
  std::vector<moving::FormPiece> from_forms_;
  std::vector<moving::FormPiece> to_forms_;
};

/// Moves all elements into a buffer of to.bytes() bytes, whose padding is kept, on this thread. Errors: those
/// of CodeMover; shape_mismatch for buffers of other sizes.
Result<void> move_codes(const CodeMover& mover, std::span<const std::byte> src, std::span<std::byte> dst);

}  // namespace tessera
