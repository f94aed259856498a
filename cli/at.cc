// SPDX-License-Identifier: Apache-2.0
// `tessera at`: converts indices to offsets, and offsets to indices.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/answer_lines.h"
#include "cli/column_major.h"
#include "cli/question.h"
#include "cli/verbs.h"
#include "notation/layout_index.h"
#include "report/layout_answer.h"
#include "report/named_answer.h"
#include "tessera/notation/layout.h"
#include "text/point.h"

namespace tessera::cli {
namespace {

struct AskedPoints {
  std::string layout;
  std::vector<std::string> points;
  bool inverse = false;
};

Result<OffsetAnswer> offset_at(const Layout& layout, const std::string& text) {
  auto index = parse_layout_index(text, layout);
  if (!index) return fail(index.error());
  return offset_answer(layout, *std::move(index));
}

// The same questions of a named layout whose elements are not cells: the place of each bit, and the element
// of a bit.
Result<RunsAnswer> runs_of(const NamedLayout& layout, const std::string& text) {
  auto index = parse_named_index(text, layout);
  if (!index) return fail(index.error());
  return RunsAnswer{.index = *index, .runs = runs_at(layout, *index)};
}

Span whole(const std::string& text) { return {0, static_cast<std::uint32_t>(text.size())}; }

Result<Index> one_offset(const std::string& text) {
  const auto offset = parse_point(text);
  if (!offset) return fail(offset.error());
  if (offset->size() == 1) return offset->front();
  return fail(Code::value_count, fmt::format("expected one offset, found {} numbers", offset->size()),
              whole(text));
}

Result<PreimageAnswer> found_at(const Layout& layout, const std::string& text) {
  const auto offset = one_offset(text);
  if (!offset) return fail(offset.error());
  auto preimage = indices_at(layout, *offset);
  if (!preimage) {
    preimage.error().span = whole(text);
    return fail(preimage.error());
  }
  return PreimageAnswer{.offset = *offset, .preimage = *std::move(preimage)};
}

Result<BitAnswer> bit_found_at(const NamedLayout& layout, const std::string& text) {
  const auto offset = one_offset(text);
  if (!offset) return fail(offset.error());
  auto owner = owner_of(layout, *offset);
  if (!owner) {
    owner.error().span = whole(text);
    return fail(owner.error());
  }
  return BitAnswer{.offset = *offset, .owner = *std::move(owner)};
}

std::string line_of(const OffsetAnswer& answer, const Layout&) { return to_text(answer); }
std::string line_of(const PreimageAnswer& answer, const Layout&) { return to_text(answer.preimage); }
std::string line_of(const RunsAnswer& answer, const NamedLayout& layout) {
  return runs_text(answer.runs, layout.type().bits);
}
std::string line_of(const BitAnswer& answer, const NamedLayout&) {
  if (!answer.owner) return "padding";
  return fmt::format("({}) bit {}", fmt::join(answer.owner->index, ", "), answer.owner->bit);
}

// Answers each point in order. If there are several, errors replace missing answers.
template <class AnyLayout, class Found>
PrintedAnswer each(const AnyLayout& layout, const Inputs& inputs,
                   Result<Found> (*find)(const AnyLayout& layout, const std::string& text)) {
  PrintedAnswer answer;
  std::vector<Found> answers;
  std::vector<std::string> lines;
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    auto found = find(layout, inputs[i]);
    if (found) {
      lines.push_back(line_of(*found, layout));
      answers.push_back(*std::move(found));
      continue;
    }
    PrintedAnswer none = no_answer(found.error(), i);
    if (inputs.size() == 2) return none;
    answer.status = std::max(answer.status, none.status);
    lines.push_back(problem_line(found.error()));
    answers.push_back({.text = inputs[i], .error = found.error()});
    answer.parts.push_back(*std::move(none.problem));
  }
  answer.heading = reading_text(layout);
  answer.text = fmt::format("{}", fmt::join(lines, "\n"));
  answer.line = fmt::format("{}", fmt::join(lines, "; "));
  answer.json = to_json(layout, answer.status, answers);
  return answer;
}

PrintedAnswer ask(const AskedPoints& asked, const Inputs& inputs) {
  const Result<NamedOrLayout> side = parse_named_or_layout(inputs[0]);
  if (!side) return unreadable(side.error(), 0);
  if (!side->layout) {
    return asked.inverse ? each(*side->named, inputs, bit_found_at) : each(*side->named, inputs, runs_of);
  }
  const Layout* const layout = &*side->layout;
  PrintedAnswer answer = asked.inverse ? each(*layout, inputs, found_at) : each(*layout, inputs, offset_at);
  answer.hints = column_major_notes({inputs[0]});
  return answer;
}

}  // namespace

void add_at(CLI::App& app, Session& session) {
  CLI::App* at = app.add_subcommand("at", "the offset of an index, or the index at an offset");
  auto asked = std::make_shared<AskedPoints>();
  at->add_option("LAYOUT", asked->layout, "a layout in any notation; - reads one per line from stdin")
      ->required();
  at->add_option(
        "INDEX", asked->points,
        "indices such as 2,3 or, for nested CuTe modes, (0,(1,1)),5; with --inverse, offsets; - reads one "
        "per line from stdin")
      ->required();
  at->add_flag("--inverse", asked->inverse, "find the index at each offset, or 'padding'");
  add_common_options(*at, session);
  at->footer(
      R"(The first line names the notation and its order; each index then gets one line with its offset or an error.
Offsets count elements. Each line of stdin gets one line. An uncropped CuTe layout also takes one number for all
modes, leftmost fastest. The index of a scalar is (). Named layouts also print the byte and the bits of a cell below a
byte; if elements are not cells, the places of their bits, and --inverse takes offsets in bits.

Examples:
  tessera at 'f32[3,5]{1,0:T(2,2)}' 2,3 0,0
  tessera at --inverse 'f32[3,5]{1,0:T(2,2)}' 17 9
  tessera at '((2,2),(2,3)):((2,12),(1,4))' '(1,0),5'
  tessera at 'pack:awq u4[8,16]' 3,5
  printf '0,1\n1,1\n' | tessera at 'Sw<3,0,3> o _0 o (8,8):(8,1)' -)");
  at->callback([&session, asked] {
    session.action = [&session, asked] {
      Inputs inputs = {asked->layout};
      inputs.insert(inputs.end(), asked->points.begin(), asked->points.end());
      return answer(session, {.inputs = std::move(inputs),
                              .ask = [&](const Inputs& texts) { return ask(*asked, texts); }});
    };
  });
}

}  // namespace tessera::cli
