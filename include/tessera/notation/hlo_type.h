// SPDX-License-Identifier: Apache-2.0
/// \file
/// The type of an HLO value: an array, a tuple, a token, an opaque or a buffer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tessera/base/dtype.h"
#include "tessera/base/index.h"
#include "tessera/notation/tensor_type.h"

namespace tessera {

/// An array type (token and opaque are array types without dimensions), or a tuple of types, or a buffer
/// `b(...)` of an array, or the placeholder for a type with an error.
class HloType {
 public:
  enum class Kind : std::uint8_t {
    array,
    tuple,
    buffer,
    unreadable,  ///< the written type had an error: nothing follows from it
  };

  HloType() = default;
  explicit HloType(TensorType array) : array_(std::move(array)) {}
  static HloType tuple(std::vector<HloType> elements);
  static HloType buffer(HloType element);
  static HloType unreadable();

  Kind kind() const { return kind_; }
  bool is_tuple() const { return kind_ == Kind::tuple; }
  /// An array with elements, not a tuple, token or opaque.
  bool is_array() const { return kind_ == Kind::array && is_array_type(array_.dtype); }
  bool is_token() const { return kind_ == Kind::array && array_.dtype == DType::token; }

  /// The array. Only for arrays, tokens and opaques.
  const TensorType& array() const { return array_; }
  std::span<const Index> dims() const { return array_.dims; }
  std::size_t rank() const { return array_.dims.size(); }
  /// Elements of a tuple, or the one element of a buffer. Copies of a type share them.
  std::span<const HloType> elements() const {
    return parts_ ? std::span<const HloType>(parts_->elements) : std::span<const HloType>();
  }

  /// The number of arrays, tokens, opaques and buffers, also in inner tuples; saturating.
  /// O(1).
  std::uint64_t leaf_count() const { return is_tuple() && parts_ ? parts_->leaf_count : 1; }
  /// Nesting depth of tuples and buffers: 0 for an array, 1 for a tuple of arrays. O(1).
  std::uint32_t depth() const { return parts_ ? parts_->depth : 0; }
  /// A part is unreadable. O(1).
  bool has_unreadable() const { return kind_ == Kind::unreadable || (parts_ && parts_->has_unreadable); }
  /// A dimension of a part has an unknown extent, `?`. O(rank).
  bool has_unbounded() const;

  friend bool operator==(const HloType& a, const HloType& b);

 private:
  struct Parts {
    std::vector<HloType> elements;
    std::uint64_t leaf_count = 0;
    std::uint32_t depth = 1;
    bool has_unreadable = false;
    bool has_unbounded = false;
  };
  static std::shared_ptr<const Parts> parts_of(std::vector<HloType> elements);

  Kind kind_ = Kind::array;
  TensorType array_;
  std::shared_ptr<const Parts> parts_;  // of tuples and buffers
};

/// Output types of a value: the elements of a tuple, else the type itself.
std::span<const HloType> outputs(const HloType& type);

/// The first error of a type or its parts, in order; codes as for `validate(const TensorType&)`.
std::optional<Diagnostic> validate(const HloType& type);

}  // namespace tessera
