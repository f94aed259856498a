// SPDX-License-Identifier: Apache-2.0
// Any bytes either give the calculator's values, or a diagnostic inside the text. The result does not depend
// on whether explanations are requested. Values can be printed; a printed layout, swizzle, tiler or tuple
// parses back to the same value.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tessera/eval/evaluator.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

bool reads_back(const tessera::Value& value) {
  return value.as<tessera::TrackedCoord>() != nullptr || value.as<tessera::TrackedLayout>() != nullptr ||
         value.as<tessera::Swizzle>() != nullptr || value.as<tessera::TrackedTiler>() != nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 1024) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  tessera::Evaluator evaluator;
  const tessera::Evaluation out = evaluator.evaluate(text);
  if (out.error) {
    require(!out.error->message.empty() && out.error->span.begin <= out.error->span.end &&
            out.error->span.end <= text.size());
  } else {
    require(!out.answers.empty() && !out.incomplete);
  }
  tessera::Evaluator explaining;
  const tessera::Evaluation explained = explaining.evaluate(text, /*explain=*/true);
  require(explained.answers.size() == out.answers.size() &&
          explained.error.has_value() == out.error.has_value());
  for (std::size_t i = 0; i < out.answers.size(); ++i) {
    const std::string printed = to_string(out.answers[i].value);
    require(!printed.empty() && printed == to_string(explained.answers[i].value));
    if (!reads_back(out.answers[i].value) || printed.find("()") != std::string::npos) continue;
    const tessera::Evaluation again =
        tessera::Evaluator().evaluate(printed);  // a fresh evaluator has no last answer for `_`
    require(!again.error && to_string(again.answers[0].value) == printed);
  }
  return 0;
}
