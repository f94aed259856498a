// SPDX-License-Identifier: Apache-2.0
#include "transfer/page_budget.h"

#include <algorithm>
#include <cstdio>

#ifndef __wasi__
#include <unistd.h>
#endif

namespace tessera::transfer {

#ifdef __wasi__

std::optional<Index> resident_file_bytes() { return {}; }

#else

std::optional<Index> resident_file_bytes() {
  // The fields of statm are pages: all, resident, and resident of files.
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return {};
  long long all = 0;
  long long resident = 0;
  long long files = 0;
  const bool read = std::fscanf(file, "%lld %lld %lld", &all, &resident, &files) == 3;
  std::fclose(file);
  const long page = ::sysconf(_SC_PAGESIZE);
  if (!read || page <= 0) return {};
  return static_cast<Index>(files) * page;
}

#endif

bool PageBudget::spend(Index bytes) {
  if (spent_.fetch_add(bytes) + bytes <= bytes_) return false;
  const std::optional<Index> now = before_ ? resident_file_bytes() : std::nullopt;
  const Index resident = now ? std::max<Index>(0, *now - *before_) : bytes_;
  // A quarter of the budget is left for what is touched before the next measurement.
  const bool full = resident > bytes_ / 4 * 3;
  spent_ = full ? 0 : resident;
  if (!full) return false;
  ++drops_;
  release_();
  return true;
}

}  // namespace tessera::transfer
