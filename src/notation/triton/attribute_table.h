// SPDX-License-Identifier: Apache-2.0
/// \file
/// The table of attributes: their names, keys, and the arguments of their classes in Gluon.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tessera/notation/triton_layout.h"

namespace tessera::triton {

/// What a value is, and the simple rules for it.
enum class ValueType : std::uint8_t {
  powers,     ///< a nonempty list of powers of two
  order,      ///< a list of dimensions
  integers,   ///< a list of integers >= 0
  bases,      ///< a list of lists of integers >= 0
  pairs,      ///< a list of pairs of integers
  integer,    ///< an integer >= 0
  power,      ///< a power of two
  boolean,    ///< true or false
  attribute,  ///< another layout
  cta_keys,   ///< `{register = [...], warp = [...]}`
  word,       ///< a name
};

struct KeyInfo {
  std::string_view name;   ///< in Triton; empty if only Gluon has it
  std::string_view gluon;  ///< the argument of the class; empty if only Triton has it
  ValueType type;
  bool required = false;     ///< in Triton
  bool gluon_needs = false;  ///< in Gluon
};

/// How the body of an attribute is written.
enum class BodyForm : std::uint8_t {
  keys,       ///< `<{key = value, ...}>`
  pads,       ///< `<[64:+4] {key = value, ...}>`
  aligned,    ///< `<{key = value, ...}, alignment = 16>`
  bare_keys,  ///< `<key = value, ...>`
  none,
};

struct KindInfo {
  TritonKind kind;
  std::string_view dialect;   ///< `ttg`, `ttng`, `gluon`
  std::string_view mnemonic;  ///< `blocked`
  std::string_view gluon;     ///< `BlockedLayout`; empty if there is no class
  BodyForm body;
  std::span<const KeyInfo> keys;  ///< in the order of Gluon's arguments
};

std::span<const KindInfo> all_kinds();
const KindInfo& info_of(TritonKind kind);
/// Null if there is none. `old_name` becomes the mnemonic if it is an older one.
const KindInfo* find_mnemonic(std::string_view dialect, std::string_view mnemonic,
                              std::string_view& old_name);
const KindInfo* find_gluon(std::string_view name);
/// The class whose name is close to a word; empty if none is.
std::string nearest_gluon(std::string_view name);

}  // namespace tessera::triton
