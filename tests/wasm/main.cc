// SPDX-License-Identifier: Apache-2.0
// The operations that a web page needs: parse, simplify, convert, index a program. Each check compares with
// the text that the native build gives. The exit status is the number of failed checks.
#include <cstdio>
#include <string>
#include <string_view>

#include "tessera/tessera.h"

namespace {

int failures = 0;

void expect(std::string_view what, const std::string& got, std::string_view want) {
  if (got == want) return;
  ++failures;
  std::printf("%.*s: got\n  %s\nexpected\n  %.*s\n", static_cast<int>(what.size()), what.data(), got.c_str(),
              static_cast<int>(want.size()), want.data());
}

std::string converted(std::string_view text, tessera::Notation to) {
  const auto layout = tessera::parse_layout(text);
  if (!layout) return layout.error().message;
  const auto answer = tessera::convert(*layout, to);
  return answer ? to_string(answer->layout) : answer.error().message;
}

}  // namespace

int main() {
  const auto map =
      tessera::parse_index_map("(d0) -> ((d0 floordiv 8) * 8 + d0 mod 8), domain: d0 in [0, 63]");
  expect("simplify", map ? to_string(tessera::simplify(*map)) : map.error().message,
         "(d0) -> (d0), domain: d0 in [0, 63]");
  expect("convert", converted("f32[3,5]{1,0:T(2,2)}", tessera::Notation::cute),
         "((2,2),(2,3)):((2,12),(1,4)) crop (3,5)");
  expect("refuse", tessera::parse_index_map("(d0) -> (d1), domain: d0 in [0, 7]") ? "accepted" : "refused",
         "refused");
  const auto parsed = tessera::parse_hlo(
      "ENTRY e { p = f32[4,8]{1,0} parameter(0) ROOT t = f32[8,4]{1,0} transpose(p), dimensions={1,0} }");
  expect("read a program", parsed.ok() && parsed.modules.size() == 1 ? "one module" : "faults", "one module");
  if (failures == 0) std::puts("wasm: all checks pass");
  return failures;
}
