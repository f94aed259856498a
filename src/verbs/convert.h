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
#include "report/placement_answer.h"
#include "size/sized_cases.h"
#include "verbs/answer.h"
#include "verbs/convert_names.h"
#include "verbs/observer.h"
#include "verbs/placed.h"
#include "verbs/request.h"
#include "verbs/sizes.h"
#include "verbs/triton_target.h"

namespace tessera::verbs {

/// A notation, the digits of a layout, or a view of a placement.
struct ConversionTarget {
  enum class View : std::uint8_t { none, tv, mesh };
  std::optional<Notation> notation = {};  ///< empty: digits, or the view
  View view = View::none;
  std::optional<TritonTarget> triton = {};  ///< for Triton: which kind, and the spelling
  std::string word = {};                    ///< as written, for Triton

  std::string text() const;
};
template <>
struct FieldType<ConversionTarget> {
  static Result<ConversionTarget> read(std::string_view text);
  static Json schema();
  /// The words, between bars.
  static std::string_view words();
};

struct ConvertRequest {
  Given<PlacedLayout> layout = {};
  std::optional<ConversionTarget> to = {};  ///< empty: every notation
  bool all = false;
  std::optional<CellType> type = {};  ///< of the elements, on which names depend
  bool bits = false;                  ///< the layout of bits
  std::string axis = {};              ///< of an Axe layout; empty: the one that moves
  IndexList tile = {};      ///< from a thread-value layout to Axe or Triton: (thread, value) to this tile
  std::string thread = {};  ///< for Axe: the axis of its threads; empty: laneid
  Index lanes = 32;         ///< for Triton: threads of a warp
  std::string where = {};
  std::vector<SizeValues> size = {};
};

template <>
struct Description<ConvertRequest> {
  static constexpr std::string_view name = "convert";
  static constexpr std::string_view help = "the same layout in another notation";
  static constexpr std::string_view footer =
      R"(The first line names both notations and their orders, the second is the layout. Notes list what the target cannot
express. If no such layout exists, the error has the reason and a witness, and the exit status is 1. Each line of
stdin gets one line. Without --to, each notation has a line with the layout, or the reason why it has none. Named layouts
whose elements are not cells convert with --bits, or to maps. Names in a layout are sizes: the answer holds for all sizes
from 1 on, in cases.

Examples:
  tessera convert '(4,8):(8,1)'
  tessera convert 'bf16[16,256]{1,0:T(8,128)(2,1)}' --to cute
  tessera convert '6x8:[1, 0, 1 p(4)]' --to xla --all
  tessera convert 'Sw<3,0,3> o _0 o (8,8):(8,1)' --to linear
  tessera convert 'bf16[16,256]{1,0}' --to morello --quiet
  tessera convert '((32,4,3),(4,2)):((16,4,1024),(1,512)) crop (300,7)' --to named --type u8 --all
  tessera convert 'pack:low u6[256]' --to cute --bits
  tessera convert 'axe:S[(8,4,2):(4@laneid,1@laneid,1)]' --to tv
  tessera convert '((4,8),(2,2)):((32,1),(16,8))' --to axe --tile 16,8
  tessera convert 'mesh[dp=2,tp=4] [dp, tp]' --to axe --tile 8,16
  tessera convert 'f16[64,64]:NVMMASharedLayout(128,16)' --to cute
  tessera convert '((4,8),(2,2)):((32,1),(16,8))' --tile 16,8 --to ttg
  tessera convert 'f32[M,N]{1,0:T(8,128)}' --to cute --where 'M % 8 == 0, N % 128 == 0'
  tessera convert 'NxCxHxW:aBcd16b' --to cute --size C=32)";

  template <class Visit>
  static void fields(Visit&& visit) {
    visit(Field{.name = "layout",
                .help = "a layout in any notation; - reads one per line from stdin",
                .argument = true},
          &ConvertRequest::layout);
    visit(Field{.name = "to",
                .value = FieldType<ConversionTarget>::words(),
                .help = "the target notation, or digits, the normal form; tv and mesh: views of an Axe "
                        "layout; triton also as gluon, ttg or ttg.linear; without it, all notations"},
          &ConvertRequest::to);
    visit(Field{.name = "all",
                .help = "also print other spellings, one per line; with names for sizes, more than 16 cases",
                .needs = "to"},
          &ConvertRequest::all);
    visit(Field{.name = "type",
                .value = "TYPE",
                .help = "the type of the elements, on which the names of --to named depend: u8"},
          &ConvertRequest::type);
    visit(Field{.name = "bits",
                .help = "convert the layout of bits, with the bit of the value as last dimension"},
          &ConvertRequest::bits);
    visit(Field{.name = "axis",
                .value = "NAME",
                .help = "the axis of an Axe layout to convert; taddr is 65536 TLane + TCol"},
          &ConvertRequest::axis);
    visit(Field{.name = "tile",
                .value = "M,N",
                .help = "read the layout as (thread, value) to the index in a tile; with --to axe, ttg, "
                        "ttg.linear, gluon, ...; of a mesh: the shape of the array",
                .least = 1},
          &ConvertRequest::tile);
    visit(Field{.name = "thread",
                .value = "laneid|tid_in_wg|tx",
                .help = "with --to axe: the axis of the threads (default: laneid)",
                .needs = "tile"},
          &ConvertRequest::thread);
    visit(Field{.name = "lanes",
                .value = "N",
                .help = "with --to ttg: threads of a warp (default: 32)",
                .least = 1,
                .most = 64,
                .needs = "tile"},
          &ConvertRequest::lanes);
    visit(kWhereField, &ConvertRequest::where);
    visit(kSizeField, &ConvertRequest::size);
  }
};

/// A view of a placement: its name and its text.
struct ViewAnswer {
  std::string from;
  std::string to;
  std::string text;
};

/// The layout in one notation or as digits, what every notation makes of it, a map for each range of bits, a
/// view of a placement, or cases for all sizes.
class ConvertResult : public VerbAnswer {
 public:
  using Value = std::variant<ConversionAnswer, std::vector<NotationAnswer>, std::vector<BitPlane>, ViewAnswer,
                             symbolic::SizedAnswers, NamesAnswer>;
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

/// Errors: those of tessera::convert, to_digits and the views of placements; those of put_sizes.
Result<ConvertResult> convert(const ConvertRequest& request, Observer& observer);

}  // namespace tessera::verbs
