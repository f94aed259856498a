// SPDX-License-Identifier: Apache-2.0
// The two pictures that Triton and Gluon print of a register layout.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/index_walk.h"
#include "base/try.h"
#include "notation/limits.h"
#include "tessera/notation/triton_layout.h"

namespace tessera {
namespace {

Index size_of(const TritonBases& bases, std::string_view input) { return Index{1} << bases.of(input).size(); }

Result<std::string> view_of_tensor(const TritonBases& bases) {
  const Index lanes = size_of(bases, "lane");
  const bool blocks = !bases.of("block").empty();
  std::vector<std::vector<std::string>> cells;
  std::size_t width = 0;
  std::vector<Index> index(bases.shape.size(), 0);
  do {
    TESSERA_TRY(holders, triton_holders(bases, index, detail::kNotationLimits.triton.registers));
    std::vector<std::string>& cell = cells.emplace_back();
    for (const TritonPlace& place : holders.places) {
      cell.push_back((blocks ? fmt::format("B{}:", place.block) : std::string()) +
                     fmt::format("T{}:{}", place.lane + lanes * place.warp, place.reg));
      width = std::max(width, cell.back().size());
    }
  } while (detail::next_index(index, bases.shape));
  std::string text;
  const std::size_t rank = bases.shape.size();
  std::fill(index.begin(), index.end(), 0);
  for (const std::vector<std::string>& cell : cells) {
    const auto zeros = static_cast<std::size_t>(
        std::find_if(index.rbegin(), index.rend(), [](Index n) { return n != 0; }) - index.rbegin());
    if (zeros > 0) text += std::string(zeros, '[') + std::string(rank - zeros, ' ');
    for (std::size_t i = 0; i < cell.size(); ++i)
      text += fmt::format("{}{:>{}}", i > 0 ? "|" : "", cell[i], width);
    const bool more = detail::next_index(index, bases.shape);
    const auto closed =
        more
            ? static_cast<std::size_t>(
                  std::find_if(index.rbegin(), index.rend(), [](Index n) { return n != 0; }) - index.rbegin())
            : rank;
    text += std::string(closed, ']');
    if (more) text += closed > 0 ? "\n" : ", ";
  }
  return text;
}

Result<std::string> view_of_hardware(const TritonBases& bases) {
  const Index blocks = size_of(bases, "block");
  std::vector<std::size_t> widths;
  for (const Index extent : bases.shape) widths.push_back(std::to_string(extent - 1).size());
  std::string text;
  for (Index block = 0; block < blocks; ++block) {
    if (blocks > 1) text += fmt::format("Block{}:\n", block);
    for (Index warp = 0; warp < size_of(bases, "warp"); ++warp) {
      text += fmt::format("Warp{}:\n", warp);
      for (Index reg = 0; reg < size_of(bases, "register"); ++reg) {
        for (Index lane = 0; lane < size_of(bases, "lane"); ++lane) {
          TESSERA_TRY(element, triton_element(bases, std::vector<Index>{reg, lane, warp, block}));
          text += lane > 0 ? ", (" : "(";
          for (std::size_t d = 0; d < element.size(); ++d)
            text += fmt::format("{}{:>{}}", d > 0 ? "," : "", element[d], widths[d]);
          text += ")";
        }
        text += "\n";
      }
    }
  }
  text.pop_back();
  return text;
}

}  // namespace

Result<std::string> triton_view(const TritonBases& bases, TritonView view) {
  if (bases.inputs.empty() || bases.inputs.front().name != "register")
    return fail(Code::not_applicable, "only a layout of registers has these pictures", {},
                "show without --style draws offsets");
  Index registers = 1;  // both pictures print each register of each thread once
  for (const TritonInput& input : bases.inputs) registers <<= input.bases.size();
  if (registers > detail::kNotationLimits.triton.registers)
    return fail(Code::limit,
                fmt::format("the picture has {} registers, but at most {} are printed", registers,
                            detail::kNotationLimits.triton.registers),
                {}, "give a smaller shape, or a layout with fewer copies");
  return view == TritonView::tensor ? view_of_tensor(bases) : view_of_hardware(bases);
}

}  // namespace tessera
