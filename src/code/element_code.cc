// SPDX-License-Identifier: Apache-2.0
// Functions that read and write the codes of a named layout in a buffer of bytes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/index_walk.h"
#include "base/state_of.h"
#include "base/try.h"
#include "code/build.h"
#include "code/element_test_text.h"
#include "code/language.h"
#include "notation/named/named_state.h"
#include "tessera/code/code.h"
#include "tessera/notation/named_layout.h"

namespace tessera {
namespace {

using coding::Family;
using coding::Rules;

// Bits [first, first + width) of a code, at `unit` times a generated offset.
struct Piece {
  int first = 0;
  int width = 8;
  Index unit = 8;  // bits for each step of the offset
  Layout offset;
};

// The pieces of an element: its planes, or for a stream without words between its bits, all of them at once.
Result<std::vector<Piece>> pieces_of(const NamedLayout& layout) {
  std::vector<Piece> pieces;
  const NamedLayout::State& state = detail::state_of(layout);
  if (layout.kind() == NamedKind::stream && state.regions.front().merge == 0) {
    TESSERA_TRY(bits, planes(layout));
    pieces.push_back({0, layout.type().bits, 1, bits.front().layout});
    return pieces;
  }
  TESSERA_TRY(all, planes(layout));
  for (const BitPlane& plane : all) pieces.push_back({plane.first, plane.width, plane.width, plane.layout});
  return pieces;
}

std::string mask_of(int bits) { return fmt::format("{}", (std::uint64_t{1} << bits) - 1); }

class ElementText {
 public:
  ElementText(const NamedLayout& layout, const CodeOptions& options, std::string name)
      : layout_(layout),
        rules_(coding::rules_of(options.language)),
        name_(std::move(name)),
        braces_(rules_.family == Family::c) {
    for (std::size_t d = 0; d < layout.shape().size(); ++d) index_.push_back(fmt::format("d{}", d));
  }

  // The functions of the offsets, one for each piece.
  Result<std::string> offsets(const std::vector<Piece>& pieces, CodeOptions options) {
    std::string text;
    options.test = false;
    for (const Piece& piece : pieces) {
      options.name = piece_name(piece);
      TESSERA_TRY(code, offset_code(piece.offset, options));
      std::string_view one = std::string_view(code.text).substr(rules_.prologue.size());
      one.remove_prefix(std::min(one.find_first_not_of('\n'), one.size()));
      narrow_.push_back(braces_ && one.find(fmt::format("({} d0", rules_.int32)) != one.npos);
      text += (text.empty() ? "" : "\n") + std::string(one);
    }
    return text;
  }

  std::string getter(const std::vector<Piece>& pieces) const {
    std::vector<std::string> parts;
    std::string lines;
    for (const Piece& piece : pieces) {
      lines += bit_line(piece, narrow_[parts.size()]);
      std::string part = read(piece);
      if (piece.first > 0) part = fmt::format("({} << {})", part, piece.first);
      parts.push_back(std::move(part));
    }
    return fmt::format(
        "{}{}{}  {}return {}{}\n{}", comment("The code of element"),
        braces_
            ? fmt::format("{} {}(const {}* buffer, {}) {{\n", code_type(true), name_, byte(), parameters())
            : fmt::format("def {}(buffer, {}):\n", name_, fmt::join(index_, ", ")),
        lines, braces_ ? "" : "  ", fmt::join(parts, " | "), braces_ ? ";" : "", braces_ ? "}\n" : "");
  }

  std::string setter(const std::vector<Piece>& pieces) const {
    std::string text = comment("Stores the code of element") +
                       (braces_ ? fmt::format("{} {}({}* buffer, {}, {} code) {{\n", code_type(false), name_,
                                              byte(), parameters(), word())
                                : fmt::format("def {}(buffer, {}, code):\n", name_, fmt::join(index_, ", ")));
    for (std::size_t i = 0; i < pieces.size(); ++i)
      text += bit_line(pieces[i], narrow_[i]) + write(pieces[i]);
    return text + (braces_ ? "}\n" : "");
  }

