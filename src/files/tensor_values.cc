// SPDX-License-Identifier: Apache-2.0
#include "files/tensor_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <utility>

#include "base/index_walk.h"
#include "base/plural.h"
#include "base/try.h"
#include "files/element_value.h"
#include "files/limits.h"

namespace tessera {
namespace {

class SliceReader {
 public:
  SliceReader(std::string_view text, std::span<const Index> shape) : text_(text), shape_(shape) {}

  Result<std::vector<IndexSlice>> read() {
    std::vector<IndexSlice> out;
    if (next() < text_.size()) {
      do {
        const std::size_t begin = next();
        if (out.size() == shape_.size()) {
          return fail(Code::rank_mismatch,
                      fmt::format("there are more entries than dimensions: the tensor has {}",
                                  detail::plural(shape_.size(), "dimension")),
                      since(begin, text_.size()), "give at most one entry for each dimension: 0:4,:");
        }
        TESSERA_TRY(slice, entry(shape_[out.size()], out.size()));
        out.push_back(slice);
      } while (accept(','));
      if (next() < text_.size())
        return fail(Code::syntax, fmt::format("expected ',' or the end, found '{}'", text_[at_]),
                    since(at_, at_ + 1), "an entry is an index, a:b, a:b:step or :");
    }
    while (out.size() < shape_.size()) out.push_back({0, shape_[out.size()], 1});
    return out;
  }

