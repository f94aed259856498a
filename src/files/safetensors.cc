// SPDX-License-Identifier: Apache-2.0
#include "files/safetensors.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/plural.h"
#include "files/header_reader.h"
#include "files/json_reader.h"
#include "files/limits.h"

namespace tessera {

namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::string_view kMetadata = "__metadata__";

struct TypeName {
  std::string_view text;
  DType dtype;
  Index bits;
};
constexpr std::array kTypeNames = {
    TypeName{"BOOL", DType::pred, 8},
    TypeName{"U8", DType::u8, 8},
    TypeName{"I8", DType::s8, 8},
    TypeName{"F8_E5M2", DType::f8e5m2, 8},
    TypeName{"F8_E4M3", DType::f8e4m3fn, 8},
    TypeName{"F8_E8M0", DType::f8e8m0fnu, 8},
    TypeName{"F4", DType::f4e2m1fn, 4},
    TypeName{"F6_E2M3", DType::f6e2m3fn, 6},
    TypeName{"F6_E3M2", DType::f6e3m2fn, 6},
    TypeName{"I16", DType::s16, 16},
    TypeName{"U16", DType::u16, 16},
    TypeName{"F16", DType::f16, 16},
    TypeName{"BF16", DType::bf16, 16},
    TypeName{"I32", DType::s32, 32},
    TypeName{"U32", DType::u32, 32},
    TypeName{"F32", DType::f32, 32},
    TypeName{"F64", DType::f64, 64},
    TypeName{"I64", DType::s64, 64},
    TypeName{"U64", DType::u64, 64},
    TypeName{"C64", DType::c64, 64},
};

const TypeName* find_name(std::string_view text) {
  const auto found = std::ranges::find(kTypeNames, text, &TypeName::text);
  return found == kTypeNames.end() ? nullptr : &*found;
}

// Reads one header. Keeps its text to find the positions of names for diagnostics.
class SafetensorsReader {
 public:
  SafetensorsReader(std::string_view header, Index data_bytes) : header_(header), data_bytes_(data_bytes) {}

  Result<SafetensorsHeader> read() {
    const Span first = place(kLengthBytes, kLengthBytes + 1);
    const JsonCheck check = check_json(header_);
    switch (check.fault) {
      case JsonFault::none:
        break;
      case JsonFault::syntax: {
        const std::size_t end = kLengthBytes + header_.size();
        const std::size_t at = std::min(kLengthBytes + check.at, end);
        return fail(Code::bad_file, "the header is not JSON", place(at, std::min(at + 1, end)));
      }
      case JsonFault::number_range:
        return fail(Code::bad_file, "the header has a number that no type can hold", first);
      case JsonFault::out_of_memory:
        return fail(Code::limit, fmt::format("not enough memory for a header of {} bytes", header_.size()),
                    first, "ulimit -v shows the limit of the process");
    }
    const Json json = parse_json(header_);
    if (!json.is_object()) return fail(Code::bad_file, "the header is not an object", first);
    if (check.repeated_key) {
      return wrong(*check.repeated_key,
                   fmt::format("the header has the key '{}' twice", *check.repeated_key));
    }
    SafetensorsHeader out;
    out.data_begin = kLengthBytes + header_.size();
    for (const auto& [name, value] : json.items()) {
      if (name == kMetadata) {
        if (Result<void> read = read_metadata(value, out); !read) return fail(read.error());
      } else {
        Result<StoredTensor> tensor = read_tensor(name, value);
        if (!tensor) return fail(tensor.error());
        out.tensors.push_back(std::move(*tensor));
      }
    }
    std::ranges::stable_sort(out.tensors, {},
                             [](const StoredTensor& t) { return std::pair(t.begin, t.end); });
    if (Result<void> covered = check_cover(out); !covered) return fail(covered.error());
    return out;
  }

 private:
  // The first occurrence of `name` in quotes.
  Span place_of(std::string_view name) const {
    const std::string quoted = json_string(name);
    const std::size_t found = header_.find(quoted);
    if (found == header_.npos) return place(kLengthBytes, kLengthBytes + 1);
    return place(kLengthBytes + found, kLengthBytes + found + quoted.size());
  }

  Failure wrong(std::string_view name, std::string message, std::string help = {}) const {
    return fail(Code::bad_file, std::move(message), place_of(name), std::move(help));
  }

  Result<void> read_metadata(const Json& value, SafetensorsHeader& out) const {
    if (!value.is_object()) return wrong(kMetadata, "__metadata__ is not an object of strings");
    for (const auto& [key, text] : value.items()) {
      const auto* string = text.get_ptr<const std::string*>();
      if (string == nullptr) return wrong(key, fmt::format("__metadata__ has no string for '{}'", key));
      out.metadata.emplace(key, *string);
    }
    return {};
  }

  static std::optional<std::vector<Index>> integers(const Json& list) {
    if (!list.is_array()) return std::nullopt;
    std::vector<Index> out;
    for (const Json& one : list) {
      const auto* number = one.get_ptr<const Json::number_unsigned_t*>();
      if (number == nullptr || *number > std::uint64_t{kIndexMax}) return std::nullopt;
      out.push_back(static_cast<Index>(*number));
    }
    return out;
  }

