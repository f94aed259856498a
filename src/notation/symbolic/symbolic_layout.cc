// SPDX-License-Identifier: Apache-2.0
#include "notation/symbolic/symbolic_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "notation/limits.h"
#include "notation/xla/dtype_help.h"
#include "tessera/base/dtype.h"
#include "tessera/notation/layout.h"
#include "tessera/notation/named_layout.h"
#include "tessera/notation/packed_layout.h"
#include "text/character_class.h"

namespace tessera::symbolic {
namespace {

using LayoutKind = SymbolicLayout::Kind;

constexpr std::pair<std::string_view, LayoutKind> kPrefixes[] = {
    {"cute:", LayoutKind::cute},         {"np:", LayoutKind::strides},      {"strides:", LayoutKind::strides},
    {"xla:", LayoutKind::xla},           {"morello:", LayoutKind::morello}, {"mor:", LayoutKind::morello},
    {"onednn:", LayoutKind::format_tag}, {"dnn:", LayoutKind::format_tag}};

/// Whether the text begins with a prefix of layouts that have numbers only: `atom:x` is not the shape `atom`.
bool is_other_prefix(std::string_view text) {
  if (is_named_text(text)) return true;
  const std::size_t end = text.find(':');
  if (end == std::string_view::npos) return false;
  return text.substr(0, end) == "atom" || parse_notation(text.substr(0, end)).has_value();
}

/// A tag of one dimension, with its blocks: a, A16a.
bool is_tag_of_one(std::string_view text) {
  if (text == "a") return true;
  if (!text.starts_with('A') || text.size() < 3) return false;
  for (std::size_t at = 1; at < text.size(); ++at) {
    const std::size_t digits = at;
    while (at < text.size() && detail::is_digit(text[at])) ++at;
    if (at == digits || at == text.size() || text[at] != 'a') return false;
  }
  return true;
}

/// The notation of a text without a prefix.
LayoutKind guessed(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && detail::is_word(text[i])) ++i;
  const std::string_view word = text.substr(0, i);
  const bool typed =
      i < text.size() && text[i] == '[' && !word.empty() &&
      (word == "pred" || word == "bf16" || word.find_first_of("0123456789") != std::string_view::npos);
  if (typed) {
    // A type before a colon and a tag: f32[N,C]:ab.
    std::size_t after = text.find(']');
    after = after == std::string_view::npos ? after : text.find_first_not_of(" \t\r\n", after + 1);
    return after != std::string_view::npos && text[after] == ':' ? LayoutKind::format_tag : LayoutKind::xla;
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return LayoutKind::cute;
  std::string_view after = text.substr(colon + 1);
  while (!after.empty() && detail::is_white_space(after.front())) after.remove_prefix(1);
  while (!after.empty() && detail::is_white_space(after.back())) after.remove_suffix(1);
  if (after.starts_with('[')) return LayoutKind::morello;
  const std::string_view shape = text.substr(0, colon);
  const bool word_after =
      !after.empty() && detail::is_letter(after[0]) && std::ranges::all_of(after, detail::is_word);
  const bool tag = shape.find('(') == std::string_view::npos &&
                   ((shape.find('x') != std::string_view::npos && word_after) || is_tag_of_one(after));
  return tag ? LayoutKind::format_tag : LayoutKind::cute;
}

}  // namespace

std::vector<TermTree::Mode> TermTree::modes() const {
  std::vector<Mode> out;
  std::size_t leaf = 0;
  std::size_t node = nesting[0] == kLeaf ? 0 : 1;
  while (node < nesting.size()) {
    Mode mode{leaf, leaf};
    for (int open = 1; open > 0; ++node) {
      if (nesting[node] == kLeaf) ++mode.last;
      open += nesting[node] == kLeaf ? -1 : nesting[node] - 1;
    }
    leaf = mode.last;
    out.push_back(mode);
  }
  return out;
}

std::size_t assumptions_at(std::string_view text) {
  for (std::size_t at = text.find("where"); at != std::string_view::npos; at = text.find("where", at + 1)) {
    const bool begins = at == 0 || !detail::is_word(text[at - 1]);
    const bool ends = at + 5 == text.size() || !detail::is_word(text[at + 5]);
    if (begins && ends) return at;
  }
  return text.size();
}

bool has_assumptions(std::string_view text) { return assumptions_at(text) != text.size(); }

bool is_about_sizes(std::string_view text) {
  const auto sized = SymbolicLayout::parse(text);
  return sized && (!sized->names().empty() || has_assumptions(text));
}

class SymbolicParser {
 public:
  explicit SymbolicParser(std::string_view whole) : whole_(whole), end_(assumptions_at(whole)) {}

