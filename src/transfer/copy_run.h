// SPDX-License-Identifier: Apache-2.0
/// \file
/// A copy as a target of one tensor: the part that all copies share.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "tessera/transfer/copy.h"
#include "transfer/target_run.h"

namespace tessera::transfer {

/// What a copy writes.
struct CopyWork {
  std::chrono::steady_clock::time_point started = {};
  std::string header = {};
  Index elements = 0;
  Index bytes = 0;  ///< of the destination without the header
  Index bands = 0;
  bool by_element = false;
  /// Both sides as text: with the files and the options, everything that determines the bytes.
  std::string sides = {};
  std::unique_ptr<TensorMaker> maker = {};
};

/// The source file as text: its name, length and time of change. Also the file that is replaced, if its
/// padding is kept.
std::string identity_of(const TensorFile& source, const TensorPath& path, const CopyOptions& options);

/// Tells `progress` how far the verification is. It must outlive the result.
inline std::function<void(Progress)> verify_stage(const CopyProgress& progress) {
  return [&progress](Progress reached) {
    if (progress) progress(CopyStage::verify, reached);
  };
}

/// Writes the new file, which appears whole or not at all, unless options.dry_run is set. Errors: those of
/// run_target.
Result<CopyReport> run_copy(const TensorFile& source, const TensorPath& path, CopyWork work,
                            const CopyOptions& options, const CopyProgress& progress);

}  // namespace tessera::transfer
