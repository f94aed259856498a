// SPDX-License-Identifier: Apache-2.0
#include "notation/symbolic/symbolic_from_digits.h"

#include <fmt/format.h>

#include <algorithm>

#include "size/sized_cases.h"

namespace tessera::symbolic {
namespace {

using tessera_tracing::Traced;

/// Whether a traced number is this one for all sizes, without a decision.
bool is_plainly(Traced n, std::int64_t value) { return n.node == 0 && n.value == value; }

Traced magnitude(Traced n) { return n < 0 ? -n : n; }

/// A digit with its dimension.
struct DimPart {
  std::size_t dim;
  TracedDigit digit;
  bool top;  ///< the highest digit of its dimension
};

std::vector<DimPart> parts_of(const TracedDigits& digits) {
  std::vector<DimPart> out;
  for (std::size_t d = 0; d < digits.dims.size(); ++d) {
    for (std::size_t i = 0; i < digits.dims[d].size(); ++i)
      out.push_back({d, digits.dims[d][i], i + 1 == digits.dims[d].size()});
  }
  return out;
}

/// Smallest strides first; equal ones stay in order.
void sort_by_stride(std::vector<DimPart>& parts) {
  for (std::size_t i = 1; i < parts.size(); ++i) {
    for (std::size_t j = i; j > 0 && magnitude(parts[j - 1].digit.stride) > magnitude(parts[j].digit.stride);
         --j)
      std::swap(parts[j - 1], parts[j]);
  }
}

Leaf refused(std::string reason) {
  return {.kind = Leaf::Kind::error,
          .frame = std::string(to_string(Code::not_representable)),
          .reason = std::move(reason)};
}
Leaf open(std::string why) { return {.kind = Leaf::Kind::undecided, .reason = std::move(why)}; }

/// The box is covered by the digits of a dimension, which may be more.
Traced covered(const TracedDigits& digits, std::size_t d) {
  const std::vector<TracedDigit>& own = digits.dims[d];
  return own.empty() ? digits.extent[d] : own.back().div * own.back().extent;
}

/// The conditions of dense layouts, in the order of their reasons.
std::optional<Leaf> not_dense(const TracedDigits& digits) {
  if (digits.constant != 0) return refused("offset");
  for (const auto& own : digits.dims) {
    for (const TracedDigit& digit : own) {
      if (digit.stride < 0) return refused("negative_stride");
    }
  }
  const std::optional<bool> injective = is_injective(digits);
  if (!injective) return open("whether two indices share an offset is not decided");
  return *injective ? std::nullopt : std::optional(refused("broadcast"));
}

/// The text of a leaf, number by number.
class Text {
 public:
  explicit Text(Recording& recording) : recording_(recording) {}
  Text& add(std::string_view text) {
    out_.frame += text;
    return *this;
  }
  Text& add(Traced n, char how = kCompactNumber) {
    out_.frame += how;
    out_.numbers.push_back(recording_.polynomial(n.number()));
    return *this;
  }
  template <class Each>
  Text& list(std::size_t count, std::string_view separator, const Each& each) {
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) add(separator);
      each(i);
    }
    return *this;
  }
  Text& list(const std::vector<Traced>& numbers, std::string_view separator) {
    return list(numbers.size(), separator, [&](std::size_t i) { add(numbers[i]); });
  }
  Leaf leaf() { return std::move(out_); }
  /// All numbers but the last `others` are extents and then strides.
  Leaf layout(std::size_t others) {
    out_.layout = true;
    out_.others = others;
    return std::move(out_);
  }

 private:
  Recording& recording_;
  Leaf out_;
};

