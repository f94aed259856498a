// SPDX-License-Identifier: Apache-2.0
#include "notation/sharding/read_shardings.h"

#include <utility>

#include "notation/sharding/sharding_reader.h"

namespace tessera::detail {

ReadShardings read_shardings(std::string_view text) {
  const std::string plain = without_comments(text);
  ShardingReader reader(plain);
  ReadShardings out;
  auto all = reader.several();
  if (!all) {
    out.error = std::move(all).error();
  } else if (auto end = reader.end("the end of the sharding"); !end) {
    out.error = std::move(end).error();
  } else {
    out.shardings = *std::move(all);
  }
  out.spans = reader.spans();
  out.tuple = reader.is_tuple();
  out.newer = reader.newer();
  return out;
}

}  // namespace tessera::detail
