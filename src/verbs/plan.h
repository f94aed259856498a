// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verb `plan`: the loops that move data between two layouts.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "tessera/notation/triton_layout.h"
#include "tessera/relayout/plan.h"
#include "tessera/relayout/register_plan.h"
#include "verbs/tensor_fields.h"
#include "verbs/verb.h"

namespace tessera::verbs {

/// One of NumPy's orders, a layout, or a layout of Triton, perhaps without its shape.
using PlanSide = std::variant<DenseOrder, Layout, TritonLayout>;
template <>
struct Reading<PlanSide> {
  static PlanSide none() { return DenseOrder::c; }
  static Result<PlanSide> read(const std::string& text);
};

struct PlanRequest : TensorFields {
  std::optional<Given<PlanSide>> from = {};
  std::optional<Given<PlanSide>> to = {};
  bool verify = false;
  std::string target = {};  ///< of register layouts
  std::optional<RegisterLevel> expect = {};
};

template <>
struct Words<RegisterLevel> {
  static constexpr std::array<std::string_view, 6> words = {"none",  "renaming", "selection",
                                                            "lanes", "warps",    "blocks"};
};

template <>
struct Description<PlanRequest> {
  static constexpr std::string_view name = "plan";
  static constexpr std::string_view help = "show how data would be moved between two layouts";
  static constexpr bool marks_line = true;
  static constexpr std::string_view footer =
      R"(The answer is the plan: loops around a kernel, with strides in bytes, cut into chunks for --threads. tessera copy
--plan FILE runs it; in C++ parse_plan reads it back. Between two register layouts of Triton the answer is what a
convert_layout costs: how far elements move, what Triton does, and the best exchange through shared memory.

Examples:
  tessera plan --from 'f32[64,256]{1,0}' --to 'f32[64,256]{1,0:T(8,128)}'
  tessera plan --from 'np:(32,48):(48,1)' --to 'np:(32,48):(1,32)' --bytes 2 --verify)";

  template <class Visit>
  static void fields(Visit&& visit) {
    using R = PlanRequest;
    visit_tensor_fields<R>(visit, "the layout of the data", "the layout to write; C or F: NumPy's orders");
    visit(Field{.name = "verify",
                .help = "prove that the plan moves every element to its place and writes nothing else"},
          &R::verify);
    visit(Field{.name = "target",
                .value = "TARGET",
                .help = "register layouts: cuda:90 (the default), hip:gfx942, ..."},
          &R::target);
    visit(Field{.name = "expect", .help = "register layouts: end with status 1 if elements move farther"},
          &R::expect);
  }
};

/// A plan, a plan of registers, or the instruction sets that plans may use.
class PlanResult : public VerbAnswer {
 public:
  struct Planned {
    RelayoutPlan plan;
    Layout from;
    Layout to;
  };
  /// The plan of a conversion of registers; `farther` if elements move farther than expected.
  struct OfRegisters {
    RegisterPlan plan;
    bool farther = false;
  };
  PlanResult() = default;
  explicit PlanResult(Planned planned) : planned_(std::move(planned)) {}
  explicit PlanResult(OfRegisters registers) : registers_(std::move(registers)) {}

  int status() const override;
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_json() const override;

 private:
  std::optional<Planned> planned_;
  std::optional<OfRegisters> registers_;  // neither: the instruction sets
};

/// Errors: bad_option (a side is missing, or the width contradicts the type), missing_layout (an order
/// without a shape, or the width is unknown), different_type, unsupported_width; those of parse_fill,
/// make_plan and verify.
Result<PlanResult> plan(const PlanRequest& request, Observer& observer);

}  // namespace tessera::verbs
