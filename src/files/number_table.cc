// SPDX-License-Identifier: Apache-2.0
#include "files/number_table.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/index_walk.h"
#include "base/try.h"
#include "tessera/files/tensor_file.h"

namespace tessera {
namespace {

// A little-endian integer of whole bytes.
std::uint64_t integer_at(std::span<const std::byte> bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = width; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
  return value;
}

}  // namespace

Result<NumberTable> read_number_table(const std::string& path) {
  TESSERA_TRY(file, TensorFile::open(parse_tensor_path(path)));
  const FileTensor& tensor = file.tensor();
  const int bits = tensor.dtype && is_integer(*tensor.dtype) ? bit_width(*tensor.dtype) : 0;
  if (!tensor.layout || bits < 8 || tensor.element_bits != bits) {
    return fail(Code::argument_type, fmt::format("{} is not an array of integers", path), {},
                "numpy.save writes one: numpy.save('table.npy', table)");
  }
  const Layout& layout = *tensor.layout;
  if (layout.size() > kTableLimit) {
    return fail(Code::limit,
                fmt::format("{} has {} entries; tables have at most {}", path, layout.size(), kTableLimit));
  }
  NumberTable table{{layout.shape().begin(), layout.shape().end()}, {}};
  if (layout.size() == 0) return table;
  const auto width = static_cast<std::size_t>(bits / 8);
  const bool is_signed = dtype_class(*tensor.dtype) == DTypeClass::signed_integer;
  std::vector<Index> index(layout.rank(), 0);
  do {
    const std::uint64_t value =
        integer_at(file.data(), static_cast<std::size_t>(layout.offset(index)) * width, width);
    if (!is_signed && value > static_cast<std::uint64_t>(kIndexMax))
      return fail(Code::number_range, fmt::format("{} has the entry {}", path, value));
    const int unused = 64 - bits;
    table.values.push_back(is_signed ? static_cast<Index>(value << unused) >> unused
                                     : static_cast<Index>(value));
  } while (detail::next_index(index, layout.shape()));
  return table;
}

}  // namespace tessera