Leaf to_cute(const TracedDigits& digits, Recording& recording) {
  if (digits.constant != 0) return refused("offset");
  const std::size_t rank = digits.dims.size();
  const bool flat = rank == 1 && digits.dims[0].size() < 2;
  Text out(recording);
  for (const bool strides : {false, true}) {
    if (strides) out.add(":");
    if (!flat) out.add("(");
    out.list(rank, ",", [&](std::size_t d) {
      const std::vector<TracedDigit>& own = digits.dims[d];
      if (own.empty()) out.add(Traced(strides ? 0 : 1));
      if (own.size() > 1) out.add("(");
      out.list(own.size(), ",", [&](std::size_t i) { out.add(strides ? own[i].stride : own[i].extent); });
      if (own.size() > 1) out.add(")");
    });
    if (!flat) out.add(")");
  }
  bool cropped = false;
  for (std::size_t d = 0; d < rank; ++d) {
    if (!digits.dims[d].empty() && covered(digits, d) != digits.extent[d]) cropped = true;
  }
  if (!cropped) return out.layout(0);
  out.add(" crop (").list(digits.extent, ",").add(")");
  return out.layout(rank);
}

Leaf to_strides(const TracedDigits& digits, Recording& recording) {
  Text out(recording);
  for (const std::vector<TracedDigit>& own : digits.dims) {
    if (own.size() > 1) return refused("multi_digit");
  }
  out.add("np:(").list(digits.extent, ",").add("):(");
  out.list(digits.dims.size(), ",",
           [&](std::size_t d) { out.add(digits.dims[d].empty() ? Traced(0) : digits.dims[d][0].stride); });
  out.add(")");
  if (is_plainly(digits.constant, 0) || digits.constant == 0) return out.layout(0);
  const bool negative = digits.constant < 0;
  out.add(negative ? " - " : " + ");
  out.add(negative ? -digits.constant : digits.constant);
  return out.layout(1);
}

/// The extents before a colon: `MxN`, or a list in brackets if a name has an x.
void add_shape(Text& out, const TracedDigits& digits, const SymbolicLayout& layout) {
  const std::vector<std::string> names = layout.names();
  const bool has_x =
      std::ranges::any_of(names, [](const std::string& n) { return n.find('x') != std::string::npos; });
  if (has_x) out.add("(");
  out.list(digits.extent, has_x ? "," : "x");
  if (has_x) out.add(")");
}

Leaf to_morello(const TracedDigits& digits, const SymbolicLayout& layout, Recording& recording) {
  if (auto why = not_dense(digits)) return *std::move(why);
  std::vector<DimPart> parts = parts_of(digits);
  sort_by_stride(parts);
  Traced filled = 1;
  for (const DimPart& p : parts) {
    if (p.digit.stride != filled) return refused("padding");
    filled *= p.digit.extent;
  }
  for (std::size_t d = 0; d < digits.dims.size(); ++d) {
    if (!digits.dims[d].empty() && covered(digits, d) != digits.extent[d]) return refused("padding");
  }
  Text out(recording);
  add_shape(out, digits, layout);
  out.add(":[");
  std::vector<std::optional<Traced>> above(digits.dims.size());
  bool first = true;
  for (std::size_t k = parts.size(); k-- > 0;) {
    const DimPart p = parts[k];
    if (!first) out.add(", ");
    first = false;
    out.add(std::to_string(p.dim));
    const bool strip = k > 0 && parts[k - 1].dim == p.dim && p.digit.extent == 2 &&
                       parts[k - 1].digit.div == 2 * p.digit.div;
    if (strip) {
      out.add(" oe(").add(2 * parts[k - 1].digit.extent).add(")");
      --k;
    } else if (!p.top) {
      out.add(" p(").add(p.digit.extent).add(")");
    }
    if (above[p.dim] && p.digit.div >= *above[p.dim]) return refused("order");
    above[p.dim] = p.digit.div;
  }
  return out.add("]").leaf();
}

/// A part of a format tag: a digit, or padding.
struct TagPart {
  std::size_t dim;
  Traced extent;
  Traced stride;
  bool can_be_outer;
};

void add_tag_shape(Text& out, const TracedDigits& digits, const SymbolicLayout& layout) {
  if (layout.type().empty()) {
    add_shape(out, digits, layout);
  } else {
    out.add(layout.type()).add("[").list(digits.extent, ",").add("]");
  }
}