  Result<SymbolicLayout> parse() {
    out_.text_ = std::string(whole_.substr(0, end_));
    while (!out_.text_.empty() && detail::is_white_space(out_.text_.back())) out_.text_.pop_back();
    begin_ = 0;
    while (begin_ < out_.text_.size() && detail::is_white_space(out_.text_[begin_])) ++begin_;
    bool prefixed = false;
    for (const auto& [prefix, kind] : kPrefixes) {
      if (prefixed || !std::string_view(out_.text_).substr(begin_).starts_with(prefix)) continue;
      out_.kind_ = kind;
      begin_ += prefix.size();
      prefixed = true;
    }
    if (!prefixed) {
      const std::string_view rest = std::string_view(out_.text_).substr(begin_);
      if (is_other_prefix(rest)) return syntax(begin_, "this notation does not read names of sizes");
      out_.kind_ = guessed(rest);
    }
    Result<void> read = [&]() -> Result<void> {
      switch (out_.kind_) {
        case LayoutKind::cute:
        case LayoutKind::strides:
          return strided();
        case LayoutKind::xla:
          return xla();
        case LayoutKind::morello:
          return morello();
        case LayoutKind::format_tag:
          break;
      }
      return format_tag();
    }();
    if (!read) return fail(read.error());
    if (end_ != whole_.size()) {
      const auto begin = static_cast<std::uint32_t>(end_ + 5);
      Result<AssumptionList> where = AssumptionList::parse(whole_.substr(begin), begin);
      if (!where) return fail(where.error());
      out_.where_ = *std::move(where);
    }
    return std::move(out_);
  }

 private:
  std::string_view rest(std::size_t at) const { return std::string_view(out_.text_).substr(at); }
  TermReader reader(std::size_t begin, std::size_t end) const {
    return TermReader(std::string_view(out_.text_).substr(begin, end - begin),
                      static_cast<std::uint32_t>(begin));
  }
  Failure syntax(std::size_t at, std::string what) const {
    const auto place = static_cast<std::uint32_t>(at);
    return fail(Code::syntax, std::move(what), Span{place, place + (at < out_.text_.size() ? 1U : 0U)});
  }
  void note(const SizeTerm& term) { out_.terms_.push_back(term); }

