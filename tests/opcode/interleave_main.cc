// SPDX-License-Identifier: Apache-2.0
// Prints the maps of the root of a program in both directions, or the first error. Usage: PROGRAM
#include <cstdio>
#include <string>

#include "tessera/hlo/indexing.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/walk.h"
#include "tessera/map/index_map.h"

using namespace tessera;

int main(int count, char** arguments) {
  const std::string program = count > 1 ? arguments[1] : "";
  const ParsedModules parsed = parse_hlo(program);
  if (!parsed.ok()) {
    std::puts(std::string(parsed.diagnostics[0].message).c_str());
    return 1;
  }
  const Instruction& root = *parsed.modules.at(0).entry->root;
  for (std::size_t operand = 0; operand < root.operands.size(); ++operand) {
    const auto read = output_to_input(root, {.output = 0, .operand = operand});
    if (!read || read->size() != 1) return 2;
    std::printf("to operand %zu: %s\n", operand, to_string(read->front().map).c_str());
  }
  for (std::size_t operand = 0; operand < root.operands.size(); ++operand) {
    const auto readers = input_to_output(root, {.output = 0, .operand = operand});
    if (!readers || readers->size() != 1) return 2;
    std::printf("from operand %zu: %s\n", operand, to_string(readers->front().map).c_str());
  }
  return 0;
}
