// SPDX-License-Identifier: Apache-2.0
// Binary headers as the source of diagnostics.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "tessera/base/result.h"

namespace tessera {

// The first MB of a file as text for diagnostics: unprintable bytes become '.', so that positions are
// unchanged.
std::shared_ptr<const Source> header_source(const std::string& name, std::span<const std::byte> file);

}  // namespace tessera
