// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verb `hlo`: the elements that the instructions of a program read.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hlo/analysis/padding.h"
#include "hlo/shares/code_shares.h"
#include "hlo/time/chip.h"
#include "tessera/hlo/module.h"
#include "verbs/program.h"
#include "verbs/request.h"
#include "verbs/tensor_fields.h"
#include "verbs/verb.h"

namespace tessera::verbs {

/// From an output to what it reads, or from an operand to what reads it.
enum class MapDirection : std::uint8_t { out, in };
template <>
struct Words<MapDirection> {
  static constexpr std::array<std::string_view, 2> words = {"out", "in"};
};

/// The rule under which padding is counted: that of the program's layouts, or one by name.
enum class PaddingRule : std::uint8_t { own, tpu, blocks_32x32, onednn };
template <>
struct Words<PaddingRule> {
  static constexpr std::array<std::string_view, 4> words = {"own", "tpu", "32x32", "onednn"};
};

/// What the shares of a program are of.
template <>
struct Words<detail::ShareKey> {
  static constexpr std::array<std::string_view, 3> words = {"source", "scope", "opcode"};
};

template <>
struct FieldType<detail::Chip> {
  static Result<detail::Chip> read(std::string_view text) { return detail::read_chip(text); }
  static Json schema() { return {{"type", "string"}, {"minLength", 1}}; }
};

/// The name of an instruction or a computation.
struct ProgramName {
  std::string text = {};

  bool empty() const { return text.empty(); }
};
template <>
struct FieldType<ProgramName> {
  /// Errors: bad_option (an empty name, which would select everything; probably an unset variable of a
  /// shell).
  static Result<ProgramName> read(std::string_view text);
  static Json schema() { return {{"type", "string"}, {"minLength", 1}}; }
};

/// GB/s.
struct GigabytesPerSecond {
  double value = 0;
};
template <>
struct FieldType<GigabytesPerSecond> {
  static Result<GigabytesPerSecond> read(std::string_view text);
  static Json schema();
};

/// Bytes that fit on a chip: `50M`, or the name of a chip.
struct OnChip {
  Index bytes = 0;
  std::string source = {};  ///< where the number is from, if a chip is named
};
template <>
struct FieldType<OnChip> {
  static Result<OnChip> read(std::string_view text);
  static Json schema() { return {{"oneOf", {{{"type", "integer"}, {"minimum", 1}}, {{"type", "string"}}}}}; }
};

/// The value of a runtime variable: `rt0=20`.
struct RuntimeSetting {
  std::string name = {};
  Index value = 0;
};
template <>
struct FieldType<RuntimeSetting> {
  static Result<RuntimeSetting> read(std::string_view text);
  static Json schema() { return {{"type", "string"}}; }
};

struct HloRequest {
  std::vector<std::string> file = {};
  std::string text = {};  ///< a program, in place of a file
  MapDirection direction = MapDirection::out;
  ProgramName op = {};
  ProgramName computation = {};
  bool fused = false;
  Index threads = 0;
  bool stats = false;
  bool bitcasts = false;
  bool traffic = false;
  std::optional<OnChip> on_chip = {};
  std::optional<PaddingRule> padding = {};
  bool copies = false;
  std::optional<GigabytesPerSecond> bandwidth = {};
  std::optional<detail::ShareKey> by = {};
  std::string source = {};  ///< the folder with the user's code
  bool work = false;
  std::optional<detail::Chip> chip = {};
  bool memory = false;
  bool collectives = false;
  std::optional<std::array<std::string, 2>> same = {};
  bool parameters = false;
  std::optional<PointList> at = {};
  std::vector<RuntimeSetting> set = {};
  Index leaf = 0;
  bool sizes = false;
  bool legacy = false;
  bool summary = false;
  bool report = false;
  std::string compare = {};  ///< the file with the old program

