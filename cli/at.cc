// SPDX-License-Identifier: Apache-2.0
// `tessera at`: from indices to offsets, and back.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/question.h"
#include "cli/verbs.h"
#include "tessera/report/layout_answer.h"
#include "tessera/text/any.h"
#include "tessera/text/layout_index.h"
#include "tessera/text/point.h"

namespace tessera::cli {
namespace {

struct Asked {
  std::string layout;
  std::vector<std::string> points;
  bool inverse = false;
};

Answer text_answer(const Layout& layout, const std::vector<std::string>& lines, std::string json) {
  return {.text = fmt::format("{}\n{}", reading_text(layout), fmt::join(lines, "\n")),
          .line = fmt::format("{}", fmt::join(lines, "; ")),
          .json = std::move(json)};
}

Answer offsets(const Layout& layout, const Inputs& inputs) {
  std::vector<OffsetAnswer> answers;
  std::vector<std::string> lines;
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    auto index = parse_layout_index(inputs[i], layout);
    if (!index) return unreadable(index.error(), i);
    const Index offset = layout.offset(*index);
    lines.push_back(fmt::format("{}", offset));
    answers.push_back({*std::move(index), offset});
  }
  return text_answer(layout, lines, to_json(layout, answers));
}

Answer indices(const Layout& layout, const Inputs& inputs) {
  std::vector<PreimageAnswer> answers;
  std::vector<std::string> lines;
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    const auto offset = parse_point(inputs[i]);
    if (!offset) return unreadable(offset.error(), i);
    if (offset->size() != 1) {
      return unreadable({.code = Code::value_count,
                         .message = fmt::format("{} numbers where one offset is asked for", offset->size()),
                         .span = {0, static_cast<std::uint32_t>(inputs[i].size())}},
                        i);
    }
    auto preimage = indices_at(layout, offset->front());
    if (!preimage) {
      preimage.error().span = {0, static_cast<std::uint32_t>(inputs[i].size())};
      return no_answer(preimage.error(), i);
    }
    lines.push_back(to_text(*preimage));
    answers.push_back({offset->front(), *std::move(preimage)});
  }
  return text_answer(layout, lines, to_json(layout, answers));
}

Answer ask(const Asked& asked, const Inputs& inputs) {
  const Result<Layout> layout = parse_layout(inputs[0]);
  if (!layout) return unreadable(layout.error(), 0);
  return asked.inverse ? indices(*layout, inputs) : offsets(*layout, inputs);
}

}  // namespace

void add_at(CLI::App& app, Session& session) {
  CLI::App* at = app.add_subcommand("at", "from an index to its offset, or back");
  auto asked = std::make_shared<Asked>();
  at->add_option("LAYOUT", asked->layout, "a layout of any notation; - reads one per line from stdin")
      ->required();
  at->add_option(
        "INDEX", asked->points,
        "indices like 2,3 or, for CuTe's modes, (0,(1,1)),5; with --inverse offsets; - reads one per "
        "line from stdin")
      ->required();
  at->add_flag("--inverse", asked->inverse, "from an offset to the index that lies there, or 'padding'");
  add_common_options(*at, session);
  at->footer(
      "The first line names the notation and its order; each further line answers one index. Offsets count "
      "elements.\n"
      "For lines of stdin each answer is one line. A CuTe layout that is not cropped also takes one number "
      "for "
      "all\n"
      "modes, the leftmost fastest.\n"
      "\n"
      "Examples:\n"
      "  tessera at 'f32[3,5]{1,0:T(2,2)}' 2,3 0,0\n"
      "  tessera at --inverse 'f32[3,5]{1,0:T(2,2)}' 17 9\n"
      "  tessera at '((2,2),(2,3)):((2,12),(1,4))' '(1,0),5'\n"
      "  printf '0,1\\n1,1\\n' | tessera at 'Sw<3,0,3> o _0 o (8,8):(8,1)' -");
  at->callback([&session, asked] {
    session.action = [&session, asked] {
      Inputs inputs = {asked->layout};
      inputs.insert(inputs.end(), asked->points.begin(), asked->points.end());
      return answer(session, {.inputs = std::move(inputs),
                              .ask = [&](const Inputs& texts) { return ask(*asked, texts); },
                              .problem_json =
                                  [](int status, const Diagnostic& why, const Source& source) {
                                    return layout_problem_json("at", status, why, source);
                                  }});
    };
  });
}

}  // namespace tessera::cli
