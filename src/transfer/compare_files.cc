// SPDX-License-Identifier: Apache-2.0
#include "transfer/compare_files.h"

#include <dirent.h>
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/cancellation.h"
#include "base/try.h"
#include "relayout/each_run.h"
#include "transfer/limits.h"
#include "transfer/page_budget.h"
#include "transfer/stored_elements.h"

namespace tessera::transfer {

Result<void> check_every_byte(const FilePlan& plan) {
  for (const TargetTensor& tensor : plan.tensors) {
    const Index cells = tensor.cells();
    std::vector<std::uint64_t> written(static_cast<std::size_t>(ceil_div(cells, Index{64})), 0);
    const auto wrong = [&](std::string what, Index cell) {
      return fail({.code = Code::verify_failed,
                   .message = fmt::format("the plan {} an element of tensor '{}'", what, tensor.name),
                   .witness = fmt::format("element {} of '{}'", cell, tensor.file)});
    };
    Index count = 0;
    std::optional<Index> bad;
    for (const TensorMove& move : tensor.moves) {
      for_each_run(move.box, [&](Index, Index to, Index length) {
        for (Index cell = to; cell < to + length && !bad;) {
          if (cell < 0 || cell >= cells) {
            bad = cell;
            break;
          }
          auto& word = written[static_cast<std::size_t>(cell / 64)];
          const Index here = std::min({Index{64} - cell % 64, to + length - cell, cells - cell});
          const std::uint64_t mask = (here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1)
                                     << (cell % 64);
          if ((word & mask) != 0) bad = cell;
          word |= mask;
          cell += here;
          count += here;
        }
        return !bad;
      });
      if (bad) return wrong("writes twice", *bad);
    }
    if (count == cells || tensor.padded) continue;
    for (Index cell = 0; cell < cells; ++cell) {
      if ((written[static_cast<std::size_t>(cell / 64)] >> (cell % 64) & 1) == 0)
        return wrong("never writes", cell);
    }
  }
  return {};
}

Result<Index> compare_files(const FilePlan& plan, const PartFolder& folder, Index memory_bytes) {
  Index elements = 0;
  PageBudget pages(memory_bytes / 2);
  for (const TargetFile& target : plan.files) {
    TESSERA_TRY(file, MappedFile::open(folder.file(target.name)));
    if (static_cast<Index>(file.bytes().size()) != target.bytes) {
      return fail(Code::verify_failed, fmt::format("'{}' has {} bytes, but should have {}", target.name,
                                                   file.bytes().size(), target.bytes));
    }
    for (const std::size_t number : target.tensors) {
      const TargetTensor& tensor = plan.tensors[number];
      const std::byte* const written = file.bytes().data() + tensor.begin;
      const Index bits = tensor.element_bits;
      std::optional<Index> bad;
      for (const TensorMove& move : tensor.moves) {
        const auto drop_pages = [&] {
          file.drop_pages();
          plan.source.drop_pages();
        };
        TwoFiles read(pages, bits);
        StoredElements source(plan.source, move.source, bits, [&](Index bytes) {
          if (pages.spend(bytes)) drop_pages();
        });
        const Index piece = read.piece();
        for_each_run(move.box, [&](Index from, Index to, Index length) {
          for (Index done = 0; done < length && !bad; done += piece) {
            const Index here = std::min(piece, length - done);
            const Index same = source.equal(from + done, here, written, to + done);
            if (same < here) bad = to + done + same;
            if (read.read(from + done, to + done, here)) drop_pages();
          }
          return !bad;
        });
        if (detail::cancelled()) return detail::cancelled_failure();
        elements += move.box.elements();
        if (!bad) continue;
        return fail(
            {.code = Code::verify_failed,
             .message = fmt::format("tensor '{}' of '{}' differs from its source", tensor.name, tensor.file),
             .witness = fmt::format("element {}", *bad)});
      }
    }
  }
  return elements;
}

Result<void> copy_settings(const FilePlan& plan, const PartFolder& folder) {
  if (!plan.source.has_folder()) return {};
  DIR* const directory = ::opendir(plan.source.folder().c_str());
  if (directory == nullptr) return {};
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(directory)) names.emplace_back(entry->d_name);
  ::closedir(directory);
  for (const std::string& name : names) {
    bool settings = false;
    for (const std::string_view ending : {".json", ".txt", ".model", ".jinja"})
      settings = settings || name.ends_with(ending);
    if (!settings || name.ends_with(".index.json")) continue;
    const Result<MappedFile> file = MappedFile::open(plan.source.folder() + "/" + name);
    if (!file || static_cast<Index>(file->bytes().size()) > kTransferLimits.settings_bytes) continue;
    TESSERA_NEED(write_text(folder.file(name),
                            {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()}));
  }
  return {};
}

}  // namespace tessera::transfer
