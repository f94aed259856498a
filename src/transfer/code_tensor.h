// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which codes a file has, and which are written.
#pragma once

#include <optional>
#include <string>

#include "transfer/code_side.h"

namespace tessera {

/// The codes of a file's tensor, by `from` or else its header. A named layout takes any tensor with as many
/// bytes, row-major. Errors: shape_mismatch for another number of bytes; bad_option for a column-major
/// tensor, or a name that contradicts the header; not_representable for a GGUF type without codes; those of
/// source_tensor.
Result<CodeSide> source_codes(const TensorFile& file, const std::optional<NamedOrLayout>& from,
                              const ElementHint& hint = {});

/// The codes to write. Without `to`, row-major: cells of the type, or `pack:low` for widths without one. A
/// layout without a type takes the type of the source. Errors: those of file_bytes.
Result<CodeSide> destination_codes(const CodeSide& source, const std::optional<NamedOrLayout>& to);

/// A remark about a tensor whose shape or type is not that of the container; empty if there is none.
std::string container_note(const TensorFile& file, const CodeSide& source);

}  // namespace tessera
