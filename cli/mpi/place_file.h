// SPDX-License-Identifier: Apache-2.0
/// \file
/// The file of one place: its local array.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "files/file_writer.h"
#include "tessera/base/dtype.h"
#include "tessera/files/tensor_file.h"
#include "tessera/reshard/distribution.h"

namespace tessera::mpi {

/// The pattern, such as `part-{place}.npy`, with the number of a place. Errors: bad_option (no `{place}`).
Result<std::string> place_path(const std::string& pattern, Index place);

/// Opens the local array of a place. Errors: those of TensorFile::open; different_shape, different_type,
/// not_representable (different layouts); buffer_too_small or bad_file (raw bytes of a different size).
Result<TensorFile> open_place(const std::string& path, const BoundDistribution& side, Index place,
                              DType dtype);

/// Creates the file of a place with its header. Errors: those of FileWriter, not_representable.
Result<std::unique_ptr<FileWriter>> create_place(const std::string& path, const BoundDistribution& side,
                                                 Index place, DType dtype, bool force);

}  // namespace tessera::mpi
