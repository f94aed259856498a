// SPDX-License-Identifier: Apache-2.0
#include "cli/verb_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <memory>

#include "cli/question.h"
#include "cli/verbs.h"

namespace tessera::cli {
namespace {

// The values of the fields, in their order; an empty text is a field without a value. That of a flag is its
// option, at which errors point.
struct FieldValues {
  Inputs texts;
  std::vector<std::string> options;  // of each field; empty for an argument

  explicit FieldValues(std::size_t fields) : texts(fields), options(fields) {}
};

std::string option_of(const verbs::Field& field) {
  std::string out = fmt::format("--{}", field.name);
  std::ranges::replace(out, '_', '-');
  return out;
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

void add_field(CLI::App& app, const verbs::Field& field, std::string& text, std::string& option) {
  const std::string help(field.help);
  if (field.argument) {
    app.add_option(upper(field.name), text, help)->required()->type_name(std::string(field.value));
    return;
  }
  option = option_of(field);
  if (field.is_flag()) {
    app.add_flag_callback(option, [&text, option] { text = option; }, help);
  } else {
    app.add_option(option, text, help)->type_name(std::string(field.value));
  }
}

PrintedAnswer ask(Session& session, const verbs::Verb& verb, const Inputs& texts) {
  verbs::FieldTexts given;
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (!texts[i].empty() || verb.fields[i].argument)
      given.emplace(verb.fields[i].name, verb.fields[i].is_flag() ? "true" : texts[i]);
  verbs::NoAnswer refusal;
  std::shared_ptr<const verbs::VerbAnswer> answer = verb.ask(given, refusal);
  const auto problems = answer ? answer->problems() : std::span<const verbs::FileProblem>(refusal.problems);
  for (const verbs::FileProblem& problem : problems) session.report(problem.diagnostic, problem.source);
  if (answer) {
    const int status = answer->status();
    return {.status = status, .value = std::move(answer)};
  }
  const auto field = std::ranges::find(verb.fields, refusal.diagnostic.field, &verbs::Field::name);
  const auto input = field == verb.fields.end() ? 0 : static_cast<std::size_t>(field - verb.fields.begin());
  return {.status = refusal.status,
          .problem = InputError{std::move(refusal.diagnostic), input, refusal.status}};
}

}  // namespace

void add_verb(CLI::App& app, Session& session, const verbs::Verb& verb) {
  CLI::App* const added = app.add_subcommand(std::string(verb.name), std::string(verb.help));
  const auto values = std::make_shared<FieldValues>(verb.fields.size());
  for (std::size_t i = 0; i < verb.fields.size(); ++i)
    add_field(*added, verb.fields[i], values->texts[i], values->options[i]);
  add_common_options(*added, session);
  added->footer(std::string(verb.footer));
  added->callback([&session, &verb, values] {
    session.action = [&session, &verb, values] {
      return answer(session, {.inputs = values->texts,
                              .ask = [&](const Inputs& texts) { return ask(session, verb, texts); },
                              .options = values->options});
    };
  });
}

}  // namespace tessera::cli
