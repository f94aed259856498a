// SPDX-License-Identifier: Apache-2.0
/// \file
/// The types of a module by their texts: a program repeats few types, so each is read and checked once.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "tessera/hlo/detail/name_table.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::detail {

/// Valid types that were read before, by their texts. Copies of a tuple share its elements.
class TypeTexts {
 public:
  /// The text of the type at the beginning of `rest`, if its end is seen without reading it: an array without
  /// blanks, or a tuple. Empty: unknown, so that the type must be read.
  static std::string_view extent(std::string_view rest);

  /// The type of a text that `extent` gave, or null. O(length of the text).
  const HloType* find(std::string_view text) const;
  /// Remembers a valid type, of which `text` is all that was read. The text must outlive this object.
  void add(std::string_view text, const HloType& type);

 private:
  NameTable places_;
  std::vector<HloType> types_;
};

}  // namespace tessera::detail
