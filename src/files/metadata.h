// SPDX-License-Identifier: Apache-2.0
/// \file
/// How a layout that the format does not have is kept in the metadata of `.safetensors`.
#pragma once

#include "tessera/files/safetensors.h"
#include "tessera/files/tensor_file.h"

namespace tessera {

/// What a stored tensor and its metadata say; begin and end are bytes of the file. Errors: unknown_type,
/// unsupported_width; bad_file for a layout that is none or does not fit.
Result<FileTensor> described_tensor(const SafetensorsHeader& header, const StoredTensor& stored);

/// The header of a file with this tensor alone.
Result<SafetensorsHeader> describing_header(const FileTensor& tensor);

}  // namespace tessera
