// SPDX-License-Identifier: Apache-2.0
/// \file
/// Makes a tensor, band by band.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "files/packed_elements.h"
#include "tessera/transfer/copy.h"
#include "transfer/band_memory.h"
#include "transfer/bands.h"
#include "transfer/target_run.h"

namespace tessera::transfer {

/// Moves the elements of bands into memory: by plans, by a map of elements, by programs for codes, or by a
/// list of moves.
class BandMover {
 public:
  BandMover() = default;
  BandMover(const BandMover&) = delete;
  BandMover& operator=(const BandMover&) = delete;
  virtual ~BandMover() = default;

  /// Cuts the destination, if that was not done before. `piece`: the bytes of a line of the journal.
  virtual void cut(Index /*piece*/) {}
  /// The cells of the destination, in order.
  virtual std::span<const Band> bands() const = 0;
  /// Writes the elements of a band, and no other cell. The first cell of `memory` is band.begin. Errors:
  /// broadcast, number_range, limit, those of make_plan.
  virtual Result<void> move(const Band& band, std::span<std::byte> memory) = 0;
  /// The bytes of a band, if the source has them as they are; empty if not. Several runs are together at most
  /// a piece.
  virtual std::vector<std::span<const std::byte>> stored(const Band& /*band*/) { return {}; }
  /// Frees what only the bands need.
  virtual void finish() {}
  /// Compares the cells in the new file with the source, unless TargetWork::verify does. Errors:
  /// verify_failed.
  virtual Result<VerifyReport> verify(std::span<const std::byte> /*written*/, const Release& /*release*/,
                                      const std::function<void(Progress)>& /*progress*/) {
    return VerifyReport{};
  }
};

/// The cells of a destination: its elements and its padding.
struct BandedCells {
  Index count = 0;
  Index bits = 8;         ///< of a cell in the file
  Index memory_bits = 8;  ///< of a cell in memory: 8 if the file packs it
  Index prefix = 0;       ///< bytes before the first cell
  Index bytes = 0;        ///< of the cells in the file
  Index most = 0;         ///< cells in memory at once: the first of each band, with its elements; 0: all
  bool padded = true;     ///< some bits may belong to no element
  bool any = false;       ///< padding may be anything that fits the bits of a cell
  std::vector<std::byte> fill = {};           ///< the bytes of padding, again and again; empty: 0
  std::optional<TensorFile> old = {};         ///< the file whose padding is kept
  std::optional<Packing> packing = {};        ///< if the file packs cells
  std::function<Failure(Index)> misfit = {};  ///< the error for a cell that does not fit its bits
};

/// Cells that a mover fills.
class BandedTensor final : public TensorMaker {
 public:
  /// Tells `verified` how far the comparison is.
  BandedTensor(BandedCells cells, std::unique_ptr<BandMover> mover,
               std::function<void(Progress)> verified = {});

  std::vector<ByteRange> bands(Index piece) override;
  bool has_separate_bands() const override { return separate_; }
  Result<void> make(std::size_t band, NewFile& file) override;
  void finish() override;
  Result<VerifyReport> verify(std::span<const std::byte> written, const Release& release) override;

 private:
  Result<void> write_prefix(NewFile& file) const;
  void paint(Index begin, std::span<std::byte> memory) const;
  Result<void> write(std::span<std::byte> memory, NewFile& file);
  Result<void> write_last(NewFile& file);

  BandedCells cells_;
  std::unique_ptr<BandMover> mover_;
  std::function<void(Progress)> verified_;
  bool separate_ = true;  // every band begins with a whole byte
  bool fresh_ = true;     // the memory is still zero
  std::optional<Packer> packer_;
  Index packed_from_ = 0;  // the first cell that the packer got
  std::unique_ptr<std::byte, Unmap> memory_;
};

}  // namespace tessera::transfer
