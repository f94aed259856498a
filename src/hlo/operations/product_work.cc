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
#include "hlo/operations/window_overlap.h"
#include "hlo/syntax/attributes.h"
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

bool are_arrays(const Instruction& op, std::size_t count) {
  if (op.operands.size() < count || !op.type.is_array()) return false;
  for (std::size_t i = 0; i < count; ++i)
    if (!op.operand_type(i).is_array()) return false;
  return true;
}

Work erroneous() {
  Work out;
  out.add_unknown("the instruction has an error");
  return out;
}

// The product of the extents of these dimensions.
std::optional<Count> extent_product(const TensorType& type, const std::vector<Index>& dims) {
  Count out{1, 1};
  for (const Index dim : dims) {
    if (dim < 0 || std::cmp_greater_equal(dim, type.rank())) return std::nullopt;
    const auto i = static_cast<std::size_t>(dim);
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
  const auto contracted = ints_of(op, "lhs_contracting_dims", {});
  if (!are_arrays(op, 2) || !contracted) return erroneous();
  const TensorType& lhs = op.operand_type(0).array();
  const DType type = wider(op.operand_type(0), op.operand_type(1));
  const auto depth = extent_product(lhs, *contracted);
  if (!depth) return erroneous();
  Count pairs = product_of(count_elements(op.type), *depth);
  if (op.opcode == Opcode::ragged_dot) {
    const auto ragged = ints_of(op, "lhs_ragged_dims", {});
    const bool by_group =
        ragged && std::ranges::find(*contracted, ragged->empty() ? -1 : ragged->front()) != contracted->end();
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
  const auto dims = dim_labels_of(op);
  const auto window = window_of(op);
  if (!are_arrays(op, 2) || !dims || !window || window->size() != dims->input_spatial.size() ||
      window->size() != dims->output_spatial.size())
    return erroneous();
  const TensorType& in = op.operand_type(0).array();
  const TensorType& kernel = op.operand_type(1).array();
  const TensorType& out = op.type.array();
  auto pairs = extent_product(out, {dims->output_batch, dims->output_feature});
  const auto features = extent_product(kernel, {dims->kernel_input_feature});
  if (!pairs || !features) return erroneous();
  *pairs = product_of(*pairs, *features);
  for (std::size_t i = 0; i < window->size(); ++i) {
    const auto from = static_cast<std::size_t>(dims->input_spatial[i]);
    const auto to = static_cast<std::size_t>(dims->output_spatial[i]);
    if (from >= in.rank() || to >= out.rank()) return erroneous();
    WindowOverlap places = window_overlap(in.dims[from], out.dims[to], (*window)[i]);
    if (in.dim_kind(from) != DimKind::fixed || out.dim_kind(to) != DimKind::fixed)
      places.pairs = {0, std::nullopt, "an extent is known only at run time"};
    *pairs = product_of(*pairs, places.pairs);
  }
  return products(wider(op.operand_type(0), op.operand_type(1)), *pairs);
}

Work custom_call_work(const Instruction& op) {
  const Attribute* const attribute = op.attribute("custom_call_target");
  const auto target = attribute != nullptr ? read_string(*attribute) : Result<std::string>("");
  if (!target) return erroneous();
  constexpr std::string_view kMarkers[] = {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape",
                                           "xla.sdy.FuncResultSharding"};
  if (std::ranges::find(kMarkers, *target) != std::end(kMarkers)) return {};
  constexpr std::string_view kProducts[] = {"__cublas$gemm", "__cublas$lt$matmul", "__onednn$matmul"};
  Work out;
  const Attribute* const config = op.attribute("backend_config");
  if (std::ranges::find(kProducts, *target) != std::end(kProducts) && config != nullptr &&
      op.operands.size() >= 2 && op.operand_type(0).is_array() && op.operand_type(1).is_array()) {
    const auto contracted = json_numbers(config->value, "lhs_contracting_dimensions");
    const auto depth = contracted ? extent_product(op.operand_type(0).array(), *contracted) : std::nullopt;
    const HloType& result =
        op.type.is_tuple() && !op.type.elements().empty() ? op.type.elements()[0] : op.type;
    if (depth && result.is_array()) {
      out =
          products(wider(op.operand_type(0), op.operand_type(1)), product_of(count_elements(result), *depth));
      if (is_plain_product(config->value)) return out;
      out.add_unknown(fmt::format("what {} computes besides its product is not counted", *target));
      return out;
    }
  }
  out.add_unknown(fmt::format("the operations of custom call target {} are unknown", *target));
  return out;
}

}  // namespace tessera::detail
