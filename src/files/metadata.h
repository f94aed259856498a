// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layouts that `.safetensors` does not have, in its metadata.
#pragma once

#include "files/safetensors.h"
#include "tessera/files/tensor_file.h"

namespace tessera {

/// A stored tensor with its metadata; begin and end are bytes of the file. Errors: unknown_type; bad_file for
/// a layout that cannot be read or does not fit.
Result<FileTensor> described_tensor(const SafetensorsHeader& header, const StoredTensor& stored);

/// The header of a file with only this tensor.
Result<SafetensorsHeader> describing_header(const FileTensor& tensor);

}  // namespace tessera
