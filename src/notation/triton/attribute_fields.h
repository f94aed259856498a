// SPDX-License-Identifier: Apache-2.0
/// \file
/// AttributeFields: the keys and arguments of an attribute's text, and their values.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "notation/triton/make_attribute.h"
#include "notation/triton/raw_text.h"

namespace tessera::triton {

/// An entry of a text and the key of the table that it is.
struct GivenField {
  const KeyInfo* key;
  const RawEntry* entry;
};

/// The layout that a field asks for and has; null for other fields.
const RawAttribute* layout_in(const GivenField& field);

/// The fields of an attribute, whose nested layouts are checked too. Errors: unknown_attribute,
/// argument_count, duplicate_name.
Result<std::vector<GivenField>> fields_of(const RawAttribute& raw);

/// The fields of one attribute, and the layout that is made of them. Each kind has a class that derives from
/// it.
class AttributeFields {
 public:
  AttributeFields(const RawAttribute& raw, std::vector<GivenField> fields)
      : raw_(raw), fields_(std::move(fields)) {}

  /// Errors: duplicate_name (two forms of one thing), missing_attribute.
  Result<void> forms_and_missing() const;
  /// The type of each value and the simple rules, in the order in which they are written. Errors:
  /// bad_attribute, bad_permutation.
  Result<void> values() const;

 protected:
  const GivenField* find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }
  Span span_of(std::string_view name) const;
  Failure bad(std::string_view name, std::string message, std::string help = {}) const;
  static std::vector<Index> list_of(const RawValue& value);
  std::vector<Index> list(std::string_view name) const;
  TritonBasisList bases(std::string_view name) const;
  Index integer(std::string_view name, Index otherwise = 0) const;
  bool flag(std::string_view name) const { return integer(name) != 0; }
  /// Errors: rank_mismatch.
  Result<void> same_rank(std::string_view name, const std::vector<Index>& values) const;
  Result<void> same_rank(std::string_view name, const TritonBasisList& values) const;
  /// The order of the layout. Errors: rank_mismatch.
  Result<void> set_order();
  /// CGALayout, or the three older keys. Errors: rank_mismatch, bad_attribute.
  Result<void> set_cga();
  Result<void> check_cga(Span span) const;
  /// The layout that is the value of a key.
  Result<std::shared_ptr<const TritonAttribute>> nested(std::string_view name) const;

  const RawAttribute& raw_;
  std::vector<GivenField> fields_;
  TritonAttribute out_;

 private:
  Failure missing(std::string_view what) const;
  Result<void> require(std::string_view name) const;
  Result<void> value(const KeyInfo& key, const RawValue& value) const;
};

}  // namespace tessera::triton
