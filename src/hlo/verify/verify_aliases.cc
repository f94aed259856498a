// SPDX-License-Identifier: Apache-2.0
// Outputs of the program that share the memory of its parameters.
#include "hlo/verify/verify_aliases.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <set>
#include <vector>

#include "base/plural.h"
#include "hlo/check/types.h"
#include "hlo/syntax/attribute_reader.h"

namespace tessera::detail {
namespace {

using TuplePath = std::vector<Index>;

// Reads the entries and stops at the first that names something that does not exist.
class AliasChecker {
 public:
  AliasChecker(const Attribute& attribute, const Computation& entry)
      : entry_(entry), lexer_(attribute.value, attribute.span.begin), key_(attribute.key) {}

  std::optional<Diagnostic> aliases() {
    return finish(read_list(lexer_, '{', '}', [&] {
      const std::size_t begin = start();
      TuplePath output;
      if (!read_index_list(lexer_, output)) return false;
      if (entry_.root != nullptr && !names_part(entry_.root->type, output, begin, "the result")) return false;
      if (!outputs_.insert(output).second)
        return wrong(Code::duplicate_name, begin,
                     fmt::format("'{}' has output {{{}}} twice", key_, fmt::join(output, ",")),
                     "remove one of the two");
      return lexer_.need(':', "':' and the parameter") && parameter();
    }));
  }

  std::optional<Diagnostic> donors() {
    return finish(read_list(lexer_, '{', '}', [&] { return parameter(); }));
  }

 private:
  std::size_t start() {
    lexer_.skip();
    return lexer_.position();
  }

  bool wrong(Code code, std::size_t begin, std::string message, std::string help) {
    lexer_.fail_at(begin, code, std::move(message), lexer_.position() - begin);
    lexer_.error->help = std::move(help);
    return false;
  }

  // (NUMBER, {path}) or (NUMBER, {path}, KIND).
  bool parameter() {
    if (!lexer_.need('(', "'(' and a parameter number")) return false;
    const std::size_t begin = start();
    Index number = 0;
    if (!lexer_.integer(number, "a parameter number")) return false;
    const std::size_t count = entry_.parameters.size();
    if (number < 0 || number >= static_cast<Index>(count)) {
      return wrong(Code::index_out_of_range, begin,
                   fmt::format("'{}' names parameter {}, but the entry computation has {}", key_, number,
                               plural(count, "parameter")),
                   "parameters are numbered from 0");
    }
    if (lexer_.accept(')')) return true;
    if (!lexer_.need(',', "',' and the part of the parameter")) return false;
    const std::size_t part = start();
    TuplePath path;
    if (!read_index_list(lexer_, path)) return false;
    const Instruction* const taken = entry_.parameters[static_cast<std::size_t>(number)];
    if (taken != nullptr && !names_part(taken->type, path, part, fmt::format("parameter {}", number)))
      return false;
    if (!lexer_.accept(',')) return lexer_.need(')', "')'");
    const std::size_t word = start();
    const std::string_view kind = lexer_.identifier();
    if (kind != "may-alias" && kind != "must-alias") {
      lexer_.seek(word);
      return lexer_.expected("may-alias or must-alias");
    }
    return lexer_.need(')', "')'");
  }

  bool names_part(const HloType& type, const TuplePath& path, std::size_t begin, const std::string& what) {
    const HloType* at = &type;
    for (const Index i : path) {
      if (at->kind() == HloType::Kind::unreadable) return true;
      if (!at->is_tuple() || i < 0 || i >= static_cast<Index>(at->elements().size())) {
        return wrong(Code::index_out_of_range, begin,
                     fmt::format("'{}' names element {{{}}} of {}, which is {}", key_, fmt::join(path, ","),
                                 what, short_text(type)),
                     at->is_tuple() ? "elements are numbered from 0"
                                    : "an array has no tuple elements: {} names the whole array");
      }
      at = &at->elements()[static_cast<std::size_t>(i)];
    }
    return true;
  }

  std::optional<Diagnostic> finish(bool read) {
    if (read && lexer_.skip() && !lexer_.at_end()) lexer_.expected("the end of the value");
    if (lexer_.error && lexer_.error->code == Code::syntax) lexer_.error->code = Code::bad_attribute;
    return std::move(lexer_.error);
  }

  const Computation& entry_;
  HloLexer lexer_;
  std::string_view key_;
  std::set<TuplePath> outputs_;
};

}  // namespace

std::optional<Diagnostic> check_aliases(const Attribute& attribute, const Computation& entry) {
  AliasChecker checker(attribute, entry);
  return attribute.key == "buffer_donor" ? checker.donors() : checker.aliases();
}

}  // namespace tessera::detail