  /// A tuple of terms; a bracket around one term is a term if an operator follows.
  Result<void> tree(TermReader& r, TermTree& out, int depth = 0) {
    if (depth > 100) return fail(Code::limit, "brackets nested deeper than 100 levels", r.span());
    if (!r.at("(")) return leaf(r, out);
    const TermReader before = r;
    const std::size_t nodes = out.nesting.size();
    const std::size_t leaves = out.leaves.size();
    const std::size_t noted = out_.terms_.size();
    r.accept("(");
    out.nesting.push_back(0);
    int rank = 0;
    do {
      if (Result<void> part = tree(r, out, depth + 1); !part) return part;
      ++rank;
    } while (r.accept(","));
    if (!r.accept(")")) return r.expected("',' or ')'");
    out.nesting[nodes] = rank;
    if (depth == 0 && out_.kind_ == LayoutKind::strides) return {};  // a constant may follow the strides
    for (const std::string_view op : {"*", "/", "//", "%", "+", "-", "mod", "floordiv", "ceildiv"}) {
      if (rank != 1 || !r.at(op)) continue;
      r = before;
      out.nesting.resize(nodes);
      out.leaves.resize(leaves);
      out_.terms_.resize(noted);
      return leaf(r, out);
    }
    return {};
  }
  Result<void> leaf(TermReader& r, TermTree& out) {
    const std::uint32_t begin = r.span().begin;
    Result<SizeTerm> term = r.term();
    if (!term) return fail(term.error());
    if (out.leaves.size() >= detail::kNotationLimits.symbolic.leaves)
      return fail(Code::capacity, "more than 64 leaves", r.span());
    term->span = {begin, end_of(r)};
    note(*term);
    out.nesting.push_back(TermTree::kLeaf);
    out.leaves.push_back(*std::move(term));
    return {};
  }
  /// Where the last token before the next one ends.
  std::uint32_t end_of(const TermReader& r) const {
    std::uint32_t end =
        std::min<std::uint32_t>(r.span().begin, static_cast<std::uint32_t>(out_.text_.size()));
    while (end > 0 && detail::is_white_space(out_.text_[end - 1])) --end;
    return end;
  }
  Result<void> list(TermReader& r, std::vector<SizeTerm>& out, std::string_view close) {
    do {
      TermTree one;
      if (Result<void> part = leaf(r, one); !part) return part;
      out.push_back(one.leaves[0]);
    } while (r.accept(","));
    if (!r.accept(close)) return r.expected(fmt::format("',' or '{}'", close));
    return {};
  }

  Result<void> strided() {
    TermReader r = reader(begin_, out_.text_.size());
    if (Result<void> part = tree(r, out_.shape_); !part) return part;
    if (r.accept(":")) {
      if (Result<void> part = tree(r, out_.stride_); !part) return part;
      if (out_.stride_.nesting != out_.shape_.nesting)
        return fail(Code::not_congruent, "the shape and the stride have different nesting",
                    Span{static_cast<std::uint32_t>(begin_), static_cast<std::uint32_t>(out_.text_.size())},
                    "write one stride for each extent");
    } else if (out_.shape_.nesting[0] == TermTree::kLeaf) {
      return r.expected("':' and the strides");  // a name alone is not a layout
    } else if (out_.kind_ == LayoutKind::strides) {
      return r.expected("':' and the strides");
    }
    if (out_.kind_ == LayoutKind::strides) {
      const int rank = out_.shape_.nesting[0];
      if (rank == TermTree::kLeaf || out_.shape_.nesting.size() != static_cast<std::size_t>(rank) + 1)
        return syntax(begin_, "expected a flat tuple of extents");
      const bool minus = r.at("-");
      if (r.accept("+") || r.accept("-")) {
        TermTree one;
        if (Result<void> part = leaf(r, one); !part) return part;
        out_.offset_ = one.leaves[0];
        if (minus) {
          SizeTerm negative{.kind = SizeTerm::Kind::negative};
          negative.parts.push_back(out_.offset_);
          out_.offset_ = std::move(negative);
        }
      }
    } else if (r.accept("crop")) {
      if (!r.accept("(")) return r.expected("'('");
      if (Result<void> part = list(r, out_.crop_, ")"); !part) return part;
    }
    if (!r.at_end()) return r.expected("an operator or the end");
    return {};
  }

