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
#include "notation/from_digits.h"

namespace tessera::transfer {
namespace {

// The number of dimensions of `{1,0:T(8,128)}`.
std::size_t rank_of(std::string_view text) {
  const std::string_view order = text.substr(1, text.find_first_of(":}") - 1);
  if (order.find_first_not_of(' ') == order.npos) return 0;
  return static_cast<std::size_t>(std::ranges::count(order, ',')) + 1;
}

// What `--layout` says.
struct Order {
  std::string_view text;
  std::optional<DenseOrder> dense = {};
  std::optional<Layout> whole = {};  // a layout with its own shape
  std::size_t rank = 0;              // of the end of a layout

  bool fits(const TargetTensor& tensor) const {
    if (dense) return true;
    return whole ? std::ranges::equal(whole->shape(), tensor.shape) : tensor.shape.size() == rank;
  }
  std::string needs() const {
    return whole ? fmt::format("the shape ({})", fmt::join(whole->shape(), ","))
                 : detail::plural(rank, "dimension");
  }
};

Result<Order> parse_order(std::string_view text) {
  Order out{.text = text};
  if (text == "C") out.dense = DenseOrder::c;
  if (text == "F") out.dense = DenseOrder::fortran;
  if (out.dense) return out;
  if (text.starts_with('{')) {
    out.rank = rank_of(text);
    if (out.rank > 0) return out;
  } else if (const auto whole = parse_named_or_layout(text); whole && whole->layout && !whole->named) {
    out.whole = whole->layout;
    return out;
  }
  return fail({.code = Code::bad_option,
               .message = fmt::format("'{}' is not the order of a new tensor", text),
               .help = "C, F, what follows the shape in XLA's notation: '{1,0:T(8,128)}', or a layout with "
                       "its shape; a recipe names packings, such as pack:awq"});
}

Result<Layout> layout_for(const TargetTensor& tensor, const Order& order) {
  if (order.dense) return dense_layout(tensor.dtype, tensor.shape, *order.dense, tensor.element_bits);
  const std::string text = order.whole ? std::string(order.text)
                                       : fmt::format("{}[{}]{}", to_string(*tensor.dtype),
                                                     fmt::join(tensor.shape, ","), order.text);
  TESSERA_TRY(layout, parse_layout(text));
  if (layout.dtype() && layout.dtype() != tensor.dtype) {
    return fail(Code::different_type,
                fmt::format("tensor '{}' has elements of {}, but '{}' has elements of {}", tensor.name,
                            to_string(*tensor.dtype), order.text, to_string(*layout.dtype())));
  }
  const Index bits = memory_bits(layout, *tensor.dtype);
  if (bits != tensor.element_bits) {
    return fail(Code::unsupported_width,
                fmt::format("elements of tensor '{}' have {}, but those of '{}' have {}", tensor.name,
                            detail::plural(tensor.element_bits, "bit"), to_string(layout), bits),
                {}, fmt::format("write E({}) into the layout", tensor.element_bits));
  }
  if (prefix_bytes(layout) != 0)
    return fail(Code::not_applicable, fmt::format("'{}' has bytes before its first element", order.text), {},
                "leave them out");
  return layout;
}

bool takes_order(const TargetTensor& tensor) { return !tensor.layout && tensor.packed == 1; }

}  // namespace

Result<void> order_targets(std::vector<TargetTensor>& tensors, std::string_view text,
                           std::vector<std::string>& notes) {
  TESSERA_TRY(order, detail::at_fault("layout", parse_order(text)));
  bool used = false;
  for (TargetTensor& tensor : tensors) {
    if (!takes_order(tensor) || !order.fits(tensor)) continue;
    if (!tensor.dtype) {
      if (order.dense != DenseOrder::c)
        notes.push_back(fmt::format("tensor '{}' stays row-major, because no element type of a layout is {}",
                                    tensor.name, tensor.type_name));
      continue;
    }
    used = true;
    if (order.dense == DenseOrder::c) continue;
    TESSERA_TRY(layout, detail::at_fault("layout", layout_for(tensor, order)));
    // Row-major tensors, such as vectors in F, need no layout, which .npy files could not name.
    if (dense_order(layout) == DenseOrder::c) continue;
    TESSERA_NEED(detail::at_fault("layout", tensor.set_layout(layout)));
    if (!order.whole || !tensor.order) continue;
    TESSERA_TRY(shared, detail::at_fault("layout", collision(*tensor.order)));
    if (shared) {
      return fail(detail::at_fault(
          "layout", {.code = Code::broadcast,
                     .message = fmt::format("two elements of tensor '{}' share an offset", tensor.name),
                     .witness = fmt::format("({}) and ({})", fmt::join(shared->first, ", "),
                                            fmt::join(shared->second, ", "))}));
    }
  }
  if (used || order.dense) return {};
  return fail(detail::at_fault("layout", {.code = Code::bad_option,
                                          .message = fmt::format("no new tensor has {}", order.needs()),
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
