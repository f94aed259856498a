// SPDX-License-Identifier: Apache-2.0
#include "hlo/attribute_keys.h"

#include <array>

#include "hlo/lexer.h"
#include "tessera/hlo/name_table.h"

namespace tessera::detail {
namespace {

struct Entry {
  std::string_view key;
  AttributeForm form;
};

constexpr std::array kEntries = {
#define TESSERA_ATTRIBUTE(key, form) Entry{key, AttributeForm::form},
    TESSERA_ATTRIBUTES(TESSERA_ATTRIBUTE)
#undef TESSERA_ATTRIBUTE
};

}  // namespace

AttributeForm attribute_form(std::string_view key) {
  static const auto* const kByKey = [] {
    auto* table = new NameTable;
    for (std::uint32_t i = 0; i < kEntries.size(); ++i) table->insert(kEntries[i].key, i);
    return table;
  }();
  const std::uint32_t place = kByKey->find(key);
  return place == NameTable::kNone ? AttributeForm::unknown : kEntries[place].form;
}

std::vector<std::string_view> listed_names(std::string_view value) {
  std::vector<std::string_view> names;
  Lexer lexer(value);
  lexer.accept('{');
  do {
    lexer.accept('%');
    if (lexer.skip()) names.push_back(lexer.identifier());
  } while (lexer.accept(','));
  if (names.size() == 1 && names[0].empty()) names.clear();  // {}
  return names;
}

}  // namespace tessera::detail
