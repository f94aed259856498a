// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verb `copy`: writes a tensor of a file to another file, in another layout.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "report/copy_answer.h"
#include "transfer/recode.h"
#include "verbs/tensor_fields.h"
#include "verbs/verb.h"

namespace tessera::verbs {

template <>
struct Reading<Recode> {
  static Recode none() { return {}; }
  static Result<Recode> read(const std::string& text) { return parse_recode(text); }
};

struct CopyRequest : TensorFields {
  std::string in = {};
  std::string out = {};
  std::optional<Given<NamedOrOrder>> from = {};
  std::optional<Given<NamedOrOrder>> to = {};
  std::optional<PointList> shape = {};  ///< empty dimensions: one element
  std::optional<PointList> transpose = {};
  std::string tensor = {};
  ByteSize<kLeastCopyMemory, Index{1} << 30> memory = {};
  std::string plan = {};
  std::optional<Given<Recode>> recode = {};
  bool verify = false;
  bool dry_run = false;
  bool resume = false;
  bool force = false;
};

template <>
struct Description<CopyRequest> {
  static constexpr std::string_view name = "copy";
  static constexpr std::string_view help = "move a tensor between files and layouts";
  static constexpr bool marks_line = true;
  static constexpr std::string_view footer =
      R"(A header makes --from unnecessary; if given, it must agree. Without --to the result is row-major.
OUT appears whole or not at all; --force replaces an existing file.

Examples:
  head -c 96 /dev/zero > a.raw; tessera copy a.raw b.npy --from 'f32[4,6]{1,0}' --verify
  head -c 96 /dev/zero > c.raw; tessera copy c.raw d.raw --from 'f32[4,6]{1,0}' --to 'f32[4,6]{1,0:T(2,4)}' --fill -1
  head -c 96 /dev/zero > e.raw; tessera copy e.raw e.npy --shape 4,6 --type f32 --transpose 1,0 --to F
  tessera copy --isa list)";

  template <class Visit>
  static void fields(Visit&& visit) {
    using R = CopyRequest;
    visit(Field{.name = "in",
                .help = "the file to read: .npy, .safetensors or .gguf (FILE#TENSOR), or raw bytes",
                .argument = true,
                .optional = true,
                .takes_dash = true,
                .needed = true},
          &R::in);
    visit(Field{.name = "out",
                .help = "the file to write, in the format of its extension",
                .argument = true,
                .optional = true,
                .takes_dash = true,
                .needed = true},
          &R::out);
    visit_tensor_fields<R>(
        visit, "the layout of IN, or one of NumPy's orders, C or F, for the shape in the header or --shape",
        "the layout of OUT, or one of NumPy's orders, C (the default) or F");
    visit(Field{.name = "shape",
                .value = "SHAPE",
                .help = "the shape of raw data whose order is --from C (the default) or F"},
          &R::shape);
    visit(Field{.name = "transpose",
                .value = "AXES",
                .help = "permute the axes as numpy.transpose does: axis i of OUT is axis AXES[i] of IN"},
          &R::transpose);
    visit(
        Field{
            .name = "tensor", .value = "NAME", .help = "the tensor of a .safetensors or .gguf file to read"},
        &R::tensor);
    visit(Field{.name = "memory",
                .value = "SIZE",
                .help = "limit for buffers and resident pages of the files: 512M, 4G (default: 1G)",
                .example = "512M"},
          &R::memory);
    visit(Field{.name = "plan",
                .value = "FILE",
                .help = "run the plan in this file, from `tessera plan`, if it is proved for the layouts"},
          &R::plan);
    visit(
        Field{.name = "recode",
              .value = "add=C|xor=C",
              .help =
                  "change each code: add=C (modulo 2^bits) or xor=C; add=1 for zero points stored minus one"},
        &R::recode);
    visit(Field{.name = "verify", .help = "compare the result with the source before the file appears"},
          &R::verify);
    visit(Field{.name = "dry_run", .help = "plan and check the copy; write nothing"}, &R::dry_run);
    visit(Field{.name = "resume", .help = "continue a copy that was interrupted"}, &R::resume);
    visit(kForceField, &R::force);
  }
};

/// What was copied, or the instruction sets that copies may use.
class CopyResult : public VerbAnswer {
 public:
  CopyResult() = default;
  explicit CopyResult(CopyAnswer answer) : answer_(std::move(answer)) {}

  int status() const override;
  bool is_report() const override { return answer_.has_value(); }
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_json() const override;

 private:
  std::optional<CopyAnswer> answer_;  // empty: the instruction sets
};

/// Errors: bad_option (a file is missing, or fields do not go together), missing_layout; those of
/// TensorFile::open, parse_fill, parse_plan, and of the copy.
Result<CopyResult> copy(const CopyRequest& request, Observer& observer);

}  // namespace tessera::verbs
