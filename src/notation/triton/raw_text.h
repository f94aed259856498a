// SPDX-License-Identifier: Apache-2.0
/// \file
/// RawText: the text of a layout of Triton or Gluon as a tree, before its meaning is looked up.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "notation/triton/attribute_table.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera::triton {

struct RawAttribute;
using RawAttributePtr = std::shared_ptr<const RawAttribute>;

/// A value of a key or an argument.
struct RawValue {
  enum class Kind : std::uint8_t { integer, boolean, list, keys, word, none, attribute };
  Kind kind = Kind::none;
  Index integer = 0;  ///< also 0 or 1 for a boolean
  std::vector<RawValue> list = {};
  std::vector<std::pair<std::string_view, RawValue>> keys = {};  ///< `{register = [...], ...}`
  std::string_view word = {};
  RawAttributePtr attribute = {};
  Span span = {};
};

/// `key = value`; in Gluon, an argument without a name has an empty one.
struct RawEntry {
  std::string_view name;
  RawValue value;
  Span span = {};  ///< of the name, or of the value without one
};

/// `#ttg.blocked<{...}>` or `BlockedLayout(...)`.
struct RawAttribute {
  const KindInfo* info = nullptr;
  /// An older mnemonic, such as `shared`; empty for that of today.
  std::string_view old_name = {};
  bool is_gluon = false;
  bool identity_for = false;  ///< PaddedSharedLayout.with_identity_for
  std::vector<RawEntry> entries = {};
  std::vector<RawEntry> pads = {};  ///< `64:+4`: a list of two integers, without a name
  int depth = 1;                    ///< of nested layouts, those of aliases too
  Span span = {};
  Span name_span = {};
};

/// A whole text.
struct RawText {
  RawAttributePtr attribute = {};
  Span attribute_span = {};
  enum class Form : std::uint8_t { attribute, shape, tensor, memdesc } form = Form::attribute;
  std::optional<std::vector<Index>> shape = {};
  Span shape_span = {};
  std::string element = {};
  Span element_span = {};
  bool is_mutable = false;
  std::optional<std::vector<Index>> allocated = {};
  Span allocated_span = {};
};

/// The aliases of a text or of a file. A memory space is one without an attribute.
class RawAliases {
 public:
  /// False if the name has a meaning already, which it keeps. The name is not copied.
  bool add(std::string_view name, RawAttributePtr attribute);
  /// Null if there is no such alias.
  const RawAttributePtr* find(std::string_view name) const;
  /// The layout that was added last; null without one.
  const RawAttributePtr& last() const { return last_; }
  bool empty() const { return all_.empty(); }

 private:
  std::map<std::string_view, RawAttributePtr> all_;
  RawAttributePtr last_;
};

/// Reads a whole text. `known` are aliases defined elsewhere. Errors: syntax, number_range, unknown_name,
/// duplicate_name, unknown_type, missing_layout, limit.
Result<RawText> read_raw_text(std::string_view text, const RawAliases& known = {});

}  // namespace tessera::triton
