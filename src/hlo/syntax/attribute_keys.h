// SPDX-License-Identifier: Apache-2.0
/// \file
/// The known attributes of instructions: the form of their values, and the opcodes that take them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/hlo/opcode.h"

namespace tessera::detail {

enum class AttributeForm : std::uint8_t {
  unknown,         ///< not a known attribute
  verbatim,        ///< balanced brackets
  ints,            ///< {1,2}
  int_lists,       ///< {1,2}, or {{1},{2}}
  integer,         ///< 3
  boolean,         ///< true
  word,            ///< EQ
  words,           ///< {default,high}
  real,            ///< 0.001
  text,            ///< "text", or brace text
  window,          ///< {size=3x3}
  dim_labels,      ///< b01f_01io->b01f
  padding,         ///< 0_1x0_1
  slice,           ///< {[0:4]}
  replica_groups,  ///< {{0,1}}, [1,2]<=[2], mesh['a'=2] {'a'}
  pairs,           ///< {{0,1},{1,0}}
  aliases,         ///< {{}: (0, {})}
  type,            ///< f32[2]{0}
  literal,         ///< f32[2] {1, 2}
  computation,     ///< name, {name, name}, or a body in braces
  metadata,        ///< {op_name="x" source_line=3}
  sharding,        ///< {devices=[2]<=[2]}
  string_map,      ///< {key="text",key={brace text}}
  names,           ///< {%a, %b}
};

/// What is known of the attributes with a key.
class AttributeKey {
 public:
  /// O(length).
  explicit AttributeKey(std::string_view key);

  /// The form of the value.
  AttributeForm form() const;
  /// Whether the opcode, written as `opcode_text`, takes the attribute (`slice-start` takes those of
  /// `slice`). True for unknown attributes and opcodes. O(1), or O(length of the opcode's text) if the answer
  /// is no.
  bool taken_by(Opcode opcode, std::string_view opcode_text) const;
  /// The opcodes that take a known attribute, as messages list them: `dot, ragged-dot, scaled-dot`.
  std::string owners() const;

 private:
  std::uint32_t place_;  // in the table of keys; NameTable::kNone if unknown
};

/// The form of a key's value. O(length).
inline AttributeForm attribute_form(std::string_view key) { return AttributeKey(key).form(); }

/// The names, without `%`, in a value of the form `computation` or `names`: `{%a, b}` -> a, b.
std::vector<std::string_view> listed_names(std::string_view value);

}  // namespace tessera::detail