  bool reported() const { return summary || report || !compare.empty(); }
  /// Whether the answer is about whole modules.
  bool whole() const { return traffic || copies || parameters || costs() || (padding && !reported()); }
  /// Whether the answer is one of those of hlo_costs.h.
  bool costs() const { return by || work || (chip && !reported()) || memory || collectives; }
  /// The tiling rule that is named; empty: that of the program.
  std::optional<TilingRule> rule() const;
};

/// Errors: bad_option (a field has no effect with another one, or stdin is read twice).
Result<void> check_together(const HloRequest& request);

template <>
struct Description<HloRequest> {
  static constexpr std::string_view name = "hlo";
  static constexpr std::string_view help = "which elements each instruction of an HLO program reads";
  static constexpr std::string_view extensions = ".txt .html";
  static constexpr bool marks_line = true;
  static Result<void> check(const HloRequest& request) { return check_together(request); }
  static constexpr std::string_view footer =
      R"(Each instruction gets a line 'COMPUTATION/NAME = TYPE OPCODE' and a line 'operand id = K MAP' for each
operand. The dimensions of a map are an index of the output; its results are the index of the operand element
read: '(d0, d1) -> (d1, d0)'. Range variables [s0, ...] take all their values. Runtime variables {rt0, ...}
are values known only at run time; the lines below a map say where each is read, such as 'parameter(0)#1',
element 1 of the tuple parameter 0, and how the program clamps it: rt0 is the clamped value. '() -> (5, 2)': a
scalar output reads element (5, 2). 'KNOWN EMPTY': the operand is not read. Below a map, 'superset: REASON' says that it may contain more elements than are read,
and 'unknown: REASON' that nothing is known. A map without such a line is exact.
Errors in the text go to stderr, the rest is analyzed, and the exit status is 2.

Examples:
  tessera hlo examples/hlo/transformer_block.hlo --op dot
  tessera hlo examples/hlo/transformer_block_gpu.hlo --op fusion --fused
  tessera hlo examples/hlo/kv_cache_decode.hlo --direction in --json | head -1
  tessera hlo examples/hlo/transformer_block.hlo examples/hlo/convolution_stage.hlo --stats
  tessera hlo examples/hlo/transformer_block.hlo --parameters --op scores --at 0,0,5,7
  tessera hlo examples/hlo/transformer_block.hlo --bitcasts
  tessera hlo examples/hlo/transformer_block_gpu.hlo --traffic
  tessera hlo examples/hlo/transformer_block_gpu.hlo --traffic --on-chip 228K
  tessera hlo examples/hlo/transformer_block_tpu.hlo --padding
  tessera hlo examples/hlo/transformer_block_tpu.hlo --copies --bandwidth 819
  tessera hlo examples/hlo/transformer_block_gpu.hlo --by scope
  tessera hlo examples/hlo/transformer_block_gpu.hlo --work
  tessera hlo examples/hlo/transformer_block_gpu.hlo --chip h100
  tessera hlo examples/hlo/scan_layers.hlo --memory
  tessera hlo examples/hlo/sharded_mlp.hlo --collectives
  tessera hlo examples/hlo/transformer_block.hlo --same heads heads.by_token
  tessera hlo examples/hlo/transformer_block_gpu.hlo --summary
  tessera hlo examples/hlo/transformer_block_gpu.hlo --report block.html
  tessera hlo examples/hlo/transformer_block_tpu.hlo --compare examples/hlo/transformer_block.hlo)";

