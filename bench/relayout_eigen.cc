// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "relayout_peers_of.h"

#if TESSERA_HAVE_EIGEN
#define EIGEN_USE_THREADS
#include <unsupported/Eigen/CXX11/Tensor>
#endif

namespace tessera::bench {

#if TESSERA_HAVE_EIGEN
namespace {

struct Permutation {
  std::vector<Index> shape;        // shape of the source, outermost first
  std::vector<std::size_t> order;  // dimension i of the destination is dimension order[i] of the source
};

// The copy as a permutation of a dense array, if it is one: the digits of both sides split at the same
// positions.
std::optional<Permutation> permutation_of(const Digits& src, const Digits& dst) {
  struct Piece {
    Index ext, src, dst;
  };
  std::vector<Piece> pieces;
  if (src.base() != 0 || dst.base() != 0) return std::nullopt;
  for (std::size_t dim = 0; dim < src.box().size(); ++dim) {
    if (src.digit_extent(dim) != src.box()[dim] || dst.digit_extent(dim) != src.box()[dim])
      return std::nullopt;
    std::vector<Index> cuts{src.box()[dim]};
    for (const Digits* side : {&src, &dst}) {
      for (const Digit& digit : side->digits(dim)) cuts.push_back(digit.div);
    }
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    const auto stride_at = [&](const Digits& side, Index div) {
      for (const Digit& digit : side.digits(dim)) {
        if (div >= digit.div && div < digit.div * digit.ext) return digit.stride * (div / digit.div);
      }
      return Index{0};
    };
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      if (cuts[i + 1] % cuts[i] != 0) return std::nullopt;
      pieces.push_back({cuts[i + 1] / cuts[i], stride_at(src, cuts[i]), stride_at(dst, cuts[i])});
    }
  }
  std::ranges::sort(pieces, std::greater<>(), &Piece::src);
  // Joins digits that are adjacent on both sides into one dimension.
  std::vector<Piece> joined;
  for (const Piece& piece : pieces) {
    if (!joined.empty() && joined.back().src == piece.src * piece.ext &&
        joined.back().dst == piece.dst * piece.ext) {
      joined.back() = {joined.back().ext * piece.ext, piece.src, piece.dst};
    } else {
      joined.push_back(piece);
    }
  }
  Permutation result;
  Index src_dense = 1;
  for (std::size_t i = joined.size(); i-- > 0;) {
    if (joined[i].src != src_dense) return std::nullopt;
    src_dense *= joined[i].ext;
  }
  for (std::size_t i = 0; i < joined.size(); ++i) {
    result.shape.push_back(joined[i].ext);
    result.order.push_back(i);
  }
  std::ranges::sort(result.order, std::greater<>(), [&](std::size_t i) { return joined[i].dst; });
  Index dst_dense = 1;
  for (std::size_t i = joined.size(); i-- > 0;) {
    const Piece& piece = joined[result.order[i]];
    if (piece.dst != dst_dense) return std::nullopt;
    dst_dense *= piece.ext;
  }
  return result;
}

// Eigen's thread pool; null if the copy runs on one thread.
struct Threads {
  explicit Threads(int threads) : count(threads), pool(threads > 1 ? threads : 0) {}
  int count;
  Eigen::ThreadPool pool;
};

template <class T, int kRank>
void shuffle(const Permutation& p, Threads& threads, const std::byte* from, std::byte* to) {
  using Tensor = Eigen::Tensor<T, kRank, Eigen::RowMajor>;
  std::array<Eigen::Index, kRank> in{};
  std::array<Eigen::Index, kRank> out{};
  std::array<int, kRank> order{};
  for (std::size_t i = 0; i < kRank; ++i) {
    in[i] = p.shape[i];
    out[i] = p.shape[p.order[i]];
    order[i] = static_cast<int>(p.order[i]);
  }
  const Eigen::TensorMap<const Tensor> source(reinterpret_cast<const T*>(from), in);
  Eigen::TensorMap<Tensor> target(reinterpret_cast<T*>(to), out);
  if (threads.count == 1) {
    target = source.shuffle(order);
  } else {
    const Eigen::ThreadPoolDevice device(&threads.pool, threads.count);
    target.device(device) = source.shuffle(order);
  }
}

template <class T>
std::function<void()> shuffle_of(Permutation p, int threads, const std::byte* from, std::byte* to) {
  using Shuffle = void (*)(const Permutation&, Threads&, const std::byte*, std::byte*);
  constexpr Shuffle kByRank[] = {nullptr,       nullptr,       shuffle<T, 2>, shuffle<T, 3>,
                                 shuffle<T, 4>, shuffle<T, 5>, shuffle<T, 6>};
  const std::size_t rank = p.shape.size();
  if (rank >= std::size(kByRank) || kByRank[rank] == nullptr) return nullptr;
  return [p = std::move(p), pool = std::make_shared<Threads>(threads), call = kByRank[rank], from, to] {
    call(p, *pool, from, to);
  };
}

}  // namespace

std::optional<Peer> eigen_peer(const Digits& src, const Digits& dst, int element_bytes, int threads,
                               const std::byte* from, std::byte* to) {
  const auto permutation = permutation_of(src, dst);
  if (!permutation) return std::nullopt;
  std::function<void()> run;
  if (element_bytes == 1) run = shuffle_of<std::uint8_t>(*permutation, threads, from, to);
  if (element_bytes == 2) run = shuffle_of<std::uint16_t>(*permutation, threads, from, to);
  if (element_bytes == 4) run = shuffle_of<float>(*permutation, threads, from, to);
  if (element_bytes == 8) run = shuffle_of<double>(*permutation, threads, from, to);
  if (run == nullptr) return std::nullopt;
  return Peer{"eigen", std::move(run)};
}
#else
std::optional<Peer> eigen_peer(const Digits&, const Digits&, int, int, const std::byte*, std::byte*) {
  return std::nullopt;
}
#endif

std::vector<Peer> peers_for(const Digits& src, const Digits& dst, int element_bytes, int threads,
                            const std::byte* from, std::byte* to) {
  std::vector<Peer> peers;
  if (auto peer = onednn_peer(src, dst, element_bytes, threads, from, to)) peers.push_back(*std::move(peer));
  if (auto peer = eigen_peer(src, dst, element_bytes, threads, from, to)) peers.push_back(*std::move(peer));
  return peers;
}

}  // namespace tessera::bench
