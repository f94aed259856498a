// SPDX-License-Identifier: Apache-2.0
#include "files/gguf.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/plural.h"
#include "base/printable.h"
#include "base/try.h"
#include "files/byte_cursor.h"
#include "files/limits.h"

namespace tessera {
namespace {

constexpr std::string_view kGgufMagic = "GGUF";
constexpr std::string_view kAlignment = "general.alignment";
// The bytes of the shortest key (an empty name and a value of one byte) and tensor (a scalar without a name).
constexpr std::size_t kLeastKey = 8 + 4 + 1;
constexpr std::size_t kLeastTensor = 8 + 4 + 4 + 8;

// The types of values, by number. Strings and arrays have no fixed size.
struct ValueType {
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array kValueTypes = {ValueType{"u8", 1},    ValueType{"s8", 1},   ValueType{"u16", 2},
                                    ValueType{"s16", 2},   ValueType{"u32", 4},  ValueType{"s32", 4},
                                    ValueType{"f32", 4},   ValueType{"bool", 1}, ValueType{"string", 0},
                                    ValueType{"array", 0}, ValueType{"u64", 8},  ValueType{"s64", 8},
                                    ValueType{"f64", 8}};
constexpr std::uint32_t kU32 = 4;
constexpr std::uint32_t kF32 = 6;
constexpr std::uint32_t kBool = 7;
constexpr std::uint32_t kString = 8;
constexpr std::uint32_t kArray = 9;
constexpr std::uint32_t kF64 = 12;
bool is_signed(std::uint32_t type) { return type == 1 || type == 3 || type == 5 || type == 11; }

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = detail::utf8_length(text, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

// A name in a message: names come from untrusted files.
std::string shown(std::string_view name) {
  return detail::printable(name.size() > kFileLimits.gguf_shown ? name.substr(0, kFileLimits.gguf_shown)
                                                                : name);
}

Index rounded_up(Index value, Index alignment) { return ceil_div(value, alignment) * alignment; }

class GgufReader {
 public:
  explicit GgufReader(std::string_view file) : file_bytes_(file.size()), in_(file) {}

  Result<GgufHeader> read() {
    TESSERA_TRY(counts, read_counts());
    out_.metadata.reserve(counts.keys);
    std::unordered_set<std::string_view> names;
    for (std::size_t i = 0; i < counts.keys; ++i) TESSERA_NEED(read_key(names));
    out_.tensors.reserve(counts.tensors);
    names.clear();
    for (std::size_t i = 0; i < counts.tensors; ++i) TESSERA_NEED(read_tensor(names));
    out_.data_begin = static_cast<std::size_t>(rounded_up(static_cast<Index>(in_.at()), out_.alignment));
    TESSERA_NEED(place_tensors());
    return std::move(out_);
  }

 private:
  struct Counts {
    std::size_t tensors = 0;
    std::size_t keys = 0;
  };

  Failure wrong(std::string message, Span span, std::string help = {}) const {
    return fail(Code::bad_file, std::move(message), span, std::move(help));
  }
  Failure ends_inside(std::string_view what) const {
    return wrong(fmt::format("the file ends inside {}", what), in_.here(), "the file may be truncated");
  }

  Result<Counts> read_counts() {
    if (in_.left() < kGgufMagic.size() || in_.take(kGgufMagic.size()) != kGgufMagic) {
      return wrong("this is not a GGUF file: it does not begin with 'GGUF'",
                   far_place(0, std::min(file_bytes_, kGgufMagic.size())),
                   "raw bytes need --from LAYOUT and a name without this extension");
    }
    const auto version = in_.number<std::uint32_t>();
    if (!version) return ends_inside("its header");
    if ((*version & 0xffff) == 0 && *version != 0) {
      return fail(Code::byte_order, "the file is big-endian", in_.last(4),
                  "convert it to little-endian with gguf-py: gguf-convert-endian FILE little");
    }
    if (*version != 2 && *version != 3) {
      return wrong(fmt::format("version {} of GGUF is unknown; versions 2 and 3 can be read", *version),
                   in_.last(4));
    }
    out_.version = *version;
    const auto tensors = in_.number<std::uint64_t>();
    if (!tensors) return ends_inside("its header");
    if (*tensors > in_.left() / kLeastTensor) return too_many("tensor", *tensors, in_.last(8));
    const auto keys = in_.number<std::uint64_t>();
    if (!keys) return ends_inside("its header");
    if (*keys > in_.left() / kLeastKey) return too_many("key", *keys, in_.last(8));
    return Counts{static_cast<std::size_t>(*tensors), static_cast<std::size_t>(*keys)};
  }

  Failure too_many(std::string_view what, std::uint64_t count, Span span) const {
    return wrong(fmt::format("the header says that it has {}, but the file has only {} more",
                             detail::plural(count, what), detail::plural(in_.left(), "byte")),
                 span, "the file may be truncated");
  }

  Result<std::string_view> read_string(std::string_view what) {
    const auto length = in_.number<std::uint64_t>();
    if (!length) return ends_inside(what);
    if (*length > in_.left()) {
      return wrong(fmt::format("{} has {}, but the file has only {} more", what,
                               detail::plural(*length, "byte"), in_.left()),
                   in_.last(8), "the file may be truncated");
    }
    return in_.take(static_cast<std::size_t>(*length));
  }

  Result<std::string_view> read_name(std::string_view what, std::unordered_set<std::string_view>& names) {
    TESSERA_TRY(name, read_string(fmt::format("the name of a {}", what)));
    const Span span = in_.last(name.size());
    if (!is_utf8(name)) return wrong(fmt::format("the name of a {} is not UTF-8", what), span);
    if (!names.insert(name).second)
      return fail(Code::duplicate_name, fmt::format("the file has the {} '{}' twice", what, shown(name)),
                  span);
    return name;
  }

  Result<void> read_key(std::unordered_set<std::string_view>& names) {
    TESSERA_TRY(name, read_name("key", names));
    MetadataKey key{.name = std::string(name)};
    TESSERA_TRY(type, read_value_type(name));
    key.type = kValueTypes[type].name;
    const std::size_t begin = in_.at();
    if (type == kArray) {
      TESSERA_TRY(array, read_array(name, 1));
      key.length = array.length;
      key.type = fmt::format("array of {}", kValueTypes[array.type].name);
    } else if (type == kString) {
      TESSERA_TRY(text, read_string(fmt::format("the value of key '{}'", shown(name))));
      key.value = std::string(text);
    } else {
      TESSERA_NEED(read_number(name, type, key));
    }
    if (name == kAlignment) TESSERA_NEED(take_alignment(key, type, in_.since(begin)));
    out_.metadata.push_back(std::move(key));
    return {};
  }

  Result<std::uint32_t> read_value_type(std::string_view name) {
    const auto type = in_.number<std::uint32_t>();
    if (!type) return ends_inside(fmt::format("the value of key '{}'", shown(name)));
    if (*type >= kValueTypes.size()) {
      return wrong(fmt::format("the value of key '{}' has type {}; the types are 0 to {}", shown(name), *type,
                               kValueTypes.size() - 1),
                   in_.last(4));
    }
    return *type;
  }

  Result<void> read_number(std::string_view name, std::uint32_t type, MetadataKey& key) {
    const std::size_t bytes = kValueTypes[type].bytes;
    if (bytes > in_.left()) return ends_inside(fmt::format("the value of key '{}'", shown(name)));
    const std::uint64_t bits = bytes == 1   ? *in_.number<std::uint8_t>()
                               : bytes == 2 ? *in_.number<std::uint16_t>()
                               : bytes == 4 ? *in_.number<std::uint32_t>()
                                            : *in_.number<std::uint64_t>();
    if (type == kBool) {
      if (bits > 1) return bad_bool(name, in_.last(1));
      key.value = bits == 1;
    } else if (type == kF32) {
      key.value = double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))};
    } else if (type == kF64) {
      key.value = std::bit_cast<double>(bits);
    } else if (is_signed(type)) {
      const auto unused = static_cast<int>(64 - 8 * bytes);
      key.value = static_cast<std::int64_t>(bits << unused) >> unused;
    } else {
      key.value = bits;
    }
    return {};
  }

