// SPDX-License-Identifier: Apache-2.0
#include "verbs/access.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/access_picture.h"
#include "report/exit_status.h"
#include "tessera/notation/atoms.h"
#include "tessera/notation/triton_layout.h"
#include "verbs/column_major.h"

namespace tessera::verbs {
namespace {

Failure unknown_bits() {
  return refuse("layout", Code::unknown_type, "the layout has no element type, so the addresses are unknown",
                "add --bytes 4, or write a layout with a type, such as f32[32,32]");
}

Result<Index> element_bits(const AccessRequest& request) {
  if (request.bits) return *request.bits;
  if (request.bytes) return 8 * *request.bytes;
  const Atom* const atom = named_atom(request.layout.text);
  const std::optional<Index> bits =
      atom != nullptr ? atom->element_bits : request.layout.value.plain.layout->element_bits();
  if (bits) return *bits;
  return unknown_bits();
}

// Counts the grid of --warps. The layout gives the (lane, value) pairs of one warp.
Result<GridReport> grid_of(const AccessRequest& request, Index bits, Index vector) {
  const Layout& layout = *request.layout.value.plain.layout;
  const Index lanes = layout.rank() == 0 ? 1 : layout.shape()[0];
  const int of_warp = request.target.value.lanes();
  if (lanes > of_warp) {
    return fail(Code::limit,
                fmt::format("a warp has {} lanes, but the layout has {} threads", of_warp, lanes), {},
                "give the lanes of one warp as the layout, and all warps with --warps");
  }
  return count_grid({.lanes = layout,
                     .warps = request.warps->value,
                     .values = lanes == 0 ? 1 : layout.size() / lanes,
                     .element_bits = bits,
                     .vector = vector,
                     .base = request.base,
                     .limit = request.limit,
                     .segments = request.segments});
}

// The widest vector of the layout itself.
Result<Index> widest_vector(const AccessRequest& request, const Access& access, AccessOptions options) {
  options.shared = false;
  const Result<AccessReports> narrow =
      analyze_accesses(*request.layout.value.plain.layout, std::vector{access}, options);
  if (!narrow) return unreadable("layout", narrow.error());
  const std::optional<VectorWidth>& width = narrow->each[0].global->width;
  if (width) return width->vector;
  return unreadable("layout", {.code = Code::limit,
                               .message = "the layout is too large to find the widest vector",
                               .help = "give the width: --vector 4"});
}

// The accesses of --threads. If it is not given, the access is the layout itself.
Result<std::vector<Access>> accesses_of(const AccessRequest& request, const AccessOptions& options) {
  Access defaults = whole_layout(*request.layout.value.plain.layout);
  defaults.base = request.base;
  defaults.vector = request.vector.elements;
  std::vector<Access> out;
  for (std::size_t i = 0; i < request.threads.size(); ++i) {
    defaults.name = std::string(1, static_cast<char>('a' + i % 26));
    Result<Access> access = parse_access(request.threads[i] + (request.vector.widest ? ",vector=auto" : ""),
                                         *request.layout.value.plain.layout, options, defaults);
    if (!access) return unreadable("threads", access.error(), i);
    out.push_back(*std::move(access));
  }
  if (!out.empty()) return out;
  if (request.vector.widest) {
    const Result<Index> vector = widest_vector(request, defaults, options);
    if (!vector) return fail(vector.error());
    defaults.vector = *vector;
  }
  return std::vector{defaults};
}

MemorySpace space_of(const AccessRequest& request, std::span<const Access> accesses) {
  if (request.space) return *request.space;
  if (request.view) return *request.view == MemoryView::lines ? MemorySpace::global : MemorySpace::shared;
  const bool matrix = std::ranges::any_of(accesses, [](const Access& one) { return is_matrix(one.kind); });
  return request.fix || matrix ? MemorySpace::shared
         : request.warps       ? MemorySpace::global
                               : MemorySpace::both;
}

// Why the options do not go together.
std::optional<Failure> contradiction(const AccessRequest& request, const AccessOptions& options) {
  const bool lines = request.view == MemoryView::lines;
  if (request.view && !(lines ? options.global : options.shared))
    return refuse(
        "view", Code::bad_option,
        fmt::format("--view {} shows {} memory, which --space {} leaves out", lines ? "lines" : "banks",
                    lines ? "global" : "shared", lines ? "shared" : "global"),
        "leave --space out");
  if (request.fix && !options.shared)
    return refuse("fix", Code::bad_option, "--fix avoids bank conflicts, which global memory does not have",
                  "leave --space out");
  return std::nullopt;
}

Result<FixSet> fixes_of(const AccessRequest& request, std::span<const Access> accesses, Index bits) {
  const bool all = *request.fix == FixChoice::all;
  return find_fixes(*request.layout.value.plain.layout, accesses, bits, request.target.value,
                    {.swizzle = all || *request.fix == FixChoice::swizzle,
                     .pad = all || *request.fix == FixChoice::pad,
                     .linear = all || *request.fix == FixChoice::linear});
}

Result<Picture> picture_of(const AccessRequest& request, const AccessAnswer& answer) {
  return access_picture(answer, {.lines = *request.view == MemoryView::lines,
                                 .instruction = request.instruction,
                                 .phase = request.phase,
                                 .all_phases = request.all_phases});
}

// The first option that needs numbers for the sizes, with what to do about it; none if all can be answered.
std::optional<Failure> needs_numbers(const AccessRequest& request) {
  const auto refused = [&](std::string_view field, const char* what) {
    Diagnostic error = layout_side(request.layout.value).error();
    error.message = fmt::format("{} needs numbers for the sizes", what);
    return refuse(field, std::move(error));
  };
  if (request.space == MemorySpace::global) return refused("space", "global memory");
  if (request.warps) return refused("warps", "a grid of warps");
  if (request.fix) return refused("fix", "a search for a layout without conflicts");
  if (request.view) return refused("view", "a picture");
  if (request.why) return refused("why", "the table of address bits");
  if (request.vector.widest) return refused("vector", "the widest vector");
  return std::nullopt;
}

// Bank conflicts of a layout with names for sizes.
Result<AccessResult> for_all_sizes(const AccessRequest& request, const symbolic::AssumptionList& assumed) {
  if (std::optional<Failure> refused = needs_numbers(request)) return *std::move(refused);
  const symbolic::SymbolicLayout& layout = *request.layout.value.sized;
  std::optional<Index> bits = request.bits;
  if (!bits && request.bytes) bits = 8 * *request.bytes;
  if (!bits && !layout.type().empty()) {
    if (const auto typed = parse_layout(layout.type() + "[1]")) bits = typed->element_bits();
  }
  if (!bits) return unknown_bits();
  SizedAccessAnswer out{.layout = layout.text()};
  out.options = {.element_bits = *bits, .target = request.target.value, .base_align = request.base_align};
  Access defaults{.tv = Reading<Layout>::none()};
  defaults.base = request.base;
  defaults.vector = request.vector.elements;
  auto counted = symbolic::sized_wavefronts(layout, request.threads, out.options, defaults, assumed);
  if (!counted) {
    const Code code = counted.error().code;
    if (code == Code::empty_range) return bad_input_at("layout", std::move(counted.error()));
    const bool of_layout = code == Code::bad_extent || request.threads.empty();
    const std::size_t item = of_layout ? 0 : counted.error().item;
    return unreadable(of_layout ? "layout" : "threads", std::move(counted.error()), item);
  }
  out.wavefronts = *std::move(counted);
  std::vector<std::string> hints = out.wavefronts.answers.notes;
  if (request.space != MemorySpace::shared)
    hints.emplace_back("shared memory alone: sectors of global memory need numbers for the sizes, --size");
  if (request.target.value.may_pair_requests())
    hints.emplace_back("two requests of this target may be served as one: each number is an upper bound");
  return AccessResult(std::move(out), std::move(hints));
}

}  // namespace

Result<VectorChoice> FieldType<VectorChoice>::read(std::string_view text) {
  if (text == "auto") return VectorChoice{.widest = true, .given = true};
  const Result<Index> elements = FieldType<Index>::read(text);
  if (elements && *elements > 0) return VectorChoice{.elements = *elements, .given = true};
  return fail(Code::bad_option, fmt::format("'{}' is not a vector width", text),
              Span{0, static_cast<std::uint32_t>(text.size())}, "use a power of two, or auto");
}

Json FieldType<VectorChoice>::schema() {
  return {{"oneOf", {{{"type", "integer"}, {"minimum", 1}}, {{"const", "auto"}}}}};
}

int AccessResult::status() const {
  if (sized_) return status_of(*sized_);
  if (!answer_->options.shared) return kDone;
  if (!answer_->fixes) return answer_->reports.wavefronts == answer_->reports.ideal ? kDone : kNo;
  if (answer_->fixes->best_fix().wavefronts <= answer_->fixes->floor) return kDone;
  const bool cut =
      std::ranges::any_of(answer_->fixes->searches, [](const FixSearch& search) { return !search.complete; });
  return cut ? kFailed : kNo;
}

Result<std::string> AccessResult::to_text(const Terminal& terminal) const {
  if (sized_) return tessera::to_text(*sized_);
  std::string text = tessera::to_text(*answer_);
  if (picture_) text += "\n\n" + terminal_text(*picture_, terminal.text);
  return text;
}

Result<std::string> AccessResult::to_json() const {
  if (sized_) return tessera::to_json(*sized_);
  return tessera::to_json(*answer_, status(), picture_ ? &*picture_ : nullptr);
}

Result<std::string> AccessResult::to_picture(PictureFormat format) const {
  if (format == PictureFormat::json) return to_json();
  if (picture_) return render_file(*picture_, format);
  return refuse("view", Code::not_applicable, "the answer has no picture",
                "add --view banks or --view lines");
}

Result<AccessResult> access(const AccessRequest& given, Observer& /*observer*/) {
  AccessRequest request = given;
  symbolic::AssumptionList assumed;
  if (auto put = put_sizes(request.layout, request.where, request.size, assumed); !put)
    return fail(std::move(put.error()));
  if (request.layout.value.sized) return for_all_sizes(request, assumed);
  Result<NamedOrLayout> side = layout_side(request.layout.value);
  if (!side) return refuse("layout", side.error());
  request.layout.value.plain = *std::move(side);
  if (!request.layout.value.plain.layout)
    return refuse("layout", Code::not_applicable,
                  "the bits of an element are not one cell, so an access has no offset",
                  "use a plane of the layout, such as gguf:q6_k.ql[256]");
  const Layout& layout = *request.layout.value.plain.layout;
  const auto* const triton = layout.as<TritonLayout>();
  if (triton != nullptr && space_of(triton->attribute.kind) == TritonSpace::registers &&
      !request.threads.empty())
    return refuse("layout", Code::not_applicable, "a layout of registers has no addresses",
                  "give the layout in memory, such as f16[64,64], and the registers with --threads");
  const Result<Index> bits = element_bits(request);
  if (!bits) return fail(bits.error());
  AccessAnswer answer{.layout = layout, .why = request.why};
  answer.options = {.element_bits = *bits,
                    .target = request.target.value,
                    .base_align = request.base_align,
                    .segments = request.segments};
  const Result<std::vector<Access>> accesses = accesses_of(request, answer.options);
  if (!accesses) return fail(accesses.error());
  const MemorySpace space = space_of(request, *accesses);
  answer.options.shared = space != MemorySpace::global;
  answer.options.global = space != MemorySpace::shared;
  if (std::optional<Failure> wrong = contradiction(request, answer.options)) return *std::move(wrong);
  Result<AccessReports> reports = analyze_accesses(layout, *accesses, answer.options);
  if (!reports) {
    const bool by_vector = reports.error().field == "vector" && request.threads.empty();
    return refuse(by_vector && request.vector.given ? "vector"
                  : request.threads.size() == 1     ? "threads"
                                                    : "layout",
                  reports.error());
  }
  answer.reports = *std::move(reports);
  if (request.warps) {
    Result<GridReport> grid = grid_of(request, *bits, accesses->front().vector);
    if (!grid) return refuse("warps", grid.error());
    answer.grid = *std::move(grid);
  }
  if (request.fix) {
    Result<FixSet> fixes = fixes_of(request, *accesses, *bits);
    if (!fixes) return refuse("layout", fixes.error());
    answer.fixes = *std::move(fixes);
  }
  std::optional<Picture> picture;
  if (request.view) {
    Result<Picture> drawn = picture_of(request, answer);
    if (!drawn) return refuse(drawn.error().field.empty() ? "view" : drawn.error().field, drawn.error());
    picture = *std::move(drawn);
  }
  return AccessResult(std::move(answer), std::move(picture), column_major_notes({request.layout.text}));
}

}  // namespace tessera::verbs
