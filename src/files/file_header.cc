// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "files/dense.h"
#include "files/metadata.h"
#include "files/npy.h"
#include "tessera/files/tensor_file.h"
#include "tessera/notation/layout.h"

namespace tessera {
namespace {

Failure not_in_npy(std::string message,
                   std::string help = "write a .safetensors or a raw file, which can have any layout") {
  return fail(Diagnostic{.code = Code::not_representable,
                         .message = std::move(message) + " (npy)",
                         .reason = "npy",
                         .help = std::move(help)});
}

Result<std::string> header_of_npy(const FileTensor& tensor) {
  // A named layout: its container. The format has no place for the name.
  if (const std::optional<NamedLayout> named = named_layout_of(tensor)) {
    const Container& container = named->container();
    if (container.type.dtype) return npy_header(*container.type.dtype, container.shape, false);
    return npy_header(DType::u8, std::vector<Index>{named->buffer_bytes()}, false);
  }
  if (!tensor.dtype) {
    return fail(Code::missing_layout, "the element type is unknown, and .npy needs one", {},
                "add the type: --type f32");
  }
  const Layout& layout = *tensor.layout;
  const std::optional<DenseOrder> order = dense_order(layout);
  if (!order || prefix_bytes(layout) != 0) {
    return not_in_npy(
        fmt::format("a .npy file is row-major or column-major without padding, not '{}'", to_string(layout)));
  }
  const Index width = ceil_div(Index{bit_width(*tensor.dtype)}, Index{8}) * 8;
  if (tensor.element_bits != width) {
    return not_in_npy(fmt::format("elements of type {} have {} bits in a .npy file, not {}",
                                  to_string(*tensor.dtype), width, tensor.element_bits),
                      fmt::format("write whole bytes, --to '{}[{}]'", to_string(*tensor.dtype),
                                  fmt::join(layout.shape(), ",")));
  }
  return npy_header(*tensor.dtype, layout.shape(), *order == DenseOrder::fortran);
}

}  // namespace

Index memory_bits(const Layout& layout, DType dtype) {
  if (layout.notation() == Notation::named) return layout.element_bits().value_or(bit_width(dtype));
  const TensorType* const type = layout.tensor_type();
  if (type != nullptr && type->layout && type->layout->element_bits > 0) return type->layout->element_bits;
  return ceil_div(Index{bit_width(dtype)}, Index{8}) * 8;
}

Index prefix_bytes(const Layout& layout) {
  const TensorType* const type = layout.tensor_type();
  return type != nullptr && type->layout ? type->layout->metadata_prefix_bytes : 0;
}

Result<Index> file_bytes(const Layout& layout, Index element_bits) {
  const Result<Index> cells = layout.buffer_size();
  if (!cells) return fail(cells.error());
  Index bits = 0;
  Index bytes = 0;
  if (mul_overflows(*cells, element_bits, bits) || bits > kIndexMax - 7 ||
      add_overflows(ceil_div(bits, Index{8}), prefix_bytes(layout), bytes)) {
    return fail(Code::overflow, "the byte size of the layout does not fit in 64 bits");
  }
  return bytes;
}

Result<std::string> file_header(FileFormat format, const FileTensor& tensor) {
  if (format == FileFormat::raw) return std::string();
  if (format == FileFormat::npy) return header_of_npy(tensor);
  if (format == FileFormat::gguf) {
    return fail(Code::bad_option, "GGUF files can be read, but not written", {},
                "write .safetensors, or a raw file with the blocks");
  }
  Result<SafetensorsHeader> header = describing_header(tensor);
  if (!header) return fail(header.error());
  return to_bytes(*header);
}

}  // namespace tessera
