// SPDX-License-Identifier: Apache-2.0
/// \file
/// A tensor of a file written to another file, in another layout.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/files/tensor_file.h"
#include "tessera/relayout/options.h"
#include "tessera/relayout/plan.h"
#include "tessera/transfer/tensor.h"
#include "tessera/transfer/verify_copy.h"

namespace tessera {

struct CopyOptions {
  /// Bytes of the destination that hold no element. `keep`: those of the raw file of the same size that is
  /// replaced, where there is one, else 0.
  Padding padding = Padding::keep;
  /// Padding::value: the bytes of one element.
  std::array<std::byte, 16> fill = {};
  Isa isa = Isa::automatic;
  int threads = 0;                      ///< 0: as many as the machine has
  Index memory_bytes = Index{1} << 30;  ///< for buffers and for what is resident of the files
  bool verify = false;                  ///< look at the result before it gets its name
  bool force = false;                   ///< replace a file that is already there
  /// Run instead of one that is made here, if `verify` proves it for the two layouts.
  std::optional<RelayoutPlan> plan = {};
};

enum class CopyStage : std::uint8_t { copy, verify };

/// Called after each part: bytes that are done, of how many. Which bytes: of the destination while copying,
/// of both files while verifying.
using CopyProgress = std::function<void(CopyStage stage, Index done, Index total)>;

/// What was done. Sizes in bytes of data, without headers.
struct CopyReport {
  FileFormat format = FileFormat::raw;
  Index elements = 0;
  Index source_bytes = 0;
  Index destination_bytes = 0;
  Index bands = 0;          ///< parts of the destination, written one after the other
  bool by_element = false;  ///< no plan moves these layouts within the memory: element by element
  double seconds = 0;       ///< of copying alone
  std::optional<VerifyReport> verified = {};
};

/// The least memory_bytes.
inline constexpr Index kLeastCopyMemory = Index{1} << 20;

/// Writes the tensor `source` of `file` as `destination` to a file in the format of its extension, which
/// appears whole or not at all, and may be the very file that is read. The destination is written from front
/// to back in bands; of both files no more than memory_bytes are resident, whatever their size, plus what the
/// program needs itself. Elements narrower than a byte are packed and unpacked here. Requires tensors of one
/// shape, as source_tensor and destination_tensor give them, and memory_bytes >= kLeastCopyMemory. Errors:
/// broadcast, those of the plan's proof, limit (a given plan moves all at once, and the files are larger than
/// the memory), different_type (it moves elements of another width), not_representable and missing_layout
/// (the format does not have the layout), number_range (an element or the fill does not fit into its bits),
/// unsupported_width (a fill of elements of more than 16 bytes), file_exists (also, with `force`, a
/// .safetensors file of several tensors), bad_option (`verify` of a device or a pipe; the reason `padding`: a
/// given plan sets padding to another value than asked for), those of FileWriter,
/// of make_plan, and verify_failed.
Result<CopyReport> copy_tensor(const TensorFile& file, const Tensor& source, const Tensor& destination,
                               const TensorPath& path, const CopyOptions& options = {},
                               const CopyProgress& progress = {});

/// The bytes of one element for `--fill`: `0`, `-1`, `1.5`, `inf`, or its bits, `0x7fc0`. `element_bits`: of
/// the destination; fewer than 8 become the byte that such an element is while it is moved. Errors:
/// bad_option, number_range (not a value of the type, too many bits), unsupported_width (bits other than 0 of
/// more than 16 bytes).
Result<std::array<std::byte, 16>> parse_fill(std::string_view text, std::optional<DType> dtype,
                                             Index element_bits);

}  // namespace tessera