  Failure bad_bool(std::string_view name, Span span) const {
    return wrong(fmt::format("a bool of key '{}' is neither 0 nor 1", shown(name)), span);
  }

  struct Array {
    std::uint32_t type = 0;
    Index length = 0;
  };

  // Skips the values of an array, but for their lengths.
  Result<Array> read_array(std::string_view name, int depth) {
    TESSERA_TRY(type, read_value_type(name));
    if (depth > kFileLimits.gguf_nesting) {
      return fail(Code::depth,
                  fmt::format("the arrays of key '{}' are nested deeper than {}", shown(name),
                              kFileLimits.gguf_nesting),
                  in_.last(4));
    }
    const auto length = in_.number<std::uint64_t>();
    if (!length) return ends_inside(fmt::format("the value of key '{}'", shown(name)));
    const std::size_t fixed = kValueTypes[type].bytes;
    const std::size_t least = fixed > 0 ? fixed : type == kString ? 8 : 12;
    if (*length > in_.left() / least) {
      return wrong(fmt::format("the array of key '{}' has {}, but the file has only {} more", shown(name),
                               detail::plural(*length, "value"), detail::plural(in_.left(), "byte")),
                   in_.last(8), "the file may be truncated");
    }
    if (fixed > 0) {
      const std::string_view values = in_.take(static_cast<std::size_t>(*length) * fixed);
      if (type == kBool && values.find_first_not_of(std::string_view("\0\1", 2)) != values.npos)
        return bad_bool(name, in_.last(values.size()));
    }
    for (std::uint64_t i = 0; fixed == 0 && i < *length; ++i) {
      if (type == kArray) {
        TESSERA_NEED(read_array(name, depth + 1));
        continue;
      }
      const auto bytes = in_.number<std::uint64_t>();
      if (!bytes || *bytes > in_.left()) {
        return wrong(fmt::format("string {} of key '{}' reaches beyond the end of the file", i, shown(name)),
                     bytes ? in_.last(8) : in_.here(), "the file may be truncated");
      }
      in_.take(static_cast<std::size_t>(*bytes));
    }
    return Array{type, static_cast<Index>(*length)};
  }

