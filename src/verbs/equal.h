// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verb `equal`: decides whether two layouts are the same function.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "report/named_answer.h"
#include "report/placement_answer.h"
#include "tessera/notation/conversion.h"
#include "tessera/notation/layout.h"
#include "tessera/size/size.h"
#include "verbs/answer.h"
#include "verbs/observer.h"
#include "verbs/request.h"
#include "verbs/sizes.h"

namespace tessera::verbs {

template <>
struct Words<EqualityNotion> {
  static constexpr std::array<std::string_view, 4> words = {"text", "structure", "map", "storage"};
};

/// The values of names, each with its range: `M=1:300,K=1:64:4`.
using SizeRanges = std::vector<SizeRange>;
template <>
struct Reading<SizeRanges> {
  static SizeRanges none() { return {}; }
  static Result<SizeRanges> read(const std::string& text) { return parse_size_ranges(text); }
};

struct EqualRequest {
  std::string a = {};  ///< a layout; with `sizes`, arithmetic on their names in braces
  std::optional<std::string> b = {};
  EqualityNotion notion = EqualityNotion::map;
  bool ignore_unit_dims = false;
  std::string where = {};
  std::vector<SizeValues> size = {};
  std::optional<Given<SizeRanges>> sizes = {};
  std::string offsets = {};  ///< a file, in place of `b`
  std::string gather = {};   ///< a file, in place of `b`
  Index gather_from = 0;
};

template <>
struct Description<EqualRequest> {
  static constexpr std::string_view name = "equal";
  static constexpr std::string_view help = "prove two layouts equal, or find the first difference";
  static constexpr std::string_view footer =
      R"(The first line names the notations and what is compared. The second is 'yes' (exit status 0); 'no at INDEX: OFFSET
and OFFSET' with the smallest index that differs, or 'no: REASON' (1); or 'undecided: LIMIT' (3). Beyond 2^24 indices,
'a smaller index may differ too' can follow. Names in a layout are sizes: the answer is about all sizes from 1 on, and
may be 'yes iff CONDITION' with the smallest sizes that differ (1).

Examples:
  tessera equal '6x8:[1, 0, 1 p(4)]' '(6,(4,2)):(4,(1,24))'
  tessera equal 'f32[4,8]{1,0:T(2,4)}' 'f32[4,8]{1,0}'
  tessera equal --notion storage 'f32[4]' 'f32[4]{0:L(8)}'
  tessera equal 'S[(2,8):(1@warpid,1@laneid)]' 'S[(2,8):(32@tx,1@tx)]'
  tessera equal 'f32[M,N]{1,0:T(8,128)}' 'f32[M,N]{1,0}'
  tessera equal 'MxN:[1, 0]' '(M,N):(1,M)' --where 'M % 4 == 0'
  tessera equal 'scale:8x4 u8[{M},{K}]' 'scale:linear u8[{M},{K}]' --sizes M=1:40,K=1:6)";

  template <class Visit>
  static void fields(Visit&& visit) {
    visit(Field{.name = "a",
                .help = "a layout in any notation; - reads one per line from stdin",
                .argument = true},
          &EqualRequest::a);
    visit(Field{.name = "b",
                .help = "a layout in any notation; - reads one per line from stdin",
                .argument = true,
                .optional = true,
                .excludes = "offsets gather",
                .unless = "offsets gather"},
          &EqualRequest::b);
    visit(Field{.name = "notion",
                .help =
                    "map (the default): same shape and offsets; storage: also buffer size, element width and "
                    "splits; structure: same notation, field by field; text: same canonical text"},
          &EqualRequest::notion);
    visit(Field{.name = "ignore_unit_dims", .help = "ignore dimensions of extent 1"},
          &EqualRequest::ignore_unit_dims);
    visit(Field{.name = "where",
                .value = "ASSUMPTIONS",
                .help = "what is assumed of the sizes with names: N % 8 == 0, 1 <= M <= N",
                .excludes = "sizes offsets gather ignore_unit_dims"},
          &EqualRequest::where);
    visit(Field{.name = "size",
                .value = kSizeField.value,
                .help = kSizeField.help,
                .excludes = "sizes offsets gather"},
          &EqualRequest::size);
    visit(
        Field{.name = "sizes",
              .value = "NAME=FIRST:LAST[:STEP],...",
              .help = "compare for each combination of sizes; A and B have names for sizes, or arithmetic on "
                      "names in braces",
              .excludes = "offsets gather"},
        &EqualRequest::sizes);
    visit(Field{.name = "offsets",
                .value = "FILE",
                .help = "in place of B, a .npy file with the offset of each index",
                .excludes = "gather"},
          &EqualRequest::offsets);
    visit(Field{.name = "gather",
                .value = "FILE",
                .help = "in place of B, a .npy file with the row-major number of the element at each offset, "
                        "negative for padding"},
          &EqualRequest::gather);
    visit(Field{.name = "gather_from",
                .value = "N",
                .help = "the number of the first element in --gather",
                .needs = "gather"},
          &EqualRequest::gather_from);
  }
};

/// Two layouts, compared.
struct PairEquality {
  NamedOrLayout a;
  NamedOrLayout b;
  LayoutEquality equality;
};
/// Two placements, compared: at least one was an Axe layout.
struct PlacedEquality {
  PlacedSide a;
  PlacedSide b;
  PlacementEquality equality;
};
/// Two layouts, compared for all sizes.
struct SizesEquality {
  SizedPair pair;
  SizedEquality equality;
};
/// A layout and a table, of offsets or of elements.
struct TableEquality {
  Layout layout;
  bool offsets = false;
  std::optional<TableDifference> difference = {};
};

/// Two layouts with names for sizes, compared for all sizes.
struct SymbolicEquality {
  SizeAnswer answer;
  std::string where;
};

/// A proof, or the first difference. Its status is 1 if the layouts differ, and 3 if that is undecided.
class EqualResult : public VerbAnswer {
 public:
  using Value = std::variant<PairEquality, PlacedEquality, SizesEquality, SymbolicEquality, TableEquality>;
  EqualResult(EqualRequest request, Value value) : request_(std::move(request)), value_(std::move(value)) {}

  const Value& value() const { return value_; }

  int status() const override;
  std::string heading() const override;
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_json() const override;
  std::vector<std::string> hints() const override;

 private:
  EqualRequest request_;
  Value value_;
};

/// Cost: that of tessera::equal. Errors: those of parse_named_or_layout, planes, equal_for_sizes and of the
/// file; value_count (the table has another shape).
Result<EqualResult> equal(const EqualRequest& request, Observer& observer);

}  // namespace tessera::verbs
