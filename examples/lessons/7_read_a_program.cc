// SPDX-License-Identifier: Apache-2.0
// Lesson 7: read a program.
#include <iostream>

#include "tessera/hlo/analyze.h"
#include "tessera/hlo/module.h"
#include "tessera/text/index_map.h"

using namespace tessera;

int main() {
  const ParsedModules program = parse_hlo(read_file("examples/hlo/transformer_block.hlo").value());
  analyze(program.modules[0], {.op = "qkv.product"}, [](InstructionIndexing&& instruction) {
    for (const PairIndexing& pair : instruction.pairs) {
      for (const Indexing& one : pair.maps) {
        std::cout << "operand id = " << pair.operand << ' ' << to_string(one.map) << '\n';
      }
    }
  });
}
