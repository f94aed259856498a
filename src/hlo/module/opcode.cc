// SPDX-License-Identifier: Apache-2.0
#include "tessera/hlo/opcode.h"

#include <array>

#include "tessera/hlo/detail/name_table.h"

namespace tessera {
namespace {

constexpr std::array kNames = {
#define TESSERA_OPCODE(identifier, text, trait, kind, rule, keys) std::string_view(text),
    TESSERA_OPCODES(TESSERA_OPCODE)
#undef TESSERA_OPCODE
        std::string_view("unknown"),
};

constexpr std::array kTraits = {
#define TESSERA_OPCODE(identifier, text, trait, kind, rule, keys) OpcodeTrait::trait,
    TESSERA_OPCODES(TESSERA_OPCODE)
#undef TESSERA_OPCODE
        OpcodeTrait::none,
};

constexpr std::array kKinds = {
#define TESSERA_OPCODE(identifier, text, trait, kind, rule, keys) OpcodeKind::kind,
    TESSERA_OPCODES(TESSERA_OPCODE)
#undef TESSERA_OPCODE
        OpcodeKind::unknown,
};

}  // namespace

std::string_view to_string(Opcode opcode) { return kNames[static_cast<std::size_t>(opcode)]; }

std::optional<Opcode> parse_opcode(std::string_view text) {
  static const auto* const kByName = [] {
    auto* names = new NameTable;
    for (std::uint32_t i = 0; i + 1 < kNames.size(); ++i) names->insert(kNames[i], i);
    return names;
  }();
  const std::uint32_t place = kByName->find(text);
  return place == NameTable::kNone ? std::nullopt : std::optional<Opcode>(static_cast<Opcode>(place));
}

OpcodeTrait trait_of(Opcode opcode) { return kTraits[static_cast<std::size_t>(opcode)]; }

OpcodeKind kind_of(Opcode opcode) { return kKinds[static_cast<std::size_t>(opcode)]; }

}  // namespace tessera
