// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verb `convert`: the same layout in another notation, or in all of them.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "report/layout_answer.h"
#include "report/named_answer.h"
#include "verbs/answer.h"
#include "verbs/observer.h"
#include "verbs/request.h"
#include "verbs/triton_target.h"

namespace tessera::verbs {

/// A notation, or the digits of a layout.
struct ConversionTarget {
  std::optional<Notation> notation = {};    ///< empty: digits
  std::optional<TritonTarget> triton = {};  ///< for Triton: which kind, and the spelling
  std::string word = {};                    ///< as written
};
template <>
struct FieldType<ConversionTarget> {
  static Result<ConversionTarget> read(std::string_view text);
  static Json to_json(const ConversionTarget& value);
  static Json schema();
  /// The words, between bars.
  static std::string_view words();
};

struct ConvertRequest {
  Given<NamedOrLayout> layout = {};
  std::optional<ConversionTarget> to = {};  ///< empty: every notation
  bool all = false;
  std::optional<CellType> type = {};  ///< of the elements, on which names depend
  bool bits = false;                  ///< the layout of bits
  std::string tile = {};              ///< for Triton: the layout maps (thread, value) to this tile
  Index lanes = 32;                   ///< for Triton: threads of a warp
};

template <>
struct Description<ConvertRequest> {
  static constexpr std::string_view name = "convert";
  static constexpr std::string_view help = "the same layout in another notation";
  static constexpr std::string_view footer =
      R"(The first line names both notations and their orders, the second is the layout. Notes list what the target cannot
express. If no such layout exists, the error has the reason and a witness, and the exit status is 1. Each line of
stdin gets one line. Without --to, each notation has a line with the layout, or the reason why it has none. Named layouts
whose elements are not cells convert with --bits, or to maps.

Examples:
  tessera convert '(4,8):(8,1)'
  tessera convert 'bf16[16,256]{1,0:T(8,128)(2,1)}' --to cute
  tessera convert '6x8:[1, 0, 1 p(4)]' --to xla --all
  tessera convert 'Sw<3,0,3> o _0 o (8,8):(8,1)' --to linear
  tessera convert 'bf16[16,256]{1,0}' --to morello --quiet
  tessera convert '((32,4,3),(4,2)):((16,4,1024),(1,512)) crop (300,7)' --to named --type u8 --all
  tessera convert 'pack:low u6[256]' --to cute --bits
  tessera convert 'f16[64,64]:NVMMASharedLayout(128,16)' --to cute
  tessera convert '((4,8),(2,2)):((32,1),(16,8))' --tile 16,8 --to ttg)";

  template <class Visit>
  static void fields(Visit&& visit) {
    visit(Field{.name = "layout",
                .help = "a layout in any notation; - reads one per line from stdin",
                .argument = true},
          &ConvertRequest::layout);
    visit(Field{.name = "to",
                .value = FieldType<ConversionTarget>::words(),
                .help = "the target notation, or digits, the normal form; without it, all notations"},
          &ConvertRequest::to);
    visit(Field{.name = "all", .help = "also print other spellings, one per line", .needs = "to"},
          &ConvertRequest::all);
    visit(Field{.name = "type",
                .value = "TYPE",
                .help = "the type of the elements, on which the names of --to named depend: u8"},
          &ConvertRequest::type);
    visit(Field{.name = "bits",
                .help = "convert the layout of bits, with the bit of the value as last dimension"},
          &ConvertRequest::bits);
    visit(Field{.name = "tile",
                .value = "ROWS,COLUMNS",
                .help = "with --to ttg, ttg.linear, gluon, ...: the layout maps (thread, value) to this tile",
                .needs = "to"},
          &ConvertRequest::tile);
    visit(Field{.name = "lanes",
                .value = "N",
                .help = "threads of a warp, with --tile (default: 32)",
                .least = 1,
                .most = 64,
                .needs = "tile"},
          &ConvertRequest::lanes);
  }
};

/// The layout in one notation or as digits, what every notation makes of it, or a map for each range of bits.
class ConvertResult : public VerbAnswer {
 public:
  using Value = std::variant<ConversionAnswer, std::vector<NotationAnswer>, std::vector<BitPlane>>;
  /// `from`: the layout that was converted; empty for ranges of bits.
  ConvertResult(ConvertRequest request, std::optional<Layout> from, Value value)
      : request_(std::move(request)), from_(std::move(from)), value_(std::move(value)) {}

  const Value& value() const { return value_; }

  int status() const override;
  std::string heading() const override;
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_line() const override;
  Result<std::string> to_json() const override;
  std::vector<std::string> notes() const override;
  std::vector<std::string> hints() const override;

 private:
  std::string answer_text(const Layout& layout) const;

  ConvertRequest request_;
  std::optional<Layout> from_;
  Value value_;
};

/// Errors: those of tessera::convert and to_digits.
Result<ConvertResult> convert(const ConvertRequest& request, Observer& observer);

}  // namespace tessera::verbs
