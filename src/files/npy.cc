// SPDX-License-Identifier: Apache-2.0
#include "files/npy.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/plural.h"
#include "files/header_reader.h"
#include "files/limits.h"

namespace tessera {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// NumPy's names of the types that both NumPy and Tessera have.
struct Name {
  std::string_view text;
  DType dtype;
};
constexpr std::array kNames = {Name{"b1", DType::pred}, Name{"i1", DType::s8},   Name{"i2", DType::s16},
                               Name{"i4", DType::s32},  Name{"i8", DType::s64},  Name{"u1", DType::u8},
                               Name{"u2", DType::u16},  Name{"u4", DType::u32},  Name{"u8", DType::u64},
                               Name{"f2", DType::f16},  Name{"f4", DType::f32},  Name{"f8", DType::f64},
                               Name{"c8", DType::c64},  Name{"c16", DType::c128}};

// Reads an element type such as `<f4`, which is at `span` of the header.
Result<void> read_descr(std::string_view descr, Span span, NpyHeader& header) {
  const char order = descr.empty() ? '\0' : descr.front();
  if (order != '<' && order != '>' && order != '|') {
    return fail(Code::bad_file,
                fmt::format("'{}' is not an element type: a type starts with '<', '>' or '|'", descr), span);
  }
  const std::string_view type = descr.substr(1);
  for (const Name& name : kNames) {
    if (type != name.text) continue;
    header.dtype = name.dtype;
    header.element_bytes = bit_width(name.dtype) / 8;
    if (order == '<' || header.element_bytes == 1) return {};
    if (order == '>') {
      return fail(Code::byte_order, fmt::format("'{}' is in big-endian byte order", descr), span,
                  "write the array again with a.astype(a.dtype.newbyteorder('<'))");
    }
    return fail(Code::bad_file,
                fmt::format("an element of type '{}' has {}, but the type gives no byte order", descr,
                            detail::plural(header.element_bytes, "byte")),
                span);
  }
  if (type.size() > 1 && type.front() == 'V') {
    const std::optional<Index> bytes = decimal(type.substr(1));
    if (bytes && *bytes > 0 && *bytes <= 1 << 20) {
      header.element_bytes = *bytes;
      return {};
    }
  }
  return fail(Code::unknown_type,
              fmt::format("elements of type '{}' are not numbers of a known width", descr), span,
              "readable types are bool, integers, f16 to f64, c64, c128, and raw elements such as '<V2'");
}

// Reads the dictionary of a header: exactly its three keys, in any order.
class DictReader {
 public:
  explicit DictReader(HeaderReader& in) : in_(in) {}

  Result<void> read(NpyHeader& header) {
    if (!in_.accept('{')) return in_.expected("'{'");
    unsigned seen = 0;
    while (!in_.accept('}')) {
      const Span at = in_.here();
      Result<std::string_view> key = in_.quoted();
      if (!key) return fail(key.error());
      const auto known = std::ranges::find(kKeys, *key);
      if (known == kKeys.end()) {
        return fail(
            Code::bad_file,
            fmt::format("the header has the unknown key '{}'; its keys are {}", *key, fmt::join(kKeys, ", ")),
            in_.since(at));
      }
      const unsigned bit = 1u << (known - kKeys.begin());
      if ((seen & bit) != 0) {
        return fail(Code::bad_file, fmt::format("the header has the key '{}' twice", *key), in_.since(at));
      }
      seen |= bit;
      if (!in_.accept(':')) return in_.expected("':'");
      if (Result<void> value = read_value(*key, header); !value) return value;
      if (!in_.accept(',') && !in_.at('}')) return in_.expected("',' or '}'");
    }
    for (std::size_t k = 0; k < kKeys.size(); ++k) {
      if ((seen & (1u << k)) == 0) {
        return fail(Code::bad_file, fmt::format("the header has no key '{}'", kKeys[k]), in_.here());
      }
    }
    return in_.at_end() ? Result<void>() : in_.expected("the end of the header");
  }

 private:
  static constexpr std::array<std::string_view, 3> kKeys = {"descr", "fortran_order", "shape"};

  Result<void> read_value(std::string_view key, NpyHeader& header) {
    in_.skip_blanks();
    const Span at = in_.here();
    if (key == "fortran_order") {
      header.fortran_order = in_.accept_word("True");
      if (!header.fortran_order && !in_.accept_word("False")) return in_.expected("True or False");
      return {};
    }
    if (key == "shape") return read_shape(header.shape);
    if (in_.at('[') || in_.at('(')) {
      return fail(Code::unknown_type, "elements that are records cannot be read", at,
                  "write each field as a separate array");
    }
    Result<std::string_view> descr = in_.quoted();
    if (!descr) return fail(descr.error());
    return read_descr(*descr, in_.since(at), header);
  }

