// SPDX-License-Identifier: Apache-2.0
#include "transfer/code_tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/at_fault.h"
#include "base/plural.h"
#include "base/try.h"
#include "files/dense.h"
#include "files/metadata.h"
#include "transfer/tensor.h"

namespace tessera {
namespace {

Index data_bytes(const TensorFile& file) { return file.tensor().end - file.tensor().begin; }

std::string container_text(const NamedLayout& named) {
  return fmt::format("{}[{}]", to_string(named.container().type), fmt::join(named.container().shape, ","));
}

// A name given for a tensor whose header has one too.
Result<void> check_same_name(const NamedLayout& given, const NamedLayout& header) {
  if (given == header) return {};
  // Fields of a GGUF block have index spaces of their own.
  if (given.prefix() == "gguf" && header.prefix() == "gguf" && given.family() == header.family()) return {};
  const auto side = [](const NamedLayout& named) { return parse_named_or_layout(to_string(named)); };
  TESSERA_TRY(a, side(given));
  TESSERA_TRY(b, side(header));
  TESSERA_TRY(same, equal(a, b, EqualityNotion::storage));
  if (same.verdict == Verdict::yes) return {};
  return fail(
      Code::bad_option,
      fmt::format("--from and the header are different layouts; the header says '{}'", to_string(header)), {},
      "leave --from out");
}

Result<CodeSide> named_source(const TensorFile& file, const NamedLayout& named) {
  const FileTensor& told = file.tensor();
  if (const std::optional<NamedLayout> header = named_layout_of(told)) {
    TESSERA_NEED(check_same_name(named, *header));
  } else if (told.layout && told.layout->rank() > 1 && dense_order(*told.layout) != DenseOrder::c) {
    return fail(Code::bad_option,
                fmt::format("the tensor is not row-major; the header says '{}'", to_string(*told.layout)), {},
                "a named layout orders the bytes of a row-major array: copy it with --to C first");
  }
  if (data_bytes(file) != named.buffer_bytes()) {
    const std::string stored = told.layout && told.dtype ? fmt::format(" as {}[{}]", to_string(*told.dtype),
                                                                       fmt::join(told.layout->shape(), ","))
                                                         : "";
    return fail(Code::shape_mismatch,
                fmt::format("'{}' has {} of data{}, but '{}' takes {}, as {}", file.path(),
                            detail::plural(data_bytes(file), "byte"), stored, to_string(named),
                            detail::plural(named.buffer_bytes(), "byte"), container_text(named)),
                {}, "check the extents: they are those of the array, not of its container");
  }
  return code_side(named);
}

}  // namespace

Result<CodeSide> source_codes(const TensorFile& file, const std::optional<NamedOrLayout>& from,
                              const ElementHint& hint) {
  const FileTensor& told = file.tensor();
  if (from && from->named) return detail::at_fault("from", named_source(file, *from->named));
  const std::optional<NamedLayout> header = named_layout_of(told);
  if (!from && header) return detail::at_fault("in", named_source(file, *header));
  if (!from && file.format() == FileFormat::gguf && !told.layout) {
    return fail(
        Diagnostic{.code = Code::not_representable,
                   .message = fmt::format("an element of tensor '{}' is not a field of bits", told.name),
                   .reason = "codebook",
                   .help = fmt::format("tessera info {} shows its type", file.path()),
                   .field = "in"});
  }
  TESSERA_TRY(tensor, detail::source_tensor(file, from ? from->layout : std::nullopt, hint, "from",
                                            detail::ElementWidths::codes));
  return code_side(tensor);
}

namespace {

Result<CodeSide> codes_to_write(const CodeSide& source, const std::optional<NamedOrLayout>& to) {
  if (to && to->named) return code_side(*to->named);
  CodeSide side{.layout = {}, .type = source.type, .cell_bits = source.type.bits};
  if (!to) {
    if (!source.type.dtype) {
      NamedFields fields{.prefix = "pack", .family = "low", .type = source.type};
      fields.shape.assign(source.shape().begin(), source.shape().end());
      TESSERA_TRY(named, NamedLayout::make(fields));
      return code_side(named);
    }
    TESSERA_TRY(dense, dense_layout(source.type.dtype, source.shape(), DenseOrder::c, source.cell_bits));
    side.layout.layout = dense;
    side.cell_bits = memory_bits(dense, *source.type.dtype);
    return side;
  }
  side.layout = *to;
  const Layout& layout = *to->layout;
  if (layout.dtype()) {
    const DType dtype = *layout.dtype();
    side.type = {.dtype = dtype,
                 .bits = bit_width(dtype),
                 .is_signed = dtype_class(dtype) == DTypeClass::signed_integer};
    side.cell_bits = memory_bits(layout, dtype);
  } else {
    side.cell_bits = std::max<Index>(8, source.type.bits);
    if (!source.type.dtype) side.type = {.dtype = source.type.is_signed ? DType::s8 : DType::u8, .bits = 8};
  }
  if (const auto bytes = side.bytes(); !bytes) return fail(bytes.error());
  return side;
}

}  // namespace

Result<CodeSide> destination_codes(const CodeSide& source, const std::optional<NamedOrLayout>& to) {
  return detail::at_fault("to", codes_to_write(source, to));
}

std::string container_note(const TensorFile& file, const CodeSide& source) {
  const FileTensor& told = file.tensor();
  if (!source.layout.named || !told.layout || !told.dtype || named_layout_of(told)) return "";
  const Container& container = source.layout.named->container();
  const bool same = std::ranges::equal(told.layout->shape(), container.shape) &&
                    container.type.bits == bit_width(*told.dtype);
  if (same) return "";
  return fmt::format("the tensor is {}[{}], not {}; it has the same number of bytes", to_string(*told.dtype),
                     fmt::join(told.layout->shape(), ","), container_text(*source.layout.named));
}

}  // namespace tessera
