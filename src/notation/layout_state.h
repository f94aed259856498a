// SPDX-License-Identifier: Apache-2.0
/// \file
/// The shared state of a Layout: the parsed value, and data for fast offsets.
#pragma once

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "notation/offset_program.h"
#include "tessera/notation/layout.h"

namespace tessera {
namespace detail {

/// A CuTe layout whose box may be smaller than its modes.
struct Cropped {
  StridedLayout layout;
  bool is_cropped = false;
  friend bool operator==(const Cropped&, const Cropped&) = default;
};

/// A chain (7 KB, so it is separate) and the digits of its last layout over the box.
struct Chain {
  std::shared_ptr<const ComposedLayout> layout;
  Digits inner;
  bool is_cropped = false;
  friend bool operator==(const Chain& a, const Chain& b) { return *a.layout == *b.layout; }
};

}  // namespace detail

struct Layout::State {
  Notation notation = Notation::strides;
  std::vector<Index> shape;
  Index size = 0;
  std::variant<Strides, TensorType, detail::Cropped, detail::Chain, ShapedPackedLayout, LinearLayout,
               IndexMap>
      written;
  std::optional<Digits> digits;   // if the structure gives them
  std::optional<TiledMap> tiled;  // of an array
  detail::OffsetProgram program;  // of a map
};

}  // namespace tessera