  Result<void> take_alignment(const MetadataKey& key, std::uint32_t type, Span span) {
    if (type != kU32) return wrong(fmt::format("{} is a {}, but must be a u32", kAlignment, key.type), span);
    const std::uint64_t value = std::get<std::uint64_t>(key.value);
    if (!std::has_single_bit(value))
      return wrong(fmt::format("{} is {}, which is not a power of two", kAlignment, value), span);
    out_.alignment = static_cast<Index>(value);
    return {};
  }

  // A tensor's begin is counted from the start of the data until place_tensors.
  Result<void> read_tensor(std::unordered_set<std::string_view>& names) {
    const std::size_t begin = in_.at();
    TESSERA_TRY(name, read_name("tensor", names));
    GgufTensor tensor{.name = std::string(name), .shape = {}};
    const std::string what = fmt::format("tensor '{}'", shown(name));
    const auto rank = in_.number<std::uint32_t>();
    if (!rank) return ends_inside(what);
    if (*rank > kFileLimits.gguf_rank) {
      return wrong(fmt::format("{} has {}; GGUF has at most {}", what, detail::plural(*rank, "dimension"),
                               kFileLimits.gguf_rank),
                   in_.last(4));
    }
    const std::size_t extents = in_.at();
    Index elements = 1;
    for (std::uint32_t i = 0; i < *rank; ++i) {
      const auto extent = in_.number<std::uint64_t>();
      if (!extent) return ends_inside(what);
      const auto most = static_cast<std::uint64_t>(kFileLimits.gguf_bytes);
      // An extent of 0 leaves the product of the others, so that it fits for every order.
      if (*extent >= most ||
          mul_overflows(elements, std::max<Index>(1, static_cast<Index>(*extent)), elements) ||
          elements >= kFileLimits.gguf_bytes) {
        return wrong(fmt::format("{} has 2^62 elements or more", what), in_.since(extents));
      }
      tensor.shape.push_back(static_cast<Index>(*extent));
    }
    if (std::ranges::count(tensor.shape, 0) > 0) elements = 0;
    std::ranges::reverse(tensor.shape);
    TESSERA_NEED(read_type(tensor, what, elements));
    const auto offset = in_.number<std::uint64_t>();
    if (!offset) return ends_inside(what);
    if (*offset % static_cast<std::uint64_t>(out_.alignment) != 0) {
      return wrong(fmt::format("{} has offset {}, which is not a multiple of the alignment, {}", what,
                               *offset, out_.alignment),
                   in_.last(8));
    }
    // Such a place is beyond the end of every file, where only a tensor without bytes can be.
    const Index bytes = tensor.end;
    const auto most = static_cast<std::uint64_t>(kFileLimits.gguf_bytes);
    tensor.begin = static_cast<Index>(std::min(*offset, most));
    if ((*offset > most && bytes > 0) || add_overflows(bytes, tensor.begin, tensor.end)) {
      return beyond(fmt::format("{} begins at byte {} of the data and has {}", what, *offset,
                                detail::plural(bytes, "byte")),
                    in_.since(begin));
    }
    note_gap(*offset, bytes);
    places_.push_back(in_.since(begin));
    out_.tensors.push_back(std::move(tensor));
    return {};
  }

