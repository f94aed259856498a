// SPDX-License-Identifier: Apache-2.0
// `tessera equal`: decides whether two layouts are the same function.
#include <fmt/core.h>

#include "cli/column_major.h"
#include "cli/help.h"
#include "cli/question.h"
#include "cli/verbs.h"
#include "report/layout_answer.h"
#include "tessera/notation/layout.h"

namespace tessera::cli {
namespace {

struct AskedPair {
  std::string a;
  std::string b;
  std::string notion = "map";
  bool ignore_unit_dims = false;
};

PrintedAnswer ask(const AskedPair& asked, const Inputs& inputs) {
  const Result<Layout> a = parse_layout(inputs[0]);
  if (!a) return unreadable(a.error(), 0);
  const Result<Layout> b = parse_layout(inputs[1]);
  if (!b) return unreadable(b.error(), 1);
  const EqualityNotion notion = *parse_equality_notion(asked.notion);
  const LayoutEquality equality = equal(*a, *b, notion, {.ignore_unit_dims = asked.ignore_unit_dims});
  const bool values = notion == EqualityNotion::map || notion == EqualityNotion::storage;
  return {.status = status_of(equality.verdict),
          .heading =
              fmt::format("{} and {}, compared as {}{}", to_string(a->notation()), to_string(b->notation()),
                          asked.notion, values ? "; indices in row-major order" : ""),
          .text = to_string(equality),
          .json = to_json(*a, *b, notion, equality),
          .hints = column_major_notes(inputs)};
}

}  // namespace

void add_equal(CLI::App& app, Session& session) {
  CLI::App* equal = app.add_subcommand("equal", "prove two layouts equal, or find the first difference");
  auto asked = std::make_shared<AskedPair>();
  equal->add_option("A", asked->a, "a layout in any notation; - reads one per line from stdin")->required();
  equal->add_option("B", asked->b, "a layout in any notation; - reads one per line from stdin")->required();
  equal
      ->add_option("--notion", asked->notion,
                   "map (the default): same shape and offsets; storage: also buffer size, element width and "
                   "splits; structure: same notation, field by field; text: same canonical text")
      ->type_name("text|structure|map|storage")
      ->check(one_of({"text", "structure", "map", "storage"}));
  equal->add_flag("--ignore-unit-dims", asked->ignore_unit_dims, "ignore dimensions of extent 1");
  add_common_options(*equal, session);
  equal->footer(
      R"(The first line names the notations and what is compared. The second is 'yes' (exit status 0); 'no at INDEX: OFFSET
and OFFSET' with the smallest index that differs, or 'no: REASON' (1); or 'undecided: LIMIT' (3). Beyond 2^24 indices,
'a smaller index may differ too' can follow.

Examples:
  tessera equal '6x8:[1, 0, 1 p(4)]' '(6,(4,2)):(4,(1,24))'
  tessera equal 'f32[4,8]{1,0:T(2,4)}' 'f32[4,8]{1,0}'
  tessera equal --notion storage 'f32[4]' 'f32[4]{0:L(8)}')");
  equal->callback([&session, asked] {
    session.action = [&session, asked] {
      return answer(session, {.inputs = {asked->a, asked->b},
                              .ask = [&](const Inputs& texts) { return ask(*asked, texts); }});
    };
  });
}

}  // namespace tessera::cli
