// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "cli/help.h"
#include "cli/program_json.h"
#include "cli/suggestion.h"
#include "cli/verb_options.h"
#include "cli/verbs.h"

namespace tessera::cli {
namespace {

// The innermost verb named by the arguments.
const CLI::App* chosen(const CLI::App* app) {
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  return app;
}

// The words of a verb, such as `map`, `simplify`. Empty for the program itself.
std::vector<std::string> path_of(const CLI::App* verb) {
  if (verb->get_parent() == nullptr) return {};
  std::vector<std::string> path = path_of(verb->get_parent());
  path.push_back(verb->get_name());
  return path;
}

std::vector<std::string> option_names(const CLI::App* app) {
  std::vector<std::string> names;
  for (const CLI::Option* option :
       app->get_options([](const CLI::Option* o) { return o->nonpositional(); })) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

int refuse(Session& session, const CLI::App* verb, std::string message, std::string_view argument,
           std::string help = {}) {
  Diagnostic diagnostic{.code = Code::bad_option, .message = std::move(message)};
  diagnostic.help = help.empty() ? fmt::format("{} --help", full_name(verb)) : std::move(help);
  session.report_argument(std::move(diagnostic), argument);
  session.action = nullptr;  // the verb does not run
  return kBadInput;
}

// Refuses the value of an option.
int refuse_value(Session& session, const CLI::App* verb, std::string message, const std::string& option,
                 std::string help = {}) {
  Diagnostic diagnostic{.code = Code::bad_option, .message = std::move(message)};
  diagnostic.help = help.empty() ? fmt::format("{} --help", full_name(verb)) : std::move(help);
  session.report_option(std::move(diagnostic), option == "--output" ? kOutputOption : option);
  session.action = nullptr;  // the verb does not run
  return kBadInput;
}

// The first unused argument, or null. `--` only marks the end of the options.
const std::string* first_extra(const Session& session, const std::vector<std::string>& extras) {
  const auto found = std::ranges::find_if(session.arguments(), [&](const std::string& argument) {
    return argument != "--" && std::ranges::find(extras, argument) != extras.end();
  });
  return found == session.arguments().end() ? nullptr : &*found;
}

// CLI11 splits `[1,2]` at its comma if an argument may be repeated, so one question would get two answers. No
// valid argument begins with a bracket.
const std::string* first_bracketed(const Session& session, const CLI::App* verb) {
  const auto positionals = verb->get_options([](const CLI::Option* o) { return o->get_positional(); });
  if (std::ranges::none_of(positionals, &CLI::Option::get_allow_extra_args)) return nullptr;
  // An argument that cannot be repeated stays whole; its parser reports the error.
  const auto is_whole = [&](const std::string& argument) {
    return std::ranges::any_of(positionals, [&](const CLI::Option* o) {
      return !o->get_allow_extra_args() && std::ranges::count(o->results(), argument) > 0;
    });
  };
  const auto found = std::ranges::find_if(session.arguments(), [&](const std::string& argument) {
    return argument.starts_with('[') && argument.ends_with(']') && !is_whole(argument);
  });
  return found != session.arguments().end() ? &*found : nullptr;
}

// Positions of the arguments that are neither verbs nor options nor option values.
std::vector<std::size_t> positionals(const Session& session, const CLI::App* verb) {
  std::vector<std::size_t> places;
  std::size_t verbs = 0;
  for (const CLI::App* app = verb; app->get_parent() != nullptr; app = app->get_parent()) ++verbs;
  bool options = true;
  const std::vector<std::string>& arguments = session.arguments();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& one = arguments[i];
    if (options && one == "--") {
      options = false;
    } else if (!options || one.size() < 2 || one.front() != '-') {
      if (verbs == 0) places.push_back(i);
      if (verbs > 0) --verbs;
    } else if (const CLI::Option* option = verb->get_option_no_throw(one);
               option != nullptr && option->get_items_expected_max() > 0) {
      i += static_cast<std::size_t>(option->get_type_size());
    }
  }
  return places;
}

// Refuses an argument that no verb and no option takes.
int refuse_extra(Session& session, const CLI::App* verb, const std::string& extra) {
  if (extra.size() > 1 && extra.front() == '-') {
    const std::string name = extra.substr(0, extra.find('='));
    const std::string meant = nearest(name, option_names(verb));
    return refuse(session, verb, fmt::format("'{}' has no option {}", full_name(verb), name), name,
                  meant.empty() ? "" : fmt::format("did you mean {}?", meant));
  }
  if (const std::vector<std::string> names = verb_names(verb); !names.empty()) {
    const std::string meant = nearest(extra, names);
    // `reshard SRC DST` is read as `reshard files SRC DST` if SRC exists.
    if (meant.empty() && full_name(verb) == "tessera reshard") {
      return refuse(
          session, verb,
          fmt::format("'{}' is neither a verb of '{}' nor a file or folder", extra, full_name(verb)), extra,
          fmt::format("the verbs are {}", fmt::join(names, ", ")));
    }
    return refuse(session, verb, fmt::format("'{}' has no verb '{}'", full_name(verb), extra), extra,
                  meant.empty() ? fmt::format("the verbs are {}", fmt::join(names, ", "))
                                : fmt::format("did you mean '{}'?", meant));
  }
  return refuse(session, verb, fmt::format("one argument too many: '{}'", extra), extra,
                fmt::format("usage: {}", usage(verb)));
}

int refuse_error(Session& session, const CLI::App* verb, const CLI::ParseError& error) {
  const std::string text = error.what();
  const std::string option = text.substr(0, text.find(':'));
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    return refuse(session, verb, fmt::format("{} is missing", text.substr(0, text.find(' '))), "",
                  fmt::format("usage: {}", usage(verb)));
  }
  // An option has one value. If several are given, do not guess which was meant.
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && option.starts_with("-") &&
      text.find("At Most") != std::string::npos) {
    return refuse_value(session, verb, fmt::format("{} is given more than once", option), option,
                        "remove all but one");
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && option.starts_with("-")) {
    return refuse(session, verb, fmt::format("{} needs a value", option), option);
  }
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) {
    return refuse_value(session, verb, text, option);
  }
  return refuse(session, verb, text, "");
}

}  // namespace

