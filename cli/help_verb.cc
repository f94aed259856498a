// SPDX-License-Identifier: Apache-2.0
// `tessera help`: the same text as --help.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "cli/help.h"
#include "cli/man_page.h"
#include "cli/suggestion.h"
#include "cli/verbs.h"

namespace tessera::cli {
namespace {

int refuse(Session& session, const CLI::App* verb, const std::string& word) {
  const std::vector<std::string> names = verb_names(verb);
  const std::string meant = nearest(word, names);
  Diagnostic diagnostic{.code = Code::bad_option,
                        .message = fmt::format("'{}' has no verb '{}'", full_name(verb), word)};
  diagnostic.help = !meant.empty()  ? fmt::format("did you mean '{}'?", meant)
                    : names.empty() ? fmt::format("use: {} --help", full_name(verb))
                                    : fmt::format("the verbs are {}", fmt::join(names, ", "));
  session.report_argument(std::move(diagnostic), word);
  return kBadInput;
}

int print_help(Session& session, const CLI::App* verb, const std::vector<std::string>& words, bool man) {
  for (const std::string& word : words) {
    const auto next = verb->get_subcommands(
        [&](const CLI::App* one) { return one->get_name() == word && !one->get_group().empty(); });
    if (next.empty()) return refuse(session, verb, word);
    verb = next.front();
  }
  const auto [destination, failed] = Destination::open(session);
  if (destination == nullptr) return failed;
  destination->output().write(help_answer(session, verb, man ? man_page(verb) : help(verb)));
  return destination->finish(kDone);
}

}  // namespace

void add_help(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("help", "options and examples of a verb");
  auto words = std::make_shared<std::vector<std::string>>();
  verb->add_option("VERB", *words, "the verb, like 'map' or 'map simplify'; without it, all verbs");
  auto man = std::make_shared<bool>(false);
  verb->add_flag("--man", *man, "print the manual page instead, for man -l -");
  add_common_options(*verb, session);
  verb->footer(R"(Examples:
  tessera help
  tessera help convert
  tessera help map simplify
  tessera help show --man)");
  verb->callback([&app, &session, words, man] {
    session.action = [&app, &session, words, man] { return print_help(session, &app, *words, *man); };
  });
}

}  // namespace tessera::cli
