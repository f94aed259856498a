// SPDX-License-Identifier: Apache-2.0
/// \file
/// TtgirTypes: the layouts and the types of a file, and the lines of its source.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "notation/triton/raw_text.h"
#include "tessera/base/result.h"
#include "tessera/notation/triton_layout.h"
#include "tessera/ttgir/ttgir.h"
#include "ttgir/lines.h"

namespace tessera::ttgir {

/// A type with a layout, and what the layout is called.
struct NamedType {
  TritonLayout layout;
  std::string name;  ///< `#blocked`, or the attribute
};

class TtgirTypes {
 public:
  /// Errors: duplicate_name.
  static Result<TtgirTypes> make(const std::vector<TtgirLine>& lines);

  const std::vector<TtgirLayout>& layouts() const { return layouts_; }
  /// A type; nothing if it has no layout. Errors: those of parse_triton_layout.
  const std::optional<Result<NamedType>>& type(std::string_view text);
  /// All types with layouts of an operation. Errors: that of the first type that has one.
  Result<std::vector<NamedType>> types(std::string_view text);
  /// `kernel.py:63` of a location; nothing if it is not known.
  std::optional<std::string> source(std::string_view location) const;

 private:
  std::vector<TtgirLayout> layouts_;
  triton::RawAliases aliases_;
  std::map<std::string_view, std::size_t> numbers_;              // of layouts_, by the name of the alias
  std::map<std::string, std::string_view, std::less<>> broken_;  // aliases without a layout
  std::map<std::string, std::string_view, std::less<>> locations_;
  std::map<std::string, std::optional<Result<NamedType>>, std::less<>> types_;
};

}  // namespace tessera::ttgir
