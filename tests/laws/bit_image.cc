// SPDX-License-Identifier: Apache-2.0
#include "laws/bit_image.h"

#include <cstdlib>
#include <numeric>

#include "laws/bit_image_gguf.h"

namespace tessera::laws {
namespace {

using Int = std::int64_t;
using Shape = std::vector<Int>;

Int product(const Shape& shape) {
  Int all = 1;
  for (const Int extent : shape) all *= extent;
  return all;
}

// An array of numbers, row-major, as in NumPy.
struct Array {
  Shape shape;
  std::vector<Int> values;

  static Array numbered(Shape shape) {
    Array out{std::move(shape), {}};
    out.values.resize(static_cast<std::size_t>(product(out.shape)));
    std::iota(out.values.begin(), out.values.end(), Int{0});
    return out;
  }

  Array reshape(Shape to) const {
    if (product(to) != static_cast<Int>(values.size())) std::abort();
    return {std::move(to), values};
  }

  Array transpose(const std::vector<std::size_t>& axes) const {
    Shape strides(shape.size(), 1);
    for (std::size_t d = shape.size() - 1; d-- > 0;) strides[d] = strides[d + 1] * shape[d + 1];
    Array out;
    for (const std::size_t axis : axes) out.shape.push_back(shape[axis]);
    Shape at(shape.size(), 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      Int from = 0;
      for (std::size_t d = 0; d < axes.size(); ++d) from += at[d] * strides[axes[d]];
      out.values.push_back(values[static_cast<std::size_t>(from)]);
      for (std::size_t d = axes.size(); d-- > 0 && ++at[d] == out.shape[d];) at[d] = 0;
    }
    return out;
  }

  // Of a matrix: rows and columns up to multiples, filled with -1.
  Array padded(Int rows, Int cols) const {
    const Int m = (shape[0] + rows - 1) / rows * rows;
    const Int k = (shape[1] + cols - 1) / cols * cols;
    Array out{{m, k}, std::vector<Int>(static_cast<std::size_t>(m * k), -1)};
    for (Int i = 0; i < shape[0]; ++i) {
      for (Int j = 0; j < shape[1]; ++j)
        out.values[static_cast<std::size_t>(i * k + j)] = values[static_cast<std::size_t>(i * shape[1] + j)];
    }
    return out;
  }

