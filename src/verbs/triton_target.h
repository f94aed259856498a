// SPDX-License-Identifier: Apache-2.0
/// \file
/// The targets `ttg`, `ttg.blocked`, `gluon` ... of the verb `convert`: names of Triton for a layout.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tessera/notation/layout.h"
#include "tessera/notation/triton_layout.h"

namespace tessera::verbs {

struct TritonTarget {
  bool any = true;                        ///< the simplest name, of any kind
  TritonKind kind = TritonKind::blocked;  ///< otherwise: this kind
  bool gluon = false;                     ///< as Gluon prints it
};

/// `ttg`, `ttg.linear`, `gluon`, ...; nothing for other words.
std::optional<TritonTarget> parse_triton_target(std::string_view word);

/// The layout as one of Triton. With a tile it maps (thread, value) to an index of the tile, the first
/// dimension fastest, with `lanes` threads a warp; otherwise elements to offsets. Errors: not_representable
/// (`not_power_of_two`, `offset`, `carry`, `lanes`, `no_encoding`), rank_mismatch, those of convert.
Result<TritonLayout> to_triton(const Layout& from, const TritonTarget& target, const std::vector<Index>& tile,
                               Index lanes);

}  // namespace tessera::verbs