/// A format tag is its own conversion.
Leaf own_tag(const TracedDigits& digits, const SymbolicLayout& layout, Recording& recording) {
  std::string blocks;
  std::vector<bool> blocked(digits.dims.size());
  for (const SymbolicLayout::Entry& entry : layout.entries()) {
    blocks += to_string(*entry.pack) + static_cast<char>('a' + entry.dim);
    blocked[static_cast<std::size_t>(entry.dim)] = true;
  }
  std::string tag = ":";
  for (const int d : layout.outer())
    tag += static_cast<char>((blocked[static_cast<std::size_t>(d)] ? 'A' : 'a') + d);
  Text out(recording);
  add_tag_shape(out, digits, layout);
  return out.add(tag + blocks).leaf();
}

/// A dense tag; the tags with outer strides are for numbers.
Leaf to_format_tag(const TracedDigits& digits, const SymbolicLayout& layout, Recording& recording) {
  if (layout.kind() == SymbolicLayout::Kind::format_tag) return own_tag(digits, layout, recording);
  const std::string strided = "format tags with outer strides have numbers only";
  if (const auto why = not_dense(digits))
    return why->kind == Leaf::Kind::error && why->reason == "broadcast" ? open(strided) : *why;
  const std::size_t rank = digits.dims.size();
  std::vector<std::size_t> placed(rank, 0);
  std::vector<bool> complete(rank);
  for (std::size_t d = 0; d < rank; ++d) complete[d] = digits.dims[d].empty();
  std::vector<DimPart> sorted = parts_of(digits);
  sort_by_stride(sorted);
  std::vector<TagPart> parts;
  Traced filled = 1;
  for (const DimPart& p : sorted) {
    const Traced stride = p.digit.stride;
    if (digits.dims[p.dim][placed[p.dim]].div != p.digit.div) return open(strided);
    if (stride != filled) {
      const bool ends = !parts.empty() && complete[parts.back().dim];
      const auto padded = std::ranges::find(complete, true);
      if (ends && stride > filled && stride % parts.back().stride == 0) {
        parts.back().extent = stride / parts.back().stride;
        parts.back().can_be_outer = false;
      } else if (stride < filled || stride % filled != 0 || padded == complete.end()) {
        return open(strided);
      } else {
        parts.push_back(
            {static_cast<std::size_t>(padded - complete.begin()), stride / filled, filled, false});
      }
    }
    complete[p.dim] = ++placed[p.dim] == digits.dims[p.dim].size();
    parts.push_back({p.dim, p.digit.extent, stride, complete[p.dim]});
    filled = stride * p.digit.extent;
  }
  std::vector<std::size_t> order;
  while (!parts.empty() && parts.back().can_be_outer) {
    order.push_back(parts.back().dim);
    parts.pop_back();
  }
  std::string blocks;
  std::vector<bool> blocked(rank);
  for (std::size_t k = parts.size(); k-- > 0;) {
    if (parts[k].extent.node != 0) return open("a block of a format tag would have a size with names");
    blocks += fmt::format("{}{}", parts[k].extent.value, static_cast<char>('a' + parts[k].dim));
    blocked[parts[k].dim] = true;
  }
  for (std::size_t d = 0; d < rank; ++d) {
    if (std::ranges::find(order, d) != order.end()) continue;
    order.insert(std::ranges::find_if(order, [&](std::size_t other) { return other > d; }), d);
  }
  Text out(recording);
  add_tag_shape(out, digits, layout);
  std::string tag = ":";
  for (const std::size_t d : order) tag += static_cast<char>((blocked[d] ? 'A' : 'a') + d);
  return out.add(tag + blocks).leaf();
}

