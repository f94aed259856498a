// SPDX-License-Identifier: Apache-2.0
#include "hlo/check/windowed_dims.h"

#include <fmt/core.h>

namespace tessera::detail {
namespace {

// (n - 1) * step + 1: the extent of n elements `step` apart; 0 if n is 0.
std::optional<Index> dilated(Index n, Index step) {
  if (n == 0) return 0;
  const auto span = checked_mul(n - 1, step);
  return span ? checked_add(*span, 1) : std::nullopt;
}

std::optional<Index> places(const WindowDim& dim, Index extent) {
  const auto base = dilated(extent, dim.lhs_dilate);
  const auto size = dilated(dim.size, dim.rhs_dilate);
  if (!base || !size) return std::nullopt;
  auto padded = checked_add(*base, dim.pad_low);
  if (padded) padded = checked_add(*padded, dim.pad_high);
  if (!padded) return std::nullopt;
  const auto room = checked_sub(*padded, *size);
  if (!room) return std::nullopt;
  return *room < 0 || *padded <= 0 ? 0 : *room / dim.stride + 1;
}

}  // namespace

Problem windowed_dims(const OpReader& reader, std::span<const WindowDim> window, std::span<const Index> dims,
                      std::vector<Index>& out) {
  if (window.size() != dims.size()) {
    return reader.wrong_attribute(
        Code::rank_mismatch, "window",
        fmt::format("the window has {}, but it needs {}", plural(window.size(), "dimension"), dims.size()));
  }
  for (std::size_t i = 0; i < window.size(); ++i) {
    const WindowDim& dim = window[i];
    const char* const wrong = dim.size < 1         ? "size"
                              : dim.stride < 1     ? "stride"
                              : dim.lhs_dilate < 1 ? "lhs_dilate"
                              : dim.rhs_dilate < 1 ? "rhs_dilate"
                                                   : nullptr;
    if (wrong != nullptr) {
      return reader.wrong(
          Code::bad_attribute,
          fmt::format("the size, stride and dilations of window dimension {} must be at least 1, "
                      "but they are size {}, stride {}, lhs_dilate {}, rhs_dilate {}",
                      i, dim.size, dim.stride, dim.lhs_dilate, dim.rhs_dilate),
          window_span(reader.instruction(), wrong, i));
    }
    const auto extent = places(dim, dims[i]);
    if (!extent) {
      return reader.wrong_attribute(
          Code::overflow, "window",
          fmt::format("the padded extent of window dimension {} does not fit in 64 bits", i));
    }
    out.push_back(*extent);
  }
  return std::nullopt;
}

}  // namespace tessera::detail
