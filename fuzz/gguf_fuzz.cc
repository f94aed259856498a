// SPDX-License-Identifier: Apache-2.0
// Any bytes either parse as the header of a GGUF file, or give a diagnostic inside the file. Tensors lie
// inside the file and do not overlap. A file with the same tensors, one after another, has the same shapes
// and sizes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "files/gguf.h"
#include "files/gguf_bytes.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 65536) return 0;
  // A copy of exactly this size, so that the sanitizer sees every read beyond it.
  const std::vector<std::uint8_t> copy(data, data + size);
  const auto header = tessera::parse_gguf_header(std::as_bytes(std::span(copy)));
  if (!header) {
    const tessera::Span span = header.error().span;
    require(span.begin <= span.end && span.end <= size && !header.error().message.empty());
    return 0;
  }
  tessera::testing_files::GgufBytes again;
  again.header(header->tensors.size(), 0);
  std::uint64_t offset = 0;
  std::vector<std::pair<tessera::Index, tessera::Index>> places;
  for (const tessera::GgufTensor& tensor : header->tensors) {
    require(tensor.begin <= tensor.end && tensor.end <= static_cast<tessera::Index>(size));
    if (tensor.begin < tensor.end) places.emplace_back(tensor.begin, tensor.end);
    (void)tessera::gguf_layout_text(*tensor.type, tensor.shape);
    const std::vector<std::uint64_t> extents(tensor.shape.rbegin(), tensor.shape.rend());
    again.tensor(tensor.name, extents, tensor.type->number, offset);
    offset += static_cast<std::uint64_t>(tensor.end - tensor.begin + 31) / 32 * 32;
  }
  std::ranges::sort(places);
  for (std::size_t i = 1; i < places.size(); ++i) require(places[i - 1].second <= places[i].first);
  again.data(static_cast<std::size_t>(offset));
  const auto reread = tessera::parse_gguf_header(std::as_bytes(std::span(again.text())));
  require(reread.has_value() && !reread->gap && reread->tensors.size() == header->tensors.size());
  for (std::size_t i = 0; i < reread->tensors.size(); ++i) {
    const tessera::GgufTensor& a = header->tensors[i];
    const tessera::GgufTensor& b = reread->tensors[i];
    require(a.name == b.name && a.shape == b.shape && a.type == b.type && a.end - a.begin == b.end - b.begin);
  }
  return 0;
}
