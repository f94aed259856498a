// SPDX-License-Identifier: Apache-2.0
/// \file
/// Stores layouts that `.safetensors` does not support in the file's metadata.
#pragma once

#include <optional>

#include "files/safetensors.h"
#include "tessera/files/tensor_file.h"

namespace tessera {

/// A tensor of the header with the layout and type from its metadata; begin and end are byte positions in the
/// file. Errors: unknown_type; bad_file for a layout that cannot be parsed or does not match the tensor.
Result<FileTensor> described_tensor(const SafetensorsHeader& header, const StoredTensor& stored);

/// The named layout of the tensor; empty if its layout has no name.
std::optional<NamedLayout> named_layout_of(const FileTensor& tensor);

/// The header of a file with only this tensor. Errors: missing_layout, reserved_name, not_representable.
Result<SafetensorsHeader> describing_header(const FileTensor& tensor);

}  // namespace tessera