void add_common_options(CLI::App& verb, Session& session) {
  CommonOptions& options = session.options;
  const char* const group = kCommonGroup;
  verb.add_flag("--json", options.json, "print one JSON object per result, errors included")->group(group);
  verb.add_option("-o,--output", options.output,
                  "write to a file; its extension selects the format; - is stdout")
      ->type_name("FILE")
      ->check(file_name())
      ->group(group);
  verb.add_flag("--force", options.force, "replace an existing file")->group(group);
  verb.add_option("--color", options.color, "color diagnostics and headers; auto: on a terminal")
      ->type_name("auto|always|never")
      ->check(one_of({"auto", "always", "never"}))
      ->group(group);
  verb.add_flag("--quiet", options.quiet,
                "print only results and errors: no notes, warnings, headings or progress")
      ->group(group);
  verb.set_version_flag("--version", version(), "print the version")->group(group);
  verb.set_help_flag("-h,--help", "print this help")->group(group);
}

namespace {

// The output file's extension, if it contradicts --json.
std::optional<std::string> other_extension(const CommonOptions& options) {
  const std::filesystem::path path(options.output);
  const std::string extension = path.extension();
  if (!options.json || extension.empty() || extension == ".json" || extension == ".jsonl") return {};
  return extension;
}

// The verbs, in the order of the help. Requests of `tessera batch` cannot use those of the program alone.
struct Verb {
  std::string_view name;
  void (*add)(CLI::App&, Session&) = nullptr;  // null: the verb has a request
  bool program_only = false;

