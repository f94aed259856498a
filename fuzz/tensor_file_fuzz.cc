// SPDX-License-Identifier: Apache-2.0
// Any bytes either parse as the header of a .npy or a .safetensors file, or give a diagnostic inside the
// file. The header written for the parsed value parses back to the same value.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "files/npy.h"
#include "files/safetensors.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

template <class T>
void check_place(const tessera::Result<T>& read, std::size_t size) {
  require(read || (read.error().span.begin <= read.error().span.end && read.error().span.end <= size &&
                   !read.error().message.empty()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 65536) return 0;
  const auto file = std::as_bytes(std::span(data, size));
  const auto npy = tessera::parse_npy_header(file);
  check_place(npy, size);
  if (npy && npy->dtype) {
    const std::string written = tessera::npy_header(*npy->dtype, npy->shape, npy->fortran_order);
    const auto again = tessera::parse_npy_header(std::as_bytes(std::span(written)));
    require(again && again->dtype == npy->dtype && again->shape == npy->shape &&
            again->fortran_order == npy->fortran_order && again->element_bytes == npy->element_bytes);
  }
  const auto tensors = tessera::parse_safetensors_header(file);
  check_place(tensors, size);
  if (tensors) {
    std::string written = to_bytes(*tensors);
    const std::size_t header = written.size();
    written.append(size - tensors->data_begin, '\0');
    const auto again = tessera::parse_safetensors_header(std::as_bytes(std::span(written)));
    require(again && again->data_begin == header && again->metadata == tensors->metadata &&
            again->tensors.size() == tensors->tensors.size());
    for (std::size_t i = 0; i < again->tensors.size(); ++i) {
      require(again->tensors[i].name == tensors->tensors[i].name &&
              again->tensors[i].shape == tensors->tensors[i].shape);
    }
  }
  return 0;
}