/// A list of tiles: none, or one whose entries are the lowest digits of the fastest dimensions.
Leaf to_xla(const TracedDigits& digits, const SymbolicLayout& layout, Recording& recording) {
  Text out(recording);
  const std::string type = layout.type().empty() ? "f32" : layout.type();
  out.add(type + "[").list(digits.extent, ",").add("]{");
  if (layout.kind() == SymbolicLayout::Kind::xla) {
    const std::vector<int>& order = layout.minor_to_major();
    out.list(order.size(), ",", [&](std::size_t i) { out.add(std::to_string(order[i])); });
    std::string before = ":T";
    std::string outside;  // the digits were read
    for (const auto& tile : layout.tiles()) {
      out.add(before + "(");
      before.clear();
      out.list(tile.size(), ",", [&](std::size_t i) { out.add(term_value(tile[i], recording, outside)); });
      out.add(")");
    }
    return out.add("}").leaf();
  }
  if (auto why = not_dense(digits)) return *std::move(why);
  std::vector<DimPart> parts = parts_of(digits);
  sort_by_stride(parts);
  const std::string searched = "a list of several tiles is searched for with numbers only";
  // The tile has the digits of as many dimensions as come before a second digit of one of them; a list of
  // more of them may be right, too, if one of fewer is not.
  for (std::size_t tiled = 0; tiled <= parts.size(); ++tiled) {
    std::vector<std::size_t> order;
    std::vector<std::size_t> used(digits.dims.size(), 0);
    bool fits = true;
    const auto seen = [&](std::size_t d) { return std::ranges::find(order, d) != order.end(); };
    for (std::size_t k = 0; k < tiled && fits; ++k) {
      fits = !seen(parts[k].dim) && is_plainly(parts[k].digit.div, 1);
      order.push_back(parts[k].dim);
    }
    std::size_t last = 0;
    for (std::size_t k = tiled; k < parts.size() && fits; ++k) {
      const bool high = std::ranges::find(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(tiled),
                                          parts[k].dim) != order.begin() + static_cast<std::ptrdiff_t>(tiled);
      if (high) {
        const auto place = static_cast<std::size_t>(std::ranges::find(order, parts[k].dim) - order.begin());
        fits =
            place >= last && order.size() == tiled && parts[k].top && digits.dims[parts[k].dim].size() == 2;
        last = place;
      } else {
        fits = !seen(parts[k].dim) && digits.dims[parts[k].dim].size() == 1;
        order.push_back(parts[k].dim);
      }
    }
    for (std::size_t k = 0; k < tiled && fits; ++k) fits = digits.dims[parts[k].dim].size() <= 2;
    if (!fits) continue;
    // Entries: the low digit, or what a whole dimension has room for; no room may be left between others.
    std::vector<Traced> entries;
    Traced filled = 1;
    for (std::size_t k = 0; k < parts.size() && fits; ++k) {
      fits = parts[k].digit.stride == filled;
      if (!fits) break;
      filled *= parts[k].digit.extent;
      if (k >= tiled) continue;
      Traced entry = parts[k].digit.extent;
      const bool whole = digits.dims[parts[k].dim].size() == 1;
      if (whole && k + 1 < parts.size() && parts[k + 1].digit.stride != filled) {
        const Traced next = parts[k + 1].digit.stride;
        fits = next > filled && next % parts[k].digit.stride == 0;
        if (!fits) break;
        entry = next / parts[k].digit.stride;
        filled = next;
      }
      entries.push_back(entry);
    }
    if (!fits) continue;
    for (std::size_t d = digits.dims.size(); d-- > 0;) {
      // Dimensions of one index: slowest, so that the order descends where it may.
      if (!seen(d))
        order.insert(std::ranges::find_if(order.begin() + static_cast<std::ptrdiff_t>(tiled), order.end(),
                                          [&](std::size_t other) { return other < d; }),
                     d);
    }
    out.list(order.size(), ",", [&](std::size_t i) { out.add(std::to_string(order[i])); });
    if (tiled > 0) {
      out.add(":T(");
      out.list(tiled, ",", [&](std::size_t i) { out.add(entries[tiled - 1 - i]); });
      out.add(")");
    }
    return out.add("}").leaf();
  }
  return open(searched);
}

