// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>

#include "notation/sharding/read_shardings.h"
#include "notation/sharding/sharding_reader.h"
#include "tessera/notation/sharding.h"

namespace tessera {

Result<Sharding> parse_sharding(std::string_view text) {
  const std::string plain = detail::without_comments(text);
  detail::ShardingReader reader(plain);
  auto sharding = reader.one();
  if (!sharding) return sharding;
  if (const auto end = reader.end("the end of the sharding"); !end) return fail(end.error());
  return sharding;
}

Result<std::vector<Sharding>> parse_shardings(std::string_view text) {
  detail::ReadShardings read = detail::read_shardings(text);
  if (read.error) return fail(*std::move(read.error));
  return std::move(read.shardings);
}

std::string to_string(const Sharding& sharding) {
  const std::string extra = sharding.extra.empty() ? "" : " " + sharding.extra;
  switch (sharding.kind()) {
    case Sharding::Kind::replicated:
      return "{replicated" + extra + "}";
    case Sharding::Kind::manual:
      return "{manual" + extra + "}";
    case Sharding::Kind::unknown:
      return "{unknown" + extra + "}";
    case Sharding::Kind::unreduced:
      return "{unreduced" + extra + "}";
    case Sharding::Kind::maximal:
      return fmt::format("{{maximal device={}{}}}", sharding.device(), extra);
    case Sharding::Kind::tiled:
      break;
  }
  std::string text = fmt::format("{{devices=[{}]", fmt::join(sharding.tile_assignment(), ","));
  if (const auto& iota = sharding.iota()) {
    text += fmt::format("<=[{}]", fmt::join(iota->reshape, ","));
    if (iota->reshape.size() > 1) text += fmt::format("T({})", fmt::join(iota->transpose, ","));
  } else {
    text += fmt::format("{}", fmt::join(sharding.devices(), ","));
  }
  const auto subgroups = sharding.subgroups();
  if (subgroups.size() == 1 && subgroups[0] == SubgroupKind::replicated) {
    text += " last_tile_dim_replicate";
  } else if (!subgroups.empty()) {
    text += " last_tile_dims={";
    for (std::size_t i = 0; i < subgroups.size(); ++i) {
      text +=
          (i > 0 ? "," : "") + std::string(detail::kSubgroupNames[static_cast<std::size_t>(subgroups[i])]);
    }
    text += "}";
  }
  return text + extra + "}";
}

}  // namespace tessera
