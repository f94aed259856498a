// SPDX-License-Identifier: Apache-2.0
/// \file
/// ArrayOrder: where a family stores one array; and the writer with which families describe it.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "notation/named/cell_count.h"
#include "tessera/base/result.h"
#include "tessera/notation/digits.h"
#include "tessera/notation/named_layout.h"

namespace tessera::detail {

/// Bits [first, first + width) of each element: the cell of `width` bits in which they lie. For a stream,
/// width is 1, and the bit of the value is one more dimension, the last.
struct Region {
  int first = 0;
  int width = 8;
  Index base = 0;
  std::vector<Digit> digits = {};  ///< each dimension a chain
  /// If not 0, the digits of the family's first dimension are those of `merge * x + bit`.
  Index merge = 0;
};

/// One array, without batch dimensions and groups.
struct ArrayOrder {
  NamedKind kind = NamedKind::cells;
  CellCount bits = 0;  ///< of the buffer
  std::vector<Region> regions = {};
  CellType container = {};
  std::vector<Index> container_shape = {};
  bool flat = false;  ///< the container is a list of bytes, of all arrays together
};

/// `ext` values of a part of an index, `stride` cells apart; -1 for a part that runs backward.
struct Step {
  Index ext = 1;
  CellCount stride = 0;
};

/// The extents and parameters of one array, for the function of a family, which writes the order.
class OrderWriter {
 public:
  OrderWriter(std::vector<Index> extents, const CellType& type, std::span<const Index> parameters)
      : extents_(std::move(extents)), type_(type), parameters_(parameters) {}

  std::size_t rank() const { return extents_.size(); }
  Index extent(std::size_t dim) const { return extents_[dim]; }
  int width() const { return type_.bits; }
  Index parameter(std::size_t number) const { return parameters_[number]; }
  /// A parameter by which extents are padded.
  CellCount padded(std::size_t dim, CellCount multiple) const { return up(extent(dim), multiple); }

  /// The extent of `dim` must be a multiple of `divisor`.
  void need(std::size_t dim, Index divisor) {
    if (!fault_ && extent(dim) % divisor != 0) fault_ = Fault{dim, divisor};
  }
  /// The parts of an index from the lowest up; the rest has stride `rest`.
  void steps(std::size_t dim, std::initializer_list<Step> low, CellCount rest) {
    steps(dim, std::span<const Step>(low.begin(), low.size()), rest);
  }
  void steps(std::size_t dim, std::span<const Step> low, CellCount rest);
  void add_base(CellCount base);

  /// Begins the next plane, from the low bits of the value up.
  void plane(int width);
  /// Elements one after another; steps of dimension rank() are those of the bit.
  void stream();
  /// Digits of the first dimension are those of `factor * x + bit`.
  void merge(Index factor) { regions().back().merge = factor; }

  /// The buffer as an array of this type.
  void buffer(const CellType& type, std::initializer_list<CellCount> shape);
  /// The buffer as an array of the element type, or of words of `bits` bits.
  void array(std::initializer_list<CellCount> shape) { buffer(type_, shape); }
  void words(int bits, std::initializer_list<CellCount> shape);
  /// A buffer of arrays that may end inside a byte: bytes without a shape.
  void flat(CellCount bits);

  /// The order. `bits` is kIndexMax if a number is too large.
  ArrayOrder take();
  /// An extent of the family that breaks `need`.
  struct Fault {
    std::size_t dim = 0;
    Index divisor = 1;
  };
  const std::optional<Fault>& fault() const { return fault_; }

 private:
  std::vector<Region>& regions();

  std::vector<Index> extents_;
  CellType type_;
  std::span<const Index> parameters_;
  ArrayOrder order_ = {};
  int planned_ = 0;  // bits of the value that have a plane
  bool too_large_ = false;
  std::optional<Fault> fault_ = {};
};

}  // namespace tessera::detail
