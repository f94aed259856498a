// SPDX-License-Identifier: Apache-2.0
#include "tessera/hlo/indexing.h"

#include <utility>

namespace tessera {

Indexing Indexing::unknown(std::string reason) {
  return {.map = {}, .exactness = Exactness::unknown, .reason = std::move(reason)};
}

}  // namespace tessera
