// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random chains of small array operations, as one map from the last array to the first.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tessera/map/map_algebra.h"

namespace tessera::testing_tiles {

struct RandomChain {
  IndexMap map;                ///< from an index of the last array to the first array
  std::vector<Index> extents;  ///< extents of the last array
  std::vector<Index> read;     ///< extents of the first array
  std::string text = {};
};

class ChainMaker {
 public:
  explicit ChainMaker(std::mt19937& random) : random_(random) {}

  /// Makes a chain of at most `steps` operations on arrays of at most 200 elements.
  RandomChain make(int steps) {
    RandomChain out;
    const auto rank = static_cast<std::size_t>(pick(1, 3));
    for (std::size_t i = 0; i < rank; ++i) out.extents.push_back(pick(1, 7));
    out.read = out.extents;
    out.map = IndexMap::identity(out.extents);
    for (int i = 0; i < steps; ++i) step(out);
    return out;
  }

 private:
  Index pick(Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random_); }

  void add(RandomChain& chain, Domain domain, std::vector<Expr> results, const std::string& name) {
    Index size = 1;
    std::vector<Index> extents;
    for (std::size_t i = 0; i < extents_.size(); ++i) size *= extents_[i];
    if (size > 200 || size < 1 || extents_.size() > 4) return;
    const IndexMap step = IndexMap::make_unchecked(std::move(domain), std::move(results));
    chain.map = simplify(*compose(step, chain.map), pick(0, 1) == 0 ? Points::preserve : Points::replace);
    chain.extents = extents_;
    chain.text += name + " ";
  }

  static Expr dim(std::size_t i) { return Expr::variable(static_cast<Index>(i)); }

  void step(RandomChain& chain) {
    const std::vector<Index>& in = chain.extents;
    const std::size_t rank = in.size();
    std::vector<Expr> results;
    for (std::size_t i = 0; i < rank; ++i) results.push_back(dim(i));
    extents_ = in;
    const auto at = static_cast<std::size_t>(pick(0, static_cast<Index>(std::max<std::size_t>(rank, 1)) - 1));
    if (rank == 0) return;
    switch (pick(0, 9)) {
      case 0: {  // transpose
        std::vector<std::size_t> order(rank);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::shuffle(order.begin(), order.end(), random_);
        for (std::size_t i = 0; i < rank; ++i) {
          extents_[i] = in[order[i]];
          results[order[i]] = dim(i);
        }
        return add(chain, Domain::box(extents_), results, "transpose");
      }
      case 1:  // reverse
        results[at] = -dim(at) + (in[at] - 1);
        return add(chain, Domain::box(extents_), results, "reverse");
      case 2: {  // slice
        const Index start = pick(0, in[at] - 1);
        const Index stride = pick(1, 3);
        extents_[at] = pick(1, (in[at] - 1 - start) / stride + 1);
        results[at] = dim(at) * stride + start;
        return add(chain, Domain::box(extents_), results, "slice");
      }
      case 3: {  // pad, with interior padding
        const Index low = pick(0, 2);
        const Index step = pick(1, 3) == 3 ? pick(2, 3) : 1;
        extents_[at] = low + (in[at] - 1) * step + 1 + pick(0, 2);
        Domain domain = Domain::box(extents_);
        domain.constrain(dim(at), {low, low + (in[at] - 1) * step});
        if (step > 1) domain.constrain(mod(dim(at) - low, step), {0, 0});
        results[at] = floor_div(dim(at) - low, step);
        return add(chain, std::move(domain), results, "pad");
      }
      case 4: {  // broadcast
        extents_.insert(extents_.begin() + static_cast<std::ptrdiff_t>(at), pick(1, 4));
        for (std::size_t i = at; i < rank; ++i) results[i] = dim(i + 1);
        return add(chain, Domain::box(extents_), results, "broadcast");
      }
      case 5: {  // reduce, or a window
        if (pick(0, 1) == 0) {
          extents_.erase(extents_.begin() + static_cast<std::ptrdiff_t>(at));
          for (std::size_t i = at + 1; i < rank; ++i) results[i] = dim(i - 1);
          results[at] = dim(rank - 1);
          const Domain box = Domain::box(extents_);
          return add(chain, Domain({box.variables().begin(), box.variables().end()}, {{{0, in[at] - 1}}}, {}),
                     results, "reduce");
        }
        // A window with padding, stride, and dilation of the array or of the window.
        const Index stride = pick(1, 3);
        const Index window = pick(1, 3);
        const Index low = pick(0, 2);
        const Index gaps = pick(0, 3) == 0 ? pick(2, 3) : 1;  // gaps between elements of the array
        const Index taps = pick(0, 2) == 0 ? pick(2, 3) : 1;  // from one element of the window to the next
        const Index padded = (in[at] - 1) * gaps + 1 + low + pick(0, 2);
        const Index reach = (window - 1) * taps + 1;
        extents_[at] = std::max<Index>((padded - reach) / stride + 1, 1);
        const Domain box = Domain::box(extents_);
        Domain domain({box.variables().begin(), box.variables().end()}, {{{0, window - 1}}}, {});
        const Expr place = dim(at) * stride + dim(rank) * taps - low;
        domain.constrain(place, {0, (in[at] - 1) * gaps});
        if (gaps > 1) domain.constrain(mod(place, gaps), {0, 0});
        results[at] = floor_div(place, gaps);
        return add(chain, std::move(domain), results, "window");
      }
      case 6: {  // concatenate
        const Index before = pick(0, 4);
        extents_[at] = before + in[at] + pick(0, 3);
        Domain domain = Domain::box(extents_);
        domain.constrain(dim(at), {before, before + in[at] - 1});
        results[at] = dim(at) - before;
        return add(chain, std::move(domain), results, "concatenate");
      }
      default: {  // reshape
        Index size = 1;
        for (const Index extent : in) size *= extent;
        extents_.clear();
        Index rest = size;
        while (rest > 1 && extents_.size() < 3) {
          std::vector<Index> divisors;
          for (Index d = 1; d <= rest; ++d)
            if (rest % d == 0) divisors.push_back(d);
          extents_.push_back(
              divisors[static_cast<std::size_t>(pick(0, static_cast<Index>(divisors.size()) - 1))]);
          rest /= extents_.back();
        }
        if (rest > 1 || extents_.empty()) extents_.push_back(rest);
        Expr linear;
        Index stride = size;
        for (std::size_t i = 0; i < extents_.size(); ++i) linear = linear + dim(i) * (stride /= extents_[i]);
        stride = size;
        for (std::size_t i = 0; i < rank; ++i) {
          const Index above = stride;
          stride /= in[i];
          results[i] = mod(floor_div(linear, stride), above / stride);
        }
        return add(chain, Domain::box(extents_), results, "reshape");
      }
    }
  }

  std::mt19937& random_;
  std::vector<Index> extents_;
};

}  // namespace tessera::testing_tiles
