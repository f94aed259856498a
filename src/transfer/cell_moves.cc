// SPDX-License-Identifier: Apache-2.0
#include "transfer/cell_moves.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "base/index_walk.h"
#include "base/try.h"
#include "transfer/limits.h"

namespace tessera::transfer {
namespace {

// A digit of the row-major number of an index: floor(number / unit) mod capacity, if that counts within one
// dimension. A whole dimension, whose numbers end at its extent, is one too.
struct Place {
  Index unit = 1;      // row-major numbers per step
  Index capacity = 1;  // values from 0 on
  std::size_t dim = 0;
  Index div = 1;  // index steps of the dimension per step
};

// The first overflow of a move: at this place, the values of its loops exceed what is left.
struct Overflow {
  Index capacity = 0;
  Index first = 0;          // the value at the first element
  std::vector<Index> step;  // of each loop
};

class CellMoves {
 public:
  CellMoves(const Digits& cells, std::vector<StridedMove>& out)
      : cells_(cells),
        shape_(cells.box().begin(), cells.box().end()),
        strides_(detail::row_major_strides(shape_)),
        out_(out),
        most_(out.size() + kTransferLimits.cell_moves) {
    // Whole dimensions first, so that a loop over several of them is cut at their ends, not at those of
    // tiles. Lower places before higher ones, because their overflows change these.
    for (std::size_t d = shape_.size(); d-- > 0;) places_.push_back({strides_[d], shape_[d], d, 1});
    for (std::size_t d = shape_.size(); d-- > 0;) {
      for (const Digit& digit : cells.digits(d))
        places_.push_back({strides_[d] * digit.div, digit.ext, d, digit.div});
    }
  }

  Result<void> add(StridedMove move) {
    for (StridedLoop& loop : move.loops) {
      if (loop.from >= 0) continue;
      move.from += (loop.extent - 1) * loop.from;
      move.to += (loop.extent - 1) * loop.to;
      loop = {loop.extent, -loop.from, -loop.to};
    }
    return split(move);
  }

 private:
  Index value(Index number, const Place& place) const {
    const Index index = number / strides_[place.dim] % shape_[place.dim];
    return index / place.div % place.capacity;
  }

  std::optional<Overflow> overflow(const StridedMove& move) const {
    for (const Place& place : places_) {
      Overflow found{.capacity = place.capacity, .first = value(move.from, place), .step = {}};
      Index most = found.first;
      for (const StridedLoop& loop : move.loops) {
        found.step.push_back(loop.extent > 1 ? value(loop.from, place) : 0);
        most += (loop.extent - 1) * found.step.back();
      }
      if (most >= place.capacity) return found;
    }
    return std::nullopt;
  }

  // Every digit of the layout is a sum over the loops: so are the offsets.
  Result<void> finish(const StridedMove& move) {
    if (out_.size() >= most_)
      return fail(Code::limit,
                  fmt::format("a tensor moves in more than {} pieces", kTransferLimits.cell_moves));
    StridedMove cells{offset(move.from), move.to, {}};
    for (const StridedLoop& loop : move.loops)
      cells.loops.push_back({loop.extent, offset(loop.from) - cells_.base(), loop.to});
    order_by_target(cells);
    out_.push_back(std::move(cells));
    return {};
  }

  Index offset(Index number) const { return cells_.offset(detail::index_with_number(shape_, number)); }

  // Splits a loop where a digit overflows. Continues with the iterations that are left: there may be a
  // million of such steps, too many for recursion.
  Result<void> split(StridedMove move) {
    while (true) {
      std::erase_if(move.loops, [](const StridedLoop& loop) { return loop.extent == 1; });
      const std::optional<Overflow> found = overflow(move);
      if (!found) return finish(move);
      std::size_t k = 0;
      Index others = 0;
      for (std::size_t i = 0; i < move.loops.size(); ++i) {
        const auto reach = [&](std::size_t j) { return found->step[j] * (move.loops[j].extent - 1); };
        others += reach(i);
        if (reach(i) > reach(k)) k = i;
      }
      const StridedLoop loop = move.loops[k];
      const Index step = found->step[k];
      others -= step * (loop.extent - 1);
      // The digit repeats after `period` iterations. If it can begin at 0 there, it begins anew and never
      // overflows; iterations before that are a part of their own.
      const Index period = found->capacity / std::gcd(found->capacity, step);
      const bool begins = others < step && found->capacity % step == 0 && found->first % step == 0;
      StridedMove part = move;
      Index done = 0;
      if (loop.extent > period && (found->first == 0 || !begins)) {
        done = loop.extent / period * period;
        part.loops[k] = {loop.extent / period, loop.from * period, loop.to * period};
        part.loops.insert(part.loops.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                          StridedLoop{period, loop.from, loop.to});
      } else {
        const Index room = found->capacity - 1 - found->first - others;
        done = room >= 0 ? room / step + 1 : loop.extent / 2;
        part.loops[k].extent = done;
      }
      TESSERA_NEED(split(std::move(part)));
      if (done == loop.extent) return {};
      move.from += done * loop.from;
      move.to += done * loop.to;
      move.loops[k].extent -= done;
    }
  }

  const Digits& cells_;
  std::vector<Index> shape_;
  std::vector<Index> strides_;
  std::vector<Place> places_;
  std::vector<StridedMove>& out_;
  std::size_t most_;
};

void swap_sides(StridedMove& move) {
  std::swap(move.from, move.to);
  for (StridedLoop& loop : move.loops) std::swap(loop.from, loop.to);
}

}  // namespace

Result<void> from_cells(const StridedMove& move, const Digits& cells, std::vector<StridedMove>& out) {
  return CellMoves(cells, out).add(move);
}

Result<void> to_cells(const StridedMove& move, const Digits& cells, std::vector<StridedMove>& out) {
  std::vector<StridedMove> swapped;
  StridedMove other = move;
  swap_sides(other);
  TESSERA_NEED(CellMoves(cells, swapped).add(std::move(other)));
  for (StridedMove& one : swapped) {
    swap_sides(one);
    order_by_target(one);
    out.push_back(std::move(one));
  }
  return {};
}

}  // namespace tessera::transfer
