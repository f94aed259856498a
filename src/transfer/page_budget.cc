// SPDX-License-Identifier: Apache-2.0
#include "transfer/page_budget.h"

#include <algorithm>
#include <array>
#include <cstdio>

#ifndef __wasi__
#include <fcntl.h>
#include <unistd.h>
#endif

namespace tessera::transfer {

#ifdef __wasi__

PageBudget::PageBudget(Index bytes, std::function<void()> release, Index all_bytes)
    : limit_(bytes), counts_(all_bytes > bytes), release_(std::move(release)) {}
PageBudget::~PageBudget() = default;
std::optional<Index> PageBudget::resident_file_bytes() const { return {}; }

#else

// Some copies ask for every few rows, so the file stays open.
PageBudget::PageBudget(Index bytes, std::function<void()> release, Index all_bytes)
    : limit_(bytes),
      counts_(all_bytes > bytes),
      release_(std::move(release)),
      statm_(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC)),
      program_(resident_file_bytes().value_or(0)) {}

PageBudget::~PageBudget() {
  if (statm_ >= 0) ::close(statm_);
}

std::optional<Index> PageBudget::resident_file_bytes() const {
  // The fields of statm are pages: all, resident, and resident of files.
  std::array<char, 128> text = {};
  if (statm_ < 0 || ::pread(statm_, text.data(), text.size() - 1, 0) <= 0) return {};
  long long all = 0;
  long long resident = 0;
  long long files = 0;
  const long page = ::sysconf(_SC_PAGESIZE);
  if (std::sscanf(text.data(), "%lld %lld %lld", &all, &resident, &files) != 3 || page <= 0) return {};
  return static_cast<Index>(files) * page;
}

#endif

bool PageBudget::spend(Index bytes) {
  if (!counts_ || spent_.fetch_add(bytes) + bytes <= limit_) return false;
  // Measuring takes longer than dropping a few pages. A step that alone may touch too much is not worth it.
  const bool measures = bytes <= limit_;
  const std::optional<Index> now = measures ? resident_file_bytes() : std::nullopt;
  const Index resident = now ? std::max<Index>(0, *now - program_) : limit_;
  // A quarter of the budget is left for what is touched before the next measurement.
  const bool full = resident > limit_ / 4 * 3;
  spent_ = full ? 0 : resident;
  if (!full) return false;
  ++drops_;
  release_();
  // More of the program may be resident than at the beginning.
  if (now) program_ = resident_file_bytes().value_or(0);
  return true;
}

}  // namespace tessera::transfer
