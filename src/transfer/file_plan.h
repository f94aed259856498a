// SPDX-License-Identifier: Apache-2.0
/// \file
/// The plan of a new checkpoint: each tensor of each new file, and the sources of its elements.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reshard/pieces/pieces.h"
#include "tessera/notation/named_layout.h"
#include "tessera/relayout/plan.h"
#include "tessera/reshard/distribution.h"
#include "tessera/transfer/reshard_files.h"
#include "transfer/checkpoint.h"

namespace tessera::transfer {

/// Elements that come from one tensor of the source. Offsets are in elements of both tensors, as
/// CheckpointTensor::offset counts them.
struct TensorMove {
  std::size_t source = 0;  ///< number in Checkpoint::tensors
  StridedMove box;
  bool by_number = false;  ///< as in CheckpointTensor
};

struct TargetTensor {
  std::string name;
  std::string file;
  std::string type_name = {};  ///< the type's name in .safetensors
  std::optional<DType> dtype = {};
  Index element_bits = 0;
  Index packed = 1;  ///< elements per stored element: 8 elements of 4 bits in an I32
  /// The order of the elements in the file and its digits; empty: row-major.
  std::optional<Layout> layout = {};
  std::optional<Digits> order = {};
  std::optional<NamedLayout> named = {};  ///< the layout, if it has a name
  std::vector<Index> shape = {};
  std::vector<TensorMove> moves = {};  ///< ordered by target offset, disjoint
  bool padded = false;                 ///< some cells may have no element; these are 0
  std::size_t rule = 0;
  Index place = 0;
  std::shared_ptr<const PieceMatch> match = {};  ///< of a rule with axis expressions
  std::size_t pattern = 0;                       ///< which tensor of the target side of `match`
  Index begin = 0;                               ///< position in the file, in bytes
  Index end = 0;

  /// Orders the elements by a layout of their type and shape. Errors: those of to_layout and file_bytes.
  Result<void> set_layout(const NamedLayout& named_layout);
  Result<void> set_layout(const Layout& cells_of);
  /// Whether moves name elements by their row-major numbers, because no sum of digits says where they are.
  bool by_number() const { return layout && !order; }
  /// The elements as those of a source, for reading them back.
  CheckpointTensor as_stored() const;
  /// What moves count: cells, or elements.
  Index units() const;
  /// Bytes in the file.
  Index bytes() const;
  /// Cells of the stored tensor: those of its elements, and padding.
  Index cells() const;
  /// The cell of the element with a row-major number.
  Index cell_of(Index number) const;
  /// The shape in the file's header: in elements of the stored type.
  std::vector<Index> stored_shape() const;
};

/// An array, its distributions before and after, and the tensors that hold it. The planner derives the moves
/// from the distributions; --verify compares elements without the moves.
struct ArrayOrigin {
  BoundDistribution from;
  BoundDistribution to;
  std::map<Index, std::size_t> sources;  ///< of each place, in Checkpoint::tensors
  std::map<Index, std::size_t> targets;  ///< of each place, in FilePlan::tensors
};

/// Tensors that hold the same pieces before and after. The keys are names and places.
struct PieceOrigin {
  std::shared_ptr<const PieceMatch> match;
  std::map<std::pair<std::string, Index>, std::size_t> sources;
  std::map<std::pair<std::string, Index>, std::size_t> targets;
};

/// Elements of the source that must equal others: copies, of which only one is read.
struct SourceCopy {
  std::size_t first = 0;  ///< number in Checkpoint::tensors
  std::size_t other = 0;
  StridedMove box;        ///< from the first to the other
  Index bits = 0;         ///< of an element
  bool declared = false;  ///< by the recipe's "copies"; otherwise by a replicated distribution
};

struct TargetFile {
  std::string name;
  std::string header;
  Index bytes = 0;
  std::vector<std::size_t> tensors = {};  ///< in the order of their positions
};

struct FilePlan {
  Checkpoint source;
  std::vector<TargetTensor> tensors = {};
  std::vector<TargetFile> files = {};
  std::string index = {};  ///< the text of model.safetensors.index.json; empty: none
  std::vector<std::string> rules = {};
  std::vector<std::string> unmatched = {};  ///< rules that take no tensor, but for those of the rest
  std::vector<std::string> dropped = {};
  std::vector<ArrayOrigin> arrays = {};
  std::vector<PieceOrigin> pieces = {};
  std::vector<SourceCopy> copies = {};
  std::vector<std::string> notes = {};
  bool single_file = false;  ///< the target is a file, not a folder
  Index tensor_bytes = 0;

  /// A hash of everything that determines the bytes of the target.
  std::string hash() const;
  /// How many files are written at the same time. `threads` is as in ReshardFilesOptions.
  Index files_together(int threads) const;
};

/// Also checks that the target may be written, and the memory for tensors whose layout has no digits. Errors:
/// those that reshard_files returns before it writes anything.
Result<FilePlan> make_file_plan(const std::string& source, const std::string& target,
                                const ReshardFilesOptions& options,
                                std::shared_ptr<const Source>* errors_in = nullptr);

}  // namespace tessera::transfer
