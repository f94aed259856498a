// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads the attributes of instructions into numbers.
///
/// A reader consumes the whole value. Errors, with a span inside the value: bad_attribute (wrong form),
/// number_range (an integer beyond 64 bits), limit (a list that would be too long). Cost: linear in the text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/syntax/dimension_attributes.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/hlo/module.h"
#include "tessera/notation/tensor_type.h"

namespace tessera {

/// `{1,0,2}`, `{}`.
Result<std::vector<Index>> read_ints(const Attribute& attribute);
/// `3`, `-1`.
Result<Index> read_int(const Attribute& attribute);
/// `true`, `false`.
Result<bool> read_bool(const Attribute& attribute);
/// `EQ`, `kLoop`, `high`: a bare word.
Result<std::string_view> read_word(const Attribute& attribute);
/// `{default,highest}`: bare words in braces.
Result<std::vector<std::string_view>> read_words(const Attribute& attribute);
/// `"text with \"escapes\""`, unescaped. A bare word is taken as written.
Result<std::string> read_string(const Attribute& attribute);
/// `f32[2,3]{1,0}`.
Result<HloType> read_type(const Attribute& attribute);

/// `source_target_pairs={{0,1},{1,0}}`.
struct SourceTarget {
  Index source = 0;
  Index target = 0;
  friend bool operator==(const SourceTarget&, const SourceTarget&) = default;
};
Result<std::vector<SourceTarget>> read_source_target_pairs(const Attribute& attribute);

/// `output_to_operand_aliasing={{}: (0, {}), {1}: (2, {0})}`: the tuple index of the output, the operand, and
/// the tuple index in the operand.
struct OutputAlias {
  std::vector<Index> output;
  Index operand = 0;
  std::vector<Index> operand_part;
  friend bool operator==(const OutputAlias&, const OutputAlias&) = default;
};
Result<std::vector<OutputAlias>> read_output_aliases(const Attribute& attribute);

// Readers that look up the attribute. Further error: missing_attribute, with the span of the opcode.
// Overloads with a fallback return it if the attribute is absent.

/// The numbers of `dimensions={0,2}` and the like.
Result<std::vector<Index>> ints_of(const Instruction& instruction, std::string_view key);
Result<std::vector<Index>> ints_of(const Instruction& instruction, std::string_view key,
                                   std::vector<Index> fallback);
/// The number of `index=1` and the like.
Result<Index> int_of(const Instruction& instruction, std::string_view key);
Result<Index> int_of(const Instruction& instruction, std::string_view key, Index fallback);
/// The value of `is_stable=true` and the like.
Result<bool> bool_of(const Instruction& instruction, std::string_view key, bool fallback);
/// `slice` of a slice, `padding` of a pad, `dim_labels` of a convolution.
Result<std::vector<SliceRange>> slice_ranges_of(const Instruction& instruction);
Result<std::vector<PadRange>> padding_of(const Instruction& instruction);
Result<ConvolutionDims> dim_labels_of(const Instruction& instruction);
/// `window`; no dimensions if it is absent.
Result<std::vector<WindowDim>> window_of(const Instruction& instruction);
/// `replica_groups`; one group of all replicas if it is absent.
Result<ReplicaGroups> replica_groups_of(const Instruction& instruction);
/// `source_target_pairs`.
Result<std::vector<SourceTarget>> source_target_pairs_of(const Instruction& instruction);

/// The computation that attribute `key` names (`to_apply`, `calls`, `condition`, `body`, ...), or null.
Computation* called_by(const Instruction& instruction, std::string_view key);

}  // namespace tessera
