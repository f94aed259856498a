// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verb `at`: offsets of indices, and indices at offsets.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "report/layout_answer.h"
#include "report/named_answer.h"
#include "report/placement_answer.h"
#include "size/sized_cases.h"
#include "verbs/answer.h"
#include "verbs/at_triton.h"
#include "verbs/observer.h"
#include "verbs/placed.h"
#include "verbs/request.h"
#include "verbs/sizes.h"

namespace tessera::verbs {

struct AtRequest {
  Given<PlacedLayout> layout = {};
  std::vector<std::string> index = {};  ///< indices or, if `inverse`, offsets
  bool inverse = false;
  std::string where = {};
  std::vector<SizeValues> size = {};
};

template <>
struct Description<AtRequest> {
  static constexpr std::string_view name = "at";
  static constexpr std::string_view help = "the offset of an index, or the index at an offset";
  static constexpr std::string_view footer =
      R"(The first line names the notation and its order; each index then gets one line with its offset or an error.
Offsets count elements. Each line of stdin gets one line. An uncropped CuTe layout also takes one number for all
modes, leftmost fastest. The index of a scalar is (). Named layouts also print the byte and the bits of a cell below a
byte; if elements are not cells, the places of their bits, and --inverse takes offsets in bits. Axe layouts print the
places of an index on their axes, one for each replica. A register layout of Triton prints who holds an element: T13:2 is
register 2 of thread 13; such a place instead of an index gives its element. Names in a layout are sizes: an index has
numbers or terms, and the offset is a term, in cases.

Examples:
  tessera at 'f32[3,5]{1,0:T(2,2)}' 2,3 0,0
  tessera at --inverse 'f32[3,5]{1,0:T(2,2)}' 17 9
  tessera at '((2,2),(2,3)):((2,12),(1,4))' '(1,0),5'
  tessera at 'pack:awq u4[8,16]' 3,5
  tessera at 'axe:S[(8,4):(4@laneid,1@laneid)] + R[2:1@warpid]' 7,3
  tessera at '16x16:BlockedLayout([1,2],[4,8],[2,1],[1,0])' 3,5 T13:1
  tessera at 'f32[M,N]{1,0:T(8,128)}' M-1,N-1 --where 'M % 8 == 0, N % 128 == 0'
  printf '0,1\n1,1\n' | tessera at 'Sw<3,0,3> o _0 o (8,8):(8,1)' -)";

  template <class Visit>
  static void fields(Visit&& visit) {
    visit(Field{.name = "layout",
                .help = "a layout in any notation; - reads one per line from stdin",
                .argument = true},
          &AtRequest::layout);
    visit(Field{.name = "index",
                .help =
                    "indices such as 2,3 or, for nested CuTe modes, (0,(1,1)),5; with --inverse, offsets; - "
                    "reads one per line from stdin",
                .argument = true},
          &AtRequest::index);
    visit(Field{.name = "inverse", .help = "find the index at each offset, or 'padding'"},
          &AtRequest::inverse);
    visit(kWhereField, &AtRequest::where);
    visit(kSizeField, &AtRequest::size);
  }
};

/// An answer for each index, or its error. Its status is the worst of theirs.
class AtResult : public VerbAnswer {
 public:
  /// Runs and bits are those of named layouts whose elements are not cells, places those of Axe layouts;
  /// sized answers are terms, one for each index.
  using Value = std::variant<std::vector<OffsetAnswer>, std::vector<PreimageAnswer>, std::vector<RunsAnswer>,
                             std::vector<BitAnswer>, std::vector<PlacesAnswer>, std::vector<TritonAnswer>,
                             symbolic::SizedAnswers>;
  AtResult(Given<PlacedLayout> layout, Value value, std::vector<Diagnostic> refused);

  const Value& value() const { return value_; }

  int status() const override { return status_; }
  std::string heading() const override;
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_line() const override;
  Result<std::string> to_json() const override;
  std::vector<std::string> hints() const override;
  std::span<const Diagnostic> refused_parts() const override { return refused_; }

 private:
  std::vector<std::string> lines() const;

  Given<PlacedLayout> layout_;
  Value value_;
  std::vector<Diagnostic> refused_;
  int status_;
};

/// Errors, if there is one index: syntax, value_count, index_out_of_range, undecided.
Result<AtResult> at(const AtRequest& request, Observer& observer);

}  // namespace tessera::verbs
