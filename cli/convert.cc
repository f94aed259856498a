// SPDX-License-Identifier: Apache-2.0
// `tessera convert`: writes a layout in another notation, or says why that is impossible.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/column_major.h"
#include "cli/help.h"
#include "cli/question.h"
#include "cli/verbs.h"
#include "report/layout_answer.h"
#include "tessera/notation/layout.h"

namespace tessera::cli {
namespace {

struct AskedNotation {
  std::string layout;
  std::string to;
  bool all = false;
};

PrintedAnswer refused(Diagnostic diagnostic, const std::string& text) {
  diagnostic.span = {0, static_cast<std::uint32_t>(text.size())};
  if (diagnostic.code == Code::not_representable && diagnostic.help.empty())
    diagnostic.help = "--to map can express any quasi-affine layout";
  PrintedAnswer none = no_answer(std::move(diagnostic), 0);
  // The input is valid, but the target cannot express it.
  if (none.status == kBadInput) none.status = none.problem->status = kNo;
  return none;
}

PrintedAnswer to_form(const Layout& from, const AskedNotation& asked, const std::string& text) {
  const Result<Digits> digits = to_digits(from);
  if (!digits) return refused(digits.error(), text);
  return {.heading = reading_text(from) + " -> digits: dimension,div,ext,stride",
          .text = to_string(*digits),
          .json = to_json(from, asked.to, {.digits = *digits}),
          .hints = column_major_notes({text})};
}

// The layout in every notation, each with its text or the reason why there is none.
PrintedAnswer to_all(const Layout& from, const Inputs& inputs) {
  const std::vector<NotationAnswer> answers = in_all_notations(from);
  std::string line;
  for (const NotationAnswer& one : answers)
    if (one.conversion) line += (line.empty() ? "" : " | ") + to_prefixed_string(one.conversion->layout);
  return {.heading = reading_text(from) + " -> all notations",
          .text = to_text(answers),
          .line = std::move(line),
          .json = to_json(from, answers),
          .hints = column_major_notes(inputs)};
}

PrintedAnswer ask(const AskedNotation& asked, const Inputs& inputs) {
  const Result<Layout> from = parse_layout(inputs[0]);
  if (!from) return unreadable(from.error(), 0);
  if (asked.to.empty()) return to_all(*from, inputs);
  const std::optional<Notation> to = parse_notation(asked.to);
  if (!to) return to_form(*from, asked, inputs[0]);
  auto conversion = convert(*from, *to);
  if (!conversion) return refused(conversion.error(), inputs[0]);
  ConversionAnswer result{.conversion = *std::move(conversion)};
  const Layout& layout = result.conversion->layout;
  PrintedAnswer answer{.heading = fmt::format("{} -> {}", reading_text(*from), reading_text(layout)),
                       .text = to_string(layout),
                       .line = to_string(layout)};
  if (asked.all) {
    auto all = spellings(*from, *to);
    if (!all) return refused(all.error(), inputs[0]);
    result.all = *std::move(all);
    for (std::size_t i = 1; i < result.all.size(); ++i) {
      answer.text += "\n" + to_string(result.all[i]);
      answer.line += " | " + to_string(result.all[i]);
    }
  }
  answer.notes = notes_of(*result.conversion);
  answer.hints = column_major_notes(inputs);
  answer.json = to_json(*from, asked.to, result);
  return answer;
}

std::vector<std::string> targets() {
  std::vector<std::string> words;
  for (const Notation notation : all_notations()) words.emplace_back(to_string(notation));
  words.emplace_back("digits");
  return words;
}

}  // namespace

void add_convert(CLI::App& app, Session& session) {
  CLI::App* convert = app.add_subcommand("convert", "the same layout in another notation");
  auto asked = std::make_shared<AskedNotation>();
  convert->add_option("LAYOUT", asked->layout, "a layout in any notation; - reads one per line from stdin")
      ->required();
  CLI::Option* const to =
      convert
          ->add_option("--to", asked->to,
                       "the target notation, or digits, the normal form; without it, all notations")
          ->type_name(fmt::format("{}", fmt::join(targets(), "|")))
          ->check(one_of(targets()));
  convert->add_flag("--all", asked->all, "also print other spellings, one per line")->needs(to);
  add_common_options(*convert, session);
  convert->footer(
      R"(The first line names both notations and their orders, the second is the layout. Notes list what the target cannot
express. If no such layout exists, the error has the reason and a witness, and the exit status is 1. Each line of
stdin gets one line. Without --to, each notation has a line with the layout, or the reason why it has none.

Examples:
  tessera convert '(4,8):(8,1)'
  tessera convert 'bf16[16,256]{1,0:T(8,128)(2,1)}' --to cute
  tessera convert '6x8:[1, 0, 1 p(4)]' --to xla --all
  tessera convert 'Sw<3,0,3> o _0 o (8,8):(8,1)' --to linear
  tessera convert 'bf16[16,256]{1,0}' --to morello --quiet)");
  convert->callback([&session, asked] {
    session.action = [&session, asked] {
      return answer(session, {.inputs = {asked->layout},
                              .ask = [&](const Inputs& texts) { return ask(*asked, texts); }});
    };
  });
}

}  // namespace tessera::cli
