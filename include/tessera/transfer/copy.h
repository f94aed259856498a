// SPDX-License-Identifier: Apache-2.0
/// \file
/// Copies a tensor from one file to another, in another layout.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/dtype.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/files/tensor_file.h"
#include "tessera/notation/layout.h"
#include "tessera/relayout/plan.h"

namespace tessera {

namespace detail {
class Cancellation;
}

/// While it exists, copies and searches that this thread calls end soon after `wanted` returns false: with
/// an error, if they return a Result, or with what was found until then. This thread calls `wanted`, often.
/// The innermost of several counts.
class CancelScope {
 public:
  explicit CancelScope(std::function<bool()> wanted);
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;
  ~CancelScope();

  /// Whether `wanted` has returned false. If so, results of searches are incomplete.
  bool stopped() const;

 private:
  std::unique_ptr<detail::Cancellation> state_;
};

/// A tensor in memory or in a file: its layout, element type and stored element width, which for s4 is 8
/// bits, but 4 with E(4).
struct Tensor {
  Layout layout;
  std::optional<DType> dtype = {};
  Index element_bits = 0;

  bool is_packed() const { return element_bits % 8 != 0; }
};

/// What the caller knows about the elements, besides layouts and headers.
struct ElementHint {
  std::optional<DType> dtype = {};           ///< must agree with the header and the layout
  Index bytes = 0;                           ///< the element width, if there is no type; 0 if unknown
  std::optional<DType> fallback_dtype = {};  ///< used if nothing else gives the type
};

/// The tensor of a file, from its header and the layout `from`; if both are given, they must agree. Errors:
/// missing_layout if neither gives the layout or the width; different_shape, different_type; bad_option for a
/// layout that contradicts the header; buffer_too_small; bad_file for a file that is longer than an array
/// with all its padding; unsupported_width; those of Layout::buffer_size.
Result<Tensor> source_tensor(const TensorFile& file, const std::optional<Layout>& from,
                             const ElementHint& hint = {});

/// The tensor to write: the layout `to` with the source's element type; by default row-major without padding.
/// Errors: different_shape, different_type, unsupported_width, those of Layout::buffer_size.
Result<Tensor> destination_tensor(const Tensor& source, const std::optional<Layout>& to);

/// Bytes per element while the data moves: packed elements take one byte each.
Index moved_bytes(const Tensor& source, const Tensor& destination);

/// A comparison of every element, each through the definitions of both sides.
struct VerifyReport {
  Index checked = 0;  ///< elements; of a reshard each copy
  double seconds = 0;
};

/// A tensor and its bytes, starting at offset 0 of the layout. verify_copy calls `release`, if given, when
/// the pages that it has read may be dropped.
struct TensorBytes {
  const Tensor& tensor;
  std::span<const std::byte> bytes;
  std::function<void()> release = {};
};

/// How much of the work is done, in the unit of the function that reports it.
struct Progress {
  Index done = 0;
  Index total = 0;
};

struct VerifyOptions {
  Index memory_bytes = Index{1} << 30;  ///< the most bytes to read between two releases
};

/// Compares every element of two tensors of the same shape. Evaluates the index maps as expressions, not the
/// digits from which plans are made. Errors: verify_failed; the witness is the smallest index of those at
/// which the tensors were found to differ.
Result<VerifyReport> verify_copy(const TensorBytes& source, const TensorBytes& destination,
                                 const VerifyOptions& options = {},
                                 const std::function<void(Progress)>& progress = {});

/// How copy_tensor runs, and what it does besides copying.
struct CopyOptions {
  /// The contents of padding in the destination. `keep`: the bytes of the raw file that is replaced, if it
  /// has the same size; otherwise 0.
  Padding padding = Padding::keep;
  /// Padding::value: the bytes of one element.
  std::array<std::byte, 16> fill = {};
  Isa isa = Isa::automatic;
  int threads = 0;                      ///< 0: as many as the machine has
  Index memory_bytes = Index{1} << 30;  ///< for buffers and for resident pages of the files
  bool verify = false;                  ///< check the result before renaming it to its final name
  bool force = false;                   ///< replace an existing file
  bool resume = false;                  ///< continue a copy that was interrupted
  bool dry_run = false;                 ///< plan and check everything, but write nothing
  /// Run this plan instead of making one. The copy fails unless tessera::verify proves it for the two
  /// layouts.
  std::optional<RelayoutPlan> plan = {};
};

/// What a copy does at the moment.
enum class CopyStage : std::uint8_t { copy, verify };

/// Called from time to time with the progress of a stage: bytes of the destination for `copy`, elements for
/// `verify`.
using CopyProgress = std::function<void(CopyStage, Progress)>;

/// What copies and reshard_files report alike. Sizes are bytes of tensors, without headers.
struct TransferReport {
  Index read_bytes = 0;
  Index written_bytes = 0;
  Index kept_bytes = 0;      ///< written by the run that was resumed
  Index repaired_bands = 0;  ///< pieces of that run that did not match its journal
  Index bands = 0;           ///< parts of the target, each made at once
  double seconds = 0;        ///< of the run, without verification
  std::optional<VerifyReport> verified = {};
  std::vector<std::string> leftovers = {};  ///< unfinished folders of earlier runs, which were left alone
};

/// The result of a copy.
struct CopyReport : TransferReport {
  FileFormat format = FileFormat::raw;
  Index elements = 0;
  Index source_bytes = 0;
  Index destination_bytes = 0;
  bool dry_run = false;     ///< nothing was written
  bool by_element = false;  ///< no plan fits the memory, so elements were moved one by one
};

/// The minimum of memory_bytes.
inline constexpr Index kLeastCopyMemory = Index{1} << 20;

/// Copies the tensor `source` of `file` to a new file, as `destination`, in the format of the extension. The
/// new file appears whole or not at all and may replace the source file. Until a file of at least 64 MiB is
/// complete, it is in a folder `OUT.part-XXXXXX` with a journal, which remains if the process is killed; with
/// `resume`, a copy of the same file with the same layouts and memory continues from there. The destination
/// is written from front to back in bands; at most memory_bytes of both files are resident, whatever their
/// size, in addition to the program itself. Elements narrower than a byte are packed and unpacked. Requires
/// tensors of the same shape, from source_tensor and destination_tensor, and memory_bytes >=
/// kLeastCopyMemory. Errors:
/// - broadcast, undecided, and others of make_plan; those of FileWriter; verify_failed;
/// - not_representable, missing_layout: the format cannot store the layout;
/// - number_range: an element or the fill does not fit in its bits;
/// - unsupported_width: a fill of more than 16 bytes;
/// - file_exists: also, with `force`, for a .safetensors file of several tensors;
/// - bad_option: `verify` of a device or a pipe;
/// - for a given plan: those of tessera::verify; limit: the files are larger than the memory;
/// - different_type: the given plan moves elements of another width;
/// - bad_option with reason `padding`: the given plan sets padding to another value.
Result<CopyReport> copy_tensor(const TensorFile& file, const Tensor& source, const Tensor& destination,
                               const TensorPath& path, const CopyOptions& options = {},
                               const CopyProgress& progress = {});

/// Parses a fill value into the bytes of one element: `0`, `-1`, `1.5`, `inf`, or its bits, `0x7fc0`.
/// `element_bits` is the width in the destination; below 8, the result is one unpacked byte. Errors:
/// bad_option, number_range (not a value of the type, too many bits), unsupported_width (a nonzero value for
/// an element of more than 16 bytes).
Result<std::array<std::byte, 16>> parse_fill(std::string_view text, std::optional<DType> dtype,
                                             Index element_bits);

}  // namespace tessera