 private:
  std::string piece_name(const Piece& piece) const { return fmt::format("{}_offset{}", name_, piece.first); }
  // `std::uint8_t` in C++, `uint8_t` in C.
  std::string unsigned_name(int bits) const {
    return fmt::format("{}uint{}_t", rules_.int64.starts_with("std::") ? "std::" : "", bits);
  }
  std::string byte() const { return unsigned_name(8); }
  std::string word() const { return unsigned_name(64); }
  std::string code_type(bool value) const {
    const std::string_view space = rules_.qualifier.empty() || rules_.qualifier.ends_with(' ') ? "" : " ";
    return fmt::format("{}{}{}", rules_.qualifier, space, value ? word() : "void");
  }
  std::string parameters() const {
    std::vector<std::string> list;
    for (const std::string& name : index_) list.push_back(fmt::format("{} {}", rules_.int64, name));
    return fmt::format("{}", fmt::join(list, ", "));
  }
  std::string comment(std::string_view what) const {
    return fmt::format("{} {} ({}) of {}, in a buffer of {} bytes.\n", rules_.comment, what,
                       fmt::join(index_, ", "), to_string(layout_), layout_.buffer_bytes());
  }
  std::string indent() const { return braces_ ? "  " : "    "; }

  // The offset of a piece, in bits: `b4`.
  std::string bit_line(const Piece& piece, bool narrow) const {
    const std::string call = fmt::format("{}({})", piece_name(piece), call_arguments(narrow));
    return fmt::format("{}{}b{} = {}{}{}\n", indent(), braces_ ? fmt::format("const {} ", rules_.int64) : "",
                       piece.first, braces_ ? fmt::format("({}){}", rules_.int64, call) : call,
                       piece.unit == 1 ? "" : fmt::format(" * {}", piece.unit), braces_ ? ";" : "");
  }
  std::string call_arguments(bool narrow) const {
    std::vector<std::string> list;
    for (const std::string& name : index_)
      list.push_back(narrow ? fmt::format("({}){}", rules_.int32, name) : name);
    return fmt::format("{}", fmt::join(list, ", "));
  }

  // A byte as a word.
  std::string byte_at(const std::string& index) const {
    const std::string byte = fmt::format("buffer[{}]", index);
    return braces_ ? fmt::format("({}){}", word(), byte) : fmt::format("int({})", byte);
  }
  std::string first_byte(const Piece& piece) const { return fmt::format("b{} >> 3", piece.first); }
  std::string last_byte(const Piece& piece) const {
    return fmt::format("(b{} + {}) >> 3", piece.first, piece.width - 1);
  }
  static bool in_one_byte(const Piece& piece) { return piece.unit == piece.width && 8 % piece.width == 0; }

  std::string read(const Piece& piece) const {
    if (piece.width % 8 == 0) {
      std::vector<std::string> parts;
      for (int k = 0; k < piece.width / 8; ++k) {
        const std::string part =
            byte_at(k == 0 ? first_byte(piece) : fmt::format("({}) + {}", first_byte(piece), k));
        parts.push_back(k == 0 ? part : fmt::format("({} << {})", part, 8 * k));
      }
      return parts.size() == 1 ? parts.front() : fmt::format("({})", fmt::join(parts, " | "));
    }
    std::string bytes = byte_at(first_byte(piece));
    if (!in_one_byte(piece)) bytes = fmt::format("({} | ({} << 8))", bytes, byte_at(last_byte(piece)));
    return fmt::format("({} >> (b{} & 7) & {})", bytes, piece.first, mask_of(piece.width));
  }

