// SPDX-License-Identifier: Apache-2.0
#include "files/header_source.h"

#include <algorithm>
#include <utility>

#include "files/limits.h"

namespace tessera {

std::shared_ptr<const Source> header_source(const std::string& name, std::span<const std::byte> file) {
  std::string text(reinterpret_cast<const char*>(file.data()),
                   std::min(file.size(), kFileLimits.quoted_bytes));
  for (char& c : text) {
    if (c != '\n' && (c < ' ' || c > '~')) c = '.';
  }
  return std::make_shared<const Source>(name, std::move(text));
}

}  // namespace tessera
