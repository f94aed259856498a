// SPDX-License-Identifier: Apache-2.0
#include "transfer/tensor.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/at_fault.h"
#include "base/plural.h"
#include "base/try.h"
#include "files/dense.h"
#include "files/packed_elements.h"
#include "notation/to_digits.h"
#include "tessera/map/judge.h"
#include "tessera/notation/layout.h"
#include "tessera/transfer/copy.h"

namespace tessera {
namespace {

std::string shape_text(const Layout& layout) { return fmt::format("[{}]", fmt::join(layout.shape(), ",")); }

Result<void> same_shape(const Layout& a, std::string_view whose_a, const Layout& b,
                        std::string_view whose_b) {
  if (std::ranges::equal(a.shape(), b.shape())) return {};
  return fail(
      Code::different_shape,
      fmt::format("{} has shape {}, but {} has shape {}", whose_a, shape_text(a), whose_b, shape_text(b)), {},
      "both layouts must describe the same array: give them the same shape");
}

Result<void> same_type(std::optional<DType> a, std::string_view whose_a, std::optional<DType> b,
                       std::string_view whose_b) {
  if (!a || !b || *a == *b) return {};
  return fail(Code::different_type,
              fmt::format("{} has elements of type {}, but {} has elements of type {}", whose_a,
                          to_string(*a), whose_b, to_string(*b)),
              {}, "copy moves bits and never converts numbers; convert them first");
}

// True if two layouts of one shape have equal offsets.
Result<bool> same_function(const Layout& a, const Layout& b, std::string_view from_option) {
  if (a == b) return true;
  const Result<Digits> a_digits = to_digits(a);
  const Result<Digits> b_digits = to_digits(b);
  if (a_digits && b_digits) return *a_digits == *b_digits;
  // to_digits fails with not_representable only if a layout has no digits. If only one of two layouts has
  // digits, they differ.
  const auto has_none = [](const Result<Digits>& digits) {
    return !digits && digits.error().code == Code::not_representable;
  };
  if ((a_digits && has_none(b_digits)) || (b_digits && has_none(a_digits))) return false;
  const Verdict verdict = equal(lower(a), lower(b)).verdict;
  if (verdict == Verdict::undecided) {
    return fail(Code::undecided, fmt::format("cannot decide whether {} agrees with the header", from_option),
                {}, fmt::format("leave {} out", from_option));
  }
  return verdict == Verdict::yes;
}

Result<void> check_width(Index bits) {
  if (bits > 0 && (bits % 8 == 0 || Packing::valid(bits))) return {};
  return fail(Code::unsupported_width,
              fmt::format("elements of {} cannot be moved", detail::plural(bits, "bit")), {},
              "elements are whole bytes, or 1, 2 or 4 bits");
}

Result<void> check_size(const TensorFile& file, const Layout& layout, Index bits) {
  const Result<Index> needed = file_bytes(layout, bits);
  if (!needed) return fail(needed.error());
  const Index there = file.tensor().end - file.tensor().begin;
  if (there < *needed) {
    return fail(Code::buffer_too_small,
                fmt::format("'{}' has {} of data, but the layout needs {}", file.path(),
                            detail::plural(there, "byte"), *needed),
                {}, "check that the layout and the type are those that the file was written with");
  }
  // Layouts in notations without a buffer are views, which may be shorter than their memory.
  if (there > *needed && layout.allocated_elements()) {
    return fail(Code::bad_file,
                fmt::format("'{}' has {} of data, but the array needs only {}, padding included", file.path(),
                            detail::plural(there, "byte"), *needed),
                {},
                "check the layout and the type; for a view of a longer buffer use strides, np:(2,3):(8,1)");
  }
  return {};
}

}  // namespace

Result<Tensor> source_tensor(const TensorFile& file, const std::optional<Layout>& from,
                             const ElementHint& hint) {
  return detail::source_tensor(file, from, hint, "from");
}

Result<Tensor> detail::source_tensor(const TensorFile& file, const std::optional<Layout>& from,
                                     const ElementHint& hint, std::string_view from_argument,
                                     ElementWidths widths) {
  const FileTensor& told = file.tensor();
  const std::string from_option = fmt::format("--{}", from_argument);
  // What errors about the layout are about, and those about the type.
  const std::string_view layout_argument = from ? from_argument : "in";
  const std::string_view type_argument = hint.dtype ? "type" : layout_argument;
  if (!from && !told.layout) {
    return fail(at_fault("in", {.code = Code::missing_layout,
                                .message = fmt::format("'{}' has no header with a layout", file.path()),
                                .help = "add the layout: --from 'f32[4,8]{1,0}'"}));
  }
  if (from && told.layout) {
    TESSERA_NEED(at_fault(from_argument, same_shape(*from, from_option, *told.layout, "the header")));
    TESSERA_NEED(at_fault(type_argument, same_type(from->dtype(), hint.dtype ? "--type" : from_option,
                                                   told.dtype, "the header")));
    TESSERA_TRY(same, at_fault(from_argument, same_function(*from, *told.layout, from_option)));
    if (!same) {
      return fail(at_fault(
          from_argument,
          {.code = Code::bad_option,
           .message = fmt::format("{} and the header give elements different offsets; the header says '{}'",
                                  from_option, to_string(*told.layout)),
           .help = fmt::format("leave {} out", from_option)}));
    }
  }
  Tensor tensor{.layout = from ? *from : *told.layout};
  tensor.dtype = tensor.layout.dtype() ? tensor.layout.dtype() : told.dtype;
  TESSERA_NEED(at_fault("type", same_type(hint.dtype, "--type", tensor.dtype,
                                          from ? std::string_view(from_option) : "the header")));
  if (!tensor.dtype) tensor.dtype = hint.dtype;
  if (!tensor.dtype && told.element_bits == 0 && hint.bytes == 0) tensor.dtype = hint.fallback_dtype;
  if (tensor.dtype) {
    tensor.element_bits = memory_bits(tensor.layout, *tensor.dtype);
  } else {
    const Index own = tensor.layout.element_bits().value_or(0);
    tensor.element_bits = own > 0 ? own : told.element_bits > 0 ? told.element_bits : 8 * hint.bytes;
  }
  const auto own_bits = tensor.layout.dtype() ? std::nullopt : tensor.layout.element_bits();
  if (own_bits && *own_bits != tensor.element_bits) {
    return fail(at_fault(
        layout_argument,
        {.code = Code::different_type,
         .message = fmt::format("the elements have {} according to the layout, but {} according to {}",
                                detail::plural(*own_bits, "bit"), tensor.element_bits,
                                hint.dtype ? "--type" : "the header"),
         .help = "give the layout of elements of the same width"}));
  }
  if (tensor.element_bits == 0) {
    return fail(at_fault("in", {.code = Code::missing_layout,
                                .message = fmt::format("the element width of '{}' is unknown", file.path()),
                                .help = "add the type, --type f32, or the width, --bytes 4"}));
  }
  for (const Index bits : {told.element_bits, 8 * hint.bytes}) {
    if (bits != 0 && bits != tensor.element_bits) {
      const bool header = bits == told.element_bits;
      return fail(at_fault(
          header ? type_argument : "bytes",
          {.code = Code::different_type,
           .message = fmt::format("the elements have {} according to {}, but {} according to {}",
                                  detail::plural(bits, "bit"), header ? "the header" : "--bytes",
                                  tensor.element_bits, tensor.dtype ? "their type" : "the header"),
           .help = header ? "leave out the type, or give one of the same width" : "leave out --bytes"}));
    }
  }
  if (widths == ElementWidths::cells)
    TESSERA_NEED(at_fault(layout_argument, check_width(tensor.element_bits)));
  TESSERA_NEED(at_fault(layout_argument, check_size(file, tensor.layout, tensor.element_bits)));
  return tensor;
}

namespace {

Result<Tensor> tensor_to_write(const Tensor& source, const std::optional<Layout>& to) {
  if (!to) {
    Result<Layout> dense =
        dense_layout(source.dtype, source.layout.shape(), DenseOrder::c, source.element_bits);
    if (!dense) return fail(dense.error());
    return Tensor{std::move(*dense), source.dtype, source.element_bits};
  }
  if (auto same = same_shape(source.layout, "the source", *to, "--to"); !same) return fail(same.error());
  if (auto same = same_type(source.dtype, "the source", to->dtype(), "--to"); !same)
    return fail(same.error());
  Tensor tensor{*to, to->dtype() ? to->dtype() : source.dtype, source.element_bits};
  // E(4) means packed; a type alone means whole bytes. A layout without a type takes the source's width. It
  // cannot express packing, so packed elements become bytes.
  if (to->dtype()) {
    tensor.element_bits = memory_bits(*to, *to->dtype());
  } else if (const auto own = to->element_bits()) {
    tensor.element_bits = *own;
  } else if (tensor.is_packed()) {
    tensor.element_bits = 8;
  }
  if (auto width = check_width(tensor.element_bits); !width) return fail(width.error());
  const bool packs =
      source.is_packed() != tensor.is_packed() && std::max(source.element_bits, tensor.element_bits) == 8;
  if (source.element_bits != tensor.element_bits && !packs) {
    return fail(
        Code::unsupported_width,
        fmt::format("elements of {} cannot become elements of {}", detail::plural(source.element_bits, "bit"),
                    detail::plural(tensor.element_bits, "bit")),
        {}, "the widths must be equal, or one must be a byte and the other 1, 2 or 4 bits");
  }
  if (const Result<Index> bytes = file_bytes(*to, tensor.element_bits); !bytes) return fail(bytes.error());
  return tensor;
}

}  // namespace

Result<Tensor> destination_tensor(const Tensor& source, const std::optional<Layout>& to) {
  return detail::at_fault("to", tensor_to_write(source, to));
}

Index moved_bytes(const Tensor& source, const Tensor& destination) {
  return std::max<Index>(1, std::max(source.element_bits, destination.element_bits) / 8);
}

}  // namespace tessera
