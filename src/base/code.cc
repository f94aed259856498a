// SPDX-License-Identifier: Apache-2.0
#include "tessera/base/code.h"

#include <array>

namespace tessera {
namespace {

struct Row {
  std::string_view word;
  int exit_status;
  int call_status;
  std::string_view python;
};

constexpr std::array kRows = {
#define TESSERA_CODE(word, status, call, python) Row{#word, status, call, #python},
    TESSERA_CODES(TESSERA_CODE)
#undef TESSERA_CODE
};

const Row& row(Code code) { return kRows[static_cast<std::size_t>(code)]; }

}  // namespace

std::string_view to_string(Code code) { return row(code).word; }

int exit_status(Code code, bool of_call) { return of_call ? row(code).call_status : row(code).exit_status; }

std::string_view python_class(Code code) { return row(code).python; }

std::optional<Code> parse_code(std::string_view word) {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].word == word) return static_cast<Code>(i);
  }
  return std::nullopt;
}

}  // namespace tessera
