// SPDX-License-Identifier: Apache-2.0
// Pictures of layouts.
#pragma once

#include "cli/show_picture.h"
#include "python/src/python.h"
#include "tessera/draw/picture.h"
#include "tessera/notation/layout.h"

namespace tessera::python {

/// tessera.Picture: a picture, and the facts shown on its page.
struct ShownPicture {
  Picture picture;
  FactRows facts;
};

/// The picture that `tessera show` draws with these options. Raises Error.
ShownPicture show(const Layout& layout, cli::ShowRequest request);

}  // namespace tessera::python
