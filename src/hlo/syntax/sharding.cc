// SPDX-License-Identifier: Apache-2.0
// Checks the form of shardings; their text is kept as written.
#include "hlo/syntax/sharding.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/plural.h"

namespace tessera::detail {
namespace {

// Reads integers in brackets. `product` receives their product.
bool read_integers(HloLexer& lexer, char open, char close, std::vector<Index>& values, Index& product) {
  const std::size_t at = lexer.position();
  if (!lexer.accept(open)) return lexer.expected(fmt::format("'{}' and integers", open));
  Index value = 0;
  product = 1;
  do {
    if (!lexer.integer(value, "an integer")) return false;
    values.push_back(value);
    if (mul_overflows(product, value, product))
      return lexer.fail_at(at, Code::limit, "the number of devices does not fit in 64 bits");
  } while (lexer.accept(','));
  return lexer.accept(close) || lexer.expected(fmt::format("',' or '{}'", close));
}

// T(1,0): a permutation of the dimensions of the reshape.
bool read_transpose(HloLexer& lexer, std::size_t rank) {
  if (!lexer.accept("T")) return true;
  const std::size_t at = lexer.position();
  std::vector<Index> order;
  Index unused = 0;
  if (!read_integers(lexer, '(', ')', order, unused)) return false;
  std::ranges::sort(order);
  bool permutes = order.size() == rank;
  for (std::size_t i = 0; i < order.size() && permutes; ++i) permutes = order[i] == static_cast<Index>(i);
  return permutes ||
         lexer.fail_at(at, Code::iota_perm,
                       fmt::format("T(...) is not a permutation of {}", plural(rank, "dimension")), 1,
                       "list each dimension once: T(1,0)");
}

// [2,1] followed by 0,1 or <=[2] or <=[4,2]T(1,0)
bool read_devices(HloLexer& lexer) {
  const std::size_t at = lexer.position();
  Index tiles = 0;
  const auto fills = [&](Index devices) {
    if (tiles == devices) return true;
    return lexer.fail_at(
        at, Code::device_count,
        fmt::format("the number of devices, {}, is not {}, the product of the tile assignment", devices,
                    tiles));
  };
  std::vector<Index> dims;
  if (!read_integers(lexer, '[', ']', dims, tiles)) return false;
  if (lexer.accept("<=")) {
    Index devices = 0;
    std::vector<Index> reshape;
    return read_integers(lexer, '[', ']', reshape, devices) && fills(devices) &&
           read_transpose(lexer, reshape.size());
  }
  Index device = 0;
  Index count = 1;
  if (!lexer.integer(device, "a device number or '<='")) return false;
  // The ',' after the list may belong to what follows, so look for a digit after it.
  while (lexer.peek() == ',' && (is_digit(lexer.peek(1)) || is_blank(lexer.peek(1)))) {
    const std::size_t comma = lexer.position();
    lexer.advance(1);
    if (!lexer.skip() || !is_digit(lexer.peek())) {
      lexer.seek(comma);
      break;
    }
    if (!lexer.integer(device, "a device number")) return false;
    ++count;
  }
  return fills(count);
}

bool read_quoted(HloLexer& lexer) {
  if (!lexer.skip()) return false;
  if (lexer.peek() != '"' && lexer.peek() != '\'') return lexer.expected("a quoted axis name");
  return lexer.skip_string();
}

// { 'x', 'y':(2)4, ? }
bool read_dimension_axes(HloLexer& lexer) {
  if (!lexer.need('{', "'{' and the axes of a dimension")) return false;
  Index value = 0;
  for (bool more = true; more && !lexer.error;) {
    if (lexer.accept('?') || (lexer.skip() && lexer.peek() == '}')) break;
    if (!read_quoted(lexer)) return false;
    if (lexer.accept(':') && !(lexer.need('(', "'('") && lexer.integer(value, "a size") &&
                               lexer.need(')', "')'") && lexer.integer(value, "a size"))) {
      return false;
    }
    more = lexer.accept(',');
    if (!more) lexer.accept('?');
  }
  return lexer.need('}', "',' or '}' after an axis");
}

// ['x'=2,'y'=4, device_ids=(...)], [{'x'}, {}]
bool read_mesh(HloLexer& lexer) {
  Index value = 0;
  if (!lexer.need('[', "'[' and the axes of the mesh")) return false;
  bool more = !lexer.accept(']');
  while (more) {
    if (lexer.accept("device_ids=")) {
      if (!lexer.skip() || lexer.peek() != '(') return lexer.expected("'(' and device numbers");
      if (!lexer.skip_brackets()) return false;
    } else if (!read_quoted(lexer) || !lexer.need('=', "'=' and a size") || !lexer.integer(value, "a size")) {
      return false;
    }
    more = lexer.accept(',');
    if (!more && !lexer.need(']', "',' or ']' in a mesh")) return false;
  }
  const std::size_t after = lexer.position();
  if (!lexer.accept(',')) return !lexer.error.has_value();
  if (!lexer.accept('[')) {
    lexer.seek(after);
    return true;
  }
  more = !lexer.accept(']');
  while (more) {
    if (!read_dimension_axes(lexer)) return false;
    more = lexer.accept(',');
    if (!more && !lexer.need(']', "',' or ']' after the axes of a dimension")) return false;
  }
  return !lexer.error.has_value();
}

// Properties after the tiles: last_tile_dim_replicate, last_tile_dims={...}, shard_as 1, metadata={...},
// replicated={...}.
bool read_extras(HloLexer& lexer) {
  for (;;) {
    lexer.accept(',');
    if (!lexer.skip()) return false;
    if (lexer.peek() == '}' || lexer.at_end()) return true;
    const std::string_view word = lexer.identifier();
    if (word.empty()) return lexer.expected("'}' or a property of the sharding");
    if (word == "shard_as" || word == "shard_like") {
      Index group = 0;
      if (!lexer.integer(group, "the number of the group")) return false;
    } else if (lexer.peek() == '=') {
      lexer.advance(1);
      if (!lexer.skip()) return false;
      if (lexer.peek() == '{' || lexer.peek() == '[') {
        if (!lexer.skip_brackets()) return false;
      } else if (lexer.identifier().empty()) {
        return lexer.expected("the value of a property");
      }
    } else if (word != "last_tile_dim_replicate") {
      lexer.seek(lexer.position() - word.size());
      return lexer.expected("'}' or a property of the sharding");
    }
  }
}

// Reads a single sharding after its '{'.
bool read_single(HloLexer& lexer) {
  if (!lexer.skip()) return false;
  const std::size_t begin = lexer.position();
  const std::string_view word = lexer.identifier();
  static constexpr std::string_view kKinds[] = {"replicated", "manual", "unknown", "unreduced"};
  Index device = 0;
  if (word == "devices" && lexer.peek() == '=') {
    lexer.advance(1);
    if (!read_devices(lexer)) return false;
  } else if (word == "maximal") {
    if (!lexer.accept("device=") || !lexer.integer(device, "a device number"))
      return lexer.expected("'device=' and a number");
  } else if (word == "mesh") {
    if (!read_mesh(lexer)) return false;
  } else if (word == "maximal_mesh") {
    if (!lexer.accept("[device_id=") || !lexer.integer(device, "a device number")) {
      return lexer.expected("'[device_id=' and a number");
    }
    if (!lexer.need(']', "']'")) return false;
  } else if (std::ranges::find(kKinds, word) == std::end(kKinds)) {
    lexer.seek(begin);
    return lexer.expected("devices=[...], replicated, maximal, manual, unknown, unreduced or mesh[...]");
  }
  return read_extras(lexer) && lexer.need('}', "'}' of the sharding");
}

}  // namespace

bool read_sharding(HloLexer& lexer) {
  if (!lexer.need('{', "'{' of a sharding")) return false;
  if (lexer.accept('}')) return true;
  if (!lexer.skip()) return false;
  if (lexer.peek() != '{') return read_single(lexer);
  do {
    if (!lexer.need('{', "'{' of the next sharding") || !read_single(lexer)) return false;
  } while (lexer.accept(','));
  return lexer.need('}', "',' or '}' after a sharding");
}

}  // namespace tessera::detail
