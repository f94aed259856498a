// SPDX-License-Identifier: Apache-2.0
#include "notation/symbolic/symbolic_digits.h"

#include <algorithm>

namespace tessera::symbolic {
namespace {

using tessera_tracing::Traced;
using LayoutKind = SymbolicLayout::Kind;

Traced up(Traced a, Traced b) {
  if (Traced::recorded(a, b)) return tessera_tracing::computed('^', a.number(), b.number());
  return static_cast<std::int64_t>(-floor_div(-Integer{a.value}, Integer{b.value}));
}

class Reader {
 public:
  Reader(const SymbolicLayout& layout, Recording& recording) : l_(layout), recording_(recording) {}

  std::string outside() {
    const auto all_positive = [&](const std::vector<SizeTerm>& terms, const char* what) {
      for (const SizeTerm& t : terms) {
        const Traced n = value(t);
        if (!out_.outside.empty() || !positive(n, what)) return false;
      }
      return true;
    };
    bool fits = all_positive(l_.shape().leaves, "an extent is below 1");
    for (const std::vector<SizeTerm>& tile : l_.tiles())
      fits = fits && all_positive(tile, "a tile entry is below 1");
    if (fits && l_.kind() == LayoutKind::morello) packed();
    return out_.outside;
  }

  TracedDigits read(bool normal) {
    switch (l_.kind()) {
      case LayoutKind::cute:
      case LayoutKind::strides:
        strided();
        break;
      case LayoutKind::xla:
        tiled();
        break;
      case LayoutKind::morello:
        packed();
        break;
      case LayoutKind::format_tag:
        blocked();
        break;
    }
    if (normal && out_.outside.empty() && out_.refused.empty()) normalize();
    return std::move(out_);
  }

 private:
  Traced value(const SizeTerm& term) { return term_value(term, recording_, out_.outside); }
  bool positive(Traced n, const char* what) {
    if (n >= 1) return true;
    out_.outside = what;
    return false;
  }
  void read_extents() {
    for (const SizeTerm& t : l_.shape().leaves) out_.extent.push_back(value(t));
    for (const Traced n : out_.extent) {
      if (!positive(n, "an extent is below 1")) return;
    }
    out_.dims.resize(out_.extent.size());
  }

  // Every top-level mode is a dimension.
  void strided() {
    const bool compact = l_.stride().leaves.empty();
    Traced next = 1;
    for (const TermTree::Mode& mode : l_.shape().modes()) {
      Traced div = 1;
      std::vector<TracedDigit> digits;
      for (std::size_t leaf = mode.first; leaf < mode.last; ++leaf) {
        const Traced extent = value(l_.shape().leaves[leaf]);
        if (!out_.outside.empty() || !positive(extent, "an extent is below 1")) return;
        digits.push_back({div, extent, compact ? next : value(l_.stride().leaves[leaf])});
        div *= extent;
        next *= extent;
      }
      out_.extent.push_back(div);
      out_.dims.push_back(std::move(digits));
    }
    if (l_.kind() == LayoutKind::strides) out_.constant = value(l_.offset());
    if (l_.crop().empty()) return;
    if (l_.crop().size() != out_.extent.size()) {
      out_.outside = "the crop has another number of dimensions";
      return;
    }
    for (std::size_t d = 0; d < out_.extent.size(); ++d) {
      const Traced n = value(l_.crop()[d]);
      if (!positive(n, "the crop is below 1")) return;
      if (n > out_.extent[d]) {
        out_.outside = "the crop is larger than the layout";
        return;
      }
      out_.extent[d] = n;
    }
  }

  // Entries from the fastest on.
  void packed() {
    read_extents();
    if (!out_.outside.empty()) return;
    std::vector<Traced> div(out_.extent.size(), 1);
    Traced stride = 1;
    for (std::size_t i = l_.entries().size(); i-- > 0;) {
      const auto& [dim, pack] = l_.entries()[i];
      const auto d = static_cast<std::size_t>(dim);
      Traced extent = pack ? Traced(static_cast<std::int64_t>(*pack)) : Traced(0);
      if (!pack) {
        if (out_.extent[d] % div[d] != 0) {
          out_.outside = "a pack does not divide its dimension";
          return;
        }
        extent = out_.extent[d] / div[d];
      }
      out_.dims[d].push_back({div[d], extent, stride});
      div[d] *= extent;
      stride *= extent;
    }
    out_.allocated = stride;
    for (std::size_t d = 0; d < div.size(); ++d) {
      if (div[d] != out_.extent[d]) out_.outside = "the packs do not make up their dimension";
    }
  }

  // Blocks from the last on, then the dimensions of the tag.
  void blocked() {
    read_extents();
    if (!out_.outside.empty()) return;
    std::vector<Traced> div(out_.extent.size(), 1);
    Traced stride = 1;
    for (std::size_t i = l_.entries().size(); i-- > 0;) {
      const auto d = static_cast<std::size_t>(l_.entries()[i].dim);
      const Traced block = static_cast<std::int64_t>(*l_.entries()[i].pack);
      out_.dims[d].push_back({div[d], block, stride});
      div[d] *= block;
      stride *= block;
    }
    for (std::size_t i = l_.outer().size(); i-- > 0;) {
      const auto d = static_cast<std::size_t>(l_.outer()[i]);
      const Traced extent = up(out_.extent[d], div[d]);
      out_.dims[d].push_back({div[d], extent, stride});
      stride *= extent;
    }
    out_.allocated = stride;
  }

