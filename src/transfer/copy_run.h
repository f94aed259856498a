// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes the destination of a copy: the part that all copies share.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/transfer/copy.h"

namespace tessera::transfer {

/// Takes the next bytes of a file.
using ByteSink = std::function<Result<void>(std::span<const std::byte>)>;

/// How the bytes of a destination are made, band by band.
struct CopySteps {
  std::chrono::steady_clock::time_point started = {};
  std::string header = {};
  Index elements = 0;
  Index source_bytes = 0;
  Index bytes = 0;   ///< of the destination without the header
  Index prefix = 0;  ///< the first of them, which belong to no band
  bool by_element = false;
  /// Consecutive bytes of the destination, from 0 on, not counting the prefix. Empty bands have no bytes.
  std::vector<ByteRange> bands = {};
  /// True if every band can be made without the others. Finished bands are then skipped by a later run.
  bool separate_bands = true;
  /// Everything that determines the bytes of the destination, as text.
  std::string identity = {};
  std::function<Result<void>(const ByteSink&)> write_prefix = {};
  /// Sends the bytes of a band. Bands are made in order, but some may be left out.
  std::function<Result<void>(std::size_t, const ByteSink&)> write_band = {};
  /// Compares the bands in the new file with the source. Calls `release` when pages may be dropped.
  std::function<Result<VerifyReport>(std::span<const std::byte>, const std::function<void()>& release)>
      verify = {};
};

/// The source file and the destination as text, for CopySteps::identity: names, lengths and times of change.
std::string identity_of(const TensorFile& source, const TensorPath& destination, const CopyOptions& options);

/// Writes the new file, which appears whole or not at all, unless options.dry_run is set. Errors: those of
/// the steps, FileWriter and PartFolder; bad_option (`verify` of a device or a pipe).
Result<CopyReport> run_copy(const TensorPath& path, const CopySteps& steps, const CopyOptions& options,
                            const CopyProgress& progress);

}  // namespace tessera::transfer
