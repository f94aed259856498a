// SPDX-License-Identifier: Apache-2.0
/// \file
/// The plan of a checkpoint: each tensor of each new file, and where its elements come from.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reshard/strided_box.h"
#include "tessera/reshard/axis_expression.h"
#include "tessera/transfer/reshard_files.h"
#include "transfer/checkpoint.h"

namespace tessera::transfer {

/// Elements that come from one tensor of the source. Offsets are in elements of both tensors.
struct TensorMove {
  std::size_t source = 0;  ///< in Checkpoint::tensors
  StridedBox box;
};

struct TargetTensor {
  std::string name;
  std::string file;
  std::string type_name = {};  ///< of .safetensors
  std::optional<DType> dtype = {};
  Index element_bits = 0;
  std::vector<Index> shape = {};
  std::vector<TensorMove> moves = {};  ///< ordered by target offset, disjoint
  bool padded = false;                 ///< cells may have no element; they are 0
  std::size_t rule = 0;
  std::optional<AxisExpression> axes = {};
  Index begin = 0;  ///< bytes in the file
  Index end = 0;

  Index cells() const;
};

struct TargetFile {
  std::string name;
  std::string header;
  Index bytes = 0;
  std::vector<std::size_t> tensors = {};  ///< in the order of their bytes
};

struct FilePlan {
  Checkpoint source;
  std::vector<TargetTensor> tensors = {};
  std::vector<TargetFile> files = {};
  std::string index = {};  ///< the text of model.safetensors.index.json; empty: none
  std::vector<std::string> rules = {};
  std::vector<std::string> dropped = {};
  bool single_file = false;  ///< the target is a file, not a folder
  Index tensor_bytes = 0;

  /// Of everything that decides the bytes of the target.
  std::string hash() const;
};

/// Errors: as of reshard_files before anything is written.
Result<FilePlan> make_file_plan(const std::string& source, const std::string& target,
                                const ReshardFilesOptions& options,
                                std::shared_ptr<const Source>* errors_in = nullptr);

/// Proves that the moves of every tensor write each byte once, and leave out only padding: counts the writes
/// of each cell. O(cells / 64 + runs). Errors: verify_failed.
Result<void> check_every_byte(const FilePlan& plan);

}  // namespace tessera::transfer
