// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes a tensor of a file to another file, in another layout.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "tessera/base/dtype.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/files/tensor_file.h"
#include "tessera/notation/layout.h"
#include "tessera/relayout/options.h"
#include "tessera/relayout/plan.h"

namespace tessera {

/// element_bits are those in memory: 8 for s4, 4 with E(4).
struct Tensor {
  Layout layout;
  std::optional<DType> dtype = {};
  Index element_bits = 0;

  bool is_packed() const { return element_bits % 8 != 0; }
};

/// What is known about the elements besides layouts and headers.
struct ElementHint {
  std::optional<DType> dtype = {};           ///< must agree with the header and the layout
  Index bytes = 0;                           ///< the same for the width alone; 0: not known
  std::optional<DType> fallback_dtype = {};  ///< used if nothing else gives the type
};

/// The tensor of a file, from its header and the layout `from`, which must agree where both are given.
/// Errors: missing_layout if neither gives the layout or the width; different_shape, different_type;
/// bad_option for a layout that contradicts the header; buffer_too_small, and bad_file for a file that is
/// longer than an array with all its padding; unsupported_width, those of Layout::buffer_size.
Result<Tensor> source_tensor(const TensorFile& file, const std::optional<Layout>& from,
                             const ElementHint& hint = {});

/// The tensor that the source becomes: `to` with the source's type, or row-major without padding. Errors:
/// different_shape, different_type, unsupported_width, those of Layout::buffer_size.
Result<Tensor> destination_tensor(const Tensor& source, const std::optional<Layout>& to);

/// Bytes of an element in memory: 1 if it is narrower.
Index moved_bytes(const Tensor& source, const Tensor& destination);

/// Beyond this many elements, not every one is checked through the maps.
inline constexpr Index kVerifyAll = Index{1} << 28;

/// What was checked.
struct VerifyReport {
  Index checked = 0;                           ///< elements compared, each through both maps
  bool all = false;                            ///< these are all elements
  std::optional<std::uint64_t> checksum = {};  ///< otherwise: the sum over all elements, equal for both
  double seconds = 0;
};

/// A tensor and its bytes in memory, from offset 0 of the layout on. `release`, if given, may be called when
/// touched pages of the bytes are no longer needed.
struct TensorBytes {
  const Tensor& tensor;
  std::span<const std::byte> bytes;
  std::function<void()> release = {};
};

struct VerifyOptions {
  Index memory_bytes = Index{1} << 30;  ///< at most this much of the bytes is touched between two releases
  Index all_below = kVerifyAll;         ///< see kVerifyAll
  Index random_elements = 1'000'000;    ///< beyond it
};

/// Compares the elements of two tensors of one shape. The offsets come from the index maps, evaluated as
/// expressions, and not from the digits that plans are made of. Up to `all_below` elements every one is
/// compared; beyond that, `random_elements`, and the sums of a hash of every element, walking each tensor in
/// the order of its memory. Errors: verify_failed; the witness is the first index found that differs.
Result<VerifyReport> verify_copy(const TensorBytes& source, const TensorBytes& destination,
                                 const VerifyOptions& options = {},
                                 const std::function<void(Index done, Index total)>& progress = {});

struct CopyOptions {
  /// Bytes of the destination that hold no element. `keep`: those of the raw file of the same size that is
  /// replaced, if there is one, else 0.
  Padding padding = Padding::keep;
  /// Padding::value: the bytes of one element.
  std::array<std::byte, 16> fill = {};
  Isa isa = Isa::automatic;
  int threads = 0;                      ///< 0: as many as the machine has
  Index memory_bytes = Index{1} << 30;  ///< for buffers and for resident pages of the files
  bool verify = false;                  ///< check the result before it gets its name
  bool force = false;                   ///< replace an existing file
  /// Run this plan instead of making one, if `verify` proves it for the two layouts.
  std::optional<RelayoutPlan> plan = {};
};

enum class CopyStage : std::uint8_t { copy, verify };

/// Called after each part with the bytes done and the total: of the destination while copying, of both files
/// while verifying.
using CopyProgress = std::function<void(CopyStage stage, Index done, Index total)>;

/// What was done. Sizes in bytes of data, without headers.
struct CopyReport {
  FileFormat format = FileFormat::raw;
  Index elements = 0;
  Index source_bytes = 0;
  Index destination_bytes = 0;
  Index bands = 0;          ///< parts of the destination, written one after another
  bool by_element = false;  ///< no plan moves these layouts within the memory: element by element
  double seconds = 0;       ///< of the copy alone
  std::optional<VerifyReport> verified = {};
};

/// The minimum of memory_bytes.
inline constexpr Index kLeastCopyMemory = Index{1} << 20;

/// Writes the tensor `source` of `file` as `destination` to a file in the format of its extension, which
/// appears whole or not at all, and may be the source file itself. The destination is written from front to
/// back in bands; at most memory_bytes of both files are resident, whatever their size, in addition to the
/// program itself. Packs and unpacks elements narrower than a byte. Requires tensors of one shape, as
/// source_tensor and destination_tensor give them, and memory_bytes >= kLeastCopyMemory. Errors: broadcast,
/// those of the plan's proof, limit (a given plan moves everything at once, and the files are larger than the
/// memory), different_type (it moves elements of another width), not_representable and missing_layout (the
/// format does not have the layout), number_range (an element or the fill does not fit its bits),
/// unsupported_width (a fill of elements of more than 16 bytes), file_exists (also, with `force`, a
/// .safetensors file of several tensors), bad_option (`verify` of a device or a pipe; with the reason
/// `padding`: a given plan sets padding to another value than requested), those of FileWriter and of
/// make_plan, and verify_failed.
Result<CopyReport> copy_tensor(const TensorFile& file, const Tensor& source, const Tensor& destination,
                               const TensorPath& path, const CopyOptions& options = {},
                               const CopyProgress& progress = {});

/// The bytes of one element for `--fill`: `0`, `-1`, `1.5`, `inf`, or its bits, `0x7fc0`. `element_bits`: of
/// the destination; if fewer than 8, the result is the byte that such an element is in memory. Errors:
/// bad_option, number_range (not a value of the type, too many bits), unsupported_width (nonzero bits of more
/// than 16 bytes).
Result<std::array<std::byte, 16>> parse_fill(std::string_view text, std::optional<DType> dtype,
                                             Index element_bits);

}  // namespace tessera
