// SPDX-License-Identifier: Apache-2.0
#include "notation/symbolic/symbolic_index.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "text/character_class.h"

namespace tessera::symbolic {
namespace {

using tessera_tracing::Traced;

SizeTerm binary(SizeTerm::Kind kind, SizeTerm a, SizeTerm b) {
  return {.kind = kind, .parts = {std::move(a), std::move(b)}};
}

/// Where the bracket at the reader's place ends in the text, and whether it has a comma of its own.
struct Bracket {
  std::size_t end = 0;  ///< after it
  bool tuple = false;
};
Bracket bracket_at(const std::string& text, std::size_t open) {
  Bracket out{text.size(), false};
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ',' && depth == 1) out.tuple = true;
    if (text[i] == ')' && --depth == 0) {
      out.end = i + 1;
      break;
    }
  }
  return out;
}

/// Whether a bracket that is not a call has a comma of its own, inside the brackets around the whole index.
bool is_nested(const std::string& text, bool whole) {
  bool outer = whole;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '(') continue;
    const bool call = i > 0 && detail::is_word(text[i - 1]);
    if (!outer && !call && bracket_at(text, i).tuple) return true;
    outer = false;
  }
  return false;
}

/// Reads coordinates along the modes of a layout.
class Coordinates {
 public:
  Coordinates(const std::string& text, const SymbolicLayout& layout) : text_(text), l_(layout), r_(text) {}

  Result<IndexTerms> read(bool whole) {
    if (whole) r_.accept("(");
    const int rank = l_.shape().nesting[node_] == TermTree::kLeaf ? 1 : l_.shape().nesting[node_++];
    for (int mode = 0; mode < rank; ++mode) {
      if (mode > 0 && !r_.accept(",")) return r_.expected(fmt::format("',' and one of {} modes", rank));
      TESSERA_TRY(part, coordinate(true));
      out_.terms.push_back(std::move(part.index));
    }
    if (whole && !r_.accept(")")) return r_.expected("')'");
    if (!r_.at_end()) return r_.expected("the end");
    return std::move(out_);
  }

 private:
  struct Part {
    SizeTerm index;
    SizeTerm size;
  };
  /// The number of elements of the mode at the node. Moves on to the next mode.
  SizeTerm skipped() {
    const int nested = l_.shape().nesting[node_++];
    if (nested == TermTree::kLeaf) return l_.shape().leaves[leaf_++];
    SizeTerm size = SizeTerm::of(1);
    for (int i = 0; i < nested; ++i) size = binary(SizeTerm::Kind::times, std::move(size), skipped());
    return size;
  }
  Result<Part> coordinate(bool top) {
    const std::size_t at = r_.span().begin;
    const bool tuple = r_.at("(") && at < text_.size() && bracket_at(text_, at).tuple;
    if (!tuple) {
      TESSERA_TRY(term, r_.term());
      Part out{std::move(term), skipped()};
      if (!top) out_.inside.emplace_back(out.index, out.size);
      return out;
    }
    const int rank = l_.shape().nesting[node_];
    if (rank == TermTree::kLeaf)
      return fail(Code::rank_mismatch, "the mode has one extent, and no coordinate in brackets",
                  Span{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(bracket_at(text_, at).end)},
                  "write one term for it");
    ++node_;
    r_.accept("(");
    Part out{SizeTerm::of(0), SizeTerm::of(1)};
    for (int i = 0; i < rank; ++i) {
      if (i > 0 && !r_.accept(",")) return r_.expected(fmt::format("',' and one of {} coordinates", rank));
      TESSERA_TRY(part, coordinate(false));
      out.index = binary(SizeTerm::Kind::plus, std::move(out.index),
                         binary(SizeTerm::Kind::times, std::move(part.index), out.size));
      out.size = binary(SizeTerm::Kind::times, std::move(out.size), std::move(part.size));
    }
    if (!r_.accept(")")) return r_.expected("')'");
    return out;
  }

  const std::string& text_;
  const SymbolicLayout& l_;
  TermReader r_;
  std::size_t node_ = 0;
  std::size_t leaf_ = 0;
  IndexTerms out_;
};

}  // namespace

Result<IndexTerms> index_terms(const std::string& text, const SymbolicLayout& layout) {
  IndexTerms out;
  TermReader r(text);
  // A bracket around the whole index, and not one that begins its first term.
  bool bracket = false;
  if (r.at("(")) {
    const std::size_t end = bracket_at(text, text.find('(')).end;
    bracket = text.find_first_not_of(" \t", end) == std::string::npos && text[end - 1] == ')';
  }
  if (layout.kind() == SymbolicLayout::Kind::cute && is_nested(text, bracket))
    return Coordinates(text, layout).read(bracket);
  if (bracket) r.accept("(");
  do {
    Result<SizeTerm> term = r.term();
    if (!term) {
      if (term.error().help.empty())
        term.error().help =
            "an index has a term for each dimension: 2,N - 1; a mode has one term, or a "
            "coordinate of its shape: (2,N - 1)";
      return fail(std::move(term.error()));
    }
    out.terms.push_back(*std::move(term));
  } while (r.accept(","));
  if (bracket && !r.accept(")")) return r.expected("')'");
  if (!r.at_end()) return r.expected("',' or the end");
  return out;
}

FoundIndex find_index(const TracedDigits& digits, Traced offset) {
  struct Place {
    std::size_t dim;
    TracedDigit digit;
  };
  std::vector<Place> places;
  for (std::size_t d = 0; d < digits.dims.size(); ++d) {
    for (const TracedDigit& digit : digits.dims[d]) places.push_back({d, digit});
  }
  // Smallest strides first.
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].digit.stride < 0) return {.undecided = "a stride is below 0"};
    for (std::size_t j = i; j > 0 && places[j - 1].digit.stride > places[j].digit.stride; --j)
      std::swap(places[j - 1], places[j]);
  }
  Traced reach = 0;
  for (const Place& p : places) {
    if (p.digit.stride <= reach) return {.undecided = "two indices may share an offset"};
    reach += p.digit.stride * (p.digit.extent - 1);
  }
  Traced rest = offset - digits.constant;
  if (rest < 0) return {};
  std::vector<Traced> index(digits.dims.size(), 0);
  for (std::size_t k = places.size(); k-- > 0;) {
    const auto& [dim, digit] = places[k];
    // The smaller digits leave less than a stride.
    const Traced steps = rest / digit.stride;
    if (steps >= digit.extent) return {};
    rest = rest - steps * digit.stride;
    index[dim] += steps * digit.div;
  }
  if (rest != 0) return {};
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (index[d] >= digits.extent[d]) return {};
  }
  return {.index = std::move(index)};
}

}  // namespace tessera::symbolic
