// SPDX-License-Identifier: Apache-2.0
// Reads ScaLAPACK distributions: two-dimensional block-cyclic matrices.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "base/plural.h"
#include "base/try.h"
#include "reshard/distribution_scanner.h"
#include "reshard/distribution_traits.h"
#include "reshard/place_mesh.h"

namespace tessera::detail {
namespace {

struct BlockCyclic {
  std::map<std::string, Index, std::less<>> numbers;  // mb, nb, rsrc, csrc, lld
  std::optional<std::pair<Index, Index>> grid;
  bool column_order = false;
  std::vector<Index> descriptor;

  Index number(std::string_view key, Index otherwise) const {
    const auto found = numbers.find(key);
    return found == numbers.end() ? otherwise : found->second;
  }
};

constexpr std::string_view kDescriptor[] = {"type", "context", "M", "N", "mb", "nb", "rsrc", "csrc", "lld"};

Result<void> read_descriptor(DistributionScanner& in, BlockCyclic& out) {
  const std::size_t begin = in.next();
  TESSERA_NEED(in.need("["));
  TESSERA_TRY(values, in.integers_until("]"));
  const Span span = in.since(begin);
  if (values.size() != std::size(kDescriptor)) {
    return fail(Code::value_count, fmt::format("a descriptor has 9 numbers, not {}", values.size()), span,
                "write desc=[1,context,M,N,MB,NB,RSRC,CSRC,LLD]");
  }
  if (values[0] != 1) {
    return fail(Code::number_range,
                fmt::format("a descriptor of type {} is not a dense block-cyclic matrix", values[0]), span);
  }
  for (std::size_t i = 2; i < 9; ++i) {
    const Index least = i == 4 || i == 5 || i == 8 ? 1 : 0;
    if (values[i] < least) {
      return fail(Code::number_range,
                  fmt::format("{} must be at least {}, not {}", kDescriptor[i], least, values[i]), span);
    }
    if (i >= 4) out.numbers.emplace(kDescriptor[i], values[i]);
  }
  out.descriptor = std::move(values);
  return {};
}

Result<void> read_entry(DistributionScanner& in, BlockCyclic& out) {
  const std::size_t begin = in.next();
  TESSERA_TRY(key, in.name());
  const Span span = in.since(begin);
  TESSERA_NEED(in.need("="));
  if (key == "grid") {
    if (out.grid) return fail(Code::duplicate_name, "grid= is given twice", span);
    TESSERA_TRY(rows, in.at_least(1, "the rows of the grid"));
    TESSERA_NEED(in.need("x"));
    TESSERA_TRY(columns, in.at_least(1, "the columns of the grid"));
    out.grid = {rows, columns};
    return {};
  }
  if (key == "order") {
    if (!in.accept_word("row") && !(out.column_order = in.accept_word("col")))
      return in.expected("row or col");
    return {};
  }
  if (key == "desc") return read_descriptor(in, out);
  const bool block = key == "mb" || key == "nb" || key == "lld";
  if (!block && key != "rsrc" && key != "csrc") {
    return fail(Code::unknown_name, fmt::format("block_cyclic has no '{}'", key), span,
                "the keys are mb, nb, grid, order, rsrc, csrc and lld; desc replaces all but grid and order");
  }
  TESSERA_TRY(value, in.at_least(block ? 1 : 0, key));
  if (!out.numbers.emplace(key, value).second) {
    return fail(Code::duplicate_name, fmt::format("{}= is given twice", key), span);
  }
  return {};
}

Result<Distribution> read_scalapack(DistributionScanner& in) {
  const std::size_t begin = in.next();
  if (!in.accept("block_cyclic(")) return in.expected("'block_cyclic('");
  BlockCyclic cyclic;
  for (bool first = true; !in.accept(")"); first = false) {
    if (!first) TESSERA_NEED(in.need(","));
    TESSERA_NEED(read_entry(in, cyclic));
  }
  const Span span = in.since(begin);
  for (const std::string_view key : {"mb", "nb", "grid"}) {
    if (key == "grid" ? cyclic.grid.has_value() : cyclic.numbers.contains(key)) continue;
    return fail(Code::missing_attribute, fmt::format("{}= is missing", key), span,
                "write, for example, block_cyclic(mb=64, nb=64, grid=2x4)");
  }
  const auto [rows, columns] = *cyclic.grid;
  TESSERA_TRY(mesh, make_mesh({{"p", rows}, {"q", columns}}, span));
  if (cyclic.column_order) {
    std::vector<Index> places;
    for (Index p = 0; p < rows; ++p) {
      for (Index q = 0; q < columns; ++q) places.push_back(p + q * rows);
    }
    TESSERA_NEED(place_mesh(mesh, std::move(places), span));
  }
  Distribution out;
  out.notation = DistributionNotation::scalapack;
  out.rank = 2;
  for (const std::size_t d : {0, 1}) {
    DimCut cut;
    cut.dim = static_cast<Index>(d);
    cut.axes = {d};
    cut.rule = CutRule::cyclic;
    cut.size = cyclic.number(d == 0 ? "mb" : "nb", 1);
    cut.start = cyclic.number(d == 0 ? "rsrc" : "csrc", 0);
    cut.span = span;
    if (cut.start >= mesh.axes[d].size) {
      return fail(Code::index_out_of_range,
                  fmt::format("{} is {}, but the grid has {}", d == 0 ? "rsrc" : "csrc", cut.start,
                              plural(mesh.axes[d].size, d == 0 ? "row" : "column")),
                  span);
    }
    out.cuts.push_back(std::move(cut));
  }
  out.local.storage = LocalLayout::Storage::column;
  out.local.least_pitch = 1;
  if (cyclic.numbers.contains("lld")) out.local.pitch = cyclic.number("lld", 1);
  if (!cyclic.descriptor.empty()) {
    out.shape = {cyclic.descriptor[2], cyclic.descriptor[3]};
    out.body = fmt::format("block_cyclic(desc=[{}], grid={}x{}{})", fmt::join(cyclic.descriptor, ","), rows,
                           columns, is_row_major(mesh) ? "" : ", order=col");
  } else {
    out.body = fmt::format("block_cyclic(mb={}, nb={}, grid={}x{}{}", out.cuts[0].size, out.cuts[1].size,
                           rows, columns, is_row_major(mesh) ? "" : ", order=col");
    for (const std::string_view key : {"rsrc", "csrc", "lld"}) {
      if (const Index value = cyclic.number(key, 0); value != 0)
        out.body += fmt::format(", {}={}", key, value);
    }
    out.body += ")";
  }
  out.mesh = std::move(mesh);
  return out;
}

bool claim_scalapack(std::string_view text) { return text.starts_with("block_cyclic("); }

}  // namespace

const DistributionTraits& scalapack_distribution() {
  static constexpr DistributionTraits traits = {
      .example = "block_cyclic(mb=64, nb=64, grid=2x4)",
      .claim = claim_scalapack,
      .read = read_scalapack,
      .says_local = true,
  };
  return traits;
}

}  // namespace tessera::detail
