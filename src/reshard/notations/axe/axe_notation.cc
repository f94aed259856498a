// SPDX-License-Identifier: Apache-2.0
// Reads Axe layouts as distributions of their shape: `axe:8x4:S[(2,4,4):(1@dp,1@tp,1)]`.

#include "reshard/distribution_scanner.h"
#include "reshard/distribution_traits.h"
#include "reshard/notations/axe/to_axe.h"
#include "tessera/notation/axe.h"
#include "tessera/reshard/placement_views.h"

namespace tessera::detail {
namespace {

// Where the layout ends: before the word `local` or `on`. Axes follow '@' or '.', never a blank.
std::size_t axe_end(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_white_space(text[at])) continue;
    for (const std::string_view word : {"local", "on"}) {
      const std::size_t after = at + 1 + word.size();
      if (text.substr(at + 1).starts_with(word) && after < text.size() && is_white_space(text[after]))
        return at;
    }
  }
  return text.size();
}

Result<Distribution> read_axe(DistributionScanner& in) {
  const std::size_t begin = in.next();
  const std::string_view text = in.rest().substr(0, axe_end(in.rest()));
  auto layout = parse_axe(text);
  if (!layout) {
    Diagnostic error = std::move(layout.error());
    error.span.begin += static_cast<std::uint32_t>(begin);
    error.span.end += static_cast<std::uint32_t>(begin);
    return fail(std::move(error));
  }
  in.move_to(begin + text.size());
  auto out = distribution_of(*layout);
  if (!out) {
    Diagnostic error = std::move(out.error());
    error.span = in.since(begin);
    return fail(std::move(error));
  }
  out->shape = layout->shape;
  out->notation = DistributionNotation::axe;
  out->body = to_string(*layout);
  out->local.span.reset();
  return out;
}

}  // namespace

const DistributionTraits& axe_distribution() {
  static constexpr DistributionTraits traits = {
      .example = "axe:S[(4,8):(1@x,1)]",
      .claim = is_axe_text,
      .read = read_axe,
      .write = to_axe,
      .says_local = true,
  };
  return traits;
}

}  // namespace tessera::detail
