// SPDX-License-Identifier: Apache-2.0
// `tessera convert`: writes a layout in another notation, or says why that is impossible.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/column_major.h"
#include "cli/help.h"
#include "cli/question.h"
#include "cli/verbs.h"
#include "report/layout_answer.h"
#include "report/named_answer.h"
#include "tessera/notation/layout.h"

namespace tessera::cli {
namespace {

struct AskedNotation {
  std::string layout;
  std::string to;
  std::string type;
  bool all = false;
  bool bits = false;
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

// The planes of a named layout, each with its range of bits.
PrintedAnswer to_planes(const NamedLayout& from, const std::string& text) {
  const auto all = planes(from);
  if (!all) return refused(all.error(), text);
  return {.heading = reading_text(from) + " -> map: a map for each range of bits",
          .text = to_text(*all),
          .json = to_json(from, *all)};
}

// The layout to convert: with --bits, that of the bits.
Result<Layout> source_of(const NamedOrLayout& side, const AskedNotation& asked, std::optional<Index> bits) {
  if (!asked.bits) return side.layout ? Result<Layout>(*side.layout) : Layout::make(*side.named);
  if (side.named) return bit_layout(*side.named);
  if (bits) return bit_layout(*side.layout, *bits);
  return fail(Code::missing_layout, "the layout has no element type, so elements have no known bits", {},
              "give the type: --type u4");
}

// Names depend on the width of the elements.
Result<Conversion> to_name(const Layout& from, int bits, ConversionAnswer& result) {
  const std::vector<NamedLayout> names = names_of(from, bits);
  for (const NamedLayout& name : names) {
    auto layout = Layout::make(name);
    if (layout) result.all.push_back(*std::move(layout));
  }
  if (!result.all.empty()) return Conversion{.layout = result.all.front()};
  Result<Conversion> none =
      fail(Code::not_representable,
           fmt::format("no named layout of {}-bit elements is this function (unnamed)", bits));
  none.error().reason = "unnamed";
  return none;
}

PrintedAnswer ask(const AskedNotation& asked, const Inputs& inputs) {
  const Result<NamedOrLayout> side = parse_named_or_layout(inputs[0]);
  if (!side) return unreadable(side.error(), 0);
  const std::optional<Notation> to = parse_notation(asked.to);
  const bool planar = side->named && side->named->kind() == NamedKind::planes;
  if (planar && !asked.bits && to == Notation::map) return to_planes(*side->named, inputs[0]);
  std::optional<Index> bits = side->element_bits();
  if (!asked.type.empty()) bits = parse_cell_type(asked.type)->bits;
  const bool stream = side->named && side->named->kind() == NamedKind::stream;
  const Result<Layout> from =
      stream && to == Notation::map ? bit_layout(*side->named) : source_of(*side, asked, bits);
  if (!from) return refused(from.error(), inputs[0]);
  if (asked.to.empty()) return to_all(*from, inputs);
  if (!to) return to_form(*from, asked, inputs[0]);
  ConversionAnswer named;
  auto conversion = to == Notation::named && bits && !asked.type.empty() && !asked.bits
                        ? to_name(*from, static_cast<int>(*bits), named)
                        : convert(*from, *to);
  if (!conversion) return refused(conversion.error(), inputs[0]);
  ConversionAnswer result{.conversion = *std::move(conversion)};
  const Layout& layout = result.conversion->layout;
  PrintedAnswer answer{.heading = fmt::format("{} -> {}", reading_text(*from), reading_text(layout)),
                       .text = to_string(layout),
                       .line = to_string(layout)};
  if (asked.all) {
    auto all = named.all.empty() ? spellings(*from, *to) : Result<std::vector<Layout>>(named.all);
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
  convert
      ->add_option("--type", asked->type,
                   "the type of the elements, on which the names of --to named depend: u8")
      ->type_name("TYPE")
      ->check(cell_type());
  convert->add_flag("--bits", asked->bits,
                    "convert the layout of bits, with the bit of the value as last dimension");
  add_common_options(*convert, session);
  convert->footer(
      R"(The first line names both notations and their orders, the second is the layout. Notes list what the target cannot
express. If no such layout exists, the error has the reason and a witness, and the exit status is 1. Each line of
stdin gets one line. Without --to, each notation has a line with the layout, or the reason why it has none. Named layouts
whose elements are not cells convert with --bits, or to maps.

Examples:
  tessera convert '(4,8):(8,1)'
  tessera convert 'bf16[16,256]{1,0:T(8,128)(2,1)}' --to cute
  tessera convert '6x8:[1, 0, 1 p(4)]' --to xla --all
  tessera convert 'Sw<3,0,3> o _0 o (8,8):(8,1)' --to linear
  tessera convert 'bf16[16,256]{1,0}' --to morello --quiet
  tessera convert '((32,4,3),(4,2)):((16,4,1024),(1,512)) crop (300,7)' --to named --type u8 --all
  tessera convert 'pack:low u6[256]' --to cute --bits)");
  convert->callback([&session, asked] {
    session.action = [&session, asked] {
      return answer(session, {.inputs = {asked->layout},
                              .ask = [&](const Inputs& texts) { return ask(*asked, texts); }});
    };
  });
}

}  // namespace tessera::cli
