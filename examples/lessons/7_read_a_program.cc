// SPDX-License-Identifier: Apache-2.0
// Lesson 7: read a program.
#include <iostream>

#include "report/indexing_text.h"
#include "tessera/hlo/analyze.h"
#include "tessera/hlo/parser.h"

using namespace tessera;

int main() {
  const ParsedModules program = parse_hlo(read_file("examples/hlo/transformer_block.hlo").value());
  analyze(program.modules[0], {.op = "qkv.product"},
          [](InstructionIndexing&& maps) { std::cout << to_text(maps); });
}
