// SPDX-License-Identifier: Apache-2.0
// Any bytes give a report of TTGIR or a diagnostic; errors of operations have a message.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tessera/ttgir/ttgir.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 8192) return 0;
  const auto report = tessera::read_ttgir({reinterpret_cast<const char*>(data), size});
  if (!report) {
    if (report.error().message.empty()) std::abort();
    return 0;
  }
  for (const tessera::TtgirOperation& op : report->operations) {
    if (op.line < 1 || (op.error && op.error->message.empty())) std::abort();
  }
  return 0;
}
