// SPDX-License-Identifier: Apache-2.0
#include "verbs/show.h"

#include <fmt/format.h>

#include "base/index_walk.h"
#include "base/try.h"
#include "draw/render_json.h"
#include "notation/symbolic/symbolic_answers.h"
#include "report/exit_status.h"
#include "report/json.h"
#include "report/layout_json.h"
#include "report/placement_answer.h"
#include "report/sized_answer.h"
#include "tessera/notation/triton_layout.h"
#include "verbs/column_major.h"
#include "verbs/show_picture.h"

namespace tessera::verbs {
namespace {

std::string facts_text(const LayoutFacts& facts) {
  std::string text = facts.text;
  for (const auto& [name, value] : fact_rows(facts)) text += fmt::format("\n  {:<10} {}", name, value);
  return text;
}

// The table in the format of CuTe's print_layout, without the last line break.
Result<std::string> table(const Layout& layout) {
  Result<std::string> text =
      layout.shape_stride() != nullptr ? print_layout(*layout.shape_stride())
      : layout.composed() != nullptr
          ? print_layout(*layout.composed())
          : fail(Code::argument_type,
                 fmt::format("print_layout takes CuTe layouts, not {}", to_string(layout)), {},
                 "convert it: tessera convert LAYOUT --to cute");
  if (!text) return refuse("layout", std::move(text.error()));
  text->resize(text->find_last_not_of('\n') + 1);
  return text;
}

// Sets the layout to draw of an Axe layout: that of one axis or, for --tv, its threads and values.
Result<void> choose_view(ShowRequest& request) {
  PlacedLayout& placed = request.layout.value;
  if (placed.mesh || placed.triton) return fail(layout_side(placed).error());
  if (!placed.axe) return {};
  if (!request.tv) {
    const bool of_layout = request.is_special() || request.facts || request.view ||
                           request.style == ShowStyle::print_layout || request.style == ShowStyle::triton ||
                           request.cells != CellText::automatic || request.color_by != ShowColor::automatic ||
                           request.bytes > 0 || request.columns > 0;
    if (!of_layout && request.axis.empty() && !placed.plain.layout) return {};
    TESSERA_TRY(side,
                layout_side(placed, request.axis.empty() ? std::nullopt
                                                         : std::optional<std::string_view>(request.axis)));
    placed.plain = std::move(side);
    return {};
  }
  TESSERA_TRY(modes, thread_value(*placed.axe));
  TESSERA_TRY(layout, Layout::make(modes));
  placed.plain = {.layout = std::move(layout)};
  const std::vector<Index>& shape = placed.axe->shape;
  if (request.tile.empty())
    request.tile = shape.size() == 2 ? fmt::format("{},{}", shape[0], shape[1])
                                     : fmt::format("1,{}", detail::element_count(shape).value_or(1));
  return {};
}

// The register layout of Triton, or null.
const TritonLayout* register_layout(const ShowRequest& request) {
  const auto& layout = request.layout.value.plain.layout;
  const TritonLayout* triton = layout ? layout->as<TritonLayout>() : nullptr;
  return triton != nullptr && space_of(triton->attribute.kind) == TritonSpace::registers ? triton : nullptr;
}

Result<std::string> triton_text(const ShowRequest& request) {
  const auto bases = triton_bases(*register_layout(request));
  if (!bases) return refuse("layout", bases.error());
  auto text =
      triton_view(*bases, request.view == ShowView::hardware ? TritonView::hardware : TritonView::tensor);
  if (!text) return refuse("layout", std::move(text.error()));
  return text;
}

// The owners of the elements of a tile are what a register layout shows.
ShowRequest with_owners(ShowRequest request) {
  const TritonLayout* triton = register_layout(request);
  if (triton == nullptr || request.view || request.is_special() || request.facts ||
      request.style == ShowStyle::print_layout)
    return request;
  const std::vector<Index>& shape = *triton->shape;
  if (shape.size() > 2) return request;
  request.tv = true;
  request.tile = shape.size() == 2 ? fmt::format("{},{}", shape[0], shape[1]) : fmt::format("1,{}", shape[0]);
  return request;
}

}  // namespace

int ShowResult::status() const { return sized_ ? status_of(*sized_) : kDone; }

std::string ShowResult::all_facts() const {
  if (!sized_) return facts_text(facts());
  std::string text = text_ + ", for all sizes" + (sized_->where.empty() ? "" : " with " + sized_->where);
  std::string rows = "\n" + tessera::to_text(*sized_, 11, {.all = true});
  for (std::size_t at = 0; (at = rows.find('\n', at)) != std::string::npos; ++at) rows.insert(at + 1, 2, ' ');
  return text + rows;
}

LayoutFacts ShowResult::facts() const {
  return facts_of(*request_.layout.value.plain.layout, element_bits(request_));
}

bool ShowResult::has_facts() const {
  if (sized_) return request_.facts || !request_.picture;
  if (request_.shows_bits() || request_.shows_places()) return false;
  return request_.facts || request_.picture ? request_.facts : !request_.is_special();
}

Result<std::string> ShowResult::to_text(const Terminal& terminal) const {
  if (request_.is_triton_text()) return triton_text(request_);
  const bool asked = request_.facts || request_.picture;
  std::string text;
  if (request_.style == ShowStyle::print_layout) {
    if (request_.facts) text = all_facts() + "\n\n";
    const Result<std::string> printed = table(*request_.layout.value.plain.layout);
    if (!printed) return fail(printed.error());
    return text + *printed;
  }
  if (has_facts()) text = all_facts();
  if (asked && !request_.picture) return text;
  TextOptions options = terminal.text;
  options.ascii = request_.style == ShowStyle::ascii;
  if (request_.theme != ThemeChoice::automatic)
    options.theme = request_.theme == ThemeChoice::dark ? Theme::dark : Theme::light;
  if (request_.width > 0) options.width = request_.width;
  const Result<Picture> picture =
      picture_of(request_, {.width = terminal.fits ? std::optional(options.width) : std::nullopt});
  if (!picture) return fail(picture.error());
  if (!text.empty()) text += "\n\n";
  if (!drawn_.empty()) text += "with " + drawn_ + ":\n\n";
  if (request_.is_special() || request_.shows_bits() || request_.shows_places())
    text += picture->title + "\n\n";
  return text + terminal_text(*picture, options);
}

Result<std::string> ShowResult::to_line() const {
  if (sized_)
    return fmt::format("{}, for all sizes{}: {}", text_,
                       sized_->where.empty() ? "" : " with " + sized_->where,
                       tessera::to_text(*sized_, 1, {.one_line = true, .all = true}));
  if (request_.shows_places()) {
    const AxeLayout& axe = *request_.layout.value.axe;
    const auto placed = placement(axe);
    if (!placed) return refuse("layout", placed.error());
    return fmt::format("{}: {}", to_string(axe), reading_text(*placed));
  }
  if (!request_.layout.value.plain.layout) {
    const auto made = Layout::make(*request_.layout.value.plain.named);
    return made ? to_string(*made) : Result<std::string>(refuse("layout", made.error()));
  }
  const LayoutFacts own = facts_of(*request_.layout.value.plain.layout, request_.bytes * 8);
  return own.text + ": " + fact_line(own);
}

Result<std::string> ShowResult::to_json() const {
  if (sized_ && !request_.picture)
    return tessera::to_json({"show", "layout", "facts", "name"}, text_, "", *sized_);
  if (request_.is_triton_text()) {
    const Result<std::string> text = triton_text(request_);
    if (!text) return fail(text.error());
    Json json = detail::answer_json("show", kDone);
    json["text"] = *text;
    return detail::dump(json);
  }
  const bool asked = request_.facts || request_.picture;
  std::optional<LayoutFacts> own;
  if (has_facts()) own = facts();
  const bool draws = request_.is_special() || request_.shows_bits() || request_.shows_places();
  if (!(asked ? request_.picture : draws)) return detail::show_json(own ? &*own : nullptr, nullptr);
  const Result<Picture> picture = picture_of(request_, {});
  if (!picture) return fail(picture.error());
  return detail::show_json(own ? &*own : nullptr, &*picture);
}

Result<std::string> ShowResult::to_picture(PictureFormat format) const {
  if (format == PictureFormat::json && request_.facts && !request_.picture) return to_json();
  if (request_.layout.value.sized) return refuse("layout", layout_side(request_.layout.value).error());
  const Result<Picture> picture = picture_of(request_, {.linked = format == PictureFormat::html});
  if (!picture) return fail(picture.error());
  std::optional<LayoutFacts> own;
  if (has_facts() && !sized_) own = facts();
  if (format == PictureFormat::json) return detail::show_json(own ? &*own : nullptr, &*picture);
  return render_file(*picture, format, request_.theme, own ? fact_rows(*own) : FactRows{});
}

std::vector<std::string> ShowResult::hints() const {
  if (sized_) return sized_->notes;
  return column_major_notes({request_.layout.text});
}

namespace {

// A layout with names for sizes: its facts, and numbers for the picture in its place.
Result<ShowResult> for_all_sizes(ShowRequest request, const symbolic::AssumptionList& assumed) {
  const symbolic::SymbolicLayout layout = *request.layout.value.sized;
  if (request.is_special() || request.is_triton_text() || request.style == ShowStyle::print_layout)
    return refuse("layout", layout_side(request.layout.value).error());
  auto facts = symbolic::facts(layout, assumed);
  if (!facts) return bad_input_at("layout", std::move(facts.error()));
  std::string drawn;
  if (const auto sizes = symbolic::drawn_sizes(layout, assumed)) {
    drawn = sizes_text(*sizes);
    std::vector<SizeValues> numbers(1);
    for (const std::string& name : layout.where().names(layout.names())) {
      const Index value = sizes->find(name)->second;
      numbers[0].values.push_back({name, value, value, 1});
    }
    symbolic::AssumptionList all;
    if (auto put = put_sizes(request.layout, "", numbers, all); !put) return fail(std::move(put.error()));
  } else if (request.picture) {
    return refuse("layout", layout_side(request.layout.value).error());
  } else if (!request.facts) {
    request.facts = true;
    facts->notes.emplace_back(
        "no picture: no sizes for one were found among those that were tried; add --size");
  }
  return ShowResult(std::move(request), *std::move(facts), layout.text(), std::move(drawn));
}

}  // namespace

Result<ShowResult> show(const ShowRequest& given, Observer& /*observer*/) {
  ShowRequest request = given;
  symbolic::AssumptionList assumed;
  if (auto put = put_sizes(request.layout, request.where, request.size, assumed); !put)
    return fail(std::move(put.error()));
  if (request.layout.value.sized) return for_all_sizes(std::move(request), assumed);
  if (!request.axis.empty() && (!request.layout.value.axe || request.tv))
    return refuse("axis", Code::bad_option,
                  "--axis chooses the axis of an Axe layout that is drawn as a layout", "leave out --axis");
  if (auto chosen = choose_view(request); !chosen) return refuse("layout", std::move(chosen.error()));
  if (!request.tv && request.color_by == ShowColor::thread)
    return refuse("color_by", Code::bad_option, "--color-by thread needs --tv: other layouts have no threads",
                  "tessera show --help");
  const auto& [named, layout] = request.layout.value.plain;
  if (request.view == ShowView::bits && !named)
    return refuse("view", Code::argument_type, "--view bits draws named layouts",
                  "write a family with its type and extents: pack:awq u4[8,16]");
  if (request.shows_places()) return ShowResult(request);
  if (!layout && !request.shows_bits()) return refuse("layout", Layout::make(*named).error());
  if (!layout && (request.is_special() || request.facts || request.style == ShowStyle::print_layout))
    return refuse("layout", Layout::make(*named).error());
  if (request.is_triton_text() && register_layout(request) == nullptr)
    return refuse(request.style == ShowStyle::triton ? "style" : "view", Code::argument_type,
                  "only a register layout of Triton has this picture",
                  "write one with its shape: 16x16:#ttg.blocked<{...}>");
  if (request.is_triton_text() && request.is_special())
    return refuse("style", Code::bad_option, "Triton's pictures show one layout",
                  "leave out --style and --view");
  if (request.style == ShowStyle::print_layout && request.is_special())
    return refuse("style", Code::bad_option, "print_layout shows one layout",
                  "leave out --style, or use --style ascii");
  ShowRequest drawn = request.is_triton_text() ? request : with_owners(request);
  if ((drawn.tv || drawn.is_triton_text()) && !drawn.window.text.empty())
    return refuse("window", Code::bad_option, "the picture of a register layout shows the whole tile",
                  "leave out --window");
  return ShowResult(std::move(drawn));
}

}  // namespace tessera::verbs
