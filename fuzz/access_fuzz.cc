// SPDX-License-Identifier: Apache-2.0
// `LAYOUT;ACCESS`: any bytes either parse as an access of a layout, or give a diagnostic inside the text.
// Small accesses are counted. No fix has more wavefronts than the layout, or fewer than the floor.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "tessera/access/access.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 256) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find(';');
  if (end == std::string_view::npos) return 0;
  const auto layout = tessera::parse_layout(text.substr(0, end));
  if (!layout || layout->size() > 4096) return 0;
  const std::string_view access_text = text.substr(end + 1);
  const tessera::AccessOptions options;
  const auto access = tessera::parse_access(access_text, *layout, options, tessera::whole_layout(*layout));
  if (!access) {
    require(access.error().span.end <= access_text.size() && !access.error().message.empty());
    return 0;
  }
  const std::vector<tessera::Access> accesses = {*access};
  const auto reports = tessera::analyze_accesses(*layout, accesses, options);
  if (!reports) return 0;
  require(reports->floor <= reports->wavefronts && reports->ideal <= reports->wavefronts);
  const auto fixes = tessera::find_fixes(*layout, accesses, options.element_bits, options.target);
  if (!fixes) return 0;
  require(fixes->before == reports->wavefronts);
  require(fixes->best_fix().wavefronts <= fixes->before && fixes->best_fix().wavefronts >= fixes->floor);
  return 0;
}
