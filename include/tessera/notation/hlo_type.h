// SPDX-License-Identifier: Apache-2.0
/// \file
/// The type of an HLO value: an array, a tuple, a token, an opaque or a buffer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tessera/base/dtype.h"
#include "tessera/base/index.h"
#include "tessera/notation/tensor_type.h"

namespace tessera {

/// An array type (token and opaque are array types without dimensions), or a tuple of types, or a buffer
/// `b(...)` of an array, or the mark of a type that could not be read.
class HloType {
 public:
  enum class Kind : std::uint8_t {
    array,
    tuple,
    buffer,
    unreadable,  ///< of an instruction whose type had an error: nothing follows from it
  };

  HloType() = default;
  explicit HloType(TensorType array) : array_(std::move(array)) {}
  static HloType tuple(std::vector<HloType> elements);
  static HloType buffer(HloType element);
  static HloType unreadable();

  Kind kind() const { return kind_; }
  bool is_tuple() const { return kind_ == Kind::tuple; }
  /// An array with elements: not a tuple, token or opaque.
  bool is_array() const { return kind_ == Kind::array && is_array_type(array_.dtype); }
  bool is_token() const { return kind_ == Kind::array && array_.dtype == DType::token; }

  /// The array. Only for arrays, tokens and opaques.
  const TensorType& array() const { return array_; }
  std::span<const Index> dims() const { return array_.dims; }
  std::size_t rank() const { return array_.dims.size(); }
  /// Elements of a tuple, the one element of a buffer.
  std::span<const HloType> elements() const { return elements_; }

  friend bool operator==(const HloType&, const HloType&) = default;

 private:
  Kind kind_ = Kind::array;
  TensorType array_;
  std::vector<HloType> elements_;
};

/// Output types of a value: the elements of a tuple, else the type itself.
std::span<const HloType> outputs(const HloType& type);

/// What makes a type or one of its parts nonsense, in order; the codes of `validate(const TensorType&)`.
std::optional<Diagnostic> validate(const HloType& type);

}  // namespace tessera
