// SPDX-License-Identifier: Apache-2.0
/// \file
/// The properties that each mover guarantees to its kernel.
#pragma once

#include "relayout/sweep.h"

namespace tessera::moving {

/// Finds the first property that a sweep lacks, for an error message; null if it has all that its mover
/// promises (sweep.h).
class BrokenPromise {
 public:
  explicit BrokenPromise(const Sweep& sweep) : rows_(sweep.rows), cols_(sweep.cols), e_(sweep.run) {}

  const char* operator()(const mover::Copy&) const { return no_tables(); }
  const char* operator()(const mover::Fill&) const { return no_tables(); }
  const char* operator()(const mover::Transpose&) const {
    const char* const broken = turns_elements();
    return broken != nullptr ? broken : no_tables();
  }
  const char* operator()(const mover::Interleave&) const {
    const char* const broken = (*this)(mover::Transpose{});
    if (broken != nullptr) return broken;
    return is_few(rows_.count) && cols_.dst == rows_.count * e_
               ? nullptr
               : "2, 3 or 4 rows, side by side in the destination";
  }
  const char* operator()(const mover::Deinterleave&) const {
    const char* const broken = (*this)(mover::Transpose{});
    if (broken != nullptr) return broken;
    return is_few(cols_.count) && rows_.src == cols_.count * e_
               ? nullptr
               : "2, 3 or 4 cols, side by side in the source";
  }
  const char* operator()(const mover::Block&) const {
    const char* const broken = turns_elements();
    if (broken != nullptr) return broken;
    return rows_.dst_table == nullptr && cols_.src_table == nullptr
               ? nullptr
               : "tables only for source rows and destination cols";
  }
  const char* operator()(const mover::Gather&) const {
    if (!is_element()) return kElement;
    return cols_.dst_table == nullptr && cols_.dst == e_ ? nullptr : "cols contiguous in the destination";
  }
  const char* operator()(const mover::Scatter&) const {
    if (!is_element()) return kElement;
    return cols_.src_table == nullptr && cols_.src == e_ ? nullptr : "cols contiguous in the source";
  }
  const char* operator()(const mover::Table&) const { return nullptr; }

 private:
  static constexpr const char* kElement = "runs of 1, 2, 4, 8 or 16 bytes";
  static bool is_few(Index count) { return count >= 2 && count <= 4; }
  static bool has_table(const SweepAxis& axis) {
    return axis.src_table != nullptr || axis.dst_table != nullptr;
  }

  bool is_element() const { return e_ == 1 || e_ == 2 || e_ == 4 || e_ == 8 || e_ == 16; }
  const char* no_tables() const { return has_table(rows_) || has_table(cols_) ? "no tables" : nullptr; }
  const char* turns_elements() const {
    if (!is_element()) return kElement;
    return cols_.src_table == nullptr && cols_.src == e_ && rows_.dst_table == nullptr && rows_.dst == e_
               ? nullptr
               : "cols contiguous in the source and rows contiguous in the destination";
  }

  const SweepAxis& rows_;
  const SweepAxis& cols_;
  Index e_;
};

inline const char* broken_promise(const Sweep& sweep) {
  return std::visit(BrokenPromise(sweep), sweep.mover);
}

}  // namespace tessera::moving