  // Every run of `list.size()` values in the order of the list.
  Array gathered(const std::vector<Int>& list) const {
    Array out{shape, {}};
    for (std::size_t begin = 0; begin < values.size(); begin += list.size()) {
      for (const Int from : list) out.values.push_back(values[begin + static_cast<std::size_t>(from)]);
    }
    return out;
  }
};

// The elements of cells become bits.
std::vector<Int> bits_of(const Array& cells, int width) {
  std::vector<Int> bits;
  for (const Int element : cells.values) {
    for (int bit = 0; bit < width; ++bit) bits.push_back(element < 0 ? -1 : element * 64 + bit);
  }
  return bits;
}

// The scales of one array, as cells.
Array scales(const NamedCase& named, const Array& x) {
  const auto parameter = [&](const char* key) { return named.parameters.at(key); };
  const std::string& f = named.family;
  const Int n = x.shape[1];
  const auto tiles = [&](Int rows, Int cols, Int p, Int q, Int c) {
    const Array y = x.padded(rows, cols);
    const Int r = p * q;
    return y.reshape({y.shape[0] / r, q, p, y.shape[1] / c, c}).transpose({0, 3, 2, 1, 4});
  };
  if (f == "linear") return x.padded(parameter("rows"), parameter("cols"));
  if (f == "128x4") return tiles(parameter("rows"), parameter("cols"), 32, 4, 4);
  if (f == "64x4") return tiles(parameter("rows"), parameter("cols"), 16, 4, 4);
  if (f == "8x4") return tiles(parameter("rows"), parameter("cols"), 8, 1, 4);
  if (f == "gfx1250") {
    const Int c = n < 4 ? n : 4;
    return tiles(parameter("rows"), c, 32, 4, c);
  }
  if (f == "gfx950") {
    const Array y = x.padded(parameter("rows"), 8);
    return y.reshape({y.shape[0] / 32, 2, 16, y.shape[1] / 8, 2, 4}).transpose({0, 3, 5, 2, 4, 1});
  }
  if (f == "hopper") {
    const Int warps = parameter("warps");
    const Array y = x.padded(32 * warps, 2);
    return y.reshape({y.shape[0] / (32 * warps), 2, warps, 2, 8, y.shape[1] / 2, 2})
        .transpose({0, 2, 5, 1, 4, 6, 3});
  }
  if (f == "mn") return x.padded(parameter("rows"), parameter("cols")).transpose({1, 0});
  if (f == "deepgemm") {
    const Array y = x.padded(parameter("rows"), 4);
    return y.reshape({y.shape[0], y.shape[1] / 4, 4}).transpose({1, 0, 2});
  }
  // Marlin's permutations as lists, as in vLLM.
  std::vector<Int> list;
  if (f == "marlin_channel") {
    for (Int i = 0; i < 4; ++i) {
      for (const Int j : {0, 1, 8, 9, 16, 17, 24, 25}) list.push_back(2 * i + j);
    }
  } else {
    for (Int i = 0; i < 8; ++i) {
      for (Int j = 0; j < 8; ++j) list.push_back(i + 8 * j);
    }
  }
  Array y = x.gathered(list);
  // MXFP4: of each four scales, the second and the third change places.
  if (f == "marlin_fp4") y = y.gathered({0, 2, 1, 3});
  return y;
}

const std::vector<Int> kInterleaved4 = {0, 2, 4, 6, 1, 3, 5, 7};
const std::vector<Int> kInterleaved8 = {0, 2, 1, 3};

std::vector<Int> marlin_list(int width, Int act) {
  std::vector<Int> list;
  for (Int i = 0; i < 32; ++i) {
    const Int col = i / 4;
    const Int tiles = act == 16 ? 4 : 2;
    for (Int j = 0; j < tiles; ++j) {
      for (Int block = 0; block < 2; ++block) {
        if (act == 16) {
          for (const Int row : {2 * (i % 4), 2 * (i % 4) + 1, 2 * (i % 4 + 4), 2 * (i % 4 + 4) + 1})
            list.push_back(16 * row + col + 8 * block + 256 * j);
        } else {
          for (const Int half : {0, 1}) {
            for (Int r = 0; r < 4; ++r)
              list.push_back(16 * (4 * (i % 4) + r + 16 * half) + col + 8 * block + 512 * j);
          }
        }
      }
    }
  }
  // The order in which the kernel takes a word apart.
  std::vector<Int> order = {0, 1, 2, 3, 4, 5, 6, 7};
  if (act == 16) order = width == 4 ? kInterleaved4 : kInterleaved8;
  if (act == 8 && width == 4) order = {0, 4, 1, 5, 2, 6, 3, 7};
  std::vector<Int> out;
  for (std::size_t begin = 0; begin < list.size(); begin += order.size()) {
    for (const Int from : order) out.push_back(list[begin + static_cast<std::size_t>(from)]);
  }
  return out;
}

// Bits of a matrix of elements, k major: (K w bits padded to words) x N, then word by word.
std::vector<Int> words_along_k(const Array& x, int width) {
  const Int k = x.shape[0];
  const Int n = x.shape[1];
  const Int words = (k * width + 31) / 32;
  std::vector<Int> bits(static_cast<std::size_t>(words * n * 32), -1);
  for (Int column = 0; column < n; ++column) {
    Int written = 0;
    for (Int row = 0; row < k; ++row) {
      for (int bit = 0; bit < width; ++bit, ++written) {
        bits[static_cast<std::size_t>((written / 32 * n + column) * 32 + written % 32)] =
            x.values[static_cast<std::size_t>(row * n + column)] * 64 + bit;
      }
    }
  }
  return bits;
}

std::vector<Int> plane_words(const Array& x, int width) {
  if (width == 2 || width == 4 || width == 8) return words_along_k(x, width);
  const Int n = x.shape[1];
  std::vector<Int> bits;
  for (Int block = 0; block < x.shape[0] / 32; ++block) {
    int first = 0;
    for (const int plane : {4, 2, 1}) {
      if ((width & plane) == 0) continue;
      Array rows{{32, n}, {x.values.begin() + block * 32 * n, x.values.begin() + (block + 1) * 32 * n}};
      for (const Int bit : words_along_k(rows, plane)) bits.push_back(bit + first);
      first += plane;
    }
  }
  return bits;
}

// One row of elements, written bit by bit.
std::vector<Int> row_bits(const NamedCase& named, const std::vector<Int>& row) {
  const std::string& f = named.family;
  std::vector<Int> bits;
  const auto write = [&](Int element) {
    for (int bit = 0; bit < named.width; ++bit) bits.push_back(element < 0 ? -1 : element * 64 + bit);
  };
  if (f == "halves") {
    const Int block = named.parameters.at("block");
    const Array x{{static_cast<Int>(row.size()) / block, 2, block / 2}, row};
    return bits_of(x.transpose({0, 2, 1}), named.width);
  }
  if (f == "words") {
    const auto word = static_cast<std::size_t>(named.parameters.at("word"));
    for (const Int element : row) {
      if (bits.size() % word + static_cast<std::size_t>(named.width) > word) {
        while (bits.size() % word != 0) bits.push_back(-1);
      }
      write(element);
    }
    while (bits.size() % word != 0) bits.push_back(-1);
    return bits;
  }
  const auto unit = static_cast<std::size_t>(named.parameters.at("row"));
  std::vector<Int> elements = row;
  if (f == "high") {
    // The first element of a byte comes last.
    const auto in_byte = static_cast<std::size_t>(8 / named.width);
    while (elements.size() % in_byte != 0) elements.push_back(-1);
    for (std::size_t begin = 0; begin < elements.size(); begin += in_byte) {
      for (std::size_t i = in_byte; i-- > 0;) write(elements[begin + i]);
    }
  } else {
    for (const Int element : elements) write(element);
  }
  while (bits.size() % unit != 0) bits.push_back(-1);
  return bits;
}

std::vector<Int> packing(const NamedCase& named, const Array& x) {
  const std::string& f = named.family;
  const int width = named.width;
  const Int rows = x.shape[0];
  const Int cols = x.shape[1];
  if (f == "gptq") return words_along_k(x, width);
  if (f == "gptq_p") return plane_words(x, width);
  if (f == "awq") return bits_of(x.gathered(width == 4 ? kInterleaved4 : kInterleaved8), width);
  if (f == "awq_fast") {
    return bits_of(x.reshape({rows, cols / 32, 4, 4, 2})
                       .transpose({0, 1, 3, 2, 4})
                       .reshape({rows, cols / 32, 4, 4, 2})
                       .transpose({0, 1, 2, 4, 3})
                       .reshape({rows / 4, 4, cols / 64, 64})
                       .transpose({0, 2, 1, 3}),
                   width);
  }
  if (f == "marlin") {
    const Int act = named.parameters.at("act");
    const Int tile = act == 16 ? 16 : 32;
    return bits_of(x.reshape({rows / tile, tile, cols / 16, 16})
                       .transpose({0, 2, 1, 3})
                       .gathered(marlin_list(width, act)),
                   width);
  }
  if (f == "marlin_zp") {
    std::vector<Int> list;
    for (Int i = 0; i < 8; ++i) {
      for (Int j = 0; j < 8; ++j) list.push_back(i + 8 * j);
    }
    return bits_of(x.gathered(list).gathered(width == 4 ? kInterleaved4 : kInterleaved8), width);
  }
  if (f == "hqq") {
    // Part i of the rows goes to the bits below those of part i - 1.
    const Int parts = 8 / width;
    std::vector<Int> bits(static_cast<std::size_t>(rows * cols * width), -1);
    for (Int part = 0; part < parts; ++part) {
      for (Int i = 0; i < rows / parts * cols; ++i) {
        for (int bit = 0; bit < width; ++bit) {
          bits[static_cast<std::size_t>(i * 8 + 8 - width * (part + 1) + bit)] =
              x.values[static_cast<std::size_t>(part * (rows / parts) * cols + i)] * 64 + bit;
        }
      }
    }
    return bits;
  }
  const Int unit = 128 / width;  // aiter
  return bits_of(x.reshape({rows / 16, 16, cols / (2 * unit), 2, unit}).transpose({0, 2, 3, 1, 4}), width);
}

// The array of some rows, or some columns.
Array part_of(const Array& x, Int begin, Int size, bool columns) {
  Array out{columns ? Shape{x.shape[0], size} : Shape{size, x.shape[1]}, {}};
  for (Int i = 0; i < out.shape[0]; ++i) {
    for (Int j = 0; j < out.shape[1]; ++j) {
      const Int row = columns ? i : i + begin;
      const Int col = columns ? j + begin : j;
      out.values.push_back(x.values[static_cast<std::size_t>(row * x.shape[1] + col)]);
    }
  }
  return out;
}

}  // namespace

std::vector<Int> bit_image(const NamedCase& named) {
  const Array all = Array::numbered(named.shape);
  const bool one_dim = named.prefix == "gguf" || named.family == "low" || named.family == "high" ||
                       named.family == "halves" || named.family == "words";
  const Int cols = named.shape.back();
  const Int rows = one_dim ? 1 : named.shape[named.shape.size() - 2];
  std::vector<Int> image;
  const auto append = [&](const std::vector<Int>& bits) {
    image.insert(image.end(), bits.begin(), bits.end());
  };
  for (std::size_t begin = 0; begin < all.values.size(); begin += static_cast<std::size_t>(rows * cols)) {
    const auto first = all.values.begin() + static_cast<Int>(begin);
    const std::vector<Int> values(first, first + rows * cols);
    const Array x{{rows, cols}, values};
    if (named.prefix == "gguf") {
      append(gguf_image(named.family, named.field, values));
    } else if (one_dim) {
      append(row_bits(named, values));
    } else if (named.prefix == "pack") {
      append(packing(named, x));
    } else if (named.groups.empty()) {
      append(bits_of(scales(named, x), named.width));
    } else {
      Int from = 0;
      for (const Int size : named.groups) {
        if (size > 0)
          append(bits_of(scales(named, part_of(x, from, size, named.column_groups)), named.width));
        from += size;
      }
    }
  }
  return image;
}

}  // namespace tessera::laws