  /// The element type before `end`.
  Result<void> type(std::size_t end) {
    std::size_t begin = begin_;
    while (begin < end && detail::is_white_space(out_.text_[begin])) ++begin;
    while (end > begin && detail::is_white_space(out_.text_[end - 1])) --end;
    out_.type_ = out_.text_.substr(begin, end - begin);
    if (parse_dtype(out_.type_)) return {};
    return fail(Code::unknown_type, fmt::format("'{}' is not an element type", out_.type_.substr(0, 60)),
                Span{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)},
                dtype_help(out_.type_));
  }
  Result<void> xla() {
    const std::size_t open = out_.text_.find('[', begin_);
    const std::size_t close = out_.text_.find(']', begin_);
    if (open == std::string::npos || close == std::string::npos || close < open)
      return syntax(out_.text_.size(), "expected ']'");
    if (Result<void> part = type(open); !part) return part;
    TermReader r = reader(open + 1, close + 1);
    std::vector<SizeTerm> dims;
    if (Result<void> part = list(r, dims, "]"); !part) return part;
    flat(std::move(dims));
    const int rank = static_cast<int>(out_.shape_.leaves.size());
    std::size_t at = close + 1;
    while (at < out_.text_.size() && detail::is_white_space(out_.text_[at])) ++at;
    if (at == out_.text_.size()) {
      for (int d = rank; d-- > 0;) out_.minor_to_major_.push_back(d);
      return {};
    }
    if (out_.text_[at] != '{') return syntax(at, "expected '{' and the layout, or the end");
    TermReader layout = reader(at + 1, out_.text_.size());
    while (!layout.at(":") && !layout.at("}")) {
      const Result<int> dim = dimension(layout, rank);
      if (!dim) return fail(dim.error());
      out_.minor_to_major_.push_back(*dim);
      if (!layout.accept(",")) break;
    }
    if (layout.accept(":")) {
      while (layout.accept("T") || layout.at("(")) {
        if (!layout.accept("(")) return layout.expected("'('");
        if (Result<void> part = list(layout, out_.tiles_.emplace_back(), ")"); !part) return part;
      }
      if (out_.tiles_.empty())
        return layout.expected("'T(' and the tiles: other properties have numbers only");
    }
    if (!layout.accept("}")) return layout.expected("'}'");
    if (!layout.at_end()) return layout.expected("the end");
    return is_permutation(rank, at);
  }
  Result<int> dimension(TermReader& r, int rank) {
    const Span place = r.span();
    const Result<SizeTerm> term = r.term();
    if (!term) return fail(term.error());
    if (!term->is_number()) return fail(Code::syntax, "a dimension is a number", place);
    if (term->number >= rank)
      return fail(Code::dim_out_of_range,
                  fmt::format("dimension {} of {} does not exist", to_string(term->number), rank), place);
    return static_cast<int>(term->number);
  }
  Result<void> is_permutation(int rank, std::size_t at) const {
    std::vector<int> sorted = out_.minor_to_major_;
    std::ranges::sort(sorted);
    bool permutation = static_cast<int>(sorted.size()) == rank;
    for (int d = 0; d < rank && permutation; ++d) permutation = sorted[static_cast<std::size_t>(d)] == d;
    const auto place = static_cast<std::uint32_t>(at);
    if (!permutation)
      return fail(Code::bad_permutation, "the list is not a permutation of the dimensions",
                  Span{place, place + 1});
    return {};
  }
  void flat(std::vector<SizeTerm> dims) {
    out_.shape_.nesting.assign(dims.size() + 1, TermTree::kLeaf);
    out_.shape_.nesting[0] = static_cast<int>(dims.size());
    out_.shape_.leaves = std::move(dims);
  }

