// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "relayout/kernels/kernel.h"
#include "tessera/relayout/plan.h"

namespace tessera {
namespace {

constexpr std::array kNames = {std::pair(Isa::automatic, std::string_view("auto")),
                               std::pair(Isa::scalar, std::string_view("scalar")),
                               std::pair(Isa::sse4, std::string_view("sse4")),
                               std::pair(Isa::avx2, std::string_view("avx2")),
                               std::pair(Isa::avx512, std::string_view("avx512")),
                               std::pair(Isa::avx512_dl, std::string_view("avx512_dl")),
                               std::pair(Isa::neon, std::string_view("neon"))};

}  // namespace

std::string_view to_string(Isa isa) { return kNames[static_cast<std::size_t>(isa)].second; }

Result<Isa> parse_isa(std::string_view name) {
  for (const auto& [isa, word] : kNames) {
    if (word != name) continue;
    if (moving::isa_available(isa)) return isa;
    break;
  }
  std::vector<std::string_view> words;
  for (const Isa isa : available_isas()) words.push_back(to_string(isa));
  return fail(Code::bad_option, fmt::format("no kernels for '{}' on this machine", name), {},
              fmt::format("choose auto, {}", fmt::join(words, ", ")));
}

std::vector<Isa> available_isas() {
  std::vector<Isa> isas;
  for (const auto& [isa, word] : kNames) {
    if (isa != Isa::automatic && moving::isa_available(isa)) isas.push_back(isa);
  }
  return isas;
}

Isa default_isa() {
  // Read once: a program's environment does not change, and plans are made often.
  static const Isa isa = [] {
    const char* name = std::getenv("TESSERA_ISA");
    const auto named = parse_isa(name != nullptr ? name : "auto");
    return named && *named != Isa::automatic ? *named : moving::best_isa();
  }();
  return isa;
}

}  // namespace tessera
