// SPDX-License-Identifier: Apache-2.0
#include "transfer/target_order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "base/at_fault.h"
#include "base/index_walk.h"
#include "base/plural.h"
#include "base/try.h"
#include "files/dense.h"
#include "notation/to_digits.h"

namespace tessera::transfer {
namespace {

// The number of dimensions of `{1,0:T(8,128)}`.
std::size_t rank_of(std::string_view text) {
  const std::string_view order = text.substr(1, text.find_first_of(":}") - 1);
  if (order.find_first_not_of(' ') == order.npos) return 0;
  return static_cast<std::size_t>(std::ranges::count(order, ',')) + 1;
}

Result<Layout> layout_for(const TargetTensor& tensor, std::string_view text) {
  if (text == "F") return dense_layout(tensor.dtype, tensor.shape, DenseOrder::fortran, tensor.element_bits);
  TESSERA_TRY(layout, parse_layout(fmt::format("{}[{}]{}", to_string(*tensor.dtype),
                                               fmt::join(tensor.shape, ","), text)));
  const Index bits = memory_bits(layout, *tensor.dtype);
  if (bits != tensor.element_bits) {
    return fail(Code::unsupported_width,
                fmt::format("elements of tensor '{}' have {}, but those of '{}' have {}", tensor.name,
                            detail::plural(tensor.element_bits, "bit"), to_string(layout), bits),
                {}, fmt::format("write E({}) into the layout", tensor.element_bits));
  }
  if (prefix_bytes(layout) != 0)
    return fail(Code::not_applicable, fmt::format("'{}' has bytes before its first element", text), {},
                "leave them out");
  return layout;
}

bool takes_order(const TargetTensor& tensor) { return !tensor.layout && tensor.packed == 1; }

}  // namespace

Result<void> order_targets(std::vector<TargetTensor>& tensors, std::string_view text) {
  const bool dense = text == "C" || text == "F";
  if (!dense && !text.starts_with('{')) {
    return fail(detail::at_fault(
        "layout",
        {.code = Code::bad_option,
         .message = fmt::format("'{}' is not the order of a new tensor", text),
         .help = "C, F, or what follows the shape in XLA's notation: '{1,0:T(8,128)}'; a recipe names "
                 "packings, such as pack:awq"}));
  }
  const std::size_t rank = dense ? 0 : rank_of(text);
  bool used = false;
  for (TargetTensor& tensor : tensors) {
    if (!takes_order(tensor) || !tensor.dtype || (!dense && tensor.shape.size() != rank)) continue;
    used = true;
    if (text == "C") continue;
    TESSERA_TRY(layout, detail::at_fault("layout", layout_for(tensor, text)));
    // Row-major tensors, such as vectors in F, need no layout, which .npy files could not name.
    if (dense_order(layout) == DenseOrder::c) continue;
    TESSERA_NEED(detail::at_fault("layout", tensor.set_layout(layout)));
  }
  if (used || dense) return {};
  return fail(detail::at_fault(
      "layout", {.code = Code::bad_option,
                 .message = fmt::format("no new tensor has {}", detail::plural(rank, "dimension")),
                 .help = "--dry-run shows the shapes of the new tensors"}));
}

Result<void> name_packings(std::vector<TargetTensor>& tensors) {
  for (TargetTensor& tensor : tensors) {
    const std::optional<Index> count = detail::element_count(tensor.shape);
    if (!takes_order(tensor) || tensor.element_bits >= 8 || !count) continue;
    if (tensor.dtype && *count % 8 * tensor.element_bits % 8 == 0) continue;
    const std::string type = tensor.dtype ? std::string(to_string(*tensor.dtype)) : tensor.type_name;
    if (!parse_cell_type(type)) continue;
    for (const std::string_view family : {"pack:low", "pack:low(row=1)"}) {
      TESSERA_TRY(layout,
                  parse_named_layout(fmt::format("{} {}[{}]", family, type, fmt::join(tensor.shape, ","))));
      if (layout.kind() != NamedKind::cells) continue;
      TESSERA_NEED(tensor.set_layout(layout));
      break;
    }
  }
  return {};
}

}  // namespace tessera::transfer
