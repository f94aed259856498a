// SPDX-License-Identifier: Apache-2.0
// `tessera equal`: are two layouts the same?
#include <fmt/core.h>

#include "cli/help.h"
#include "cli/question.h"
#include "cli/verbs.h"
#include "tessera/report/layout_answer.h"
#include "tessera/text/any.h"

namespace tessera::cli {
namespace {

struct Asked {
  std::string a;
  std::string b;
  std::string notion = "map";
  bool ignore_unit_dims = false;
};

Answer ask(const Asked& asked, const Inputs& inputs) {
  const Result<Layout> a = parse_layout(inputs[0]);
  if (!a) return unreadable(a.error(), 0);
  const Result<Layout> b = parse_layout(inputs[1]);
  if (!b) return unreadable(b.error(), 1);
  const EqualityNotion notion = *parse_equality_notion(asked.notion);
  const LayoutEquality equality = equal(*a, *b, notion, {.ignore_unit_dims = asked.ignore_unit_dims});
  const std::string line = to_string(equality);
  const bool values = notion == EqualityNotion::map || notion == EqualityNotion::storage;
  return {.status = equality.verdict == Verdict::yes  ? kDone
                    : equality.verdict == Verdict::no ? kNo
                                                      : kFailed,
          .text = fmt::format("{} and {}, compared as {}{}\n{}", to_string(a->notation()),
                              to_string(b->notation()), asked.notion,
                              values ? "; indices in row-major order" : "", line),
          .line = line,
          .json = to_json(*a, *b, notion, equality)};
}

}  // namespace

void add_equal(CLI::App& app, Session& session) {
  CLI::App* equal = app.add_subcommand("equal", "are two layouts the same? proved, or the first difference");
  auto asked = std::make_shared<Asked>();
  equal->add_option("A", asked->a, "a layout of any notation; - reads one per line from stdin")->required();
  equal->add_option("B", asked->b, "a layout of any notation; - reads one per line from stdin")->required();
  equal
      ->add_option(
          "--notion", asked->notion,
          "map: equal shapes and one function (the default); storage: also buffer size, element width "
          "and splits; structure: one notation, field by field; text: the canonical text")
      ->type_name("text|structure|map|storage")
      ->check(one_of({"text", "structure", "map", "storage"}));
  equal->add_flag("--ignore-unit-dims", asked->ignore_unit_dims, "leave out dimensions of extent 1 of both");
  add_common_options(*equal, session);
  equal->footer(
      "The first line names the notations and the notion, the second is 'yes', or 'no at INDEX: OFFSET and "
      "OFFSET' with\n"
      "the smallest index where they differ, or 'no: REASON', or 'undecided: LIMIT'. Exit status 0, 1, 1 and "
      "3.\n"
      "\n"
      "Examples:\n"
      "  tessera equal '6x8:[1, 0, 1 p(4)]' '(6,(4,2)):(4,(1,24))'\n"
      "  tessera equal 'f32[4,8]{1,0:T(2,4)}' 'f32[4,8]{1,0}'\n"
      "  tessera equal --notion storage 'f32[4]' 'f32[4]{0:L(8)}'");
  equal->callback([&session, asked] {
    session.action = [&session, asked] {
      return answer(session, {.inputs = {asked->a, asked->b},
                              .ask = [&](const Inputs& texts) { return ask(*asked, texts); },
                              .problem_json =
                                  [](int status, const Diagnostic& why, const Source& source) {
                                    return layout_problem_json("equal", status, why, source);
                                  }});
    };
  });
}

}  // namespace tessera::cli
