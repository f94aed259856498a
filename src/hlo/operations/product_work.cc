// SPDX-License-Identifier: Apache-2.0
#include "hlo/operations/product_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/saturating.h"
#include "hlo/module/as_size.h"
#include "hlo/operations/window_overlap.h"
#include "hlo/ops/rule.h"
#include "hlo/ops/values.h"
#include "map/image/image_union.h"

namespace tessera::detail {
namespace {

// The type of the products: the one with more bits.
DType wider(const HloType& a, const HloType& b) {
  return bit_width(a.array().dtype) >= bit_width(b.array().dtype) ? a.array().dtype : b.array().dtype;
}

// A multiplication and an addition for each pair of elements.
Work products(DType type, const Count& pairs) {
  const Index each = dtype_class(type) == DTypeClass::complex ? 8 : 2;
  Work out;
  out.add(OperationKind::product, type, product_of(pairs, {each, each}));
  return out;
}

Work erroneous() {
  Work out;
  out.add_unknown("the instruction has an error");
  return out;
}

// The product of the extents of these dimensions.
Count extent_product(const TensorType& type, const std::vector<Index>& dims) {
  Count out{1, 1};
  for (const Index dim : dims) {
    const std::size_t i = as_size(dim);
    Count extent{type.dims[i], type.dims[i]};
    if (type.dim_kind(i) == DimKind::bounded)
      extent = {0, type.dims[i], "an extent is known only at run time"};
    if (type.dim_kind(i) == DimKind::unbounded)
      extent = {0, std::nullopt, "an extent is known only at run time"};
    out = product_of(out, extent);
  }
  return out;
}

// `"key":["1","2"]` of a configuration in JSON.
std::optional<std::vector<Index>> json_numbers(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(fmt::format("\"{}\":[", key));
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t begin = at + key.size() + 4;
  const std::size_t end = text.find(']', begin);
  if (end == std::string_view::npos) return std::nullopt;
  std::vector<Index> out;
  const char* next = text.data() + begin;
  const char* const last = text.data() + end;
  while (next != last) {
    if (*next == '"' || *next == ',' || *next == ' ') {
      ++next;
      continue;
    }
    Index value = 0;
    const auto [stop, error] = std::from_chars(next, last, value);
    if (error != std::errc()) return std::nullopt;
    out.push_back(value);
    next = stop;
  }
  return out;
}

// Whether the configuration says that a product is neither scaled, nor added to anything, nor processed.
bool is_plain_product(std::string_view config) {
  const auto has = [&](std::string_view text) { return config.find(text) != std::string_view::npos; };
  return (has("\"alpha_real\":1,") || has("\"alpha_real\":1.0,") || has("\"alpha_real\":1}")) &&
         (has("\"beta\":0,") || has("\"beta\":0.0,") || has("\"beta\":0}")) &&
         (!has("\"epilogue\":") || has("\"epilogue\":\"DEFAULT\""));
}

}  // namespace

Count count_elements(const HloType& type) {
  if (type.is_tuple()) {
    Count out{0, 0};
    for (const HloType& element : type.elements()) out = sum(out, count_elements(element));
    return out;
  }
  if (!type.is_array()) return {0, 0};
  const auto all = type.array().element_count();
  if (type.array().is_static() && all) return {*all, *all};
  return {0, all, "an extent is known only at run time"};
}

Work dot_work(const Instruction& op) {
  const auto dot = value_of<DotOp>(op);
  if (dot == nullptr) return erroneous();
  const TensorType& lhs = op.operand_type(0).array();
  const DType type = wider(op.operand_type(0), op.operand_type(1));
  Count pairs = product_of(count_elements(op.type), extent_product(lhs, dot->sides[0].contracting));
  if (op.opcode == Opcode::ragged_dot) {
    const bool by_group = static_cast<const RaggedDotOp&>(*dot).mode == RaggedDotOp::Mode::contracted;
    // Each contracted row belongs to one group at most, and the groups come first in the result.
    if (by_group && op.type.rank() > 0 && op.type.dims()[0] > 0) {
      pairs.upper = pairs.upper ? std::optional(*pairs.upper / op.type.dims()[0]) : std::nullopt;
    }
    pairs = {0, pairs.upper, "which rows belong to a group is data"};
    if (pairs.upper == Index{0}) pairs.reason.clear();
  }
  Work out = products(type, pairs);
  if (op.opcode != Opcode::scaled_dot) return out;
  // One multiplication for each element that has a scale.
  for (std::size_t side = 0; side < 2; ++side) {
    if (op.operands.size() <= side + 2 || op.operand_type(side + 2).rank() == 0) continue;
    out.add(OperationKind::arithmetic, op.operand_type(side).array().dtype,
            count_elements(op.operand_type(side)));
  }
  return out;
}

Work convolution_work(const Instruction& op) {
  const auto convolution = value_of<ConvolutionOp>(op);
  if (convolution == nullptr) return erroneous();
  const ConvolutionDims& dims = convolution->dims;
  const TensorType& in = op.operand_type(0).array();
  const TensorType& kernel = op.operand_type(1).array();
  const TensorType& out = op.type.array();
  Count pairs = product_of(extent_product(out, {dims.output_batch, dims.output_feature}),
                           extent_product(kernel, {dims.kernel_input_feature}));
  for (std::size_t i = 0; i < convolution->axes.size(); ++i) {
    WindowOverlap places = window_overlap(convolution->axes[i]);
    if (in.dim_kind(as_size(dims.input_spatial[i])) != DimKind::fixed ||
        out.dim_kind(as_size(dims.output_spatial[i])) != DimKind::fixed)
      places.pairs = {0, std::nullopt, "an extent is known only at run time"};
    pairs = product_of(pairs, places.pairs);
  }
  return products(wider(op.operand_type(0), op.operand_type(1)), pairs);
}

Work custom_call_work(const Instruction& op) {
  const auto call = value_of<CustomCallOp>(op);
  if (call == nullptr) return erroneous();
  const std::string& target = call->target;
  constexpr std::string_view kMarkers[] = {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape",
                                           "xla.sdy.FuncResultSharding"};
  if (std::ranges::find(kMarkers, target) != std::end(kMarkers)) return {};
  constexpr std::string_view kProducts[] = {"__cublas$gemm", "__cublas$lt$matmul", "__onednn$matmul"};
  Work out;
  const Attribute* const config = op.attribute("backend_config");
  if (std::ranges::find(kProducts, target) != std::end(kProducts) && config != nullptr &&
      op.operands.size() >= 2 && op.operand_type(0).is_array() && op.operand_type(1).is_array()) {
    const TensorType& lhs = op.operand_type(0).array();
    const auto contracted = json_numbers(config->value, "lhs_contracting_dimensions");
    const bool known = contracted && std::ranges::all_of(*contracted, [&](Index dim) {
                         return dim >= 0 && std::cmp_less(dim, lhs.rank());
                       });
    const HloType& result =
        op.type.is_tuple() && !op.type.elements().empty() ? op.type.elements()[0] : op.type;
    if (known && result.is_array()) {
      out = products(wider(op.operand_type(0), op.operand_type(1)),
                     product_of(count_elements(result), extent_product(lhs, *contracted)));
      if (is_plain_product(config->value)) return out;
      out.add_unknown(fmt::format("what {} computes besides its product is not counted", target));
      return out;
    }
  }
  out.add_unknown(fmt::format("the operations of custom call target {} are unknown", target));
  return out;
}

}  // namespace tessera::detail
