// SPDX-License-Identifier: Apache-2.0
#include "transfer/byte_boxes.h"

#include <algorithm>

namespace tessera::transfer {
namespace {

// Converts a box of elements to a box of bytes, if its runs are whole bytes.
bool to_bytes(StridedMove& box, Index bits) {
  const auto scaled = [bits](Index& value) {
    const bool whole = value * bits % 8 == 0;
    value = value * bits / 8;
    return whole;
  };
  if (box.loops.empty() || box.loops.back().from != 1 || box.loops.back().to != 1) return false;
  bool whole = scaled(box.from) && scaled(box.to) && scaled(box.loops.back().extent);
  for (std::size_t k = 0; k + 1 < box.loops.size(); ++k)
    whole = whole && scaled(box.loops[k].from) && scaled(box.loops[k].to);
  return whole;
}

}  // namespace

ByteBoxes::ByteBoxes(const TargetTensor& tensor) : element_bits_(tensor.element_bits), moves_(tensor.moves) {
  if (element_bits_ % 8 == 0) {
    unit_bytes_ = element_bits_ / 8;
  } else if (std::ranges::all_of(moves_, [&](TensorMove& move) {
               return !move.by_number && to_bytes(move.box, element_bits_);
             })) {
    unit_bytes_ = 1;
  } else {
    moves_ = tensor.moves;
  }
  Index reach = 0;
  for (const TensorMove& move : moves_) {
    reach = std::max(reach, move.box.to_bounds().upper);
    reach_.push_back(reach);
  }
}

std::vector<TensorMove> ByteBoxes::inside(Index begin, Index end) const {
  if (unit_bytes_ > 0) {
    begin /= unit_bytes_;
    end /= unit_bytes_;
  } else {
    begin = begin * 8 / element_bits_;
    end = end * 8 / element_bits_;
  }
  std::vector<TensorMove> out;
  std::vector<StridedMove> parts;
  const auto first = std::ranges::lower_bound(reach_, begin) - reach_.begin();
  for (auto move = moves_.begin() + first; move != moves_.end() && move->box.to < end; ++move) {
    parts.clear();
    restrict_target(move->box, begin, end, parts);
    for (StridedMove& part : parts) {
      part.to -= begin;
      out.push_back({move->source, std::move(part), move->by_number});
    }
  }
  std::ranges::stable_sort(out, {}, [](const TensorMove& move) { return move.box.to; });
  return out;
}

}  // namespace tessera::transfer
