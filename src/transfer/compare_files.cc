// SPDX-License-Identifier: Apache-2.0
#include "transfer/compare_files.h"

#include <dirent.h>
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>
#include <vector>

#include "base/cancellation.h"
#include "base/try.h"
#include "relayout/each_run.h"
#include "transfer/limits.h"

namespace tessera::transfer {

namespace {

// Calls visit(to, length) for the runs of a move that have cells in [begin, end), and maybe for others.
template <class Visit>
void for_each_run_near(const StridedMove& move, Index begin, Index end, const Visit& visit) {
  const Interval bounds = move.to_bounds();
  if (bounds.upper < begin || bounds.lower >= end) return;
  if (move.loops.size() < 2 || (bounds.lower >= begin && bounds.upper < end)) {
    for_each_run(move, [&](Index, Index to, Index length) {
      visit(to, length);
      return true;
    });
    return;
  }
  const StridedLoop outer = move.loops.front();
  StridedMove inner{move.from, move.to, {move.loops.begin() + 1, move.loops.end()}};
  for (Index k = 0; k < outer.extent; ++k) {
    for_each_run_near(inner, begin, end, visit);
    inner.from += outer.from;
    inner.to += outer.to;
  }
}

// Counts the writes of the cells of one tensor.
class WriteCounter {
 public:
  explicit WriteCounter(const TargetTensor& tensor) : tensor_(tensor), cells_(tensor.units()) {}

  Result<void> count(Index memory_bytes) {
    for (const TensorMove& move : tensor_.moves) {
      const Interval bounds = move.box.to_bounds();
      if (bounds.lower < 0) return wrong("writes a cell that is not one", bounds.lower);
      if (bounds.upper >= cells_) return wrong("writes a cell that is not one", bounds.upper);
    }
    const Index most = memory_bytes / 2 * 8 / 64 * 64;
    for (begin_ = 0; begin_ < cells_; begin_ = end_) {
      end_ = std::min(cells_, begin_ + most);
      TESSERA_NEED(count_window());
    }
    return {};
  }

 private:
  // Cells [begin_, end_).
  Result<void> count_window() {
    written_.assign(static_cast<std::size_t>(ceil_div(end_ - begin_, Index{64})), 0);
    Index count = 0;
    std::optional<Index> twice;
    for (const TensorMove& move : tensor_.moves) {
      for_each_run_near(move.box, begin_, end_, [&](Index to, Index length) {
        if (!twice) count += mark(to, to + length, twice);
      });
      if (twice) return wrong("writes twice an element", *twice);
      if (detail::cancelled()) return detail::cancelled_failure();
    }
    if (count == end_ - begin_ || tensor_.padded) return {};
    Index cell = begin_;
    while ((written_[static_cast<std::size_t>((cell - begin_) / 64)] >> ((cell - begin_) % 64) & 1) != 0)
      ++cell;
    return wrong("never writes an element", cell);
  }

  // Marks the cells of a run that are in the window, and returns how many.
  Index mark(Index first, Index last, std::optional<Index>& twice) {
    first = std::max(first, begin_) - begin_;
    last = std::min(last, end_) - begin_;
    std::uint64_t* const words = written_.data();
    for (Index cell = first; cell < last;) {
      const Index bit = cell % 64;
      const Index here = std::min<Index>(64 - bit, last - cell);
      const std::uint64_t mask = ~std::uint64_t{0} >> (64 - here) << bit;
      std::uint64_t& word = words[cell / 64];
      if (const std::uint64_t before = word & mask; before != 0) {
        twice = begin_ + cell - bit + std::countr_zero(before);
        return 0;
      }
      word |= mask;
      cell += here;
    }
    return std::max<Index>(0, last - first);
  }

  Failure wrong(std::string_view what, Index cell) const {
    return fail({.code = Code::verify_failed,
                 .message = fmt::format("the plan {} of tensor '{}'", what, tensor_.name),
                 .witness = fmt::format("element {} of '{}'", cell, tensor_.file)});
  }

  const TargetTensor& tensor_;
  Index cells_;
  Index begin_ = 0;
  Index end_ = 0;
  std::vector<std::uint64_t> written_;  // a bit for each cell
};

}  // namespace

Result<void> check_every_byte(const FilePlan& plan, Index memory_bytes) {
  for (const TargetTensor& tensor : plan.tensors) TESSERA_NEED(WriteCounter(tensor).count(memory_bytes));
  return {};
}

Result<void> add_small_files(const FilePlan& plan, const PartFolder& folder) {
  if (!plan.index.empty())
    TESSERA_NEED(write_file(folder.file("model.safetensors.index.json"), plan.index, /*force=*/true));
  if (plan.single_file || !plan.source.has_folder()) return {};
  DIR* const directory = ::opendir(plan.source.folder().c_str());
  if (directory == nullptr) return {};
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(directory)) names.emplace_back(entry->d_name);
  ::closedir(directory);
  for (const std::string& name : names) {
    if (!is_settings(name) || name.ends_with(".index.json")) continue;
    const Result<MappedFile> file = MappedFile::open(plan.source.folder() + "/" + name);
    if (!file || static_cast<Index>(file->bytes().size()) > kTransferLimits.settings_bytes) continue;
    const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
    TESSERA_NEED(write_file(folder.file(name), text, /*force=*/true));
  }
  return {};
}

}  // namespace tessera::transfer