  // A physical dimension: a digit of a logical one, or none if its index is always 0; and how many cells
  // it has.
  struct Physical {
    int dim = -1;
    Traced div = 1;
    Traced extent = 1;
    Traced cells = 1;
  };
  void tiled() {
    read_extents();
    if (!out_.outside.empty()) return;
    std::vector<Physical> cells;
    const std::vector<int>& order = l_.minor_to_major();
    for (std::size_t i = order.size(); i-- > 0;) {
      const Traced n = out_.extent[static_cast<std::size_t>(order[i])];
      cells.push_back({order[i], 1, n, n});
    }
    for (const std::vector<SizeTerm>& tile : l_.tiles()) {
      while (cells.size() < tile.size()) cells.insert(cells.begin(), Physical{});
      const std::size_t keep = cells.size() - tile.size();
      std::vector<Physical> inner;
      for (std::size_t i = 0; i < tile.size(); ++i) {
        const Traced t = value(tile[i]);
        if (!out_.outside.empty() || !positive(t, "a tile entry is below 1")) return;
        Physical& outer = cells[keep + i];
        Physical in{-1, 1, 1, t};
        const Traced blocks = up(outer.cells, t);
        if (outer.dim >= 0) {
          const Traced whole = out_.extent[static_cast<std::size_t>(outer.dim)];
          if (outer.extent <= t) {
            in = {outer.dim, outer.div, outer.extent, t};
            outer = {-1, 1, 1, blocks};
          } else if (outer.extent % t == 0 || outer.div * outer.extent >= whole) {
            in = {outer.dim, outer.div, t, t};
            outer = {outer.dim, outer.div * t, up(outer.extent, t), blocks};
          } else {
            out_.refused = "a tile cuts the tiles before it unevenly";
            return;
          }
        } else {
          outer.cells = blocks;
        }
        inner.push_back(in);
      }
      cells.insert(cells.end(), inner.begin(), inner.end());
    }
    Traced stride = 1;
    for (std::size_t i = cells.size(); i-- > 0;) {
      if (cells[i].dim >= 0)
        out_.dims[static_cast<std::size_t>(cells[i].dim)].push_back({cells[i].div, cells[i].extent, stride});
      stride *= cells[i].cells;
    }
    out_.allocated = stride;
    for (std::vector<TracedDigit>& digits : out_.dims) {
      for (std::size_t i = 1; i < digits.size(); ++i) {
        for (std::size_t j = i; j > 0 && digits[j - 1].div > digits[j].div; --j)
          std::swap(digits[j - 1], digits[j]);
      }
    }
  }

  void normalize() {
    for (std::size_t d = 0; d < out_.dims.size(); ++d) {
      std::vector<TracedDigit> kept;
      for (const TracedDigit& digit : out_.dims[d]) {
        if (digit.extent == 1 || digit.div >= out_.extent[d]) continue;
        if (!kept.empty() && kept.back().stride * kept.back().extent == digit.stride) {
          kept.back().extent *= digit.extent;
        } else {
          kept.push_back(digit);
        }
      }
      if (!kept.empty()) kept.back().extent = up(out_.extent[d], kept.back().div);
      out_.dims[d] = std::move(kept);
    }
  }

  const SymbolicLayout& l_;
  Recording& recording_;
  TracedDigits out_;
};

}  // namespace

Traced term_value(const SizeTerm& term, Recording& recording, std::string& outside) {
  std::vector<Polynomial> divisors;
  const Polynomial p = polynomial(term, recording.run().space(), divisors);
  for (const Polynomial& d : divisors) {
    if (!recording.run().decide(at_least(d, 1))) outside = "a divisor is below 1";
  }
  return recording.number(p);
}

TracedDigits traced_digits(const SymbolicLayout& layout, Recording& recording) {
  return Reader(layout, recording).read(true);
}

TracedDigits digits_as_written(const SymbolicLayout& layout, Recording& recording) {
  return Reader(layout, recording).read(false);
}

std::string not_a_layout(const SymbolicLayout& layout, Recording& recording) {
  return Reader(layout, recording).outside();
}

TracedQuotient divided(Traced a, Traced b) { return {a / b, a % b}; }

Traced offset_of(const TracedDigits& digits, const std::vector<Traced>& at, const TracedDivision& divide) {
  Traced sum = digits.constant;
  for (std::size_t d = 0; d < digits.dims.size(); ++d) {
    const std::vector<TracedDigit>& own = digits.dims[d];
    for (std::size_t i = 0; i < own.size(); ++i) {
      const Traced above = divide(at[d], own[i].div).whole;
      sum += own[i].stride * (i + 1 == own.size() ? above : divide(above, own[i].extent).rest);
    }
  }
  return sum;
}

bool same_digits(const TracedDigits& a, const TracedDigits& b) {
  if (a.extent.size() != b.extent.size()) return false;
  for (std::size_t d = 0; d < a.extent.size(); ++d) {
    if (a.extent[d] != b.extent[d]) return false;
  }
  if (a.constant != b.constant) return false;
  for (std::size_t d = 0; d < a.dims.size(); ++d) {
    if (a.dims[d].size() != b.dims[d].size()) return false;
    for (std::size_t i = 0; i < a.dims[d].size(); ++i) {
      if (a.dims[d][i].stride != b.dims[d][i].stride || a.dims[d][i].extent != b.dims[d][i].extent)
        return false;
    }
  }
  return true;
}

}  // namespace tessera::symbolic
