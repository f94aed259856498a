// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verb `equal`: decides whether two layouts are the same function.
#pragma once

#include <string>
#include <vector>

#include "tessera/notation/conversion.h"
#include "tessera/notation/layout.h"
#include "verbs/answer.h"
#include "verbs/observer.h"
#include "verbs/request.h"

namespace tessera::verbs {

template <>
struct Words<EqualityNotion> {
  static constexpr std::array<std::string_view, 4> words = {"text", "structure", "map", "storage"};
};

struct EqualRequest {
  Given<Layout> a = {};
  Given<Layout> b = {};
  EqualityNotion notion = EqualityNotion::map;
  bool ignore_unit_dims = false;
};

template <>
struct Description<EqualRequest> {
  static constexpr std::string_view name = "equal";
  static constexpr std::string_view help = "prove two layouts equal, or find the first difference";
  static constexpr std::string_view footer =
      R"(The first line names the notations and what is compared. The second is 'yes' (exit status 0); 'no at INDEX: OFFSET
and OFFSET' with the smallest index that differs, or 'no: REASON' (1); or 'undecided: LIMIT' (3). Beyond 2^24 indices,
'a smaller index may differ too' can follow.

Examples:
  tessera equal '6x8:[1, 0, 1 p(4)]' '(6,(4,2)):(4,(1,24))'
  tessera equal 'f32[4,8]{1,0:T(2,4)}' 'f32[4,8]{1,0}'
  tessera equal --notion storage 'f32[4]' 'f32[4]{0:L(8)}')";

  template <class Visit>
  static void fields(Visit&& visit) {
    visit(Field{.name = "a",
                .help = "a layout in any notation; - reads one per line from stdin",
                .argument = true},
          &EqualRequest::a);
    visit(Field{.name = "b",
                .help = "a layout in any notation; - reads one per line from stdin",
                .argument = true},
          &EqualRequest::b);
    visit(Field{.name = "notion",
                .value = "text|structure|map|storage",
                .help =
                    "map (the default): same shape and offsets; storage: also buffer size, element width and "
                    "splits; structure: same notation, field by field; text: same canonical text"},
          &EqualRequest::notion);
    visit(Field{.name = "ignore_unit_dims", .help = "ignore dimensions of extent 1"},
          &EqualRequest::ignore_unit_dims);
  }
};

/// A proof, or the first difference. Its status is 1 if the layouts differ, and 3 if that is undecided.
class EqualResult : public VerbAnswer {
 public:
  EqualResult(EqualRequest request, LayoutEquality equality)
      : request_(std::move(request)), equality_(std::move(equality)) {}

  const LayoutEquality& equality() const { return equality_; }

  int status() const override;
  std::string heading() const override;
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_json() const override;
  std::vector<std::string> hints() const override;

 private:
  EqualRequest request_;
  LayoutEquality equality_;
};

/// Cost: that of tessera::equal.
Result<EqualResult> equal(const EqualRequest& request, Observer& observer);

}  // namespace tessera::verbs
