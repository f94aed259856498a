// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <memory>
#include <utility>

#include "base/plural.h"
#include "notation/limits.h"
#include "notation/xla/dtype_help.h"
#include "notation/xla/xla_place.h"
#include "tessera/notation/tensor_type.h"
#include "text/character.h"
#include "text/character_class.h"

namespace tessera {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
using detail::is_digit;
using detail::is_word;
bool is_word_start(char c) { return detail::is_letter(c) || c == '_'; }

// A list that is usually short. The first entries are on the stack, so that a list of dimensions needs only
// one allocation.
class ShortList {
 public:
  void push_back(Index value) {
    if (count_ < kInline) {
      inline_[count_++] = value;
      return;
    }
    if (count_ == kInline) spilled_.assign(inline_.begin(), inline_.end());
    spilled_.push_back(value);
    ++count_;
  }
  std::size_t size() const { return count_; }
  const Index* begin() const { return count_ <= kInline ? inline_.data() : spilled_.data(); }
  const Index* end() const { return begin() + count_; }
  std::vector<Index> to_vector() const { return {begin(), end()}; }

 private:
  static constexpr std::size_t kInline = 16;
  std::array<Index, kInline> inline_;
  std::size_t count_ = 0;
  std::vector<Index> spilled_;
};

// The layout {n-1,...,0}, which programs repeat thousands of times, so it is shared for each rank.
std::shared_ptr<const TiledLayout> plain_layout(const ShortList& order) {
  constexpr std::size_t kShared = 9;
  static const auto* const kDescending = [] {
    auto* layouts = new std::array<std::shared_ptr<const TiledLayout>, kShared>;
    for (std::size_t rank = 0; rank < kShared; ++rank) {
      (*layouts)[rank] =
          std::make_shared<const TiledLayout>(TiledLayout{.minor_to_major = descending_order(rank)});
    }
    return layouts;
  }();
  if (order.size() < kShared) {
    const auto& shared = (*kDescending)[order.size()];
    if (std::equal(order.begin(), order.end(), shared->minor_to_major.begin())) return shared;
  }
  return std::make_shared<const TiledLayout>(TiledLayout{.minor_to_major = order.to_vector()});
}

constexpr const char* kLeaveSparseOut = "leave the part out: sparse arrays no longer exist";

// A left-to-right parser. Methods return false after the first error, which is stored in `error`.
class TypeReader {
 public:
  TypeReader(std::string_view text, std::size_t begin, ShapeMode mode)
      : start_(text.data()),
        at_(text.data() + std::min(begin, text.size())),
        end_(text.data() + text.size()),
        mode_(mode) {}

  Diagnostic error;

  bool read_type(HloType& out, int depth = 0);
  /// Checks that only blanks follow.
  bool read_end() { return skip() && (at_ == end_ || expected("the end of the type")); }
  std::size_t position() const { return static_cast<std::size_t>(at_ - start_); }

 private:
  // Tokens. `skip` leaves at_ on the first byte of the next token.
  bool skip();
  bool take(char c, bool& taken);
  bool need(char c, const char* what);
  bool read_word(std::string_view& word);
  bool read_integer(Index& value, const char* what);
  std::string_view peek_word() const;

  bool read_tuple(HloType& out, int depth);
  bool read_array(HloType& out, std::string_view name, Span name_span, int depth);
  bool read_dim(ShortList& dims, std::vector<DimKind>& kinds);
  bool read_layout(TensorType& type, int depth);
  bool read_parts(TiledLayout& layout, const char*& sparse, int depth);
  bool read_part(std::size_t part, TiledLayout& layout, const char*& sparse, int depth);
  bool read_levels(const char*& sparse);
  bool read_tiles(TiledLayout& layout);
  bool read_splits(TiledLayout& layout);
  bool read_sparse_type();
  bool read_bracketed(Index& value);
  bool take_star(bool& taken);

  bool fail_at(const char* place, Code code, std::string message, std::size_t length = 1,
               std::string help = {});
  bool expected(const char* what);