  void add_to(CLI::App& app, Session& session) const {
    if (add != nullptr) return add(app, session);
    add_verb(app, session, *verbs::find_verb(name));
  }
};
void add_map(CLI::App& app, Session& session) {
  add_group(app, session, "map", "questions about index maps that are given as text");
}

constexpr Verb kVerbs[] = {
    {"map", add_map},
    {"hlo"},
    {"eval", add_eval},
    {"show"},
    {"info"},
    {"copy"},
    {"plan"},
    {"reshard", add_reshard},
    {"at"},
    {"convert"},
    {"equal"},
    {"access"},
    {"atoms"},
    {"tile"},
    {"code"},
    {"explore", add_explore, true},
    {"link", add_link},
    {"schema", add_schema},
    {"batch", add_batch, true},
    {"completion", add_completion, true},
    {"help", add_help, true},
};

// Adds the verb that the first argument names. If it names none, or one that prints the others, adds all.
void add_verbs(CLI::App& app, Session& session) {
  const auto is_known = [&](const Verb& verb) { return !verb.program_only || !session.is_request(); };
  std::string_view first;
  if (!session.arguments().empty()) first = session.arguments().front();
  const bool prints_others = first == "completion" || first == "help";
  const auto named =
      std::ranges::find_if(kVerbs, [&](const Verb& verb) { return verb.name == first && is_known(verb); });
  if (named != std::end(kVerbs) && !prints_others) return named->add_to(app, session);
  for (const Verb& verb : kVerbs) {
    if (is_known(verb)) verb.add_to(app, session);
  }
}

int run_verb(Session& session) {
  CLI::App app("tessera: exact index maps and layouts of tensor programs", "tessera");
  app.formatter_fn([](const CLI::App* verb, const std::string&, CLI::AppFormatMode) { return help(verb); });
  // run_verb reports unused arguments itself, with a caret and a suggestion.
  app.allow_extras();
  app.require_subcommand(0, 1);
  add_verbs(app, session);
  add_common_options(app, session);
  app.footer(
      "Examples:\n"
      "  tessera map simplify '(d0) -> (d0 mod 8), domain: d0 in [0, 7]'\n"
      "  tessera hlo examples/hlo/transformer_block.hlo --op dot\n"
      "\n"
      "tessera help VERB prints the options and examples of a verb.\n"
      "Exit status: 0 yes or done, 1 no, 2 bad input, 3 a limit was reached or the machine failed.");

  std::vector<std::string> reversed(session.arguments().rbegin(), session.arguments().rend());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    session.out().write(help_answer(session, chosen(&app), help(chosen(&app))));
    return kDone;
  } catch (const CLI::CallForVersion&) {
    session.out().write((session.wants_json() ? version_json(TESSERA_VERSION) : version()) + "\n");
    return kDone;
  } catch (const CLI::ParseError& error) {
    const CLI::App* verb = chosen(&app);
    session.set_verbs(path_of(verb));
    if (const std::string* extra = first_extra(session, verb->remaining()))
      return refuse_extra(session, verb, *extra);
    return refuse_error(session, verb, error);
  }
  const CLI::App* verb = chosen(&app);
  session.set_verbs(path_of(verb));
  if (const std::string* extra = first_extra(session, app.remaining(true)))
    return refuse_extra(session, verb, *extra);
  if (const std::string* argument = first_bracketed(session, verb)) {
    return refuse(session, verb, fmt::format("'{}' begins with a bracket", *argument), *argument,
                  verb->get_name() == "eval" ? "give the list a name: B = [[1,2],[4,8]]; B"
                                             : "an index is 2,3 or (2,3), without square brackets");
  }
  if (!session.action) {
    if (session.arguments().empty()) {
      session.err().write(app.help());
      return kBadInput;
    }
    return refuse(session, verb, "a verb is missing", "",
                  fmt::format("the verbs are {}", fmt::join(verb_names(verb), ", ")));
  }
  session.set_positionals(positionals(session, verb));
  if (const std::optional<std::string> extension = other_extension(session.options)) {
    return refuse_value(session, verb, fmt::format("--json contradicts '{}'", *extension), "--output",
                        "write to a .json file, or leave --json out");
  }
  if (session.options.output == "-") session.options.output.clear();  // stdout, as without -o
  return session.action();
}

// Writes the errors that no answer contains, one JSON object each.
void write_problems(Session& session, int status) {
  if (session.is_request() || !session.wants_json()) return;
  for (const auto& [diagnostic, source] : session.diagnostics()) {
    if (diagnostic.severity == Severity::error)
      session.out().write(session.problem_json(status, diagnostic, *source) + "\n");
  }
}

}  // namespace

int run(Session& session) {
  const int status = run_verb(session);
  write_problems(session, status);
  return status;
}

}  // namespace tessera::cli
