// SPDX-License-Identifier: Apache-2.0
#include "packings/placed_bits.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "packings/placed_gguf.h"

namespace tessera::packings {
namespace {

std::int64_t product(const Numbers& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t padded(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// numpy: a.reshape(shape).transpose(axes).ravel()
Numbers transposed(const Numbers& a, const Numbers& shape, const Numbers& axes) {
  Numbers strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  Numbers out;
  out.reserve(a.size());
  Numbers at(shape.size(), 0);
  for (std::size_t n = 0; n < a.size(); ++n) {
    std::int64_t from = 0;
    for (std::size_t d = 0; d < axes.size(); ++d) from += at[d] * strides[static_cast<std::size_t>(axes[d])];
    out.push_back(a[static_cast<std::size_t>(from)]);
    for (std::size_t d = axes.size(); d-- > 0;) {
      if (++at[d] < shape[static_cast<std::size_t>(axes[d])]) break;
      at[d] = 0;
    }
  }
  return out;
}

// numpy: a.reshape(-1, len(order))[:, order].ravel()
Numbers picked(const Numbers& a, const Numbers& order) {
  Numbers out;
  for (std::size_t row = 0; row < a.size(); row += order.size()) {
    for (const std::int64_t i : order) out.push_back(a[row + static_cast<std::size_t>(i)]);
  }
  return out;
}

// The row-major numbers of an array that is padded at the end of its last two dimensions; -1 is padding.
Numbers padded_numbers(std::int64_t rows, std::int64_t cols, std::int64_t to_rows, std::int64_t to_cols) {
  Numbers out;
  for (std::int64_t r = 0; r < to_rows; ++r) {
    for (std::int64_t c = 0; c < to_cols; ++c) out.push_back(r < rows && c < cols ? r * cols + c : -1);
  }
  return out;
}
Numbers numbers(std::int64_t count) {
  Numbers out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

// One array of the family: the bits of its elements in the order in which they are written.
class Packer {
 public:
  Packer(std::int64_t elements, int width) : width_(width) {
    out_.where.assign(static_cast<std::size_t>(elements), Numbers(static_cast<std::size_t>(width), -1));
  }

  // The next bits are those of an element, from the lowest up. -1: unused.
  void element(std::int64_t element, int from = 0, int count = 0) {
    for (int b = from; b < from + (count == 0 ? width_ : count); ++b) {
      if (element >= 0)
        out_.where[static_cast<std::size_t>(element)][static_cast<std::size_t>(b)] = out_.bits;
      ++out_.bits;
    }
  }
  void elements(const Numbers& order) {
    for (const std::int64_t e : order) element(e);
  }
  void skip_to(std::int64_t multiple) { out_.bits = padded(out_.bits, multiple); }
  // Bit b of the element is at a place in the buffer.
  void put(std::int64_t element, int bit, std::int64_t at) {
    out_.where[static_cast<std::size_t>(element)][static_cast<std::size_t>(bit)] = at;
  }
  void size(std::int64_t bits) { out_.bits = bits; }
  std::int64_t bits() const { return out_.bits; }
  int width() const { return width_; }
  PlacedBits take() { return std::move(out_); }

 private:
  int width_;
  PlacedBits out_;
};

std::int64_t parameter(const std::string& name, const std::string& key, std::int64_t value) {
  const std::size_t at = name.find(key + "=");
  return at == name.npos ? value : std::strtoll(name.c_str() + at + key.size() + 1, nullptr, 10);
}

const Numbers kOddEven = {0, 2, 4, 6, 1, 3, 5, 7};
const Numbers kOddEvenBytes = {0, 2, 1, 3};

// Marlin's permutation of a tile of 16 x 64, from the reference implementation's loops.
Numbers marlin_tile(int width) {
  Numbers perm;
  for (std::int64_t i = 0; i < 32; ++i) {
    Numbers one;
    const std::int64_t col = i / 4;
    for (const std::int64_t block : {0, 1}) {
      for (const std::int64_t row : {2 * (i % 4), 2 * (i % 4) + 1, 2 * (i % 4 + 4), 2 * (i % 4 + 4) + 1})
        one.push_back(16 * row + col + 8 * block);
    }
    for (std::int64_t j = 0; j < 4; ++j) {
      for (const std::int64_t p : one) perm.push_back(p + 256 * j);
    }
  }
  return picked(perm, width == 4 ? kOddEven : kOddEvenBytes);
}

Numbers scale_permutation() {
  Numbers out;
  for (std::int64_t i = 0; i < 8; ++i) {
    for (std::int64_t j = 0; j < 8; ++j) out.push_back(i + 8 * j);
  }
  return out;
}

Numbers channel_permutation() {
  Numbers out;
  for (std::int64_t i = 0; i < 4; ++i) {
    for (const std::int64_t j : {0, 1, 8, 9, 16, 17, 24, 25}) out.push_back(2 * i + j);
  }
  return out;
}

// Rows of the last dimension, each by itself.
void place_rows(const std::string& family, const std::string& name, Packer& out, std::int64_t rows,
                std::int64_t cols) {
  const std::int64_t w = out.width();
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto at = [&](std::int64_t c) { return c < cols ? r * cols + c : -1; };
    if (family == "low") {
      for (std::int64_t c = 0; c < cols; ++c) out.element(at(c));
      out.skip_to(parameter(name, "row", 8));
    } else if (family == "high") {
      const std::int64_t per = 8 / w;
      for (std::int64_t c = 0; c < cols; c += per) {
        for (std::int64_t i = per; i-- > 0;) out.element(at(c + i));
      }
      out.skip_to(parameter(name, "row", 8));
    } else if (family == "halves") {
      const std::int64_t block = parameter(name, "block", 32);
      for (std::int64_t c = 0; c < cols; c += block) {
        for (std::int64_t i = 0; i < block / 2; ++i) {
          out.element(at(c + i));
          out.element(at(c + i + block / 2));
        }
      }
    } else {  // words
      const std::int64_t word = parameter(name, "word", 32);
      for (std::int64_t c = 0; c < cols; c += word / w) {
        for (std::int64_t i = 0; i < word / w; ++i) out.element(at(c + i));
        out.skip_to(word);
      }
    }
  }
}

// Columns of bits, 32 to a word; words of one row of words lie together.
void place_gptq(Packer& out, std::int64_t k_extent, std::int64_t n_extent) {
  const std::int64_t w = out.width();
  const std::int64_t words = (k_extent * w + 31) / 32;
  for (std::int64_t n = 0; n < n_extent; ++n) {
    std::int64_t stream = 0;
    for (std::int64_t k = 0; k < k_extent; ++k) {
      for (int b = 0; b < w; ++b, ++stream)
        out.put(k * n_extent + n, b, (stream / 32 * n_extent + n) * 32 + stream % 32);
    }
  }
  out.size(words * n_extent * 32);
}

void place_gptq_planes(Packer& out, std::int64_t k_extent, std::int64_t n_extent) {
  const int w = out.width();
  const std::map<int, std::vector<int>> planes = {{3, {2, 1}}, {5, {4, 1}}, {6, {4, 2}}, {7, {4, 2, 1}}};
  for (std::int64_t block = 0; block < k_extent; block += 32) {
    int first = 0;
    for (const int v : planes.at(w)) {
      for (std::int64_t word = 0; word < v; ++word) {
        for (std::int64_t n = 0; n < n_extent; ++n) {
          for (std::int64_t k = word * (32 / v); k < (word + 1) * (32 / v); ++k)
            out.element((block + k) * n_extent + n, first, v);
        }
      }
      first += v;
    }
  }
}

void place_matrix(const std::string& family, const std::string& name, Packer& out, std::int64_t rows,
                  std::int64_t cols) {
  const int w = out.width();
  const Numbers all = numbers(rows * cols);
  const Numbers& order = w == 4 ? kOddEven : kOddEvenBytes;
  if (family == "gptq") return place_gptq(out, rows, cols);
  if (family == "gptq_p") return place_gptq_planes(out, rows, cols);
  if (family == "awq") return out.elements(picked(all, order));
  if (family == "awq_fast") {
    Numbers a = transposed(all, {rows, cols / 32, 4, 4, 2}, {0, 1, 3, 2, 4});
    a = transposed(a, {rows, cols / 32, 4, 4, 2}, {0, 1, 2, 4, 3});
    a = transposed(a, {rows / 4, 4, cols / 64, 64}, {0, 2, 1, 3});
    return out.elements(a);
  }
  if (family == "marlin" && w == 16) return out.elements(picked(all, scale_permutation()));
  if (family == "marlin_channel") return out.elements(picked(all, channel_permutation()));
  if (family == "marlin_fp4") return out.elements(picked(picked(all, scale_permutation()), kOddEvenBytes));
  if (family == "marlin") {
    Numbers a = transposed(all, {rows / 16, 16, cols / 16, 16}, {0, 2, 1, 3});
    return out.elements(picked(a, marlin_tile(w)));
  }
  if (family == "marlin_zp") return out.elements(picked(picked(all, scale_permutation()), order));
  if (family == "hqq") {
    const std::int64_t per = 8 / w;
    for (std::int64_t r = 0; r < rows / per; ++r) {
      for (std::int64_t c = 0; c < cols; ++c) {
        for (std::int64_t i = per; i-- > 0;) out.element((i * (rows / per) + r) * cols + c);
      }
    }
    return;
  }
  if (family == "aiter") {
    const std::int64_t x = 128 / w;
    return out.elements(transposed(all, {rows / 16, 16, cols / (2 * x), 2, x}, {0, 2, 3, 1, 4}));
  }
  // Scales.
  const auto tiles = [&](std::int64_t p, std::int64_t q, std::int64_t c, std::int64_t up_rows,
                         std::int64_t up_cols) {
    const std::int64_t m = padded(rows, up_rows);
    const std::int64_t k = padded(cols, up_cols);
    out.elements(
        transposed(padded_numbers(rows, cols, m, k), {m / (p * q), q, p, k / c, c}, {0, 3, 2, 1, 4}));
  };
  if (family == "128x4") return tiles(32, 4, 4, parameter(name, "rows", 128), parameter(name, "cols", 4));
  if (family == "64x4") return tiles(16, 4, 4, parameter(name, "rows", 64), parameter(name, "cols", 4));
  if (family == "8x4") return tiles(8, 1, 4, parameter(name, "rows", 8), parameter(name, "cols", 4));
  if (family == "gfx1250") {
    const std::int64_t c = std::min<std::int64_t>(4, cols);
    return tiles(32, 4, c, parameter(name, "rows", 128), c);
  }
  if (family == "gfx950") {
    const std::int64_t m = padded(rows, parameter(name, "rows", 32));
    const std::int64_t k = padded(cols, 8);
    return out.elements(
        transposed(padded_numbers(rows, cols, m, k), {m / 32, 2, 16, k / 8, 2, 4}, {0, 3, 5, 2, 4, 1}));
  }
  if (family == "hopper") {
    const std::int64_t warps = parameter(name, "warps", 4);
    const std::int64_t m = padded(rows, 32 * warps);
    const std::int64_t k = padded(cols, 2);
    return out.elements(transposed(padded_numbers(rows, cols, m, k),
                                   {m / (32 * warps), 2, warps, 2, 8, k / 2, 2}, {0, 2, 5, 1, 4, 6, 3}));
  }
  if (family == "mn") {
    const std::int64_t m = padded(rows, parameter(name, "rows", 1));
    const std::int64_t k = padded(cols, parameter(name, "cols", 1));
    return out.elements(transposed(padded_numbers(rows, cols, m, k), {m, k}, {1, 0}));
  }
  if (family == "deepgemm") {
    const std::int64_t m = padded(rows, parameter(name, "rows", 4));
    const std::int64_t k = padded(cols, 4);
    return out.elements(transposed(padded_numbers(rows, cols, m, k), {m, k / 4, 4}, {1, 0, 2}));
  }
  // linear
  out.elements(padded_numbers(rows, cols, padded(rows, parameter(name, "rows", 1)),
                              padded(cols, parameter(name, "cols", 1))));
}

}  // namespace

std::vector<PackingCase> packing_cases() {
  std::vector<PackingCase> out = {
      {"pack:low", {1, 2, 3, 4, 5, 6, 7, 8}, 1, {1}},
      {"pack:low(row=32)", {1, 2, 3, 4, 5, 6, 7, 8}, 1, {1}},
      {"pack:high", {1, 2, 4}, 1, {1}},
      {"pack:halves", {4}, 1, {32}},
      {"pack:halves(block=8)", {4}, 1, {8}},
      {"pack:words", {2, 3, 4, 5, 6, 7, 8}, 1, {1}},
      {"pack:gptq", {2, 3, 4, 8}, 2, {1, 1}},
      {"pack:gptq_p", {3, 5, 6, 7}, 2, {32, 1}},
      {"pack:awq", {4, 8}, 2, {1, 8}},
      {"pack:awq_fast", {4}, 2, {4, 64}},
      {"pack:marlin", {4, 8}, 2, {16, 64}},
      {"pack:marlin_zp", {4, 8}, 2, {1, 64}},
      {"pack:hqq", {1, 2, 4}, 2, {8, 1}},
      {"pack:aiter", {4, 8}, 2, {16, 64}},
      {"scale:linear", {8, 16, 32}, 2, {1, 1}},
      {"scale:linear(rows=8,cols=4)", {8, 16, 32}, 2, {1, 1}},
      {"scale:128x4", {8, 16, 32}, 2, {1, 1}},
      {"scale:128x4(cols=8)", {8}, 2, {1, 1}},
      {"scale:128x4(rows=256)", {8}, 2, {1, 1}},
      {"scale:64x4", {8, 16}, 2, {1, 1}},
      {"scale:8x4", {8, 32}, 2, {1, 1}},
      {"scale:gfx1250", {8}, 2, {1, 1}},
      {"scale:gfx950", {8}, 2, {1, 1}},
      {"scale:gfx950(rows=256)", {8}, 2, {1, 1}},
      {"scale:hopper", {8}, 2, {1, 1}},
      {"scale:hopper(warps=1)", {8}, 2, {1, 1}},
      {"scale:mn(rows=4)", {32, 8}, 2, {1, 1}},
      {"scale:marlin", {16}, 2, {1, 64}},
      {"scale:marlin_channel", {16}, 2, {1, 32}},
      {"scale:marlin_fp4", {8}, 2, {1, 64}},
      {"scale:deepgemm", {8}, 2, {1, 1}},
  };
  for (const GgufFieldCase& field : gguf_field_cases())
    out.push_back({field.name, {field.width}, 1, {field.multiple}, true, field.type});
  return out;
}

// Groups of rows or columns, each an array of its own, one after another.
static PlacedBits place_groups(const PackingCase& packing, int width, const Numbers& shape) {
  const std::int64_t rows = shape[0];
  const std::int64_t cols = shape[1];
  const std::size_t open = packing.name.find('(');
  const bool by_columns = packing.name[open + 1] == 'k';
  const PackingCase one{packing.name.substr(0, open), packing.widths};
  PlacedBits all{0, std::vector<Numbers>(static_cast<std::size_t>(rows * cols))};
  std::int64_t begin = 0;
  const char* text = packing.name.c_str() + packing.name.find('=') + 1;
  while (true) {
    char* end = nullptr;
    const std::int64_t size = std::strtoll(text, &end, 10);
    const PlacedBits part = place(one, width, by_columns ? Numbers{rows, size} : Numbers{size, cols});
    for (std::size_t e = 0; e < part.where.size(); ++e) {
      const auto i = static_cast<std::int64_t>(e);
      const std::int64_t to =
          by_columns ? i / size * cols + begin + i % size : (begin + i / cols) * cols + i % cols;
      Numbers where = part.where[e];
      for (std::int64_t& bit : where) bit += all.bits;
      all.where[static_cast<std::size_t>(to)] = std::move(where);
    }
    all.bits += part.bits;
    begin += size;
    if (*end != '+') return all;
    text = end + 1;
  }
}

PlacedBits place(const PackingCase& packing, int width, const Numbers& shape) {
  const std::string prefix = packing.name.substr(0, packing.name.find(':'));
  std::string family = packing.name.substr(prefix.size() + 1);
  family = family.substr(0, family.find('('));
  if (prefix == "gguf") return place_gguf(family, shape);
  const std::int64_t cols = shape.back();
  if (packing.rank == 1) {
    const std::int64_t rows = product(Numbers(shape.begin(), shape.end() - 1));
    Packer out(rows * cols, width);
    place_rows(family, packing.name, out, rows, cols);
    return out.take();
  }
  if (packing.name.find("groups=") != std::string::npos) return place_groups(packing, width, shape);
  const std::int64_t rows = shape[shape.size() - 2];
  const std::int64_t batch = product(Numbers(shape.begin(), shape.end() - 2));
  PlacedBits all;
  for (std::int64_t b = 0; b < batch; ++b) {
    Packer one(rows * cols, width);
    place_matrix(family, packing.name, one, rows, cols);
    PlacedBits placed = one.take();
    for (Numbers& where : placed.where) {
      for (std::int64_t& bit : where) bit += all.bits;
      all.where.push_back(std::move(where));
    }
    all.bits += placed.bits;
  }
  return all;
}

}  // namespace tessera::packings
