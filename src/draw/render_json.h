// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tessera/draw/layout_picture.h"

namespace tessera::detail {

/// The output of `show --json`, schema `tessera.show/1`: facts, picture, or both; a null argument is left
/// out.
std::string show_json(const LayoutFacts* facts, const Picture* picture);

}  // namespace tessera::detail