  std::string assign(const std::string& index, const std::string& value) const {
    return braces_ ? fmt::format("{}buffer[{}] = ({})({});\n", indent(), index, byte(), value)
                   : fmt::format("{}buffer[{}] = {}\n", indent(), index, value);
  }

  std::string write(const Piece& piece) const {
    const std::string code = braces_ ? "code" : "int(code)";
    if (piece.width % 8 == 0) {
      std::string text;
      for (int k = 0; k < piece.width / 8; ++k) {
        text += assign(k == 0 ? first_byte(piece) : fmt::format("({}) + {}", first_byte(piece), k),
                       fmt::format("{} >> {} & 255", code, piece.first + 8 * k));
      }
      return text;
    }
    const std::string at = fmt::format("(b{} & 7)", piece.first);
    const std::string wide = braces_ ? fmt::format("({})", word()) : "";
    const std::string cleared = fmt::format("~({}{} << {})", wide, mask_of(piece.width), at);
    const std::string part =
        fmt::format("({} >> {} & {}) << {}", code, piece.first, mask_of(piece.width), at);
    if (in_one_byte(piece)) {
      return assign(first_byte(piece),
                    fmt::format("(({} & {}) | ({})) & 255", byte_at(first_byte(piece)), cleared, part));
    }
    // The bits may cross into a second byte.
    const std::string both = fmt::format("w{}", piece.first);
    std::string text =
        fmt::format("{}{}{} = (({} | ({} << 8)) & {}) | ({}){}\n", indent(),
                    braces_ ? fmt::format("const {} ", word()) : "", both, byte_at(first_byte(piece)),
                    byte_at(last_byte(piece)), cleared, part, braces_ ? ";" : "");
    text += braces_ ? fmt::format("  if (({}) != ({})) {}", first_byte(piece), last_byte(piece),
                                  assign(last_byte(piece), both + " >> 8 & 255").substr(2))
                    : fmt::format("    if {} != {}:\n    {}", fmt::format("({})", first_byte(piece)),
                                  fmt::format("({})", last_byte(piece)),
                                  assign(last_byte(piece), both + " >> 8 & 255"));
    return text + assign(first_byte(piece), both + " & 255");
  }

  const NamedLayout& layout_;
  const Rules& rules_;
  std::string name_;
  bool braces_;
  std::vector<std::string> index_;
  std::vector<bool> narrow_ = {};  // whether the function of a piece takes 32 bits
};

Result<SourceCode> element_code(const NamedLayout& layout, const CodeOptions& options, bool set) {
  const Rules& rules = coding::rules_of(options.language);
  if (rules.family != Family::c && rules.family != Family::python) {
    return fail(Code::not_applicable, fmt::format("{} has no buffer of bytes to read", rules.name), {},
                "generate C, C++, CUDA, HIP or Python; --lang c");
  }
  if (std::ranges::find(layout.shape(), 0) != layout.shape().end())
    return fail(Code::bad_extent, "the layout has no elements", {},
                "give every dimension an extent of at least 1");
  CodeOptions plain = options;
  plain.name = options.name.empty() ? (set ? "set_code" : "get_code") : options.name;
  TESSERA_NEED(coding::start_function(plain, "f"));
  TESSERA_TRY(pieces, pieces_of(layout));
  ElementText text(layout, plain, plain.name);
  TESSERA_TRY(offsets, text.offsets(pieces, plain));
  std::string test;
  if (options.test) {
    TESSERA_TRY(own, coding::element_test(layout, rules, plain.name, set));
    test = std::move(own);
  }
  return coding::finished(rules, offsets + "\n" + (set ? text.setter(pieces) : text.getter(pieces)),
                          std::move(test));
}

}  // namespace

Result<SourceCode> get_code(const NamedLayout& layout, const CodeOptions& options) {
  return element_code(layout, options, false);
}
Result<SourceCode> set_code(const NamedLayout& layout, const CodeOptions& options) {
  return element_code(layout, options, true);
}

}  // namespace tessera
