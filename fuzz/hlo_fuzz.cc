// SPDX-License-Identifier: Apache-2.0
// Any bytes give a module or a diagnostic. Without errors, parse -> print -> parse gives the same module.
// With or without errors, the module is indexed in both directions.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "hlo/syntax/attributes.h"
#include "hlo/syntax/literal.h"
#include "laws/hlo_laws.h"

namespace {

void require(const std::string& broken) {
  if (broken.empty()) return;
  std::fprintf(stderr, "%s\n", broken.c_str());
  std::abort();
}

/// The most instructions of a module that is indexed. A larger module costs seconds and finds nothing more.
constexpr std::size_t kMaxInstructions = 200;

void index(const tessera::HloModule& module) {
  std::size_t instructions = 0;
  for (const auto& computation : module.computations) instructions += computation->instructions.size();
  if (instructions > kMaxInstructions) return;
  require(check_indexed(module, tessera::IndexingDirection::output_to_input));
  require(check_indexed(module, tessera::IndexingDirection::input_to_output));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const tessera::ParsedModules parsed = tessera::parse_hlo(text);
  require(tessera::check_parsed(parsed));
  require(tessera::check_round_trip(parsed));
  for (const tessera::HloModule& module : parsed.modules) {
    (void)tessera::to_string(module);  // even after errors
    for (const auto& computation : module.computations) {
      for (const auto& instruction : computation->instructions) {
        (void)tessera::integer_splat(*instruction);
        (void)tessera::window_of(*instruction);
        (void)tessera::replica_groups_of(*instruction);
      }
    }
    index(module);
  }
  return 0;
}
