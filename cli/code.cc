// SPDX-License-Identifier: Apache-2.0
// `tessera code`: layouts, maps, plans and copies as source code.
#include "tessera/code/code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "cli/help.h"
#include "cli/question.h"
#include "cli/verbs.h"
#include "code/build.h"
#include "hlo/indexing/physical.h"
#include "report/code_answer.h"
#include "tessera/hlo/walk.h"
#include "tessera/map/map_algebra.h"
#include "tessera/notation/named_layout.h"
#include "tessera/text/index_map.h"
#include "verbs/instruction.h"
#include "verbs/map_text.h"

namespace tessera::cli {
namespace {

struct AskedCode {
  std::string input;
  std::string from;
  std::string to;
  std::string language = "c";
  std::string op;
  std::string name;
  std::string output;
  std::shared_ptr<SourceCode> made;  // the last answer
  Index operand = 0;
  Index bytes = 0;
  bool inverse = false;
  bool get = false;
  bool set = false;
  bool loop = false;
  bool copy_kernel = false;
  bool plan = false;
  bool multiply_high = false;
  bool test = false;
};

enum CodeInput : std::size_t { kCodeText, kCodeFrom, kCodeTo, kCodeOp, kCodeName };

PrintedAnswer refuse_code(Code code, std::string message, std::string help = {},
                          CodeInput input = kCodeText) {
  return no_answer({.code = code, .message = std::move(message), .help = std::move(help)}, input);
}

CodeOptions options_of(const AskedCode& asked) {
  return {.language = *parse_code_language(asked.language),
          .name = asked.name,
          .multiply_high = asked.multiply_high,
          .test = asked.test};
}

// The test is in the same file as the code, unless the answer goes to a file of its own.
PrintedAnswer answer_code(const AskedCode& asked, const Result<SourceCode>& code, std::string_view kind,
                          CodeInput input) {
  if (!code) return no_answer(code.error(), input);
  if (asked.made) *asked.made = *code;
  std::string text = code->text;
  if (asked.output.empty()) text += code->test;
  text.pop_back();
  return {.text = std::move(text), .json = to_json(*code, kind)};
}

// The error of a layout or a map without an inverse.
PrintedAnswer no_inverse(Diagnostic error) {
  if (error.code == Code::not_invertible)
    error.help = "'tessera map inverse --relational' inverts any map as a relation";
  return no_answer(std::move(error), kCodeText);
}

PrintedAnswer code_of_map(const AskedCode& asked, const IndexMap& map) {
  if (asked.inverse) {
    const Result<IndexMap> back = inverse(map);
    if (!back) return no_inverse(back.error());
    // Such a variable would be a parameter, although the code is to compute it.
    if (back->range_count() != 0)
      return refuse_code(Code::undecided, "the point of a result has no closed form",
                         "'tessera map inverse' gives the relation between results and points");
    return answer_code(asked, map_code(*back, options_of(asked)), "inverse", kCodeText);
  }
  if (asked.loop) return answer_code(asked, loop_code(map, options_of(asked)), "loop", kCodeText);
  return answer_code(asked, map_code(map, options_of(asked)), "map", kCodeText);
}

PrintedAnswer code_of_program(Session& session, const AskedCode& asked) {
  const Result<std::shared_ptr<const Source>> source = read_file(asked.input);
  if (!source) return no_answer(source.error(), kCodeText);
  const ParsedModules parsed = parse_hlo(*source);
  for (const Diagnostic& diagnostic : parsed.diagnostics) session.report(diagnostic, parsed.source);
  if (parsed.modules.empty()) return refuse_code(Code::syntax, "the file has no module");
  const Result<const Instruction*> op = verbs::find_instruction(parsed, asked.op);
  if (!op) return no_answer(op.error(), kCodeOp);
  const auto operand = static_cast<std::size_t>(asked.operand);
  const Result<IndexingSet> set = output_to_input(**op, {.operand = operand});
  if (!set) return no_answer(set.error(), kCodeText);
  if (set->size() != 1)
    return refuse_code(
        Code::not_applicable,
        fmt::format("there are {} maps from {} to operand {}", set->size(), (*op)->name, operand),
        "choose one that 'tessera hlo' prints, and give it instead of the file");
  const Indexing& indexing = set->front();
  if (indexing.exactness == Exactness::unknown)
    return refuse_code(Code::undecided,
                       fmt::format("what {} reads is unknown: {}", (*op)->name, indexing.reason),
                       "give the map of what it reads, if you know it, instead of the file");
  PrintedAnswer answer = code_of_map(asked, indexing.map);
  if (indexing.exactness == Exactness::superset)
    answer.hints.push_back(fmt::format("the map is a superset of what is read: {}", indexing.reason));
  return answer;
}

PrintedAnswer code_between(const AskedCode& asked, const Inputs& texts) {
  if (texts[kCodeFrom].empty() || texts[kCodeTo].empty())
    return refuse_code(Code::bad_option, "a copy needs --from and --to", "--from LAYOUT --to LAYOUT",
                       kCodeFrom);
  const Result<Layout> from = parse_layout(texts[kCodeFrom]);
  if (!from) return unreadable(from.error(), kCodeFrom);
  const Result<Layout> to = parse_layout(texts[kCodeTo]);
  if (!to) return unreadable(to.error(), kCodeTo);
  Index bytes = asked.bytes;
  for (const Layout* layout : {&*from, &*to}) {
    const auto bits = layout->element_bits();
    if (!bits) continue;
    if (*bits % 8 != 0)
      return refuse_code(Code::unsupported_width,
                         fmt::format("an element of {} bits is not a whole number of bytes", *bits), {},
                         layout == &*from ? kCodeFrom : kCodeTo);
    if (bytes != 0 && bytes != *bits / 8)
      return refuse_code(Code::different_type,
                         fmt::format("the elements have {} and {} bytes", bytes, *bits / 8),
                         "a copy moves bits and never converts them", kCodeTo);
    bytes = *bits / 8;
  }
  if (bytes == 0)
    return refuse_code(Code::missing_layout, "the element width is unknown", "add the width: --bytes 4",
                       kCodeTo);
  if (!asked.plan)
    return answer_code(asked, copy_code(*from, *to, bytes, options_of(asked)), "copy", kCodeTo);
  const Result<RelayoutPlan> plan = make_plan(*from, *to, bytes);
  if (!plan) return no_answer(plan.error(), kCodeTo);
  return answer_code(asked, plan_code(*plan, options_of(asked)), "plan", kCodeTo);
}

PrintedAnswer ask_code(Session& session, const AskedCode& asked, const Inputs& texts) {
  if (const auto named = coding::start_function(options_of(asked), "f"); !named)
    return no_answer(named.error(), kCodeName);
  const bool between = asked.copy_kernel || asked.plan || !asked.from.empty() || !asked.to.empty();
  if (asked.copy_kernel && asked.plan)
    return refuse_code(Code::bad_option, "--copy-kernel and --plan exclude each other",
                       "leave one of them out");
  if (between != texts[kCodeText].empty())
    return between ? refuse_code(Code::bad_option, "a copy takes --from and --to, and no other input",
                                 "leave out the input, or the options of the copy")
                   : refuse_code(Code::bad_option, "there is nothing to write code for",
                                 "give a layout, a map or a file, or --from and --to");
  if (asked.inverse && asked.loop)
    return refuse_code(Code::bad_option, "--inverse and --loop exclude each other", "leave one of them out");
  if (between) {
    if (asked.inverse || asked.loop || !asked.op.empty())
      return refuse_code(Code::bad_option, "--inverse, --loop and --op have no effect on a copy",
                         "leave them out");
    return code_between(asked, texts);
  }
  const std::string& text = texts[kCodeText];
  std::error_code ignored;
  const bool is_map = verbs::is_map_text(text) && !text.starts_with("map:");
  if (!asked.op.empty() && is_map)
    return refuse_code(Code::bad_option, "--op has no effect on a map", "give a file with an HLO program",
                       kCodeOp);
  if (!asked.op.empty() || std::filesystem::is_regular_file(text, ignored)) {
    AskedCode program = asked;
    program.input = text;
    return code_of_program(session, program);
  }
  if (is_map) {
    const Result<IndexMap> map = parse_index_map(text);
    if (!map) return unreadable(map.error(), kCodeText);
    return code_of_map(asked, *map);
  }
  if (asked.get || asked.set) {
    const Result<NamedLayout> named = parse_named_layout(text);
    if (!named) return unreadable(named.error(), kCodeText);
    return asked.get ? answer_code(asked, get_code(*named, options_of(asked)), "get", kCodeText)
                     : answer_code(asked, set_code(*named, options_of(asked)), "set", kCodeText);
  }
  const Result<Layout> layout = parse_layout(text);
  if (!layout) return unreadable(layout.error(), kCodeText);
  if (asked.loop) return answer_code(asked, loop_code(lower(*layout), options_of(asked)), "loop", kCodeText);
  if (asked.inverse) {
    const Result<SourceCode> back = inverse_code(*layout, options_of(asked));
    if (!back) return no_inverse(back.error());
    return answer_code(asked, back, "inverse", kCodeText);
  }
  return answer_code(asked, offset_code(*layout, options_of(asked)), "offset", kCodeText);
}

// The name of the test's file: `x_test.c` for `x.c`.
std::string test_path(const std::string& path) {
  const std::filesystem::path file(path);
  return (file.parent_path() / (file.stem().string() + "_test" + file.extension().string())).string();
}

// Writes the test to a file next to the answer's file.
int write_test(Session& session, const std::string& path, const SourceCode& code) {
  const auto failed = [&](const Diagnostic& diagnostic) {
    session.report_option(diagnostic, kOutputOption);
    return tessera::cli::status_of(diagnostic);
  };
  auto file = OutputFile::create(test_path(path), session.options.force);
  if (!file) return failed(file.error());
  std::string text = code.import_line(std::filesystem::path(path).filename().string()) + code.test;
  // In MLIR, the test and the function are one module.
  if (code.language == CodeLanguage::mlir) text = code.text + code.test;
  (*file)->output().write(text);
  if (const Result<void> done = (*file)->commit(); !done) return failed(done.error());
  return kDone;
}

std::vector<std::string> language_words() {
  std::vector<std::string> words;
  for (const CodeLanguage language : all_code_languages()) words.emplace_back(to_string(language));
  return words;
}

}  // namespace

void add_code(CLI::App& app, Session& session) {
  CLI::App* code =
      app.add_subcommand("code", "write a layout, a map, or a copy between layouts as source code");
  auto asked = std::make_shared<AskedCode>();
  code->add_option("INPUT", asked->input, "a layout, an index map, or a file with an HLO program")
      ->type_name("LAYOUT|MAP|FILE");
  code->add_option("--lang", asked->language, "the language (default: c)")
      ->type_name(fmt::format("{}", fmt::join(language_words(), "|")))
      ->check(one_of(language_words()));
  CLI::Option* const get =
      code->add_flag("--get", asked->get,
                     "a function that returns the code of an element of a named layout in a buffer of bytes");
  CLI::Option* const set =
      code->add_flag("--set", asked->set, "a function that stores the code of an element of a named layout");
  get->excludes(set);
  code->add_flag("--inverse", asked->inverse,
                 "compute the index at an offset, or the variables from the results");
  code->add_flag("--loop", asked->loop, "write loops over all points instead of a function of one point");
  code->add_option("--op", asked->op,
                   "the instruction of an HLO file (default: the root of the entry computation)")
      ->type_name("NAME");
  code->add_option("--operand", asked->operand, "the operand of that instruction (default: 0)")
      ->check(CLI::Range(Index{0}, Index{1} << 31));
  code->add_flag("--copy-kernel", asked->copy_kernel,
                 "write a function that copies --from to --to (the default if both are given)");
  code->add_flag("--plan", asked->plan, "write the loops of the plan that copies --from to --to");
  code->add_option("--from", asked->from, "the layout to copy from")->type_name("LAYOUT");
  code->add_option("--to", asked->to, "the layout to copy to")->type_name("LAYOUT");
  code->add_option("--bytes", asked->bytes, "bytes of an element, if the layouts have no type")
      ->check(CLI::Range(Index{1}, Index{16}));
  code->add_option("--name", asked->name, "the name of the function")
      ->type_name("NAME")
      ->check([](const std::string& name) { return std::string(name.empty() ? "the name is empty" : ""); });
  code->add_flag("--multiply-high", asked->multiply_high,
                 "divide by constants other than powers of two by multiplying and shifting");
  code->add_flag("--test", asked->test, "also write a test, after the code or, with -o x.c, to x_test.c");
  add_common_options(*code, session);
  code->footer(
      R"(The function computes offsets in elements. Its comment gives the range of every parameter and the integer type, which
holds every intermediate value. Division floors; powers of two become shifts and masks. An inverse reports offsets that
hold no element, such as padding. CUDA, HIP and Triton copy one element per thread.

Examples:
  tessera code 'f32[3,5]{1,0:T(2,2)}'
  tessera code 'Sw<3,3,3> o _0 o (8,64):(64,1)' --lang cuda --inverse
  tessera code '(6,10,7):(70,7,1)' --inverse --multiply-high --test
  tessera code examples/hlo/transformer_block.hlo --op scores --operand 0 --loop --lang cpp
  tessera code --from 'f32[64,256]{1,0}' --to 'f32[64,256]{1,0:T(8,128)}' --lang triton)");
  code->callback([&session, asked] {
    session.action = [&session, asked] {
      for (const char* extension : {".c", ".h", ".cc", ".cpp", ".hpp", ".cu", ".cuh", ".hip", ".py", ".mlir"})
        session.options.extensions.emplace_back(extension);
      asked->output = session.options.output;
      if (asked->test && !asked->output.empty() && asked->input == "-") {
        session.report_option(
            {.code = Code::bad_option, .message = "--test with -o takes one input, but '-' reads several"},
            "--test");
        return static_cast<int>(kBadInput);
      }
      asked->made = std::make_shared<SourceCode>();
      const int status =
          answer(session, {.inputs = {asked->input, asked->from, asked->to, asked->op, asked->name},
                           .ask = [&](const Inputs& texts) { return ask_code(session, *asked, texts); },
                           .options = {"", "--from", "--to", "--op", "--name"}});
      const bool json = session.options.json || asked->output.ends_with(".json");
      if (status != kDone || !asked->test || asked->output.empty() || json) return status;
      return write_test(session, asked->output, *asked->made);
    };
  });
}

}  // namespace tessera::cli
