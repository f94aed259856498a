// SPDX-License-Identifier: Apache-2.0
/// \file
/// The grammar of index maps, in the current and the older form.
#pragma once

#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "tessera/text/index_map.h"
#include "text/expr_reader.h"

namespace tessera::detail {

/// Parses a text that contains exactly one map.
class IndexMapReader {
 public:
  explicit IndexMapReader(std::string_view text)
      : lexer_(text), reader_(lexer_, names_, ExprReader::ZeroDivisor::refused) {}

  Result<std::variant<IndexMap, UndefinedMap>> read(DomainPart domain);
  /// After read(): the extents of the dimensions, if the domain is written as a box: without constraints, and
  /// with intervals that start at 0 or are empty.
  std::optional<std::vector<Index>> written_box() const;
  Result<LegacyMap> read_legacy();

 private:
  struct Lists {
    std::size_t dims = 0;
    std::size_t ranges = 0;
    std::size_t runtimes = 0;
    std::size_t count() const { return dims + ranges + runtimes; }
  };
  struct Bounds {
    Index lower = kNegInf;
    Index upper = kPosInf;
  };
  struct Item {
    Expr expr;
    Bounds bounds;
  };
  struct RuntimeLines {
    std::size_t symbol = 0;  // the variable's number before runtime variables move to the end
    std::string_view source;
    std::vector<Expr> results;
    Lists lists;
  };

  bool special(std::variant<IndexMap, UndefinedMap>& out);
  bool header();
  bool name_list(std::string_view close, std::size_t& count);
  bool results();
  bool domain();
  bool variable_item(std::size_t variable);
  bool constraint_item();
  bool interval(Bounds& out);
  bool end_of_text();

  bool legacy_domain();
  bool legacy_runtime(std::size_t variable);
  bool legacy_trailer();

  std::string own_name(std::size_t variable) const;
  Domain make_domain() const;
  LegacyMap make_legacy() const;

  Lexer lexer_;
  VariableNames names_;
  ExprReader reader_;
  Lists lists_;
  std::vector<Expr> results_;
  std::vector<Bounds> bounds_;
  std::vector<Item> constraints_;
  std::vector<RuntimeLines> runtime_lines_;
};

}  // namespace tessera::detail
