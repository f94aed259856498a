// SPDX-License-Identifier: Apache-2.0
// Lesson 8: move data.
#include <iostream>
#include <span>
#include <string>

#include "tessera/relayout/relayout.h"

using namespace tessera;

int main() {
  const std::string rows = "abcdef";
  std::string tiles(8, '.');
  const Layout from = parse_layout("u8[2,3]{1,0}").value();
  const Layout to = parse_layout("u8[2,3]{1,0:T(2,2)}").value();
  // The default keeps what the padding has.
  const auto done = relayout(from, to, /*element_bytes=*/1, std::as_bytes(std::span(rows)),
                             std::as_writable_bytes(std::span(tiles)));
  if (!done) {
    std::cerr << to_string(done.error()) << "\n";
    return 1;
  }
  std::cout << tiles << "\n";
}
