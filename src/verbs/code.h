// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verb `code`: layouts, maps, copies and plans as source code.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tessera/code/code.h"
#include "tessera/notation/axe.h"
#include "verbs/answer.h"
#include "verbs/observer.h"
#include "verbs/request.h"
#include "verbs/sizes.h"

namespace tessera::verbs {

/// Nothing, for a copy; or a layout, an Axe layout on several axes, a map, a program, or a layout with names
/// for sizes.
using CodeInput =
    std::variant<std::monostate, Given<NamedOrLayout>, AxeLayout, IndexMap, ProgramPath, Given<PlacedLayout>>;
template <>
struct FieldType<CodeInput> {
  /// Maps have an arrow. Existing files, and texts that end in `.hlo` or `.hlo.gz`, are programs.
  static Result<CodeInput> read(std::string_view text);
  static Json schema() { return {{"type", "string"}}; }
};

template <>
struct Words<CodeLanguage> {
  static constexpr std::array<std::string_view, 9> words = {"c",     "cpp",    "cuda", "hip", "python",
                                                            "numpy", "triton", "jax",  "mlir"};
};

struct CodeRequest {
  CodeInput input = {};
  CodeLanguage lang = CodeLanguage::c;
  std::string axis = {};  ///< of an Axe layout; empty: all
  bool get = false;       ///< of a named layout
  bool set = false;
  bool inverse = false;
  bool loop = false;
  std::string op = {};  ///< empty: the root of the entry
  Index operand = 0;
  bool copy_kernel = false;
  bool plan = false;
  std::optional<Given<Layout>> from = {};
  std::optional<Given<Layout>> to = {};
  Index bytes = 0;  ///< 0: those of the layouts' types
  std::optional<std::string> name = {};
  bool multiply_high = false;
  bool test = false;
  std::string where = {};
  std::vector<SizeValues> size = {};
};

template <>
struct Description<CodeRequest> {
  static constexpr std::string_view name = "code";
  static constexpr std::string_view help = "write a layout, a map, or a copy between layouts as source code";
  static constexpr std::string_view footer =
      R"(The function computes offsets in elements. Its comment gives the range of every parameter and the integer type, which
holds every intermediate value. Division floors; powers of two become shifts and masks. An Axe layout on several axes
gives a function for each axis. An inverse reports offsets that
hold no element, such as padding. CUDA, HIP and Triton copy one element per thread. Names of sizes in a layout are
arguments after the index.

Examples:
  tessera code 'f32[3,5]{1,0:T(2,2)}'
  tessera code 'Sw<3,3,3> o _0 o (8,64):(64,1)' --lang cuda --inverse
  tessera code 'f32[M,N]{1,0:T(8,128)}' --lang cuda --where 'N % 128 == 0'
  tessera code 'axe:S[(8,4):(4@laneid,1)] + R[2:1@warpid]' --lang cuda
  tessera code '(6,10,7):(70,7,1)' --inverse --multiply-high --test
  tessera code examples/hlo/transformer_block.hlo --op scores --operand 0 --loop --lang cpp
  tessera code --from 'f32[64,256]{1,0}' --to 'f32[64,256]{1,0:T(8,128)}' --lang triton)";
  static constexpr std::string_view extensions = ".txt .c .h .cc .cpp .hpp .cu .cuh .hip .py .mlir";

  template <class Visit>
  static void fields(Visit&& visit) {
    visit(Field{.name = "input",
                .value = "LAYOUT|MAP|FILE",
                .help = "a layout, an index map, or a file with an HLO program",
                .argument = true,
                .optional = true},
          &CodeRequest::input);
    visit(Field{.name = "lang", .help = "the language (default: c)"}, &CodeRequest::lang);
    visit(Field{.name = "axis",
                .value = "NAME",
                .help = "one axis of an Axe layout as a layout, instead of a function for each axis",
                .excludes = "get set from to copy_kernel plan"},
          &CodeRequest::axis);
    visit(
        Field{.name = "get",
              .help = "a function that returns the code of an element of a named layout in a buffer of bytes",
              .excludes = "set inverse loop from to copy_kernel plan"},
        &CodeRequest::get);
    visit(Field{.name = "set",
                .help = "a function that stores the code of an element of a named layout",
                .excludes = "inverse loop from to copy_kernel plan"},
          &CodeRequest::set);
    visit(Field{.name = "inverse",
                .help = "compute the index at an offset, or the variables from the results",
                .excludes = "loop from to copy_kernel plan"},
          &CodeRequest::inverse);
    visit(Field{.name = "loop",
                .help = "write loops over all points instead of a function of one point",
                .excludes = "from to copy_kernel plan"},
          &CodeRequest::loop);
    visit(Field{.name = "op",
                .value = "NAME",
                .help = "the instruction of an HLO file (default: the root of the entry computation)",
                .excludes = "from to copy_kernel plan"},
          &CodeRequest::op);
    visit(Field{.name = "operand",
                .value = "N",
                .help = "the operand of that instruction (default: 0)",
                .most = Index{1} << 31},
          &CodeRequest::operand);
    visit(Field{.name = "copy_kernel",
                .help = "write a function that copies --from to --to (the default if both are given)",
                .excludes = "plan"},
          &CodeRequest::copy_kernel);
    visit(Field{.name = "plan", .help = "write the loops of the plan that copies --from to --to"},
          &CodeRequest::plan);
    visit(Field{.name = "from", .value = "LAYOUT", .help = "the layout to copy from"}, &CodeRequest::from);
    visit(Field{.name = "to", .value = "LAYOUT", .help = "the layout to copy to"}, &CodeRequest::to);
    visit(Field{.name = "bytes",
                .value = "N",
                .help = "bytes of an element, if the layouts have no type",
                .least = 1,
                .most = 16},
          &CodeRequest::bytes);
    visit(Field{.name = "name", .value = "NAME", .help = "the name of the function"}, &CodeRequest::name);
    visit(Field{.name = "multiply_high",
                .help = "divide by constants other than powers of two by multiplying and shifting"},
          &CodeRequest::multiply_high);
    visit(Field{.name = "test",
                .help = "also write a test, after the code or, with -o x.c, to x_test.c",
                .single_in_file = true},
          &CodeRequest::test);
    visit(kWhereField, &CodeRequest::where);
    visit(kSizeField, &CodeRequest::size);
  }
};

/// Source code, and its test if that was requested.
class CodeResult : public VerbAnswer {
 public:
  CodeResult(SourceCode code, std::string_view kind, std::vector<std::string> hints)
      : code_(std::move(code)), kind_(kind), hints_(std::move(hints)) {}

  const SourceCode& code() const { return code_; }

  int status() const override;
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_json() const override;
  std::vector<std::string> hints() const override { return hints_; }
  std::optional<FileBeside> beside(std::string_view path) const override;

 private:
  SourceCode code_;
  std::string_view kind_;  // offset, inverse, map, loop, copy, plan, get, set
  std::vector<std::string> hints_;
};

/// Errors: those of tessera/code/code.h, of the operand's maps, and of the layouts' types.
Result<CodeResult> code(const CodeRequest& request, Observer& observer);

}  // namespace tessera::verbs
