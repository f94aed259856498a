// SPDX-License-Identifier: Apache-2.0
#include "cli/verb_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <memory>

#include "cli/asking.h"
#include "cli/help.h"
#include "cli/verbs.h"
#include "verbs/request.h"

namespace tessera::cli {
namespace {

using verbs::FieldTexts;
using verbs::option_of;

bool takes_list(const verbs::Field& field) { return field.repeated || field.each || field.count > 0; }

// The values of the fields of a verb, as CLI11 reads them.
struct FieldValues {
  struct Value {
    bool on = false;
    std::string text;
    std::vector<std::string> list;
    CLI::Option* option = nullptr;
  };
  std::vector<Value> each;

  explicit FieldValues(std::size_t fields) : each(fields) {}

  // The fields that are given.
  FieldTexts texts(const verbs::Verb& verb) const {
    FieldTexts out;
    for (std::size_t i = 0; i < each.size(); ++i) {
      const verbs::Field& field = verb.fields[i];
      if (each[i].option == nullptr) continue;
      if (each[i].option->count() == 0 || (field.is_flag() && field.file.empty() && !each[i].on)) continue;
      std::vector<std::string>& texts = out[std::string(field.name)];
      if (takes_list(field)) {
        texts = each[i].list;
      } else if (!field.is_flag()) {
        texts = {each[i].text};
      }
    }
    return out;
  }
};

std::string upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

// The words of `[swizzle|pad]`.
std::vector<std::string> choices_of(std::string_view value) {
  std::vector<std::string> out(1);
  for (const char c : value) {
    if (c == '|') {
      out.emplace_back();
    } else if (c != '[' && c != ']') {
      out.back() += c;
    }
  }
  return out;
}

// Whether the field must be given here: what may replace it cannot.
bool is_required(const verbs::Verb& verb, const verbs::Field& field) {
  const auto replaces = [&](std::string_view name) {
    return std::ranges::any_of(verb.fields,
                               [&](const verbs::Field& one) { return one.name == name && !one.in_request; });
  };
  return field.must_be_given() ||
         (field.argument && !field.optional && std::ranges::none_of(verbs::words_of(field.unless), replaces));
}

void add_field(CLI::App& app, const verbs::Verb& verb, const verbs::Field& field, FieldValues::Value& value) {
  if (field.in_request || field.common) return;
  const std::string help(field.help);
  if (!field.file.empty()) {
    value.option = app.add_option(option_of(field.name), value.text, help)
                       ->type_name(std::string(field.file))
                       ->check(file_name(choices_of(field.file.substr(field.file.find('.')))));
    return;
  }
  if (field.is_flag()) {
    value.option = app.add_flag(option_of(field.name), value.on, help);
    return;
  }
  const std::string name = field.argument ? upper(field.name) : option_of(field.name);
  value.option =
      takes_list(field) ? app.add_option(name, value.list, help) : app.add_option(name, value.text, help);
  if (!field.value.empty()) value.option->type_name(std::string(field.value));
  if (is_required(verb, field)) value.option->required();
  if (field.needed) value.option->group(kNeeded);
  if (field.each) value.option->type_size(1)->expected(1, -1);
  if (field.count > 0) value.option->type_size(static_cast<int>(field.count))->expected(1);
  if (!field.argument && field.repeated) value.option->allow_extra_args(false);
  if (!field.bare.empty())
    value.option->expected(0, 1)
        ->default_str(std::string(field.bare))
        ->check(one_of(choices_of(field.value)));
}

// What the common options say about the request. False, after a message, if they contradict it.
bool take_common(Session& session, const verbs::Verb& verb, const FieldValues& values, FieldTexts& texts) {
  CommonOptions& options = session.options;
  for (std::size_t i = 0; i < verb.fields.size(); ++i) {
    const verbs::Field& field = verb.fields[i];
    const std::string name(field.name);
    if (field.common && field.name == "force" && options.force) texts[name];
    if (field.file.empty()) continue;
    const std::string& path = values.each[i].text;
    const std::string option = option_of(field.name);
    if (!path.empty()) {
      if (!options.output.empty() && options.output != path) {
        session.report_option(
            {.code = Code::bad_option,
             .message = fmt::format("-o and {} name different files for one answer", option),
             .help = "run the command twice to get both"},
            kOutputOption);
        return false;
      }
      options.output = path;
      options.output_option = field.name == "report" ? "--report" : kOutputOption;
      if (options.json && path.ends_with(".html")) {
        session.report_argument({.code = Code::bad_option,
                                 .message = fmt::format("--json has no effect with {}", option),
                                 .help = "the file name asks for a page; leave one of the two out"},
                                "--json");
        return false;
      }
      texts[name].clear();
    } else if (options.output.ends_with(".html")) {
      texts[name];
    }
  }
  return true;
}

}  // namespace

void add_fields(CLI::App& app, Session& session, const verbs::Verb& verb, AnswerInstead instead) {
  const auto values = std::make_shared<FieldValues>(verb.fields.size());
  for (std::size_t i = 0; i < verb.fields.size(); ++i) add_field(app, verb, verb.fields[i], values->each[i]);
  add_common_options(app, session);
  app.callback([&app, &session, &verb, values, instead] {
    if (!app.get_subcommands().empty()) return;
    session.action = [&session, &verb, values, instead] {
      FieldTexts texts = values->texts(verb);
      if (!take_common(session, verb, *values, texts)) return static_cast<int>(kBadInput);
      if (const std::optional<int> status = instead ? instead(texts) : std::nullopt) return *status;
      return Asking(session, verb, std::move(texts)).run();
    };
  });
}

CLI::App* add_verb(CLI::App& app, Session& session, const verbs::Verb& verb, AnswerInstead instead) {
  const std::string name(verb.name.substr(verb.name.find(' ') + 1));  // the last word
  CLI::App* const added = app.add_subcommand(name, std::string(verb.help));
  add_fields(*added, session, verb, std::move(instead));
  added->footer(std::string(verb.footer));
  return added;
}

void add_group(CLI::App& app, Session& session, std::string_view name, std::string_view help) {
  CLI::App* const group = app.add_subcommand(std::string(name), std::string(help));
  group->require_subcommand(0, 1);
  for (const verbs::Verb& verb : verbs::all_verbs())
    if (verb.name.starts_with(fmt::format("{} ", name))) add_verb(*group, session, verb);
  add_common_options(*group, session);
}

}  // namespace tessera::cli
