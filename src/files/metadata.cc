// SPDX-License-Identifier: Apache-2.0
#include "files/metadata.h"

#include <fmt/core.h>

#include <utility>

#include "base/plural.h"
#include "files/dense.h"
#include "tessera/notation/layout.h"

namespace tessera {
namespace {

constexpr std::string_view kLayoutKey = "tessera.layout.";
constexpr std::string_view kTypeKey = "tessera.type.";

const std::string* find_text(const SafetensorsHeader& header, std::string_view key, const std::string& name) {
  const auto found = header.metadata.find(std::string(key) + name);
  return found == header.metadata.end() ? nullptr : &found->second;
}

// The tensor with a named layout from its metadata. Its bytes are those of any array.
Result<FileTensor> with_named_layout(FileTensor tensor, const std::string& text) {
  const auto wrong = [&](const std::string& reason) {
    return fail(Code::bad_file,
                fmt::format("the layout '{}' of tensor '{}' in the metadata {}", text, tensor.name, reason));
  };
  Result<NamedOrLayout> layout = parse_named_or_layout(text);
  if (!layout) return wrong("cannot be read: " + layout.error().message);
  const NamedLayout& named = *layout->named;
  if (named.buffer_bytes() != tensor.end - tensor.begin) {
    return wrong(fmt::format("takes {}, but the tensor has {}", detail::plural(named.buffer_bytes(), "byte"),
                             tensor.end - tensor.begin));
  }
  tensor.dtype = named.type().dtype;
  tensor.element_bits = named.type().bits;
  tensor.layout = std::move(layout->layout);
  // Only the name has the type of elements of 3, 5, 6 and 7 bits.
  if (!tensor.layout || !tensor.dtype) tensor.named = named;
  return tensor;
}

// The header of a tensor in a named layout: its container, and the text of the layout.
SafetensorsHeader named_header(const NamedLayout& named, const std::string& name, Index bytes) {
  const Container& container = named.container();
  StoredTensor stored{
      .name = name, .type_name = "U8", .dtype = DType::u8, .shape = {bytes}, .begin = 0, .end = bytes};
  const std::optional<std::string_view> type =
      container.type.dtype ? safetensors_name(*container.type.dtype) : std::nullopt;
  if (type && *safetensors_bits(*type) % 8 == 0) {
    stored.type_name = *type;
    stored.shape = container.shape;
  }
  SafetensorsHeader header;
  header.metadata.emplace(std::string(kLayoutKey) + name, to_string(named));
  header.tensors.push_back(std::move(stored));
  return header;
}

// The tensor with the layout and type from its metadata.
Result<FileTensor> with_layout(FileTensor tensor, const StoredTensor& stored, const std::string& text,
                               const std::string* type) {
  const auto wrong = [&](const std::string& reason) {
    return fail(Code::bad_file,
                fmt::format("the layout '{}' of tensor '{}' in the metadata {}", text, tensor.name, reason));
  };
  Result<Layout> layout = parse_layout(text);
  if (!layout) return wrong("cannot be read: " + layout.error().message);
  if (layout->dtype()) tensor.dtype = layout->dtype();
  if (type != nullptr) {
    tensor.dtype = parse_dtype(*type);
    if (layout->dtype() && tensor.dtype != layout->dtype())
      return wrong(
          fmt::format("has a different element type from '{}{}', which is {}", kTypeKey, stored.name, *type));
  }
  if (!tensor.dtype || !is_array_type(*tensor.dtype)) return wrong("has no element type");
  // U8 holds the bytes of any type.
  if (stored.type_name != "U8" && safetensors_name(*tensor.dtype) != stored.type_name) {
    return wrong(fmt::format("has elements of {}, but the tensor has elements of {}",
                             to_string(*tensor.dtype), stored.type_name));
  }
  tensor.element_bits = memory_bits(*layout, *tensor.dtype);
  const Result<Index> bytes = file_bytes(*layout, tensor.element_bits);
  if (!bytes) return wrong("cannot be stored: " + bytes.error().message);
  if (*bytes != tensor.end - tensor.begin) {
    return wrong(fmt::format("takes {}, but the tensor has {}", detail::plural(*bytes, "byte"),
                             tensor.end - tensor.begin));
  }
  tensor.layout = std::move(*layout);
  return tensor;
}

}  // namespace

std::optional<NamedLayout> named_layout_of(const FileTensor& tensor) {
  if (tensor.named) return tensor.named;
  if (!tensor.layout || tensor.layout->notation() != Notation::named) return std::nullopt;
  const Result<NamedLayout> named = parse_named_layout(to_string(*tensor.layout));
  return named ? std::optional(*named) : std::nullopt;
}

Result<FileTensor> described_tensor(const SafetensorsHeader& header, const StoredTensor& stored) {
  FileTensor tensor{.name = stored.name, .dtype = stored.dtype};
  tensor.begin = static_cast<Index>(header.data_begin) + stored.begin;
  tensor.end = static_cast<Index>(header.data_begin) + stored.end;
  if (const std::string* text = find_text(header, kLayoutKey, stored.name)) {
    if (is_named_text(*text)) return with_named_layout(std::move(tensor), *text);
    return with_layout(std::move(tensor), stored, *text, find_text(header, kTypeKey, stored.name));
  }
  if (!stored.dtype) {
    return fail(Code::unknown_type, fmt::format("tensor '{}' has elements of the unknown type '{}'",
                                                stored.name, stored.type_name));
  }
  tensor.element_bits = *safetensors_bits(stored.type_name);
  Result<Layout> layout = dense_layout(stored.dtype, stored.shape, DenseOrder::c, tensor.element_bits);
  if (!layout) return fail(layout.error());
  tensor.layout = std::move(*layout);
  return tensor;
}

Result<SafetensorsHeader> describing_header(const FileTensor& tensor) {
  const std::string name = tensor.name.empty() ? "tensor" : tensor.name;
  if (name == "__metadata__")
    return fail(Code::reserved_name, "a tensor cannot be called '__metadata__'", {}, "choose another name");
  if (const std::optional<NamedLayout> named = named_layout_of(tensor))
    return named_header(*named, name, tensor.end - tensor.begin);
  if (!tensor.dtype) {
    return fail(Code::missing_layout, "the element type is unknown, and .safetensors needs one", {},
                "add the type: --type f32");
  }
  const Layout& layout = *tensor.layout;
  const Index bytes = tensor.end - tensor.begin;
  StoredTensor stored{
      .name = name, .type_name = "U8", .dtype = DType::u8, .shape = {bytes}, .begin = 0, .end = bytes};
  SafetensorsHeader header;
  const std::optional<std::string_view> type = safetensors_name(*tensor.dtype);
  const bool own_type = type && *safetensors_bits(*type) == tensor.element_bits;
  if (own_type) stored.type_name = *type;
  if (own_type && dense_order(layout) == DenseOrder::c && prefix_bytes(layout) == 0) {
    // Sizes in the format count bits, but readers refuse a tensor that ends inside a byte.
    if (tensor.element_bits % 8 != 0 && layout.size() % 8 * tensor.element_bits % 8 != 0) {
      return fail(
          Code::not_representable,
          fmt::format("{} elements of {} bits are not whole bytes, as .safetensors requires of type {}",
                      layout.size(), tensor.element_bits, *type),
          {}, "write a raw file, or whole bytes: a layout without E(4)");
    }
    stored.shape.assign(layout.shape().begin(), layout.shape().end());
  } else {
    if (own_type && tensor.element_bits % 8 == 0 && prefix_bytes(layout) == 0) {
      stored.shape = {bytes / (tensor.element_bits / 8)};
    } else {
      stored.type_name = "U8";
    }
    header.metadata.emplace(std::string(kLayoutKey) + name, to_string(layout));
    if (!layout.dtype()) header.metadata.emplace(std::string(kTypeKey) + name, to_string(*tensor.dtype));
  }
  header.tensors.push_back(std::move(stored));
  return header;
}

}  // namespace tessera
