// SPDX-License-Identifier: Apache-2.0
/// \file
/// The picture of the verb `show`.
#pragma once

#include <optional>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/draw/picture.h"
#include "verbs/show.h"

namespace tessera::verbs {

/// Where a picture is shown.
struct PicturePlace {
  std::optional<Index> width = {};  ///< in columns, of which only as much is drawn as fits
  bool linked = false;              ///< a page, on which index and memory point at each other
};

/// The picture of the request.
Result<Picture> picture_of(const ShowRequest& request, const PicturePlace& place);

/// What the request shows of its layout, and how.
PictureOptions options_of(const ShowRequest& request);

/// Bits of an element: from `bytes`, or of the atom that the request names. 0: the layout's type decides.
Index element_bits(const ShowRequest& request);

}  // namespace tessera::verbs