  Result<StoredTensor> read_tensor(const std::string& name, const Json& value) const {
    if (!value.is_object()) return wrong(name, fmt::format("tensor '{}' is not an object", name));
    for (const auto& [key, part] : value.items()) {
      if (key != "dtype" && key != "shape" && key != "data_offsets") {
        return wrong(
            name,
            fmt::format("tensor '{}' has an unknown key '{}'; its keys are dtype, shape and data_offsets",
                        name, key));
      }
    }
    for (const char* key : {"dtype", "shape", "data_offsets"}) {
      if (!value.contains(key)) return wrong(name, fmt::format("tensor '{}' has no {}", name, key));
    }
    const auto* type = value.find("dtype")->get_ptr<const std::string*>();
    if (type == nullptr) return wrong(name, fmt::format("the dtype of tensor '{}' is not a string", name));
    StoredTensor out{.name = name, .type_name = *type, .dtype = {}, .shape = {}};
    out.dtype = parse_safetensors_name(out.type_name);
    const auto shape = integers(*value.find("shape"));
    if (!shape) return wrong(name, fmt::format("the shape of tensor '{}' is not a list of extents", name));
    out.shape = *shape;
    const auto offsets = integers(*value.find("data_offsets"));
    if (!offsets || offsets->size() != 2 || offsets->front() > offsets->back()) {
      return wrong(name, fmt::format("the data_offsets of tensor '{}' are not [begin, end]", name));
    }
    out.begin = offsets->front();
    out.end = offsets->back();
    if (out.end > data_bytes_) {
      return wrong(name,
                   fmt::format("tensor '{}' ends at byte {}, but the file has only {} of data", name, out.end,
                               detail::plural(data_bytes_, "byte")),
                   "the file may be truncated");
    }
    return check_size(std::move(out));
  }

  Result<StoredTensor> check_size(StoredTensor tensor) const {
    const std::optional<Index> bits = safetensors_bits(tensor.type_name);
    if (!bits) return tensor;  // a tensor of a newer type cannot be moved, but the others can
    Index total = *bits;
    for (const Index extent : tensor.shape) {
      if (mul_overflows(total, extent, total)) {
        return fail(Code::overflow,
                    fmt::format("the size of tensor '{}' does not fit in 64 bits", tensor.name),
                    place_of(tensor.name));
      }
    }
    if (total % 8 != 0 || total / 8 != tensor.end - tensor.begin) {
      return wrong(tensor.name,
                   fmt::format("tensor '{}' is {}[{}], which takes {}, but its data_offsets give {}",
                               tensor.name, tensor.type_name, fmt::join(tensor.shape, ","),
                               total % 8 == 0 ? detail::plural(total / 8, "byte")
                                              : detail::plural(total, "bit") + ", not whole bytes",
                               tensor.end - tensor.begin));
    }
    return tensor;
  }

  Result<void> check_cover(const SafetensorsHeader& header) const {
    Index end = 0;
    for (const StoredTensor& tensor : header.tensors) {
      if (tensor.begin != end) {
        return wrong(tensor.name,
                     fmt::format("tensor '{}' begins at byte {}, but the tensors before it end at {}",
                                 tensor.name, tensor.begin, end));
      }
      end = tensor.end;
    }
    if (end != data_bytes_) {
      return fail(Code::bad_file,
                  fmt::format("the tensors end at byte {}, but the file has {} of data", end,
                              detail::plural(data_bytes_, "byte")),
                  place(kLengthBytes, kLengthBytes + 1));
    }
    return {};
  }

  std::string_view header_;
  Index data_bytes_;
};

std::size_t read_length(std::string_view bytes) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    length |= std::size_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return length;
}

}  // namespace

Result<SafetensorsHeader> parse_safetensors_header(std::span<const std::byte> file) {
  const std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
  if (bytes.size() < kLengthBytes) {
    return fail(Code::bad_file, "the file ends inside the length of its header", place(bytes.size()));
  }
  const std::size_t length = read_length(bytes);
  if (length > bytes.size() - kLengthBytes) {
    return fail(Code::bad_file,
                fmt::format("the header has {}, but the file has only {} more",
                            detail::plural(length, "byte"), bytes.size() - kLengthBytes),
                place(0, kLengthBytes), "raw bytes need --from LAYOUT and a name without this extension");
  }
  if (length > kFileLimits.safetensors_header) {
    return fail(
        Code::limit,
        fmt::format("the header has {} bytes; the limit is {}", length, kFileLimits.safetensors_header),
        place(0, kLengthBytes));
  }
  const std::string_view header = bytes.substr(kLengthBytes, length);
  if (!header.starts_with('{')) {
    return fail(Code::bad_file, "the header does not begin with '{'",
                place(kLengthBytes, std::min(kLengthBytes + 1, bytes.size())));
  }
  return SafetensorsReader(header, static_cast<Index>(bytes.size() - kLengthBytes - length)).read();
}

std::string to_bytes(const SafetensorsHeader& header) {
  Json json = Json::object();
  if (!header.metadata.empty()) {
    for (const auto& [key, text] : header.metadata) json[std::string(kMetadata)][key] = text;
  }
  for (const StoredTensor& tensor : header.tensors) {
    Json& one = json[tensor.name];
    one["dtype"] = tensor.type_name;
    one["shape"] = tensor.shape;
    one["data_offsets"] = {tensor.begin, tensor.end};
  }
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');
  std::string out;
  for (std::size_t i = 0; i < kLengthBytes; ++i) out += static_cast<char>((text.size() >> (8 * i)) & 0xff);
  return out + text;
}

std::optional<std::string_view> safetensors_name(DType dtype) {
  const auto found = std::ranges::find(kTypeNames, dtype, &TypeName::dtype);
  return found == kTypeNames.end() ? std::nullopt : std::optional(found->text);
}

std::optional<DType> parse_safetensors_name(std::string_view name) {
  const TypeName* const found = find_name(name);
  return found == nullptr ? std::nullopt : std::optional(found->dtype);
}

std::optional<Index> safetensors_bits(std::string_view name) {
  const TypeName* const found = find_name(name);
  return found == nullptr ? std::nullopt : std::optional(found->bits);
}

}  // namespace tessera
