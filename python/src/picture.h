// SPDX-License-Identifier: Apache-2.0
// Pictures of layouts.
#pragma once

#include "python/src/python.h"
#include "tessera/draw/picture.h"
#include "tessera/notation/layout.h"
#include "verbs/verb.h"

namespace tessera::python {

/// tessera.Picture: a picture, and the facts shown on its page.
struct ShownPicture {
  Picture picture;
  FactRows facts;
};

/// The picture that `tessera show` draws with these fields of its request, which leave out the layout. Raises
/// Error.
ShownPicture show(const Layout& layout, verbs::FieldTexts fields);

}  // namespace tessera::python
