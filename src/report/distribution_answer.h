// SPDX-License-Identifier: Apache-2.0
/// \file
/// Answers to questions about distributions, as text and as JSON.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/base/dtype.h"
#include "tessera/reshard/distribution.h"

namespace tessera {

/// Which place each position of a mesh is: `listed` in the text, `row-major` by the rules of the notation,
/// `row-major, assumed`, because the notation lets devices have any order and the text does not list them, or
/// `every place`, for a distribution without a mesh.
std::string_view numbering(const Distribution& distribution);
/// For each distribution whose numbering is assumed, a sentence that says so. Equal sentences once.
std::vector<std::string> numbering_notes(std::span<const Distribution* const> distributions);
inline std::vector<std::string> numbering_notes(std::initializer_list<const Distribution*> distributions) {
  return numbering_notes(std::span(distributions.begin(), distributions.size()));
}

/// `place 2, index 3,0, offset 3`. Several holders are separated by `; `.
std::string to_text(std::span<const ShardHolder> holders);

/// An index and its holders, of all places or of one.
struct HoldersAnswer {
  std::vector<Index> index;
  std::vector<ShardHolder> holders;
};
/// `{"schema": "tessera.reshard/1", "action": "at", …}`. One line.
std::string to_json(const BoundDistribution& distribution, std::span<const HoldersAnswer> answers);

/// An index of the local array of a place, and the element that the place keeps there.
struct LocalElementAnswer {
  Index place = 0;
  std::vector<Index> local;
  std::vector<Index> index;
  Index offset = 0;  ///< in the place's memory, in elements
};
/// `element 3,0, offset 2`.
std::string to_text(const LocalElementAnswer& answer);
std::string to_json(const BoundDistribution& distribution, std::span<const LocalElementAnswer> answers);

/// What a place holds: `place 0: [0:2, 0:3], local shape 2,3, strides 3,1, 6 elements, 24 bytes` or `place 3:
/// empty, local shape 0,3`. Without an element type, there are no bytes.
std::string place_text(const BoundDistribution& distribution, Index place, std::optional<DType> dtype);
/// `{"schema": "tessera.reshard/1", "action": "places", …}` for these places. One line.
std::string places_json(const BoundDistribution& distribution, std::span<const Index> places,
                        std::optional<DType> dtype);

/// `yes`, `no at 3,0: place 2, index 0,0, offset 0 and place 1, index 1,0, offset 3`, `undecided: LIMIT`.
std::string to_text(const DistributionEquality& equality);
std::string to_json(const BoundDistribution& a, const BoundDistribution& b,
                    const DistributionEquality& equality);

/// A distribution and its form in another notation, or as the distribution of a view.
std::string to_json(const BoundDistribution& from, const Distribution& to, std::span<const Index> view = {});

}  // namespace tessera
