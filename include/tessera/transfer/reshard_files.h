// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reshards checkpoints on disk: from the files of one distribution to those of another.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/notation/named_layout.h"
#include "tessera/transfer/copy.h"

namespace tessera {

/// What reshard_files reads and writes, and how.
struct ReshardFilesOptions {
  /// The distribution of every tensor in the source and in the target; empty: whole tensors. Place k is the
  /// k-th file.
  std::string from = {};
  std::string to = {};
  /// The text of a recipe (docs/lookup/recipes.md), instead of `from` and `to`.
  std::string recipe = {};
  std::map<std::string, Index, std::less<>> set = {};  ///< sizes of axes of the recipe
  /// Templates of file names, such as `model-tp{place:02}.safetensors`; empty: those of the recipe, or all
  /// files of a folder and `model-{place:05}.safetensors`.
  std::string from_files = {};
  std::string to_files = {};
  /// The layout of each source file, if they have no headers, in any notation: `f32[300,200]`.
  std::optional<NamedOrLayout> raw = {};
  /// The order of the elements of new tensors: empty or `C`, row-major; `F`; the end of a layout in XLA's
  /// notation, `{0,1:T(8,128)}`, for tensors with as many dimensions; or a layout of any notation, for
  /// tensors of its shape.
  std::string layout = {};
  Index max_file_bytes = 5'000'000'000;  ///< the largest size of a file, if the target has no places
  Index memory_bytes = Index{1} << 30;   ///< for buffers and resident pages of the files
  int threads = 0;                       ///< 0: as many as the machine has
  bool force = false;                    ///< replace what is there
  bool resume = false;                   ///< continue the work of a run that was interrupted
  bool check = false;                    ///< prove first that every byte is written once
  /// Before the target appears, compare each element with its source, by the definition of both sides.
  bool verify = false;
  bool checksums = false;  ///< hash each tensor for the report
  /// Ignore tensors of the source that the target does not use, and copies that differ from the one that is
  /// read.
  bool allow_unused = false;
};

/// A tensor that was written.
struct WrittenTensor {
  std::string name;
  std::string file;
  Index bytes = 0;
  std::uint64_t xxh3 = 0;  ///< of its bytes, with `checksums`
};

/// What reshard_files did.
struct ReshardFilesReport : TransferReport {
  Index source_files = 0;
  Index files = 0;
  bool checked = false;
  Index copies = 0;  ///< elements of copies in the source that equal those that were read
  std::vector<WrittenTensor> tensors = {};
  std::vector<std::string> notes = {};  ///< sentences about what the options did not reach
};

/// Called from time to time with the bytes done and the bytes of all tensors.
using ReshardFilesProgress = std::function<void(std::string_view tensor, Progress)>;

/// The minimum of memory_bytes.
inline constexpr Index kLeastReshardMemory = Index{4} << 20;

/// Reads the headers of `source` (a folder, a file, an index, or a template of names; with `raw`, files
/// without a header) and plans `target` (a folder, a `.safetensors` or a `.npy` file); then writes it. The
/// target appears whole or not at all: until then everything is in a folder `TARGET.part-XXXXXX`, which stays
/// if the process is killed, or, if the target is one file of less than 64 MiB, in a file without a name.
/// Errors: file_not_found, file_exists, file_read, file_write, bad_file, buffer_too_small (a short file),
/// shape_mismatch, different_type, duplicate_name, different_shape with the reasons not_covered and
/// unused_source, unknown_name with the reason no_match (a recipe for other tensors), bad_option with the
/// reason copies_differ (copies in the source that are not equal), limit, verify_failed, those of recipes and
/// distributions. An error before the first band leaves nothing. `errors_in`: as in TensorFile::open, for a
/// header or the recipe.
Result<ReshardFilesReport> reshard_files(const std::string& source, const std::string& target,
                                         const ReshardFilesOptions& options,
                                         const ReshardFilesProgress& progress = {},
                                         std::shared_ptr<const Source>* errors_in = nullptr);

}  // namespace tessera
