// SPDX-License-Identifier: Apache-2.0
#include "transfer/target_order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
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

// The end of a layout for elements of this width, which a new tensor keeps.
std::string with_width(std::string_view end, Index bits) {
  const std::size_t at = std::min(end.find_first_of("SM"), end.rfind('}'));  // E comes before S, SC and M
  return fmt::format("{}{}E({}){}", end.substr(0, at), end.find(':') == end.npos ? ":" : "", bits,
                     end.substr(at));
}

// What tensors have in common, and their names.
using TensorRemarks = std::map<std::string, std::vector<std::string>>;

std::vector<std::string> remark_texts(const TensorRemarks& remarks) {
  std::vector<std::string> out;
  for (const auto& [what, names] : remarks) {
    const std::size_t more = names.size() - 1;
    const std::string others = more == 0 ? "" : fmt::format(" (and {} more)", more);
    out.push_back(fmt::format("tensor '{}'{} {}", names[0], others, what));
  }
  return out;
}

// The layout of a new tensor; nothing if it stays row-major, as `remarks` then say.
Result<std::optional<Layout>> layout_for(const TargetTensor& tensor, const Order& order,
                                         TensorRemarks& remarks) {
  const auto stays = [&](const std::string& why) {
    remarks["stays row-major, because " + why].push_back(tensor.name);
    return std::nullopt;
  };
  if (!tensor.dtype) return stays("no element type of a layout is " + tensor.type_name);
  if (order.dense) return dense_layout(tensor.dtype, tensor.shape, *order.dense, tensor.element_bits);
  const auto parsed = [&](std::string_view end) {
    return parse_layout(fmt::format("{}[{}]{}", to_string(*tensor.dtype), fmt::join(tensor.shape, ","), end));
  };
  TESSERA_TRY(layout, order.whole ? Result<Layout>(*order.whole) : parsed(order.text));
  if (prefix_bytes(layout) != 0)
    return fail(Code::not_applicable, fmt::format("'{}' has bytes before its first element", order.text), {},
                "leave them out");
  if (layout.dtype() && layout.dtype() != tensor.dtype)
    return stays(
        fmt::format("its elements are {}, not {}", to_string(*tensor.dtype), to_string(*layout.dtype())));
  const Index bits = memory_bits(layout, *tensor.dtype);
  if (bits == tensor.element_bits) return layout;
  if (!order.whole) {
    const std::string own = with_width(order.text, tensor.element_bits);
    if (auto narrow = parsed(own)) {
      remarks[fmt::format("takes '{}', because its elements have {}", own,
                          detail::plural(tensor.element_bits, "bit"))]
          .push_back(tensor.name);
      return *std::move(narrow);
    }
  }
  return stays(fmt::format("its elements have {}, not {}", detail::plural(tensor.element_bits, "bit"), bits));
}

bool takes_order(const TargetTensor& tensor) { return !tensor.layout && tensor.packed == 1; }

}  // namespace

Result<void> order_targets(std::vector<TargetTensor>& tensors, std::string_view text,
                           std::vector<std::string>& notes) {
  TESSERA_TRY(order, detail::at_fault("layout", parse_order(text)));
  bool used = false;
  TensorRemarks remarks;
  for (TargetTensor& tensor : tensors) {
    if (!takes_order(tensor) || !order.fits(tensor) || order.dense == DenseOrder::c) continue;
    TESSERA_TRY(layout, detail::at_fault("layout", layout_for(tensor, order, remarks)));
    if (!layout) continue;
    used = true;
    // Row-major tensors, such as vectors in F, need no layout, which .npy files could not name.
    if (dense_order(*layout) == DenseOrder::c) continue;
    TESSERA_NEED(detail::at_fault("layout", tensor.set_layout(*layout)));
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
  const std::vector<std::string> texts = remark_texts(remarks);
  if (used || order.dense) {
    notes.insert(notes.end(), texts.begin(), texts.end());
    return {};
  }
  const std::string none = texts.empty() ? fmt::format("no new tensor has {}", order.needs())
                                         : fmt::format("no new tensor takes '{}'", order.text);
  return fail(
      detail::at_fault("layout", {.code = Code::bad_option,
                                  .message = none,
                                  .notes = texts,
                                  .help = texts.empty() ? "--dry-run shows the shapes of the new tensors"
                                                        : "give a layout of their type and width: in XLA's "
                                                          "notation, E(4) says that elements have 4 bits"}));
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
