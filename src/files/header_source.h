// SPDX-License-Identifier: Apache-2.0
// Binary headers as the source of diagnostics.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "tessera/base/source.h"

namespace tessera {

// The beginning of a file as a text in which every byte keeps its place.
std::shared_ptr<const Source> header_source(const std::string& name, std::span<const std::byte> file);

}  // namespace tessera
