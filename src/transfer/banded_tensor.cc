// SPDX-License-Identifier: Apache-2.0
#include "transfer/banded_tensor.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/cancellation.h"
#include "base/try.h"

namespace tessera::transfer {

BandedTensor::BandedTensor(BandedCells cells, std::unique_ptr<BandMover> mover,
                           std::function<void(Progress)> verified)
    : cells_(std::move(cells)), mover_(std::move(mover)), verified_(std::move(verified)) {
  if (cells_.packing) packer_.emplace(*cells_.packing);
}

// The bytes before the first cell are a band of their own.
std::vector<ByteRange> BandedTensor::bands(Index piece) {
  mover_->cut(piece);
  Index longest = 1;
  for (const Band& band : mover_->bands()) {
    separate_ = separate_ && band.begin * cells_.bits % 8 == 0;
    longest = std::max(longest, band.end - band.begin);
  }
  if (cells_.most == 0) cells_.most = longest;
  std::vector<ByteRange> out;
  if (cells_.prefix > 0) out.push_back({0, cells_.prefix});
  for (const Band& band : mover_->bands()) {
    const bool last = &band == &mover_->bands().back();
    out.push_back({cells_.prefix + band.begin * cells_.bits / 8,
                   cells_.prefix + (last ? cells_.bytes : band.end * cells_.bits / 8)});
  }
  return out;
}

// In pieces, because these bytes may exceed the memory.
Result<void> BandedTensor::write_prefix(NewFile& file) const {
  constexpr Index kPiece = Index{1} << 20;
  const std::vector<std::byte> zeros(
      static_cast<std::size_t>(cells_.old ? 0 : std::min(cells_.prefix, kPiece)));
  for (Index at = 0; at < cells_.prefix; at += kPiece) {
    const auto count = static_cast<std::size_t>(std::min(kPiece, cells_.prefix - at));
    TESSERA_NEED(file.write(cells_.old ? cells_.old->data().subspan(static_cast<std::size_t>(at), count)
                                       : std::span(zeros).first(count)));
    if (cells_.old) cells_.old->mapping().drop_pages();
  }
  return {};
}

// Writes the padding of cells from `begin` on, and what the elements will overwrite.
void BandedTensor::paint(Index begin, std::span<std::byte> memory) const {
  if (cells_.old) {
    const auto before = static_cast<std::size_t>(cells_.prefix);
    if (cells_.packing) {
      unpack(*cells_.packing, cells_.old->data().subspan(before), begin, memory);
    } else {
      std::memcpy(memory.data(), cells_.old->data().data() + before + begin * cells_.bits / 8, memory.size());
    }
    cells_.old->mapping().drop_pages();
    return;
  }
  if (cells_.fill.size() <= 1) {
    std::memset(memory.data(), cells_.fill.empty() ? 0 : std::to_integer<int>(cells_.fill[0]), memory.size());
  } else {
    for (std::size_t at = 0; at < memory.size(); at += cells_.fill.size())
      std::memcpy(memory.data() + at, cells_.fill.data(), std::min(cells_.fill.size(), memory.size() - at));
  }
  // Bits after the last cell are 0.
  const Index used = (cells_.count - begin) * cells_.memory_bits;
  const Index after = std::ssize(memory) * 8 - used;
  if (after > 0 && after < 8) memory.back() &= static_cast<std::byte>((1u << (8 - after)) - 1);
}

Result<void> BandedTensor::write(std::span<std::byte> memory, NewFile& file) {
  if (!packer_) return file.write(memory);
  const std::span<const std::byte> packed = packer_->pack(memory);  // in place
  if (const auto misfit = packer_->misfit()) return cells_.misfit(packed_from_ + *misfit);
  return file.write(packed);
}

// The last byte of a packed file may have bits that belong to no cell.
Result<void> BandedTensor::write_last(NewFile& file) {
  if (!packer_) return {};
  const bool kept = cells_.old && !cells_.old->data().empty();
  const std::optional<std::byte> last = packer_->finish(kept ? cells_.old->data().back() : std::byte{});
  return last ? file.write(std::span(&*last, 1)) : Result<void>();
}

Result<void> BandedTensor::make(std::size_t k, NewFile& file) {
  if (cells_.prefix > 0 && k-- == 0) return write_prefix(file);
  const Band& band = mover_->bands()[k];
  const std::vector<std::span<const std::byte>> stored = mover_->stored(band);
  if (stored.size() == 1) return file.write(stored.front());
  if (!stored.empty()) return file.write_runs(stored);
  const Index most_bytes = ceil_div(cells_.most * cells_.memory_bits, Index{8});
  if (!memory_) memory_ = band_memory(most_bytes);
  if (!memory_) return not_enough_memory(most_bytes);
  if (separate_ && packer_) {
    packed_from_ = band.begin;
    packer_.emplace(*cells_.packing);
  }
  // Padding may exceed the memory.
  for (Index at = band.begin; at < band.end; at += cells_.most) {
    const Index count = std::min(cells_.most, band.end - at);
    const std::span<std::byte> part(memory_.get(),
                                    static_cast<std::size_t>(ceil_div(count * cells_.memory_bits, Index{8})));
    const bool zero = fresh_ && !cells_.old && cells_.fill.empty();
    // What the memory had before may not fit the bits of a cell.
    if (cells_.padded && !zero && (!cells_.any || packer_)) paint(at, part);
    fresh_ = false;
    if (at == band.begin) TESSERA_NEED(mover_->move(band, part));
    if (detail::cancelled()) return detail::cancelled_failure();
    TESSERA_NEED(write(part, file));
  }
  return k + 1 == mover_->bands().size() ? write_last(file) : Result<void>();
}

void BandedTensor::finish() {
  memory_.reset();
  mover_->finish();
}

Result<VerifyReport> BandedTensor::verify(std::span<const std::byte> written, const Release& release) {
  return mover_->verify(written.subspan(static_cast<std::size_t>(cells_.prefix)), release, verified_);
}

}  // namespace tessera::transfer
