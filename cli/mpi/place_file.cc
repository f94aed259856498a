// SPDX-License-Identifier: Apache-2.0
#include "cli/mpi/place_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/try.h"
#include "mpi/local_layout.h"
#include "tessera/notation/conversion.h"

namespace tessera::mpi {

Result<std::string> place_path(const std::string& pattern, Index place) {
  constexpr std::string_view kPlace = "{place}";
  const std::size_t at = pattern.find(kPlace);
  if (at == std::string::npos) {
    return fail(Code::bad_option, fmt::format("'{}' names one file for all places", pattern), {},
                "write {place} where the number of the place goes: part-{place}.npy");
  }
  std::string path = pattern;
  return path.replace(at, kPlace.size(), fmt::format("{}", place));
}

Result<TensorFile> open_place(const std::string& path, const BoundDistribution& side, Index place,
                              DType dtype) {
  auto file = TensorFile::open(parse_tensor_path(path));
  if (!file) return file;
  const FileTensor& tensor = file->tensor();
  const Index bytes = side.local_buffer(place).size() * (bit_width(dtype) / 8);
  const auto found = static_cast<Index>(file->data().size());
  if (!tensor.layout) {
    if (found < bytes) {
      return fail(Code::buffer_too_small, fmt::format("{} has {} bytes, but the array of place {} needs {}",
                                                      path, found, place, bytes));
    }
    if (found > bytes) {
      return fail(Code::bad_file, fmt::format("{} has {} bytes, but the array of place {} has {}", path,
                                              found, place, bytes));
    }
    return file;
  }
  if (tensor.dtype && *tensor.dtype != dtype) {
    return fail(Code::different_type,
                fmt::format("{} holds {}, not {}", path, to_string(*tensor.dtype), to_string(dtype)));
  }
  const std::vector<Index> shape = *side.local_shape(place);
  if (!std::ranges::equal(tensor.layout->shape(), shape)) {
    return fail(Code::different_shape,
                fmt::format("{} has shape [{}], but the array of place {} has [{}]", path,
                            fmt::join(tensor.layout->shape(), ","), place, fmt::join(shape, ",")));
  }
  TESSERA_TRY(layout, local_layout(side, place, dtype));
  if (equal(*tensor.layout, layout, EqualityNotion::map).verdict != Verdict::yes || found < bytes) {
    return fail(Code::not_representable,
                fmt::format("{} stores the array in another order than the distribution says", path), {},
                "add 'local column' or 'local LAYOUT' to the distribution, or tessera copy the file");
  }
  return file;
}

Result<std::unique_ptr<FileWriter>> create_place(const std::string& path, const BoundDistribution& side,
                                                 Index place, DType dtype, bool force) {
  const TensorPath target = parse_tensor_path(path);
  const FileFormat format = format_of(target.path);
  std::string header;
  if (format != FileFormat::raw) {
    TESSERA_TRY(layout, local_layout(side, place, dtype));
    const Index bytes = side.local_buffer(place).size() * (bit_width(dtype) / 8);
    TESSERA_TRY(text, file_header(format, {.name = target.tensor.empty() ? "tensor" : target.tensor,
                                           .dtype = dtype,
                                           .element_bits = bit_width(dtype),
                                           .layout = layout,
                                           .end = bytes}));
    header = std::move(text);
  }
  auto writer = FileWriter::create(target.path, force);
  if (!writer) return writer;
  TESSERA_NEED((*writer)->write(std::as_bytes(std::span(header))));
  return writer;
}

}  // namespace tessera::mpi