  /// `MxN`, `8xN`, `(M,N)` or `M,N`: in the x form a name has no x.
  Result<void> extents(std::size_t end) {
    std::vector<SizeTerm> dims;
    const std::string_view text = std::string_view(out_.text_).substr(begin_, end - begin_);
    const std::size_t open = text.find('[');
    if (out_.kind_ == LayoutKind::format_tag && open != std::string_view::npos && open > 0) {
      const std::size_t close = out_.text_.find(']', begin_);
      if (close == std::string::npos || close >= end) return syntax(end, "expected ']'");
      if (Result<void> part = type(begin_ + open); !part) return part;
      TermReader r = reader(begin_ + open + 1, close + 1);
      if (Result<void> part = list(r, dims, "]"); !part) return part;
      if (!r.at_end()) return r.expected("':'");
    } else if (text.find(',') != std::string_view::npos || text.starts_with('(')) {
      TermReader r = reader(begin_, end);
      const bool bracket = r.accept("(");
      do {
        TermTree one;
        if (Result<void> part = leaf(r, one); !part) return part;
        dims.push_back(one.leaves[0]);
      } while (r.accept(","));
      if (bracket && !r.accept(")")) return r.expected("')'");
      if (!r.at_end()) return r.expected("',' or ':'");
    } else {
      for (std::size_t at = begin_; at <= end;) {
        const std::size_t next = std::min(out_.text_.find('x', at), end);
        TermReader r = reader(at, next);
        TermTree one;
        if (Result<void> part = leaf(r, one); !part) return part;
        if (!r.at_end()) return r.expected("'x' or ':'");
        dims.push_back(one.leaves[0]);
        at = next + 1;
      }
    }
    flat(std::move(dims));
    return {};
  }

  Result<void> morello() {
    const std::size_t colon = out_.text_.rfind(':');
    if (colon == std::string::npos || colon < begin_)
      return syntax(begin_, "expected a shape, ':' and the entries");
    if (Result<void> part = extents(colon); !part) return part;
    const int rank = static_cast<int>(out_.shape_.leaves.size());
    TermReader r = reader(colon + 1, out_.text_.size());
    if (!r.accept("[")) return r.expected("'['");
    std::vector<PackedDim> dims;
    std::vector<Span> places;
    do {
      places.push_back(r.span());
      const Result<int> dim = dimension(r, rank);
      if (!dim) return fail(dim.error());
      SymbolicLayout::Entry entry{.dim = *dim};
      if (r.accept("p")) {
        if (!r.accept("(")) return r.expected("'('");
        const Span place = r.span();
        const Result<SizeTerm> pack = r.term();
        if (!pack) return fail(pack.error());
        if (!pack->is_number() || pack->number < 2)
          return fail(Code::syntax, "a pack is a number of at least 2", place);
        if (!r.accept(")")) return r.expected("')'");
        entry.pack = pack->number;
      }
      out_.entries_.push_back(entry);
      dims.push_back({.dim = *dim});
      if (entry.pack) {
        dims.back().kind = PackedDim::Kind::packed;
        dims.back().size = static_cast<Index>(*entry.pack);
      }
    } while (r.accept(","));
    if (!r.accept("]")) return r.expected("',' or ']'");
    if (!r.at_end()) return r.expected("the end");
    // What numbers for the sizes do not change.
    Result<PackedLayout> packed = PackedLayout::make(std::move(dims));
    if (packed) return {};
    packed.error().span = places[packed.error().span.begin];
    return fail(std::move(packed.error()));
  }

  Result<void> format_tag() {
    const std::size_t colon = out_.text_.rfind(':');
    if (colon == std::string::npos || colon < begin_)
      return syntax(begin_, "expected a shape, ':' and a format tag");
    if (Result<void> part = extents(colon); !part) return part;
    const int rank = static_cast<int>(out_.shape_.leaves.size());
    std::size_t at = colon + 1;
    while (at < out_.text_.size() && detail::is_white_space(out_.text_[at])) ++at;
    const std::size_t tag = at;
    const auto dim_of = [&](char c) { return detail::lower_case(c) - 'a'; };
    for (; at < out_.text_.size() && detail::is_letter(out_.text_[at]); ++at) {
      if (dim_of(out_.text_[at]) >= rank)
        return syntax(at, "the tag names a dimension that the shape does not have");
      out_.minor_to_major_.push_back(dim_of(out_.text_[at]));
    }
    if (const Result<void> ok = is_permutation(rank, tag); !ok) return ok;
    while (at < out_.text_.size()) {
      Integer size = 0;
      const std::size_t digits = at;
      while (at < out_.text_.size() && detail::is_digit(out_.text_[at]) && size < (Integer{1} << 32))
        size = size * 10 + (out_.text_[at++] - '0');
      const bool letter = at < out_.text_.size() && out_.text_[at] >= 'a' && out_.text_[at] <= 'z';
      if (at == digits || size < 1 || !letter || dim_of(out_.text_[at]) >= rank)
        return syntax(at, "expected a block such as 16b");
      out_.entries_.push_back({dim_of(out_.text_[at++]), size});
    }
    return {};
  }

