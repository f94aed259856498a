// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verb `access`: bank conflicts, coalescing, and the layout that avoids conflicts for a set of accesses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/access_answer.h"
#include "report/sized_access.h"
#include "tessera/access/access.h"
#include "tessera/draw/picture.h"
#include "verbs/answer.h"
#include "verbs/observer.h"
#include "verbs/request.h"
#include "verbs/sizes.h"

namespace tessera::verbs {

enum class MemorySpace : std::uint8_t { shared, global, both };
template <>
struct Words<MemorySpace> {
  static constexpr std::array<std::string_view, 3> words = {"shared", "global", "both"};
};

enum class FixChoice : std::uint8_t { swizzle, pad, linear, all };
template <>
struct Words<FixChoice> {
  static constexpr std::array<std::string_view, 4> words = {"swizzle", "pad", "linear", "all"};
};

enum class MemoryView : std::uint8_t { banks, lines };
template <>
struct Words<MemoryView> {
  static constexpr std::array<std::string_view, 2> words = {"banks", "lines"};
};

/// The elements that a lane moves at once.
struct VectorChoice {
  bool widest = false;
  Index elements = 1;
  bool given = false;
};
template <>
struct FieldType<VectorChoice> {
  static Result<VectorChoice> read(std::string_view text);
  static Json schema();
};

template <>
struct Reading<MemoryTarget> {
  static MemoryTarget none() { return {}; }
  static Result<MemoryTarget> read(const std::string& text) { return MemoryTarget::parse(text); }
};

struct AccessRequest {
  Given<PlacedLayout> layout = {};
  std::vector<std::string> threads = {};  ///< empty: the layout itself maps (thread, value) to the offset
  std::optional<Index> bytes = {};
  std::optional<Index> bits = {};
  VectorChoice vector = {};
  std::optional<MemorySpace> space = {};
  Given<MemoryTarget> target = {};
  Index base = 0;
  Index base_align = 256;
  std::optional<Given<Layout>> warps = {};
  IndexList segments = {};
  std::optional<Index> limit = {};
  bool why = false;
  std::optional<FixChoice> fix = {};
  std::optional<MemoryView> view = {};
  std::optional<Index> instruction = {};
  std::optional<Index> phase = {};
  bool all_phases = false;
  std::string where = {};
  std::vector<SizeValues> size = {};
};

template <>
struct Description<AccessRequest> {
  static constexpr std::string_view name = "access";
  static constexpr std::string_view help = "bank conflicts, coalescing, and a layout without conflicts";
  static constexpr std::string_view extensions = ".txt .svg .png .tex .html";
  static constexpr std::string_view footer =
      R"(Without --threads, LAYOUT itself maps (thread, value) to the offset. Keys of an access: read, write,
ldmatrix=1|2|4, stmatrix=1|2|4, vector=N|auto, active=0xff or active=0-15,24 (lanes), weight=N, base=BYTES, over=R,C (TV
counts in a block of that shape), at=R,C or at=all (where the block is). TV may be map: and an index map from the thread.
ldmatrix.x1|x2|x4 and stmatrix.x1|x2|x4 move matrices of 8 rows of 16 bytes, 2 x 2 of them if there is room. Wavefronts
are passes over the banks of shared memory; no layout goes below the floor. The exit status is 1 if there are conflicts;
with --fix, if the best layout needs more wavefronts than the floor.

Examples:
  tessera access '32:2' --bytes 4
  tessera access '(32,32):(32,1)' --bytes 4 --threads rows,write --threads columns --fix
  tessera access '(64,64):(64,1)' --bytes 2 --threads 'A=((8,2,2),8):((1,8,512),64),vector=8,ldmatrix=4' --why
  tessera access '(32,32):(32,1)' --bytes 4 --threads columns --fix --view banks -o banks.svg
  tessera access '32:1' --bytes 4 --space global --warps '(8,100):(32,1001)'
  tessera access '(32,N):(N,1)' --bytes 4 --threads 32:1 --where 'N % 2 == 0')";

