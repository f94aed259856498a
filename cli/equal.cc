// SPDX-License-Identifier: Apache-2.0
// `tessera equal`: decides whether two layouts are the same function.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/column_major.h"
#include "cli/help.h"
#include "cli/question.h"
#include "cli/verbs.h"
#include "files/number_table.h"
#include "report/layout_answer.h"
#include "report/named_answer.h"
#include "tessera/notation/layout.h"

namespace tessera::cli {
namespace {

struct AskedPair {
  std::string a;
  std::string b;
  std::string notion = "map";
  bool ignore_unit_dims = false;
  std::string sizes;
  std::string offsets;
  std::string gather;
  Index gather_from = 0;
};

std::string heading(const NamedOrLayout& a, const NamedOrLayout& b, const std::string& notion) {
  return fmt::format("{} and {}, compared as {}", notation_word(a), notation_word(b), notion);
}

// How the texts are read for the first sizes.
std::string first_heading(const SizedPair& pair, const std::string& notion) {
  std::vector<Index> values;
  for (const SizeRange& size : pair.sizes) values.push_back(size.first);
  const auto word = [&](const std::string& text) -> std::string {
    const auto sized = SizedText::make(text, pair.sizes);
    const auto whole = sized ? sized->at(values) : Result<std::string>(fail(sized.error()));
    const auto side = whole ? parse_named_or_layout(*whole) : Result<NamedOrLayout>(fail(whole.error()));
    return side ? std::string(notation_word(*side)) : "a layout";
  };
  return fmt::format("{} and {}, compared as {}", word(pair.a), word(pair.b), notion);
}

// Both layouts for every combination of sizes.
PrintedAnswer ask_sizes(const AskedPair& asked, const Inputs& inputs) {
  auto sizes = parse_size_ranges(inputs[2]);
  if (!sizes) return unreadable(sizes.error(), 2);
  const SizedPair pair = {inputs[0], inputs[1], *std::move(sizes)};
  const EqualityNotion notion = *parse_equality_notion(asked.notion);
  const auto found = equal_for_sizes(pair, notion, {.ignore_unit_dims = asked.ignore_unit_dims});
  if (!found) return unreadable(found.error(), found.error().field == "b" ? 1 : 0);
  return {.status = status_of(found->equality.verdict),
          .heading = first_heading(pair, asked.notion),
          .text = to_text(pair, *found),
          .json = to_json(pair, notion, *found)};
}

// A layout and a table of another program.
PrintedAnswer ask_table(const AskedPair& asked, const Inputs& inputs) {
  const Result<Layout> layout = parse_layout(inputs[0]);
  if (!layout) return unreadable(layout.error(), 0);
  const bool offsets = !asked.offsets.empty();
  const auto table = read_number_table(inputs[1]);
  if (!table) return no_answer(table.error(), 1);
  if (offsets && !std::ranges::equal(table->shape, layout->shape())) {
    return no_answer({.code = Code::value_count,
                      .message = fmt::format("the table has shape ({}), but the layout has ({})",
                                             fmt::join(table->shape, ","), fmt::join(layout->shape(), ","))},
                     1);
  }
  const auto difference = offsets ? compare_offsets(*layout, table->values)
                                  : compare_gather(*layout, table->values, asked.gather_from);
  if (!difference) return no_answer(difference.error(), 1);
  return {.status = *difference ? kNo : kDone,
          .heading = fmt::format("{} and a table of {}", to_string(layout->notation()),
                                 offsets ? "offsets" : "the elements in memory order"),
          .text = to_text(*difference),
          .json = to_json(*layout, *difference)};
}

PrintedAnswer ask(const AskedPair& asked, const Inputs& inputs) {
  if (!asked.offsets.empty() || !asked.gather.empty()) return ask_table(asked, inputs);
  if (!asked.sizes.empty()) return ask_sizes(asked, inputs);
  const Result<NamedOrLayout> a = parse_named_or_layout(inputs[0]);
  if (!a) return unreadable(a.error(), 0);
  const Result<NamedOrLayout> b = parse_named_or_layout(inputs[1]);
  if (!b) return unreadable(b.error(), 1);
  const EqualityNotion notion = *parse_equality_notion(asked.notion);
  const auto equality = equal(*a, *b, notion, {.ignore_unit_dims = asked.ignore_unit_dims});
  if (!equality) return no_answer(equality.error(), 0);
  const bool values = notion == EqualityNotion::map || notion == EqualityNotion::storage;
  return {.status = status_of(equality->verdict),
          .heading = heading(*a, *b, asked.notion) + (values ? "; indices in row-major order" : ""),
          .text = to_string(*equality),
          .json = a->layout && b->layout ? to_json(*a->layout, *b->layout, notion, *equality)
                                         : to_json(*a, *b, notion, *equality),
          .hints = column_major_notes(inputs)};
}

}  // namespace

void add_equal(CLI::App& app, Session& session) {
  CLI::App* equal = app.add_subcommand("equal", "prove two layouts equal, or find the first difference");
  auto asked = std::make_shared<AskedPair>();
  equal->add_option("A", asked->a, "a layout in any notation; - reads one per line from stdin")->required();
  CLI::Option* const second =
      equal->add_option("B", asked->b, "a layout in any notation; - reads one per line from stdin")
          ->group(kNeeded);
  equal
      ->add_option("--notion", asked->notion,
                   "map (the default): same shape and offsets; storage: also buffer size, element width and "
                   "splits; structure: same notation, field by field; text: same canonical text")
      ->type_name("text|structure|map|storage")
      ->check(one_of({"text", "structure", "map", "storage"}));
  equal->add_flag("--ignore-unit-dims", asked->ignore_unit_dims, "ignore dimensions of extent 1");
  CLI::Option* const sizes =
      equal
          ->add_option(
              "--sizes", asked->sizes,
              "compare for each combination of sizes; A and B hold arithmetic on their names in braces")
          ->type_name("NAME=FIRST:LAST[:STEP],...");
  CLI::Option* const offsets = equal
                                   ->add_option("--offsets", asked->offsets,
                                                "in place of B, a .npy file with the offset of each index")
                                   ->type_name("FILE");
  CLI::Option* const gather =
      equal
          ->add_option("--gather", asked->gather,
                       "in place of B, a .npy file with the row-major number of the element at each offset, "
                       "negative for padding")
          ->type_name("FILE");
  equal->add_option("--gather-from", asked->gather_from, "the number of the first element in --gather")
      ->type_name("N")
      ->needs(gather);
  offsets->excludes(gather)->excludes(second)->excludes(sizes);
  gather->excludes(second)->excludes(sizes);
  add_common_options(*equal, session);
  equal->footer(
      R"(The first line names the notations and what is compared. The second is 'yes' (exit status 0); 'no at INDEX: OFFSET
and OFFSET' with the smallest index that differs, or 'no: REASON' (1); or 'undecided: LIMIT' (3). Beyond 2^24 indices,
'a smaller index may differ too' can follow.

Examples:
  tessera equal '6x8:[1, 0, 1 p(4)]' '(6,(4,2)):(4,(1,24))'
  tessera equal 'f32[4,8]{1,0:T(2,4)}' 'f32[4,8]{1,0}'
  tessera equal --notion storage 'f32[4]' 'f32[4]{0:L(8)}'
  tessera equal 'scale:8x4 u8[{M},{K}]' 'scale:linear u8[{M},{K}]' --sizes M=1:40,K=1:6)");
  equal->callback([&session, asked] {
    const bool by_offsets = !asked->offsets.empty();
    if (asked->b.empty() && !by_offsets && asked->gather.empty()) throw CLI::RequiredError("B");
    session.action = [&session, asked, by_offsets] {
      const auto ask_one = [&](const Inputs& texts) { return ask(*asked, texts); };
      if (by_offsets || !asked->gather.empty()) {
        return answer(session, {.inputs = {asked->a, by_offsets ? asked->offsets : asked->gather},
                                .ask = ask_one,
                                .options = {"", by_offsets ? "--offsets" : "--gather"}});
      }
      if (asked->sizes.empty()) return answer(session, {.inputs = {asked->a, asked->b}, .ask = ask_one});
      return answer(
          session,
          {.inputs = {asked->a, asked->b, asked->sizes}, .ask = ask_one, .options = {"", "", "--sizes"}});
    };
  });
}

}  // namespace tessera::cli
