// SPDX-License-Identifier: Apache-2.0
#include "verbs/convert.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/try.h"
#include "notation/axe/axe_canonical.h"
#include "notation/axe/axe_of_triton.h"
#include "notation/symbolic/symbolic_answers.h"
#include "notation/symbolic/symbolic_from_digits.h"
#include "report/exit_status.h"
#include "report/json.h"
#include "report/layout_json.h"
#include "report/sized_answer.h"
#include "tessera/notation/cute.h"
#include "tessera/reshard/placement_views.h"
#include "text/point.h"
#include "verbs/column_major.h"
#include "verbs/convert_bits.h"

namespace tessera::verbs {
namespace {

constexpr std::string_view kDigits = "digits";
constexpr std::string_view kThreadValue = "tv";
constexpr std::string_view kMesh = "mesh";

std::vector<std::string> targets() {
  std::vector<std::string> words;
  for (const Notation notation : all_notations()) words.emplace_back(to_string(notation));
  for (const std::string_view word : {kDigits, kThreadValue, kMesh}) words.emplace_back(word);
  return words;
}

// The input is valid, but the target cannot express it.
Failure refused(const ConvertRequest& request, Diagnostic error) {
  error.span = {0, static_cast<std::uint32_t>(request.layout.text.size())};
  if (status_of(error) == kBadInput) error.status = kNo;
  return refuse("layout", std::move(error));
}

// As `refused`, where a map is the way out.
Failure inexpressible(const ConvertRequest& request, Diagnostic error) {
  const bool is_layout = request.layout.value.plain.layout || request.layout.value.plain.named;
  const bool to_map = request.to && request.to->notation == Notation::map;
  if (error.help.empty() && is_layout && !to_map && request.tile.empty())
    error.help = "--to map can express any quasi-affine layout";
  return refused(request, std::move(error));
}

// A class of Gluon has parameters alone: no shape, no type, no stages.
void add_dropped_by_gluon(const TritonLayout& layout, Conversion& out) {
  if (!layout.element.empty()) out.dropped.push_back("type " + layout.element);
  if (layout.allocated) {
    out.dropped.push_back(fmt::format("allocation {}", fmt::join(*layout.allocated, "x")));
  } else if (std::ssize(*layout.shape) > layout.attribute.rank) {
    out.dropped.push_back(fmt::format("{} stages", layout.shape->front()));
    out.notes.push_back(
        fmt::format("in Gluon the shape has the stages: allocate_shared_memory(type, [{}], layout)",
                    fmt::join(*layout.shape, ", ")));
  }
}

// Why a text without a shape has no map here.
Failure without_shape(const ConvertRequest& request) {
  return refuse("layout", Code::missing_layout, "the layout has no shape",
                fmt::format("write it first: 128x64:{}", request.layout.text.substr(0, 200)));
}

// An attribute without a shape: its texts, which need none.
Result<ConvertResult> texts_of(const ConvertRequest& request, const TritonLayout& triton) {
  const std::string own = to_string(triton);
  const auto gluon = to_gluon(triton.attribute);
  if (!request.to) {
    std::vector<NotationAnswer> all;
    all.push_back({.notation = Notation::triton, .text = own});
    NotationAnswer& other = all.emplace_back(NotationAnswer{.word = "gluon", .text = gluon.value_or("")});
    if (!gluon) other.error = Diagnostic{.message = "Gluon has no class for it (no_encoding)"};
    return ConvertResult(request, std::nullopt, std::move(all));
  }
  if (!request.to->triton || !request.to->triton->any || !request.tile.empty()) return without_shape(request);
  if (!request.to->triton->gluon)
    return ConvertResult(request, std::nullopt, ViewAnswer{"triton", "triton", own});
  if (!gluon)
    return refuse("layout", {.code = Code::not_representable,
                             .message = fmt::format("Gluon has no class for {} (no_encoding)", own),
                             .reason = "no_encoding",
                             .status = kNo});
  return ConvertResult(request, std::nullopt, ViewAnswer{"triton", "gluon", *gluon});
}

// An Axe layout on several axes as a view: threads and values, or a mesh.
NotationAnswer view_answer(std::string_view word, Result<std::string> text) {
  NotationAnswer out{.word = std::string(word)};
  if (text)
    out.text = *std::move(text);
  else
    out.error = std::move(text.error());
  return out;
}

// What places on several axes have: the Axe layout, threads and values, and a mesh.
std::vector<NotationAnswer> views_of(const AxeLayout& axe) {
  std::vector<NotationAnswer> all;
  all.push_back({.notation = Notation::axe, .text = to_string(axe)});
  const auto threads = thread_value(axe);
  const auto layout = threads ? Layout::make(*threads) : Result<Layout>(fail(threads.error()));
  all.push_back(view_answer(kThreadValue, layout ? Result<std::string>(to_string(*layout))
                                                 : Result<std::string>(fail(layout.error()))));
  const auto mesh = distribution_of(axe);
  all.push_back(view_answer(
      kMesh, mesh ? Result<std::string>(to_string(*mesh)) : Result<std::string>(fail(mesh.error()))));
  return all;
}

// The layout to convert: with --bits, and for a stream as a map, that of the bits.
Result<Layout> source_of(const ConvertRequest& request, const NamedOrLayout& side,
                         std::optional<Index> bits) {
  const auto& [named, layout] = side;
  const bool stream =
      named && named->kind() == NamedKind::stream && request.to && request.to->notation == Notation::map;
  if (!request.bits && !stream) return layout ? Result<Layout>(*layout) : Layout::make(*named);
  if (named) return bit_layout(*named);
  if (bits) return bit_layout(*layout, *bits);
  return fail(Code::missing_layout, "the layout has no element type, so elements have no known bits", {},
              "give the type: --type u4");
}

// The view of an Axe layout, or a thread-value layout as Axe; nothing for the conversions of layouts.
Result<std::optional<ViewAnswer>> view_of(const ConvertRequest& request) {
  using View = ConversionTarget::View;
  const PlacedLayout& given = request.layout.value;
  const auto& [plain, axe, mesh] = std::tie(given.plain, given.axe, given.mesh);
  const bool to_axe = request.to && request.to->notation == Notation::axe;
  const View view = request.to ? request.to->view : View::none;
  if (mesh) {
    TESSERA_TRY(bound, bind_distribution(*mesh, request.tile));
    TESSERA_TRY(out, tessera::convert(bound, DistributionNotation::axe));
    return ViewAnswer{"mesh: places of the elements", "axe", to_string(out)};
  }
  const StridedLayout* const modes = plain.layout ? plain.layout->shape_stride() : nullptr;
  const auto* const triton = plain.layout ? plain.layout->as<TritonLayout>() : nullptr;
  const bool has_axes = triton != nullptr && tessera::detail::has_axes(*triton);
  if (!request.tile.empty()) {
    if (request.to && request.to->triton) return std::nullopt;
    if (modes == nullptr)
      return fail(Code::argument_type, "a thread-value layout is a CuTe layout: (threads,values):(strides)",
                  {}, has_axes ? "leave out --tile: the layout of Triton has a shape" : "");
    TESSERA_TRY(
        made, axe_of_thread_value(*modes, request.tile, request.thread.empty() ? "laneid" : request.thread));
    return ViewAnswer{"cute: (thread, value) to the index in the tile, first dimension fastest", "axe",
                      to_string(tessera::detail::canonical_of_shape(made))};
  }
  const bool is_placed = axe || has_axes;
  if (view == View::none && (!(to_axe && is_placed && request.axis.empty()) || request.bits))
    return std::nullopt;
  if (!is_placed) {
    const bool may_be_threads = modes != nullptr && modes->rank() == 2;
    return fail(Code::not_applicable, "only a placement has threads or places, and this is a layout", {},
                may_be_threads ? "read a thread-value layout with --to axe --tile M,N"
                               : "give an Axe layout: axe:S[(8,4):(4@laneid,1)]");
  }
  TESSERA_TRY(of_axes, axe ? Result<AxeLayout>(*axe) : tessera::detail::axe_of_triton(*triton));
  TESSERA_TRY(placed, placement(of_axes));
  const std::string from = axe ? reading_text(placed) : reading_text(*plain.layout);
  if (to_axe) return ViewAnswer{from, "axe", to_string(of_axes)};
  if (view == View::mesh) {
    TESSERA_TRY(distribution, distribution_of(of_axes));
    return ViewAnswer{from, "mesh: places of the elements", to_string(distribution)};
  }
  TESSERA_TRY(threads, thread_value(of_axes));
  TESSERA_TRY(layout, Layout::make(threads));
  return ViewAnswer{from, "tv: (thread, value) to the index in the tile, first dimension fastest",
                    to_string(layout)};
}

// A layout with names for sizes, in one notation or in all that have terms.
Result<ConvertResult> for_all_sizes(const ConvertRequest& request, const symbolic::AssumptionList& assumed) {
  const symbolic::SymbolicLayout& layout = *request.layout.value.sized;
  const auto asked = [&](std::optional<Notation> to) -> Result<symbolic::SizedAnswers> {
    auto out = symbolic::convert(layout, to, assumed);
    if (!out) return bad_input_at("layout", std::move(out.error()));
    return out;
  };
  const bool numbers =
      request.type || request.bits || !request.tile.empty() ||
      (request.to && (request.to->view != ConversionTarget::View::none || request.to->triton ||
                      (request.to->notation && !symbolic::has_terms(*request.to->notation))));
  if (numbers) return refuse("layout", layout_side(request.layout.value).error());
  if (request.to) {
    TESSERA_TRY(one, asked(request.to->notation));
    return ConvertResult(request, std::nullopt, std::move(one));
  }
  symbolic::SizedAnswers all;
  for (const Notation notation : all_notations()) {
    if (!symbolic::has_terms(notation) || notation == Notation::linear) continue;
    TESSERA_TRY(one, asked(notation));
    one.answers[0].name = to_string(notation);
    all.answers.push_back(std::move(one.answers[0]));
    all.parameters = std::move(one.parameters);
    all.where = std::move(one.where);
  }
  return ConvertResult(request, std::nullopt, std::move(all));
}

}  // namespace

Result<ConversionTarget> FieldType<ConversionTarget>::read(std::string_view text) {
  if (text == kDigits) return ConversionTarget{};
  if (text == kThreadValue) return ConversionTarget{.view = ConversionTarget::View::tv};
  if (text == kMesh) return ConversionTarget{.view = ConversionTarget::View::mesh};
  if (auto triton = parse_triton_target(text))
    return ConversionTarget{.notation = Notation::triton, .triton = triton, .word = std::string(text)};
  // Prefixes and long names are other spellings: np, numpy.
  if (const std::optional<Notation> notation = parse_notation(text))
    return ConversionTarget{.notation = notation};
  return fail(Code::bad_option, fmt::format("'{}' is not one of {}", text, fmt::join(targets(), ", ")),
              Span{0, static_cast<std::uint32_t>(text.size())});
}

std::string ConversionTarget::text() const {
  if (view != View::none) return std::string(view == View::tv ? kThreadValue : kMesh);
  if (triton) return word;
  return std::string(notation ? to_string(*notation) : kDigits);
}

Json FieldType<ConversionTarget>::schema() { return {{"type", "string"}, {"examples", targets()}}; }

std::string_view FieldType<ConversionTarget>::words() {
  static const std::string kWords = fmt::format("{}", fmt::join(targets(), "|"));
  return kWords;
}

int ConvertResult::status() const {
  const auto* const sized = std::get_if<symbolic::SizedAnswers>(&value_);
  return sized == nullptr || !request_.to ? kDone : status_of(*sized);
}

std::string ConvertResult::answer_text(const Layout& layout) const {
  const auto* triton = layout.as<TritonLayout>();
  if (triton == nullptr || !request_.to->triton || !request_.to->triton->gluon) return to_string(layout);
  return to_gluon(triton->attribute).value_or(to_string(layout));
}

std::string ConvertResult::heading() const {
  if (const auto* const view = std::get_if<ViewAnswer>(&value_)) return view->from + " -> " + view->to;
  if (const auto* const sized = std::get_if<symbolic::SizedAnswers>(&value_)) {
    const std::string to = request_.to ? request_.to->text() : "all notations";
    return fmt::format("{} -> {}, for all sizes{}", request_.layout.value.sized->text(), to,
                       sized->where.empty() ? "" : " with " + sized->where);
  }
  if (const auto* const names = std::get_if<NamesAnswer>(&value_))
    return reading_text(names->from) + " -> " + reading_text(names->names.front());
  if (!from_ && std::holds_alternative<std::vector<NotationAnswer>>(value_))
    return request_.layout.value.axe ? "axe: places of the elements -> all views"
                                     : "triton, without a shape -> its texts";
  if (!from_)
    return reading_text(*request_.layout.value.plain.named) + " -> map: a map for each range of bits";
  const std::string from = reading_text(*from_) + " -> ";
  const auto* const one = std::get_if<ConversionAnswer>(&value_);
  if (one == nullptr) return from + "all notations";
  return one->digits ? from + "digits: dimension,div,ext,stride"
                     : from + reading_text(one->conversion->layout);
}

Result<std::string> ConvertResult::to_text(const Terminal& /*terminal*/) const {
  if (const auto* const view = std::get_if<ViewAnswer>(&value_)) return view->text;
  if (const auto* const planes = std::get_if<std::vector<BitPlane>>(&value_))
    return tessera::to_text(*planes);
  if (const auto* const sized = std::get_if<symbolic::SizedAnswers>(&value_))
    return tessera::to_text(*sized, request_.to ? 0 : 9, {.all = request_.all});
  if (const auto* const names = std::get_if<NamesAnswer>(&value_))
    return fmt::format("{}", fmt::join(lines_of(*names), "\n"));
  const auto* const one = std::get_if<ConversionAnswer>(&value_);
  if (one == nullptr) return tessera::to_text(std::get<std::vector<NotationAnswer>>(value_));
  if (one->digits) return to_string(*one->digits);
  std::string text = answer_text(one->conversion->layout);
  for (std::size_t i = 1; i < one->all.size(); ++i) text += "\n" + to_string(one->all[i]);
  return text;
}

Result<std::string> ConvertResult::to_line() const {
  if (const auto* const sized = std::get_if<symbolic::SizedAnswers>(&value_))
    return fmt::format(
        "for all sizes{}: {}", sized->where.empty() ? "" : " with " + sized->where,
        tessera::to_text(*sized, request_.to ? 0 : 9, {.one_line = true, .all = request_.all}));
  if (const auto* const names = std::get_if<NamesAnswer>(&value_))
    return fmt::format("{}", fmt::join(lines_of(*names), " | "));
  if (!from_ && !std::holds_alternative<std::vector<NotationAnswer>>(value_)) return to_text(Terminal{});
  std::vector<std::string> parts;
  if (const auto* const one = std::get_if<ConversionAnswer>(&value_)) {
    if (one->digits) return to_string(*one->digits);
    parts.push_back(answer_text(one->conversion->layout));
    for (std::size_t i = 1; i < one->all.size(); ++i) parts.push_back(to_string(one->all[i]));
  } else {
    for (const NotationAnswer& each : std::get<std::vector<NotationAnswer>>(value_))
      if (each.conversion) {
        parts.push_back(to_prefixed_string(each.conversion->layout));
      } else if (!each.text.empty()) {
        parts.push_back(each.text);
      }
  }
  return fmt::format("{}", fmt::join(parts, " | "));
}

Result<std::string> ConvertResult::to_json() const {
  if (const auto* const view = std::get_if<ViewAnswer>(&value_)) {
    Json json = detail::answer_json("convert", kDone);
    json["from"] = {{"notation", request_.layout.value.axe      ? "axe"
                                 : request_.layout.value.triton ? "triton"
                                 : request_.layout.value.mesh   ? "mesh"
                                 : request_.layout.value.plain.layout
                                     ? to_string(request_.layout.value.plain.layout->notation())
                                     : "cute"},
                    {"text", request_.layout.text}};
    json["to"] = request_.to->text();
    json["text"] = view->text;
    return detail::dump(json);
  }
  if (const auto* const planes = std::get_if<std::vector<BitPlane>>(&value_))
    return tessera::to_json(*request_.layout.value.plain.named, *planes);
  if (const auto* const sized = std::get_if<symbolic::SizedAnswers>(&value_)) {
    if (!request_.to)
      return tessera::to_json({"convert", "from", "notations", "notation"}, request_.layout.text, "", *sized);
    return tessera::to_json({"convert", "from"}, request_.layout.text, request_.to->text(), *sized);
  }
  if (const auto* const names = std::get_if<NamesAnswer>(&value_)) return verbs::to_json(*names);
  const auto* const one = std::get_if<ConversionAnswer>(&value_);
  if (one == nullptr) {
    const auto& all = std::get<std::vector<NotationAnswer>>(value_);
    if (from_) return tessera::to_json(*from_, all);
    return tessera::to_json(request_.layout.value.axe ? "axe" : "triton", request_.layout.text, all);
  }
  const std::string_view to = one->digits ? kDigits : to_string(*request_.to->notation);
  std::string text = tessera::to_json(*from_, to, *one);
  if (one->digits || !request_.to->triton || !request_.to->triton->gluon) return text;
  Json json = Json::parse(text);
  json["to"] = "gluon";
  json["layout"]["text"] = answer_text(one->conversion->layout);
  return detail::dump(json);
}

std::vector<std::string> ConvertResult::notes() const {
  if (const auto* const sized = std::get_if<symbolic::SizedAnswers>(&value_)) return sized->notes;
  if (const auto* const names = std::get_if<NamesAnswer>(&value_)) return names->notes;
  const auto* const one = std::get_if<ConversionAnswer>(&value_);
  return one != nullptr && one->conversion ? notes_of(*one->conversion) : std::vector<std::string>{};
}

std::vector<std::string> ConvertResult::hints() const { return column_major_notes({request_.layout.text}); }

Result<ConvertResult> convert(const ConvertRequest& given, Observer& /*observer*/) {
  ConvertRequest request = given;
  symbolic::AssumptionList assumed;
  if (auto put = put_sizes(request.layout, request.where, request.size, assumed); !put)
    return fail(std::move(put.error()));
  if (request.layout.value.sized) return for_all_sizes(request, assumed);
  const bool takes_tile = request.to && (request.to->triton || request.to->notation == Notation::axe);
  if (!request.tile.empty() && !takes_tile)
    return refuse("tile", Code::bad_option, "--tile reads a thread-value layout for --to axe or --to ttg",
                  "add --to axe or --to ttg, or leave out --tile");
  const bool is_view = request.to && request.to->view != ConversionTarget::View::none;
  if (!request.axis.empty() && (!request.layout.value.axe || is_view))
    return refuse("axis", Code::bad_option, "--axis chooses the axis of an Axe layout that becomes a layout",
                  "leave out --axis");
  if (!request.thread.empty() && !(request.to && request.to->notation == Notation::axe))
    return refuse("thread", Code::bad_option, "--thread names an axis of an Axe layout: --to axe",
                  "add --to axe, or leave out --thread");
  if (!request.thread.empty() && request.layout.value.mesh)
    return refuse("thread", Code::bad_option, "--thread names the axis of threads, and a mesh names its own",
                  "leave out --thread");
  const bool is_tile = !request.tile.empty() && !request.to->triton;
  if (request.bits && (is_view || is_tile || request.layout.value.mesh))
    return refuse("bits", Code::bad_option, "--bits converts the layout of the bits, and a view has none",
                  "leave out --bits");
  const bool to_axe = request.to && request.to->notation == Notation::axe;
  if (request.layout.value.mesh && !(to_axe && !request.tile.empty()))
    return refuse("layout", Code::missing_layout, "a mesh has no shape, so it has no other notation here",
                  "give the shape of the array: --to axe --tile 8,16; 'tessera reshard convert' has other "
                  "notations");
  if (request.layout.value.triton) return texts_of(request, *request.layout.value.triton);
  if (const auto& axe = request.layout.value.axe;
      axe && !request.layout.value.plain.layout && !request.to && request.axis.empty() && !request.bits)
    return ConvertResult(request, std::nullopt, views_of(*axe));
  auto view = view_of(request);
  if (!view) return refused(request, std::move(view.error()));
  if (*view) return ConvertResult(request, std::nullopt, **std::move(view));
  const auto side_or_error =
      layout_side(request.layout.value,
                  request.axis.empty() ? std::nullopt : std::optional<std::string_view>(request.axis));
  if (!side_or_error) return refused(request, side_or_error.error());
  const NamedOrLayout& side = *side_or_error;
  const bool to_map = request.to && request.to->notation == Notation::map;
  if (side.named && side.named->kind() == NamedKind::planes && !request.bits && to_map) {
    auto all = planes(*side.named);
    if (!all) return refused(request, std::move(all.error()));
    return ConvertResult(request, std::nullopt, *std::move(all));
  }
  const std::optional<Index> bits =
      request.type ? std::optional<Index>(request.type->bits) : side.element_bits();
  const bool is_bits = side.named && !side.layout;
  if (request.to && request.to->notation == Notation::named && (request.type || is_bits) && !request.bits) {
    auto names = names_in(side, request.type, request.all);
    if (!names) return inexpressible(request, std::move(names.error()));
    return ConvertResult(request, std::nullopt, *std::move(names));
  }
  const Result<Layout> from = source_of(request, side, bits);
  if (!from) return refused(request, from.error());
  // The rest of the last byte belongs to the buffer.
  std::optional<Index> buffer_bits;
  if (request.bits && side.named) buffer_bits = side.named->buffer_bits();
  if (request.bits && !side.named && from->buffer_size()) buffer_bits = *from->buffer_size();
  if (!request.to) {
    std::vector<NotationAnswer> all = in_all_notations(*from);
    const auto* const triton = from->as<TritonLayout>();
    for (NotationAnswer& one : all) {
      if (one.notation == Notation::axe && one.error && triton != nullptr &&
          tessera::detail::has_axes(*triton)) {
        auto axe = tessera::detail::axe_of_triton(*triton);
        if (axe) {
          one.text = to_string(*axe);
          one.error.reset();
        } else {
          one.error = std::move(axe.error());
        }
      }
      if (!request.bits || one.notation != Notation::xla || !one.conversion) continue;
      if (auto bits_in_xla = with_cells_of_one_bit(*one.conversion, buffer_bits))
        one.conversion = *std::move(bits_in_xla);
    }
    return ConvertResult(request, *from, std::move(all));
  }
  if (!request.to->notation) {
    const Result<Digits> digits = to_digits(*from);
    if (!digits) return inexpressible(request, digits.error());
    return ConvertResult(request, *from, ConversionAnswer{.digits = *digits});
  }
  if (request.to->triton && !request.bits) {
    const auto triton = to_triton(*from, *request.to->triton, request.tile, request.lanes);
    if (!triton) return inexpressible(request, triton.error());
    if (request.to->triton->gluon && !to_gluon(triton->attribute))
      return inexpressible(request, {.code = Code::not_representable,
                                     .message = fmt::format("Gluon has no class for {} (no_encoding)",
                                                            to_string(triton->attribute)),
                                     .reason = "no_encoding"});
    auto layout = Layout::make(*triton);
    if (!layout) return inexpressible(request, layout.error());
    ConversionAnswer one;
    one.conversion = Conversion{*std::move(layout)};
    if (request.to->triton->gluon) add_dropped_by_gluon(*triton, *one.conversion);
    return ConvertResult(request, *from, std::move(one));
  }
  auto conversion = tessera::convert(*from, *request.to->notation);
  if (!conversion) return inexpressible(request, conversion.error());
  if (request.bits && request.to->notation == Notation::xla)
    conversion = with_cells_of_one_bit(*std::move(conversion), buffer_bits);
  if (!conversion) return inexpressible(request, conversion.error());
  ConversionAnswer answer{.conversion = *std::move(conversion)};
  if (request.all) {
    auto all = spellings(*from, *request.to->notation);
    if (!all) return inexpressible(request, all.error());
    answer.all = *std::move(all);
  }
  return ConvertResult(request, *from, std::move(answer));
}

}  // namespace tessera::verbs