 private:
  static Span since(std::size_t begin, std::size_t end) {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  std::size_t next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_;
  }
  bool accept(char c) {
    if (next() == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  // A number with its place, or nothing if there is none.
  struct Number {
    Index value = 0;
    Span span = {};
  };
  Result<std::optional<Number>> number() {
    const std::size_t begin = next();
    std::size_t end = begin;
    if (end < text_.size() && text_[end] == '-') ++end;
    while (end < text_.size() && text_[end] >= '0' && text_[end] <= '9') ++end;
    if (end == begin) return std::optional<Number>();
    Number out{0, since(begin, end)};
    const auto read = std::from_chars(text_.data() + begin, text_.data() + end, out.value);
    if (read.ec == std::errc::result_out_of_range)
      return fail(Code::number_range, "the index does not fit in 64 bits", out.span);
    if (read.ec != std::errc())
      return fail(Code::syntax, "'-' is not an index", out.span, "an entry is an index, a:b, a:b:step or :");
    at_ = end;
    return std::optional(out);
  }

  static Failure outside(const Number& number, std::size_t dim, Index extent) {
    return fail(Code::index_out_of_range,
                fmt::format("{} is outside dimension {}, whose extent is {}", number.value, dim, extent),
                number.span, "count from 0");
  }

  Result<IndexSlice> entry(Index extent, std::size_t dim) {
    const std::size_t begin = next();
    TESSERA_TRY(first, number());
    if (first && (first->value < 0 || first->value > extent)) return outside(*first, dim, extent);
    if (!accept(':')) {
      if (!first) {
        const std::string found = begin < text_.size() ? fmt::format("'{}'", text_[begin]) : "the end";
        return fail(Code::syntax, fmt::format("expected an index or ':', found {}", found),
                    since(begin, begin + (begin < text_.size() ? 1 : 0)),
                    "an entry is an index, a:b, a:b:step or :");
      }
      if (first->value == extent) return outside(*first, dim, extent);
      return IndexSlice{first->value, 1, 1};
    }
    TESSERA_TRY(last, number());
    if (last && (last->value < 0 || last->value > extent)) return outside(*last, dim, extent);
    Index step = 1;
    if (accept(':')) {
      TESSERA_TRY(given, number());
      if (given && given->value < 1)
        return fail(Code::number_range,
                    fmt::format("a step of {} is not possible: the least is 1", given->value), given->span);
      step = given ? given->value : 1;
    }
    const Index from = first ? first->value : 0;
    const Index to = last ? last->value : extent;
    if (to <= from && extent > 0)
      return fail(Code::index_out_of_range, fmt::format("{}:{} has no index", from, to), since(begin, at_),
                  "the second number is the end: it is greater than the first");
    return IndexSlice{from, ceil_div(to - from, step), step};
  }

  std::string_view text_;
  std::span<const Index> shape_;
  std::size_t at_ = 0;
};

// The number of values, or an error if there are too many.
Result<Index> value_count(std::span<const IndexSlice> chosen, std::string_view slices) {
  Index count = 1;
  for (const IndexSlice& slice : chosen) {
    if (mul_overflows(count, slice.count, count)) count = kIndexMax;
  }
  if (count <= kFileLimits.values) return count;
  return fail(Code::limit,
              fmt::format("these are {} values, but at most {} are shown", count, kFileLimits.values),
              {0, static_cast<std::uint32_t>(slices.size())}, "ask for fewer: 0:4,0:8");
}

// Calls f with each chosen index, in row-major order.
template <class F>
void for_each_value(std::span<const IndexSlice> chosen, const F& f) {
  std::vector<Index> at(chosen.size(), 0);
  std::vector<Index> index(chosen.size());
  do {
    for (std::size_t d = 0; d < index.size(); ++d) index[d] = chosen[d].first + at[d] * chosen[d].step;
    if (!f(index)) return;
  } while (detail::advance_last(
      at.size(), [&](std::size_t d) { return detail::next_value(at[d], 0, chosen[d].count); }));
}

// The codes of a layout of kind bits.
Result<TensorValues> named_values(const TensorFile& file, std::string_view slices) {
  const NamedLayout& named = *file.tensor().named;
  const std::vector<Index> shape(named.shape().begin(), named.shape().end());
  TESSERA_TRY(chosen, parse_slices(slices, shape));
  TESSERA_TRY(count, value_count(chosen, slices));
  TensorValues out{file.tensor().name, to_string(named.type()), shape, chosen, {}};
  if (count == 0) return out;
  const std::span<const std::byte> data = file.data();
  for_each_value(chosen, [&](std::span<const Index> index) {
    std::int64_t code = 0;
    for (int bit = 0; bit < named.type().bits; ++bit) {
      const Index at = named.bit_offset(index, bit);
      const unsigned byte = std::to_integer<unsigned>(data[static_cast<std::size_t>(at / 8)]);
      code |= std::int64_t{byte >> (at % 8) & 1u} << bit;
    }
    const bool negative = named.type().is_signed && (code >> (named.type().bits - 1) & 1) != 0;
    out.values.push_back(
        {fmt::format("{}", negative ? code - (std::int64_t{1} << named.type().bits) : code)});
    return true;
  });
  return out;
}

}  // namespace

Result<std::vector<IndexSlice>> parse_slices(std::string_view text, std::span<const Index> shape) {
  return SliceReader(text, shape).read();
}

std::string to_string(std::span<const IndexSlice> slices) {
  std::vector<std::string> out;
  for (const IndexSlice& slice : slices) {
    const Index end = slice.first + (slice.count - 1) * slice.step + 1;
    out.push_back(slice.count == 1  ? fmt::format("{}", slice.first)
                  : slice.step == 1 ? fmt::format("{}:{}", slice.first, slice.first + slice.count)
                                    : fmt::format("{}:{}:{}", slice.first, end, slice.step));
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

Result<TensorValues> tensor_values(const TensorFile& file, std::string_view slices) {
  const FileTensor& tensor = file.tensor();
  if (tensor.named) return named_values(file, slices);
  if (!tensor.layout && file.format() == FileFormat::gguf)
    return fail(Code::not_applicable, "an element of the tensor is not a field of bits", {},
                fmt::format("tessera info {} shows its type", file.path()));
  if (!tensor.layout || tensor.element_bits == 0)
    return fail(Code::not_applicable, "the file does not say how the elements of the tensor are stored", {},
                "give its layout and write a new file: tessera copy IN OUT --from LAYOUT");
  const Layout& layout = *tensor.layout;
  const std::vector<Index> shape(layout.shape().begin(), layout.shape().end());
  TESSERA_TRY(chosen, parse_slices(slices, shape));
  TESSERA_TRY(count, value_count(chosen, slices));
  TensorValues out{tensor.name, tensor.dtype ? std::string(to_string(*tensor.dtype)) : "", shape, chosen, {}};
  if (out.type.empty()) out.type = detail::plural(tensor.element_bits, "bit");
  if (count == 0) return out;
  const Index before = prefix_bytes(layout) * 8;
  const std::span<const std::byte> data = file.data();
  bool enough = true;
  for_each_value(chosen, [&](std::span<const Index> index) {
    const Index bit = before + layout.offset(index) * tensor.element_bits;
    enough = bit >= 0 && bit + tensor.element_bits <= std::ssize(data) * 8;
    if (enough) out.values.push_back(element_parts(data, bit, tensor.element_bits, tensor.dtype));
    return enough;
  });
  if (!enough) return fail(Code::buffer_too_small, "the tensor has fewer bytes than its layout needs");
  return out;
}

}  // namespace tessera