  std::string_view whole_;
  std::size_t end_;
  std::size_t begin_ = 0;
  SymbolicLayout out_;
};

Result<SymbolicLayout> SymbolicLayout::parse(std::string_view text) { return SymbolicParser(text).parse(); }

std::vector<std::string> SymbolicLayout::names() const {
  std::vector<std::string> out;
  for (const SizeTerm& t : terms_) add_names(t, out);
  return out;
}

bool SymbolicLayout::divides_below_one(const Sizes& sizes) const {
  return std::ranges::any_of(terms_,
                             [&](const SizeTerm& t) { return symbolic::divides_below_one(t, sizes); });
}

std::string SymbolicLayout::text_with(const Sizes& sizes) const {
  const auto in_term = [&](std::size_t at) {
    return std::ranges::any_of(terms_,
                               [&](const SizeTerm& t) { return at >= t.span.begin && at < t.span.end; });
  };
  std::string out;
  for (std::size_t at = 0; at < text_.size();) {
    std::size_t end = at;
    while (end < text_.size() && detail::is_word(text_[end]) && in_term(end)) ++end;
    const auto found = sizes.find(std::string_view(text_).substr(at, end - at));
    end = std::max(end, at + 1);
    out += found == sizes.end() ? text_.substr(at, end - at) : to_string(found->second);
    at = end;
  }
  return out;
}

std::optional<std::string> SymbolicLayout::text_at(const Sizes& sizes) const {
  std::vector<const SizeTerm*> places;
  for (const SizeTerm& t : terms_) places.push_back(&t);
  std::ranges::sort(places, {}, [](const SizeTerm* t) { return t->span.begin; });
  std::string out;
  std::size_t at = 0;
  for (const SizeTerm* t : places) {
    const std::optional<Integer> value = evaluate(*t, sizes);
    if (!value) return std::nullopt;
    out += text_.substr(at, t->span.begin - at);
    std::string number = to_string(*value);
    // An offset below 0 is subtracted: its reader takes no number with a sign.
    const std::size_t sign = out.find_last_not_of(' ');
    if (kind_ == Kind::strides && *value < 0 && sign != std::string::npos &&
        (out[sign] == '+' || out[sign] == '-')) {
      out[sign] = out[sign] == '+' ? '-' : '+';
      number.erase(0, 1);
    }
    out += number;
    at = t->span.end;
  }
  out += text_.substr(at);
  if (kind_ == Kind::cute && stride_.leaves.empty()) {
    // Strides of the compact layout, which the notation of layouts does not leave out.
    std::string strides;
    Integer next = 1;
    std::size_t leaf = 0;
    std::size_t node = 0;
    const auto write = [&](const auto& self) -> bool {
      const int rank = shape_.nesting[node++];
      if (rank == TermTree::kLeaf) {
        strides += to_string(next);
        const auto product = checked_mul(next, evaluate(shape_.leaves[leaf++], sizes).value_or(0));
        next = product.value_or(0);
        return product.has_value();
      }
      strides += '(';
      for (int i = 0; i < rank; ++i) {
        if (i > 0) strides += ',';
        if (!self(self)) return false;
      }
      strides += ')';
      return true;
    };
    if (!write(write)) return std::nullopt;
    out += ":" + strides;
  }
  return out;
}

}  // namespace tessera::symbolic