  // Reads the type; tensor.end becomes the number of bytes.
  Result<void> read_type(GgufTensor& tensor, std::string_view what, Index elements) {
    const auto number = in_.number<std::uint32_t>();
    if (!number) return ends_inside(what);
    tensor.type = find_gguf_type(*number);
    if (tensor.type == nullptr) {
      const std::string_view story = gguf_type_story(*number);
      return fail(Code::unknown_type,
                  fmt::format("{} has elements of the unknown type {}{}{}", what, *number,
                              story.empty() ? "" : ": ", story),
                  in_.last(4),
                  story.empty() ? "the program that wrote the file may have types of its own" : "");
    }
    const GgufType& type = *tensor.type;
    const Index row = tensor.shape.empty() ? 1 : tensor.shape.back();
    if (row % type.block_elements != 0) {
      return wrong(fmt::format("{} has rows of {}, but {} has blocks of {}", what,
                               detail::plural(row, "element"), type.name, type.block_elements),
                   in_.last(4));
    }
    if (mul_overflows(elements / type.block_elements, type.block_bytes, tensor.end))
      return wrong(fmt::format("the size of {} does not fit in 64 bits", what), in_.last(4));
    return {};
  }

  // llama.cpp wants each tensor where the one before it ends, empty ones too.
  void note_gap(std::uint64_t offset, Index bytes) {
    if (out_.gap) return;
    if (offset != static_cast<std::uint64_t>(expected_)) {
      out_.gap = GgufGap{out_.tensors.size(), offset};
      return;
    }
    Index end = 0;
    // A greater sum reaches beyond the end of the file.
    if (!add_overflows(expected_, bytes, end) && end <= kFileLimits.gguf_bytes)
      expected_ = rounded_up(end, out_.alignment);
  }

  Failure beyond(std::string_view what, Span span) const {
    return fail(Code::buffer_too_small,
                fmt::format("{}, beyond the end of the file, which has {}", what,
                            detail::plural(file_bytes_, "byte")),
                span, "the file may be truncated");
  }

  // Turns offsets into positions in the file, and checks that tensors lie inside it and do not overlap.
  Result<void> place_tensors() {
    const auto data = static_cast<Index>(out_.data_begin);
    const auto size = static_cast<Index>(file_bytes_);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < out_.tensors.size(); ++i) {
      GgufTensor& tensor = out_.tensors[i];
      Index end = 0;
      const bool empty = tensor.end == tensor.begin;
      const std::string what = fmt::format("tensor '{}'", shown(tensor.name));
      if (add_overflows(tensor.end, data, end))
        return beyond(fmt::format("{} ends at byte {} of the data", what, tensor.end), places_[i]);
      if (!empty && end > size) return beyond(fmt::format("{} ends at byte {}", what, end), places_[i]);
      tensor.begin = std::min(tensor.begin + data, size);
      tensor.end = std::min(end, size);
      if (!empty) order.push_back(i);
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return out_.tensors[i].begin; });
    for (std::size_t k = 1; k < order.size(); ++k) {
      const GgufTensor& before = out_.tensors[order[k - 1]];
      const GgufTensor& tensor = out_.tensors[order[k]];
      if (tensor.begin >= before.end) continue;
      return wrong(
          fmt::format("tensors '{}' and '{}' overlap: the first ends at byte {}, the second begins at {}",
                      shown(before.name), shown(tensor.name), before.end, tensor.begin),
          places_[order[k]]);
    }
    return {};
  }

  std::size_t file_bytes_;
  ByteCursor in_;
  GgufHeader out_;
  std::vector<Span> places_;  // of the tensors in the header
  Index expected_ = 0;        // where the next tensor begins without a gap
};

}  // namespace

FileTensor file_tensor(const GgufTensor& tensor) {
  FileTensor out{.name = tensor.name, .begin = tensor.begin, .end = tensor.end};
  const std::string text = gguf_layout_text(*tensor.type, tensor.shape);
  if (text.empty()) return out;
  Result<NamedOrLayout> layout = parse_named_or_layout(text);
  if (!layout) return out;
  if (!layout->layout) {
    out.named = std::move(layout->named);
    out.dtype = out.named->type().dtype;
    out.element_bits = out.named->type().bits;
    return out;
  }
  out.layout = std::move(layout->layout);
  out.dtype = out.layout->dtype();
  out.element_bits =
      out.dtype ? memory_bits(*out.layout, *out.dtype) : out.layout->element_bits().value_or(0);
  return out;
}

Result<GgufHeader> parse_gguf_header(std::span<const std::byte> file) {
  return GgufReader({reinterpret_cast<const char*>(file.data()), file.size()}).read();
}

}  // namespace tessera
