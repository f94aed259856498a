// SPDX-License-Identifier: Apache-2.0
/// \file
/// The properties that each kind of leaf guarantees to its kernel.
#pragma once

#include "relayout/leaf.h"

namespace tessera::moving {

/// Null if the leaf has the properties that its kind guarantees (see Kind). Otherwise the first property it
/// lacks, for an error message.
inline const char* broken_promise(const Leaf& leaf) {
  const Axis& rows = leaf.rows;
  const Axis& cols = leaf.cols;
  const Index e = leaf.run;
  const auto affine = [](const Axis& axis) { return axis.src_table == nullptr && axis.dst_table == nullptr; };
  const bool vector_element = e == 1 || e == 2 || e == 4 || e == 8 || e == 16;
  const bool unit_src = cols.src_table == nullptr && cols.src == e;
  const bool unit_dst = rows.dst_table == nullptr && rows.dst == e;
  const auto few = [](Index count) { return count >= 2 && count <= 4; };
  if (leaf.slack > 0 && leaf.kind != Kind::copy && leaf.kind != Kind::interleave) return "no slack";
  switch (leaf.kind) {
    case Kind::copy:
    case Kind::fill:
      return affine(rows) && affine(cols) ? nullptr : "no tables";
    case Kind::transpose:
    case Kind::interleave:
    case Kind::deinterleave:
    case Kind::block:
      if (!vector_element) return "runs of 1, 2, 4, 8 or 16 bytes";
      if (!unit_src || !unit_dst)
        return "cols contiguous in the source and rows contiguous in the destination";
      if (leaf.kind == Kind::block) {
        return rows.dst_table == nullptr && cols.src_table == nullptr
                   ? nullptr
                   : "tables only for source rows and destination cols";
      }
      if (!affine(rows) || !affine(cols)) return "no tables";
      if (leaf.kind == Kind::interleave && !(few(rows.count) && cols.dst == rows.count * e))
        return "2, 3 or 4 rows, side by side in the destination";
      if (leaf.kind == Kind::deinterleave && !(few(cols.count) && rows.src == cols.count * e))
        return "2, 3 or 4 cols, side by side in the source";
      return nullptr;
    case Kind::gather:
      if (!vector_element) return "runs of 1, 2, 4, 8 or 16 bytes";
      return cols.dst_table == nullptr && cols.dst == e ? nullptr : "cols contiguous in the destination";
    case Kind::scatter:
      if (!vector_element) return "runs of 1, 2, 4, 8 or 16 bytes";
      return unit_src ? nullptr : "cols contiguous in the source";
    case Kind::table:
      break;
  }
  return nullptr;
}

}  // namespace tessera::moving