  Result<void> read_shape(std::vector<Index>& shape) {
    if (!in_.accept('(')) return in_.expected("'(', a tuple of extents");
    while (!in_.accept(')')) {
      if (shape.size() == kFileLimits.npy_rank) {
        return fail(Code::limit, fmt::format("the array has more than {} dimensions", kFileLimits.npy_rank),
                    in_.here());
      }
      Result<Index> extent = in_.integer();
      if (!extent) return fail(extent.error());
      in_.accept_word("L");  // Python 2 writes `3L`
      shape.push_back(*extent);
      if (in_.accept(',')) continue;
      if (shape.size() == 1 || !in_.at(')')) return in_.expected(shape.size() == 1 ? "','" : "',' or ')'");
    }
    return {};
  }

  HeaderReader& in_;
};

Result<void> check_size(const NpyHeader& header, Span span) {
  Index bytes = header.element_bytes;
  for (const Index extent : header.shape) {
    if (mul_overflows(bytes, extent, bytes)) {
      return fail(Code::overflow, "the byte size of the array does not fit in 64 bits", span);
    }
  }
  return {};
}

std::string descr_of(DType dtype) {
  const int bytes = (bit_width(dtype) + 7) / 8;
  const char order = bytes == 1 ? '|' : '<';
  for (const Name& name : kNames) {
    if (name.dtype == dtype) return fmt::format("{}{}", order, name.text);
  }
  return fmt::format("<V{}", bytes);
}

std::string little_endian(std::size_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
  return out;
}

}  // namespace

Index NpyHeader::element_count() const {
  Index count = 1;
  for (const Index extent : shape) count *= extent;
  return count;
}

Result<NpyHeader> parse_npy_header(std::span<const std::byte> file) {
  const std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
  if (!bytes.starts_with(kMagic)) {
    return fail(Code::bad_file, "this is not a .npy file: it does not begin with its magic bytes",
                place(0, std::min(bytes.size(), kMagic.size())),
                "raw bytes need --from LAYOUT and a name without this extension");
  }
  const std::size_t length_at = kMagic.size() + 2;
  const unsigned major = bytes.size() > kMagic.size() ? static_cast<unsigned char>(bytes[kMagic.size()]) : 0;
  if (bytes.size() >= length_at && (major < 1 || major > 3)) {
    return fail(Code::bad_file,
                fmt::format("version {} of .npy is unknown; versions 1 to 3 can be read", major),
                place(kMagic.size(), kMagic.size() + 1));
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t begin = length_at + length_bytes;
  if (bytes.size() < begin)
    return fail(Code::bad_file, "the file ends inside its header", place(bytes.size()));
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    length |= std::size_t{static_cast<unsigned char>(bytes[length_at + i])} << (8 * i);
  }
  if (bytes.size() - begin < length) {
    return fail(Code::bad_file,
                fmt::format("the header has {}, but the file has only {} more",
                            detail::plural(length, "byte"), bytes.size() - begin),
                place(length_at, begin));
  }
  if (length > kFileLimits.npy_header) {
    return fail(Code::limit,
                fmt::format("the header has {} bytes; the limit is {}", length, kFileLimits.npy_header),
                place(length_at, begin));
  }
  NpyHeader header;
  header.data_begin = begin + length;
  HeaderReader in(bytes.substr(0, header.data_begin), begin);
  if (Result<void> read = DictReader(in).read(header); !read) return fail(read.error());
  if (Result<void> checked = check_size(header, place(begin, header.data_begin)); !checked)
    return fail(checked.error());
  return header;
}

std::string npy_header(DType dtype, std::span<const Index> shape, bool fortran_order) {
  std::string dict =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}{}), }}", descr_of(dtype),
                  fortran_order ? "True" : "False", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  // NumPy leaves room for 21 digits of the extent that grows when rows are appended.
  if (!shape.empty()) {
    const Index growing = fortran_order ? shape.back() : shape.front();
    dict.append(21 - fmt::formatted_size("{}", growing), ' ');
  }
  constexpr std::size_t kAlign = 64;
  const auto padding = [&](std::size_t length_bytes) {
    return kAlign - (kMagic.size() + 2 + length_bytes + dict.size() + 1) % kAlign;
  };
  const bool short_length = dict.size() + 1 + padding(2) <= 0xffff;
  dict.append(padding(short_length ? 2 : 4), ' ');
  dict += '\n';
  std::string out(kMagic);
  out += short_length ? '\x01' : '\x02';
  out += '\0';
  return out + little_endian(dict.size(), short_length ? 2 : 4) + dict;
}

}  // namespace tessera