  template <class Visit>
  static void fields(Visit&& visit) {
    visit(Field{.name = "layout",
                .help = "a layout in any notation; - reads one per line from stdin",
                .argument = true},
          &AccessRequest::layout);
    visit(
        Field{.name = "threads",
              .value = "ACCESS",
              .help =
                  "an access: [NAME=]TV[,KEY[=VALUE]]...; TV is a layout from (thread, value) to the 1-D "
                  "index of the box, rows, columns, or a matrix instruction such as ldmatrix.x4; repeat the "
                  "option for several accesses"},
        &AccessRequest::threads);
    visit(Field{.name = "bytes",
                .value = "N",
                .help = "bytes of one element, if the layout has no type",
                .least = 1,
                .most = Index{1} << 20},
          &AccessRequest::bytes);
    visit(Field{.name = "bits",
                .value = "N",
                .help = "bits of one element; several elements may share a byte",
                .least = 1,
                .most = Index{1} << 20,
                .excludes = "bytes"},
          &AccessRequest::bits);
    visit(Field{.name = "vector",
                .value = "N|auto",
                .help = "elements that a lane moves at once (default: 1), or auto: as many as possible"},
          &AccessRequest::vector);
    visit(Field{.name = "space",
                .help = "the memory to analyze (default: both); --fix and matrix accesses imply shared"},
          &AccessRequest::space);
    visit(Field{.name = "target",
                .value = "TARGET",
                .help = "the hardware: nvidia (the default), nvidia-7x, cdna3, cdna4, rdna3, rdna4, or "
                        "banks:BxW[@L][/P]"},
          &AccessRequest::target);
    visit(Field{.name = "base",
                .value = "BYTES",
                .help = "the byte address of offset 0 (default: 0)",
                .most = Index{1} << 40},
          &AccessRequest::base);
    visit(Field{.name = "base_align",
                .value = "BYTES",
                .help = "the alignment of the buffer's address in bytes (default: 256)",
                .least = 1,
                .most = Index{1} << 40},
          &AccessRequest::base_align);
    visit(
        Field{.name = "warps",
              .value = "LAYOUT",
              .help =
                  "a layout from the number of a warp to its offset: counts the whole grid, with LAYOUT for "
                  "the lanes of a warp"},
        &AccessRequest::warps);
    visit(Field{.name = "segments",
                .value = "BYTES,...",
                .help = "also count pieces of global memory of these sizes",
                .least = 1,
                .most = Index{1} << 30},
          &AccessRequest::segments);
    visit(Field{.name = "limit",
                .value = "ELEMENTS",
                .help = "elements in the buffer: lanes of --warps that begin beyond its end are inactive",
                .most = Index{1} << 60,
                .needs = "warps"},
          &AccessRequest::limit);
    visit(Field{.name = "why", .help = "show which address bits each lane bit changes"}, &AccessRequest::why);
    visit(
        Field{.name = "fix",
              .value = "[swizzle|pad|linear|all]",
              .help = "search for a layout with fewer conflicts: swizzle, pad, linear, or all (the default)",
              .bare = "all"},
        &AccessRequest::fix);
    visit(
        Field{.name = "view",
              .help = "a picture of the worst instruction: its words in the banks, or in the lines of global "
                      "memory; with -o also as .svg, .png, .tex or .html",
              .single = true},
        &AccessRequest::view);
    visit(Field{.name = "instruction",
                .value = "N",
                .help = "the number of the instruction to draw, from 0",
                .needs = "view"},
          &AccessRequest::instruction);
    visit(Field{.name = "phase",
                .value = "N",
                .help = "the number of the phase to draw, from 0",
                .needs = "view",
                .excludes = "all_phases"},
          &AccessRequest::phase);
    visit(Field{.name = "all_phases", .help = "draw a picture of each phase", .needs = "view"},
          &AccessRequest::all_phases);
    visit(kWhereField, &AccessRequest::where);
    visit(kSizeField, &AccessRequest::size);
  }
};

/// The costs of the accesses, and the fixes. Its status is 1 if there are conflicts or, with `fix`, if the
/// best layout needs more wavefronts than the floor; 3 if a limit ended the search before that was decided.
/// For all sizes: 1 if some have conflicts, 3 if that is undecided for some.
class AccessResult : public VerbAnswer {
 public:
  AccessResult(AccessAnswer answer, std::optional<Picture> picture, std::vector<std::string> hints)
      : answer_(std::move(answer)), picture_(std::move(picture)), hints_(std::move(hints)) {}
  AccessResult(SizedAccessAnswer sized, std::vector<std::string> hints)
      : sized_(std::move(sized)), hints_(std::move(hints)) {}

  /// Requires a layout of numbers.
  const AccessAnswer& answer() const { return *answer_; }

  int status() const override;
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_line() const override {
    return sized_ ? tessera::to_line(*sized_) : tessera::to_line(*answer_);
  }
  Result<std::string> to_json() const override;
  Result<std::string> to_picture(PictureFormat format) const override;
  bool has_picture() const override { return picture_.has_value(); }
  std::vector<std::string> hints() const override { return hints_; }

 private:
  std::optional<AccessAnswer> answer_ = {};
  std::optional<SizedAccessAnswer> sized_ = {};  // for all sizes, in place of `answer_`
  std::optional<Picture> picture_ = {};
  std::vector<std::string> hints_;
};

/// Errors: those of parse_access, analyze_accesses, count_grid, find_fixes, access_picture; unknown_type,
/// limit.
Result<AccessResult> access(const AccessRequest& request, Observer& observer);

}  // namespace tessera::verbs
