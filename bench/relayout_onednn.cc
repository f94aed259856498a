// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>

#include "relayout_peers_of.h"

#if TESSERA_HAVE_DNNL
#include <dnnl.hpp>

// Provided by the OpenMP runtime that oneDNN may be linked with; null otherwise.
extern "C" void omp_set_num_threads(int) __attribute__((weak));
#endif

namespace tessera::bench {

#if TESSERA_HAVE_DNNL
namespace {

// The highest digit of a dimension gives its stride. The lower digits are inner blocks, which must be dense.
std::optional<dnnl::memory::desc> descriptor(const Digits& digits, dnnl::memory::data_type type) {
  const std::size_t rank = digits.box().size();
  if (rank > DNNL_MAX_NDIMS || digits.base() != 0) return std::nullopt;
  dnnl_memory_desc_t desc{};
  desc.ndims = static_cast<int>(rank);
  desc.data_type = dnnl::memory::convert_to_c(type);
  desc.format_kind = dnnl_blocked;
  std::vector<Digit> inner;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    const Index extent = digits.box()[dim];
    const auto chain = digits.digits(dim);
    desc.dims[dim] = extent;
    desc.padded_dims[dim] = chain.empty() ? extent : chain.back().div * chain.back().ext;
    desc.format_desc.blocking.strides[dim] = chain.empty() ? 1 : chain.back().stride;
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) inner.push_back(chain[i]);
  }
  std::ranges::sort(inner, std::greater<>(), &Digit::stride);
  Index dense = 1;
  for (const Digit& digit : inner) dense *= digit.ext;
  auto& blocking = desc.format_desc.blocking;
  blocking.inner_nblks = static_cast<int>(inner.size());
  for (std::size_t i = 0; i < inner.size(); ++i) {
    dense /= inner[i].ext;
    if (inner[i].stride != dense) return std::nullopt;
    blocking.inner_blks[i] = inner[i].ext;
    blocking.inner_idxs[i] = static_cast<dnnl_dim_t>(inner[i].dim);
  }
  return dnnl::memory::desc(desc);
}

}  // namespace

std::optional<Peer> onednn_peer(const Digits& src, const Digits& dst, int element_bytes, int threads,
                                const std::byte* from, std::byte* to) {
  using Type = dnnl::memory::data_type;
  // oneDNN's reorders have no 8-byte type.
  if (element_bytes != 1 && element_bytes != 2 && element_bytes != 4) return std::nullopt;
  const Type type = element_bytes == 1 ? Type::u8 : element_bytes == 2 ? Type::bf16 : Type::f32;
  const auto src_desc = descriptor(src, type);
  const auto dst_desc = descriptor(dst, type);
  if (!src_desc || !dst_desc) return std::nullopt;
  if (omp_set_num_threads != nullptr) omp_set_num_threads(threads);
  try {
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);
    dnnl::memory in(*src_desc, engine, const_cast<std::byte*>(from));
    dnnl::memory out(*dst_desc, engine, to);
    dnnl::reorder reorder(in, out);
    return Peer{"onednn", [stream, in, out, reorder]() mutable {
                  reorder.execute(stream, in, out);
                  stream.wait();
                }};
  } catch (const dnnl::error&) {
    return std::nullopt;
  }
}
#else
std::optional<Peer> onednn_peer(const Digits&, const Digits&, int, int, const std::byte*, std::byte*) {
  return std::nullopt;
}
#endif

}  // namespace tessera::bench