  template <class Visit>
  static void fields(Visit&& visit) {
    using R = HloRequest;
    visit(Field{.name = "file",
                .help = "HLO text, plain or gzip, or a folder of xla_dump_to; - reads stdin",
                .argument = true,
                .unless = "text",
                .takes_dash = true},
          &R::file);
    visit(text_field("a program, in place of a file"), &R::text);
    visit(
        Field{.name = "direction",
              .help =
                  "out: from an output to what it reads (the default); in: from an operand to what reads it"},
        &R::direction);
    visit(Field{.name = "op",
                .value = "NAME",
                .help = "only instructions with this name or opcode: NAME or COMPUTATION/NAME"},
          &R::op);
    visit(Field{.name = "computation", .value = "NAME", .help = "only this computation"}, &R::computation);
    visit(
        Field{.name = "fused",
              .help = "leave out computations that fusions and calls use: the caller's maps include theirs"},
        &R::fused);
    visit(kThreadsField, &R::threads);
    visit(
        Field{.name = "stats",
              .help =
                  "print counts instead of maps: what was analyzed, what is not exact and why, and the time"},
        &R::stats);
    visit(Field{.name = "bitcasts",
                .help = "instead of maps, print which copies, transposes and reshapes move no data, and how "
                        "many bytes "
                        "the others move"},
          &R::bitcasts);
    visit(Field{.name = "traffic",
                .help = "instead of maps, print how many bytes each step of the program reads and writes, "
                        "and how many "
                        "it must; the steps that reread the most bytes come first"},
          &R::traffic);
    visit(Field{.name = "on_chip",
                .value = "BYTES|CHIP",
                .help =
                    "with --traffic, --summary or --report, how many bytes each step moves in tiles that fit "
                    "into so many bytes: the best tile found, and what must move at least; 228K, 50M, or "
                    "what all cores of a chip share: h100, a100, mi300x, tpu-v5e. With --chip, that of the "
                    "chip, if it is known"},
          &R::on_chip);
    visit(
        Field{.name = "padding",
              .value = "[own|tpu|32x32|onednn]",
              .help =
                  "instead of maps, print what padding costs under a tiling rule, and which layouts need the "
                  "fewest bytes: own (that of the program's layouts, the default), tpu (T(8,128) by element "
                  "width), 32x32, onednn (blocks of 16, 8 or 4)",
              .bare = "own"},
        &R::padding);
    visit(Field{.name = "copies",
                .help = "instead of maps, print which instructions only move data (copies, transposes, "
                        "slices, fusions "
                        "of these), what they cost, and which could be bitcasts, cancel or join"},
          &R::copies);
    visit(Field{.name = "bandwidth",
                .value = "GB/s",
                .help = "with --copies, the memory bandwidth in GB/s for estimates of time; without it, it "
                        "is measured "
                        "by a copy on this machine",
                .needs = "copies"},
          &R::bandwidth);
    visit(Field{.name = "by",
                .help = "instead of maps, print what each line of code, scope or opcode moves and computes: "
                        "source (source_file or stack frames), scope (op_name, as a tree), opcode"},
          &R::by);
    visit(Field{.name = "source",
                .value = "DIR",
                .help =
                    "with --by source, --summary and --report, the folder with your code: lines in its files "
                    "are shown, and a step belongs to the innermost of them"},
          &R::source);
    visit(Field{.name = "work",
                .help = "instead of maps, print how many operations each step computes: on floating-point "
                        "numbers, on integers, and transcendentals"},
          &R::work);
    visit(Field{.name = "chip",
                .value = "NAME|KEY=N,...",
                .help = "instead of maps, estimate the time of each step at the peak rates of a chip: h100, "
                        "h200, b200, a100, mi300x, tpu-v5e, tpu-v5p, cpu (this machine), or "
                        "bandwidth=3.35T,bf16=989T,link=450G. With "
                        "--summary, --report and --compare, what each waste takes, the most time first"},
          &R::chip);
    visit(Field{.name = "memory",
                .help = "instead of maps, print how many bytes of arrays are live at once, and which"},
          &R::memory);
    visit(Field{.name = "collectives",
                .help = "instead of maps, print how many bytes each device must receive for each collective, "
                        "and how many it sends around a ring or directly"},
          &R::collectives);
    visit(Field{.name = "same",
                .value = "NAME NAME",
                .help = "instead of maps, whether two results hold the same bytes in the same order: yes "
                        "(exit status "
                        "0), no with a byte that differs (1), or undecided (3); unless yes, also where the "
                        "first holds "
                        "the elements of the second. NAME#K is array K of a tuple"},
          &R::same);
    visit(Field{.name = "parameters",
                .help = "instead of maps of single instructions, print which elements of the program's "
                        "parameters the "
                        "root, or the instruction of --op, depends on; --computation NAME asks about its own "
                        "root and "
                        "parameters"},
          &R::parameters);
    visit(Field{.name = "at",
                .value = "N,N,...",
                .help = "with --parameters, only for this element of the result: 16,9,4",
                .needs = "parameters"},
          &R::at);
    visit(Field{.name = "set",
                .value = "rtN=N",
                .help = "with --parameters, the value of a runtime variable before the program clamps it",
                .needs = "parameters"},
          &R::set);
    visit(Field{.name = "leaf",
                .value = "N",
                .help = "with --at, the number of the array of a tuple result (default: 0)",
                .most = Index{1} << 31,
                .needs = "at"},
          &R::leaf);
    visit(kSizesField, &R::sizes);
    visit(Field{.name = "legacy", .help = "print maps in the older form", .text_only = true}, &R::legacy);
    visit(Field{.name = "summary",
                .help = "instead of maps, print in plain words what the program wastes; with --json, the "
                        "whole report"},
          &R::summary);
    visit(Field{.name = "report",
                .help = "write the report: a page that shows everything, or the same as JSON, or the summary",
                .file = "FILE.html|.json|.txt"},
          &R::report);
    visit(Field{.name = "compare",
                .value = "OLD",
                .help = "instead of maps, print what changed since this dump of the program: the steps that "
                        "move more "
                        "bytes, then those that move fewer. With --report, the page has it, too"},
          &R::compare);
  }
};

/// The parts of the answer that the observer did not take, the problems of the files, and what has no answer.
class HloResult : public VerbAnswer {
 public:
  struct Problem {
    Diagnostic diagnostic;
    std::shared_ptr<const Source> source;
  };

  int status() const override { return status_; }
  bool in_parts() const override { return true; }
  bool json_has_refusals() const override { return false; }
  Result<std::string> to_text(const Terminal& terminal) const override;
  /// An object with all parts and problems. Errors: the first problem, if there is no part.
  Result<std::string> to_json() const override;
  /// The page of a report.
  Result<std::string> to_picture(PictureFormat format) const override;
  std::span<const Diagnostic> refused_parts() const override { return refused_; }

  /// Adds a part, unless the observer takes it.
  void add(std::unique_ptr<VerbAnswer> part, Observer& observer);
  void add_problem(const Diagnostic& problem, const std::shared_ptr<const Source>& source,
                   Observer& observer);
  /// Something has no answer: `text` is the value of the error's field.
  void refuse_part(Diagnostic error, const std::string& text, Observer& observer);
  void worsen(int status);

 private:
  int status_ = 0;
  std::vector<std::unique_ptr<VerbAnswer>> parts_;
  std::vector<Problem> problems_;
  std::vector<Diagnostic> refused_;
};

/// Problems of the files go to the observer, and so does each part of the answer. Errors: bad_option (fields
/// that do not go together), unknown_name (no file has the name); those of read_file for the old program.
Result<HloResult> hlo(const HloRequest& request, Observer& observer);

}  // namespace tessera::verbs