  const char* start_;
  const char* at_;
  const char* end_;
  ShapeMode mode_;
};

bool TypeReader::fail_at(const char* place, Code code, std::string message, std::size_t length,
                         std::string help) {
  const auto begin = static_cast<std::uint32_t>(place - start_);
  error = Diagnostic{.code = code,
                     .message = std::move(message),
                     .span = {begin, begin + static_cast<std::uint32_t>(length)},
                     .help = std::move(help)};
  return false;
}

bool TypeReader::expected(const char* what) {
  if (at_ == end_)
    return fail_at(at_, Code::syntax, fmt::format("expected {}, but the text ends here", what), 0);
  const std::string_view word = peek_word();
  const std::string_view found = word.substr(0, 40);
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  const std::string shown = word.empty() ? detail::describe_character(rest) : fmt::format("'{}'", found);
  const std::size_t length = word.empty() ? detail::character_at(rest, 0).bytes : found.size();
  return fail_at(at_, Code::syntax, fmt::format("expected {}, got {}", what, shown), length);
}

bool TypeReader::skip() {
  for (;;) {
    while (at_ != end_ && is_space(*at_)) ++at_;
    if (end_ - at_ < 2 || *at_ != '/') return true;
    if (at_[1] == '*') {
      const std::string_view rest(at_ + 2, static_cast<std::size_t>(end_ - at_ - 2));
      const std::size_t close = rest.find("*/");
      if (close == std::string_view::npos) return fail_at(at_, Code::syntax, "unterminated comment", 2);
      at_ += 2 + close + 2;
    } else if (at_[1] == '/') {
      at_ = std::find(at_, end_, '\n');
    } else {
      return true;
    }
  }
}

bool TypeReader::take(char c, bool& taken) {
  if (!skip()) return false;
  taken = at_ != end_ && *at_ == c;
  if (taken) ++at_;
  return true;
}

bool TypeReader::need(char c, const char* what) {
  if (!skip()) return false;
  if (at_ == end_ || *at_ != c) return expected(what);
  ++at_;
  return true;
}

std::string_view TypeReader::peek_word() const {
  const char* p = at_;
  while (p != end_ && is_word(*p)) ++p;
  return {at_, static_cast<std::size_t>(p - at_)};
}

bool TypeReader::read_word(std::string_view& word) {
  if (!skip()) return false;
  word = at_ != end_ && is_word_start(*at_) ? peek_word() : std::string_view();
  at_ += word.size();
  return true;
}

bool TypeReader::read_integer(Index& value, const char* what) {
  if (!skip()) return false;
  const char* p = at_;
  if (p != end_ && *p == '-') ++p;
  if (p == end_ || !is_digit(*p)) return expected(what);
  const auto [stop, status] = std::from_chars(at_, end_, value);
  if (status == std::errc::result_out_of_range) {
    const auto length = static_cast<std::size_t>(stop - at_);
    return fail_at(
        at_, Code::number_range,
        fmt::format("{}{} does not fit in 64 bits", std::string_view(at_, std::min<std::size_t>(length, 24)),
                    length > 24 ? "..." : ""),
        length);
  }
  at_ = stop;
  return true;
}

bool TypeReader::read_type(HloType& out, int depth) {
  if (!skip()) return false;
  if (depth > detail::kNotationLimits.xla.depth) {
    return fail_at(
        at_, Code::depth, fmt::format("types nest deeper than {} levels", detail::kNotationLimits.xla.depth),
        1, fmt::format("flatten the type: the limit is {} levels", detail::kNotationLimits.xla.depth));
  }
  const char* const begin = at_;
  if (at_ != end_ && *at_ == '(') return read_tuple(out, depth);
  std::string_view name;
  if (!read_word(name)) return false;
  if (name.empty()) return expected("a type");
  const Span span{static_cast<std::uint32_t>(begin - start_), static_cast<std::uint32_t>(at_ - start_)};
  if (name == "b") {
    bool open = false;
    if (!take('(', open)) return false;
    if (open) {
      if (!skip()) return false;
      const char* const inner = at_;
      HloType element;
      if (!read_type(element, depth + 1) || !need(')', "')' after the array of a buffer")) return false;
      if (!element.is_array())
        return fail_at(inner, Code::buffer_element, "a buffer b(...) holds one array", 1,
                       "wrap each array: (b(f32[3]), b(s32[2]))");
      out = HloType::buffer(std::move(element));
      return true;
    }
  }
  return read_array(out, name, span, depth);
}

bool TypeReader::read_tuple(HloType& out, int depth) {
  ++at_;
  std::vector<HloType> elements;
  bool done = false;
  if (!take(')', done)) return false;
  while (!done) {
    if (!read_type(elements.emplace_back(), depth + 1)) return false;
    bool more = false;
    if (!take(',', more)) return false;
    if (more) continue;
    if (!need(')', "',' or ')' after a tuple element")) return false;
    done = true;
  }
  out = HloType::tuple(std::move(elements));
  return true;
}

bool TypeReader::read_array(HloType& out, std::string_view name, Span name_span, int depth) {
  std::optional<DType> dtype = parse_dtype(name);
  if (!dtype && mode_ == ShapeMode::lenient) dtype = parse_dtype(detail::lower_case(name));
  if (!dtype) {
    fail_at(start_ + name_span.begin, Code::unknown_type,
            fmt::format("'{}' is not an element type", name.substr(0, 60)), name.size());
    error.help = dtype_help(name);
    return false;
  }
  TensorType type{.dtype = *dtype};
  if (!need('[', "'[' after an element type")) return false;
  ShortList dims;
  bool done = false;
  if (!take(']', done)) return false;
  while (!done) {
    if (!read_dim(dims, type.dim_kinds)) return false;
    bool more = false;
    if (!take(',', more)) return false;
    if (more) continue;
    if (!need(']', "',' or ']' after a dimension")) return false;
    done = true;
  }
  const bool is_array = is_array_type(*dtype);
  if (!is_array && dims.size() > 0) {
    return fail_at(at_ - 1, Code::nonarray_dims, fmt::format("a {} has no dimensions", name), 1,
                   fmt::format("leave the dimensions out: {}[]", name));
  }
  if (dims.size() > 0) type.dims = dims.to_vector();
  // `{` is a layout only if a number or ':' follows; after a signature it opens the computation.
  const char* const before = at_;
  bool open = false;
  if (!take('{', open)) return false;
  if (open) {
    const char* const brace = at_ - 1;
    if (!skip()) return false;
    if (at_ != end_ && (is_digit(*at_) || *at_ == '-' || *at_ == ':')) {
      if (!is_array)
        return fail_at(brace, Code::layout_on_nonarray, fmt::format("a {} has no layout", name), 1,
                       "only an array has a layout: f32[3,5]{1,0}");
      if (!read_layout(type, depth)) return false;
    } else {
      at_ = before;
    }
  } else {
    at_ = before;
  }
  out = HloType(std::move(type));
  return true;
}

bool TypeReader::read_dim(ShortList& dims, std::vector<DimKind>& kinds) {
  if (!skip()) return false;
  DimKind kind = DimKind::fixed;
  Index extent = -1;
  if (at_ != end_ && *at_ == '?') {
    ++at_;
    kind = DimKind::unbounded;
  } else {
    if (end_ - at_ >= 2 && at_[0] == '<' && at_[1] == '=') {
      at_ += 2;
      kind = DimKind::bounded;
      if (!skip()) return false;
    }
    const char* const place = at_;
    if (!read_integer(extent, "a dimension")) return false;
    if (extent < 0) {
      return fail_at(place, Code::negative_dim, fmt::format("dimension {} is negative", extent),
                     static_cast<std::size_t>(at_ - place),
                     "write an extent of 0 or more; if it is dynamic, ? or <=n");
    }
  }
  if (kind != DimKind::fixed) kinds.resize(dims.size(), DimKind::fixed);
  if (kind != DimKind::fixed || !kinds.empty()) kinds.push_back(kind);
  dims.push_back(extent);
  return true;
}

bool TypeReader::read_layout(TensorType& type, int depth) {
  ShortList order;
  if (*at_ != ':') {
    bool more = true;
    while (more) {
      Index dim = 0;
      if (!read_integer(dim, "a dimension number")) return false;
      order.push_back(dim);
      if (!take(',', more)) return false;
    }
  }
  TiledLayout parts;
  const char* sparse = nullptr;
  bool colon = false;
  if (!take(':', colon)) return false;
  if (colon && !read_parts(parts, sparse, depth)) return false;
  if (!need('}', colon ? "a part of the layout or '}'" : "',', ':' or '}' in a layout")) return false;
  if (sparse != nullptr) {
    return fail_at(sparse, Code::sparse_only, "this layout part is for sparse arrays, which no longer exist",
                   1, kLeaveSparseOut);
  }
  if (order.size() != type.rank()) {
    return fail_at(at_ - 1, Code::rank_mismatch,
                   fmt::format("the layout orders {}, but the shape has {}",
                               detail::plural(order.size(), "dimension"), type.rank()));
  }
  if (!parts.is_plain()) {
    parts.minor_to_major = order.to_vector();
    type.layout = std::make_shared<const TiledLayout>(std::move(parts));
  } else if (type.rank() > 0) {
    type.layout = plain_layout(order);
  }
  return true;
}

// The parts of a layout, in the order of the grammar.
constexpr std::array<std::string_view, 10> kParts = {"D", "T", "L", "#", "*", "E", "S", "SC", "P", "M"};

bool TypeReader::read_parts(TiledLayout& layout, const char*& sparse, int depth) {
  std::size_t next = 0;  // the first part that may still follow in strict mode
  std::array<bool, kParts.size()> seen{};
  for (;;) {
    if (!skip()) return false;
    if (at_ == end_ || *at_ == '}') return true;
    bool star = false;
    std::string_view word;
    if (is_word_start(*at_)) {
      word = peek_word();
    } else if (*at_ == '#') {
      word = std::string_view(at_, 1);
    } else {
      const char* const place = at_;
      if (!take_star(star)) return false;
      at_ = place;
      if (star) word = "*";
    }
    const auto part = static_cast<std::size_t>(std::ranges::find(kParts, word) - kParts.begin());
    if (part == kParts.size()) return expected("a part of the layout (T L E S SC M) or '}'");
    if (seen[part])
      return fail_at(at_, Code::syntax, fmt::format("'{}' occurs twice in this layout", word), word.size());
    if (part < next && mode_ == ShapeMode::strict) {
      return fail_at(at_, Code::syntax,
                     fmt::format("'{}' after '{}': the order is T L E S SC M", word, kParts[next - 1]),
                     word.size());
    }
    seen[part] = true;
    next = part + 1;
    const char* const place = at_;
    if (star) {
      if (!take_star(star)) return false;
    } else {
      at_ += word.size();
    }
    const char* found = nullptr;
    if (!read_part(part, layout, found, depth)) return false;
    if (found != nullptr && sparse == nullptr) sparse = place;
  }
}

bool TypeReader::read_part(std::size_t part, TiledLayout& layout, const char*& sparse, int depth) {
  switch (part) {
    case 0:
      return read_levels(sparse);
    case 1:
      return read_tiles(layout);
    case 2:
      return read_bracketed(layout.tail_align);
    case 3:
    case 4:
      sparse = at_;
      return read_sparse_type();
    case 5:
      return read_bracketed(layout.element_bits);
    case 6:
      return read_bracketed(layout.memory_space);
    case 7:
      return read_splits(layout);
    case 8: {
      sparse = at_;
      HloType physical;
      return need('(', "'(' after P") && read_type(physical, depth + 1) &&
             need(')', "')' after a physical shape");
    }
    default:
      return read_bracketed(layout.metadata_prefix_bytes);
  }
}

// Plain D levels have no effect; other levels are for sparse arrays.
bool TypeReader::read_levels(const char*& sparse) {
  if (!need('(', "'(' after D")) return false;
  bool done = false;
  if (!take(')', done)) return false;
  while (!done) {
    if (!skip()) return false;
    const char* const place = at_;
    std::string_view level;
    if (!read_word(level)) return false;
    if (level.size() != 1 || std::string_view("DCSH").find(level[0]) == std::string_view::npos) {
      at_ = place;
      return expected("a level type D, C, S or H");
    }
    bool plus = false;
    bool tilde = false;
    bool more = false;
    if (!take('+', plus) || !take('~', tilde)) return false;
    if (level != "D" || plus || tilde) sparse = place;
    if (!take(',', more)) return false;
    if (more) continue;
    if (!need(')', "',' or ')' after a level type")) return false;
    done = true;
  }
  return true;
}

bool TypeReader::take_star(bool& taken) {
  if (!take('*', taken)) return false;
  constexpr std::string_view kAsterisk = "\xe2\x88\x97";  // U+2217
  if (!taken && mode_ == ShapeMode::lenient &&
      std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(kAsterisk)) {
    at_ += kAsterisk.size();
    taken = true;
  }
  return true;
}

bool TypeReader::read_tiles(TiledLayout& layout) {
  if (!need('(', "'(' after T")) return false;
  for (bool another = true; another;) {
    auto& tile = layout.tiles.emplace_back();
    bool done = false;
    if (!take(')', done)) return false;
    while (!done) {
      bool star = false;
      if (!take_star(star)) return false;
      Index entry = kCombine;
      const char* const place = at_;
      if (!star && !read_integer(entry, "a tile entry")) return false;
      if (!star && entry == kCombine) {
        return fail_at(
            place, Code::tile_entry, fmt::format("tile entry {} must be at least 1, or '*'", entry),
            static_cast<std::size_t>(at_ - place), "use 1 for a dimension without tiling: T(1,128)");
      }
      tile.push_back(entry);
      bool more = false;
      if (!take(',', more)) return false;
      if (more) continue;
      if (!need(')', "',' or ')' after a tile entry")) return false;
      done = true;
    }
    if (!take('(', another)) return false;
  }
  return true;
}

bool TypeReader::read_splits(TiledLayout& layout) {
  if (!need('(', "'(' after SC")) return false;
  for (bool another = true; another;) {
    auto& split = layout.splits.emplace_back();
    if (!read_integer(split.dim, "a dimension number") || !need(':', "':' after the dimension of a split")) {
      return false;
    }
    bool done = false;
    if (!take(')', done)) return false;
    while (!done) {
      if (!read_integer(split.points.emplace_back(), "a split point")) return false;
      bool more = false;
      if (!take(',', more)) return false;
      if (more) continue;
      if (!need(')', "',' or ')' after a split point")) return false;
      done = true;
    }
    if (!take('(', another)) return false;
  }
  return true;
}

bool TypeReader::read_sparse_type() {
  if (!need('(', "'(' before a type") || !skip()) return false;
  const char* const place = at_;
  std::string_view name;
  if (!read_word(name)) return false;
  if (name.empty()) return expected("an unsigned integer type");
  const auto dtype = parse_dtype(name);
  if (!dtype) {
    return fail_at(place, Code::unknown_type, fmt::format("'{}' is not an element type", name.substr(0, 60)),
                   name.size(), kLeaveSparseOut);
  }
  if (dtype_class(*dtype) != DTypeClass::unsigned_integer) {
    return fail_at(place, Code::index_type, fmt::format("{} is not an unsigned integer type", name),
                   name.size(), kLeaveSparseOut);
  }
  return need(')', "')' after a type");
}

bool TypeReader::read_bracketed(Index& value) {
  return need('(', "'(' after this part of the layout") && read_integer(value, "a number") &&
         need(')', "')' after the number");
}

}  // namespace

Result<HloType> read_hlo_type(std::string_view text, ShapeMode mode) {
  TypeReader reader(text, 0, mode);
  HloType type;
  if (!reader.read_type(type) || !reader.read_end()) return fail(std::move(reader.error));
  return type;
}

Result<HloType> parse_hlo_type(std::string_view text, ShapeMode mode) {
  auto type = read_hlo_type(text, mode);
  if (!type) return type;
  if (auto bad = validate(*type)) {
    bad->span = detail::place_in_type(text, *type, bad->code);
    return fail(std::move(*bad));
  }
  return type;
}

Result<std::size_t> read_hlo_type_at(std::string_view text, std::size_t begin, HloType& out) {
  TypeReader reader(text, begin, ShapeMode::strict);
  if (!reader.read_type(out)) {
    // In a program, nesting too deep is a `limit` error, like too many operands or computations.
    if (reader.error.code == Code::depth) reader.error.code = Code::limit;
    return fail(std::move(reader.error));
  }
  return reader.position();
}

}  // namespace tessera