Leaf to_map(const TracedDigits& digits, Recording& recording) {
  Text out(recording);
  const auto variables = [&](std::size_t d) { out.add(fmt::format("d{}", d)); };
  out.add("(").list(digits.dims.size(), ", ", variables).add(") -> (");
  bool first = true;
  for (const DimPart& p : parts_of(digits)) {
    if (is_plainly(p.digit.stride, 0)) continue;
    if (!first) out.add(" + ");
    first = false;
    const bool divides = !is_plainly(p.digit.div, 1);
    const bool scaled = !is_plainly(p.digit.stride, 1);
    const bool grouped = scaled && (divides || !p.top);
    if (grouped) out.add("(");
    if (divides && !p.top) out.add("(");
    out.add(fmt::format("d{}", p.dim));
    if (divides) out.add(" / ").add(p.digit.div, kOperandNumber);
    if (divides && !p.top) out.add(")");
    if (!p.top) out.add(" mod ").add(p.digit.extent, kOperandNumber);
    if (grouped) out.add(")");
    if (scaled) out.add(" * ").add(p.digit.stride, kOperandNumber);
  }
  if (!is_plainly(digits.constant, 0) || first) {
    if (!first) out.add(" + ");
    out.add(digits.constant, first ? kBoundNumber : kOperandNumber);
  }
  out.add("), domain: ");
  out.list(digits.dims.size(), ", ", [&](std::size_t d) {
    out.add(fmt::format("d{} in [0, ", d)).add(digits.extent[d] - 1, kBoundNumber).add("]");
  });
  return out.leaf();
}

/// Only reasons that hold whatever the names are.
Leaf to_linear(const TracedDigits& digits, Recording& recording) {
  if (digits.constant != 0) return refused("offset");
  for (const Traced n : digits.extent) {
    if (is_never_power_of_two(recording.polynomial(n.number()), recording.run().region()))
      return refused("not_power_of_two");
  }
  return open("linear layouts have numbers only");
}

}  // namespace

bool has_terms(Notation notation) {
  switch (notation) {
    case Notation::xla:
    case Notation::cute:
    case Notation::morello:
    case Notation::strides:
    case Notation::onednn:
    case Notation::map:
    case Notation::linear:
      return true;
    default:
      return false;
  }
}

std::optional<bool> is_injective(const TracedDigits& digits) {
  std::vector<DimPart> parts = parts_of(digits);
  sort_by_stride(parts);
  Traced reach = 0;
  bool nested = true;
  for (const DimPart& p : parts) {
    const Traced gap = magnitude(p.digit.stride);
    if (gap <= reach) {
      nested = false;
      break;
    }
    reach += gap * (p.digit.extent - 1);
  }
  if (nested) return true;
  // A step of one digit is some steps of another.
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].digit.stride == 0) return false;
    for (std::size_t j = i + 1; j < parts.size(); ++j) {
      const Traced step = magnitude(parts[i].digit.stride);
      const Traced next = magnitude(parts[j].digit.stride);
      if (next % step != 0) continue;
      const Traced steps = next / step;
      const bool opposed = (parts[i].digit.stride < 0) != (parts[j].digit.stride < 0);
      // The two indices: in one dimension, both steps may be in one index.
      if (opposed && parts[i].dim == parts[j].dim) continue;
      if (steps <= parts[i].digit.extent - 1 && steps * parts[i].digit.div < digits.extent[parts[i].dim])
        return false;
    }
  }
  return std::nullopt;
}

Leaf digits_text(const TracedDigits& digits, Recording& recording) {
  Text out(recording);
  const std::vector<DimPart> parts = parts_of(digits);
  if (parts.empty()) return out.add(digits.constant).leaf();
  if (!is_plainly(digits.constant, 0) && digits.constant != 0) out.add(digits.constant).add(" + ");
  out.list(parts.size(), " ", [&](std::size_t i) {
    const DimPart& p = parts[i];
    out.add(fmt::format("{},", p.dim)).add(p.digit.div).add(",").add(p.digit.extent).add(",");
    out.add(p.digit.stride);
  });
  return out.leaf();
}

Leaf written(const TracedDigits& digits, Notation notation, const SymbolicLayout& layout,
             Recording& recording) {
  switch (notation) {
    case Notation::cute:
      return to_cute(digits, recording);
    case Notation::strides:
      return to_strides(digits, recording);
    case Notation::morello:
      return to_morello(digits, layout, recording);
    case Notation::onednn:
      return to_format_tag(digits, layout, recording);
    case Notation::xla:
      return to_xla(digits, layout, recording);
    case Notation::map:
      return to_map(digits, recording);
    default:
      return to_linear(digits, recording);
  }
}

}  // namespace tessera::symbolic
