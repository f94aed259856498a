// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/plural.h"
#include "cli/program_json.h"

namespace tessera::cli {
namespace {

constexpr std::size_t kColumn = 30;  // where descriptions start
constexpr std::size_t kWidth = 100;

// `  left        right`, where the right part wraps at blanks.
std::string entry(const std::string& left, const std::string& right) {
  std::string out = "  " + left;
  if (out.size() + 2 > kColumn) {
    out += "\n" + std::string(kColumn, ' ');
  } else {
    out += std::string(kColumn - out.size(), ' ');
  }
  std::size_t column = kColumn;
  for (std::size_t begin = 0; begin < right.size();) {
    const std::size_t end = std::min(right.find(' ', begin), right.size());
    if (column > kColumn && column + 1 + (end - begin) > kWidth) {
      out += "\n" + std::string(kColumn, ' ');
      column = kColumn;
    } else if (column > kColumn) {
      out += ' ';
      ++column;
    }
    out += right.substr(begin, end - begin);
    column += end - begin;
    begin = end + 1;
  }
  return out + "\n";
}

}  // namespace

std::vector<const CLI::App*> listed_verbs(const CLI::App* verb) {
  return verb->get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); });
}

std::string option_text(const CLI::Option* option) {
  if (option->get_positional()) return option->get_name(true, false);
  std::string text;
  for (const std::string& name : option->get_snames())
    text += fmt::format("{}-{}", text.empty() ? "" : ", ", name);
  for (const std::string& name : option->get_lnames())
    text += fmt::format("{}--{}", text.empty() ? "" : ", ", name);
  const std::string value = option->get_type_name();
  if (option->get_type_size() != 0 && !value.empty()) text += " " + value;
  return text;
}

std::string version() { return "tessera " TESSERA_VERSION; }

std::string full_name(const CLI::App* verb) {
  return verb->get_parent() == nullptr ? verb->get_name()
                                       : full_name(verb->get_parent()) + " " + verb->get_name();
}

std::string usage(const CLI::App* verb) {
  std::string text = full_name(verb);
  if (!listed_verbs(verb).empty()) return text + " VERB ...";
  text += " [options]";
  for (const CLI::Option* option :
       verb->get_options([](const CLI::Option* o) { return o->nonpositional() && o->get_required(); })) {
    text += fmt::format(" {} {}", option->get_name(), option->get_type_name());
  }
  for (const CLI::Option* option :
       verb->get_options([](const CLI::Option* o) { return o->get_positional(); })) {
    const std::string name =
        option->get_name(true, false) + (option->get_items_expected_max() > 1 ? "..." : "");
    text += option->get_required() || option->get_group() == kNeeded ? " " + name : " [" + name + "]";
  }
  return text;
}

std::string help(const CLI::App* verb) {
  std::string out = fmt::format("{}\n\nUsage: {}\n", verb->get_description(), usage(verb));
  const auto verbs = listed_verbs(verb);
  if (!verbs.empty()) {
    out += "\nVerbs:\n";
    for (const CLI::App* one : verbs) out += entry(one->get_name(), one->get_description());
  }
  const auto positionals = verb->get_options([](const CLI::Option* o) { return o->get_positional(); });
  if (!positionals.empty()) {
    out += "\nArguments:\n";
    for (const CLI::Option* option : positionals)
      out += entry(option_text(option), option->get_description());
  }
  for (const std::string& group : verb->get_groups()) {
    const auto options = verb->get_options(
        [&](const CLI::Option* o) { return o->get_group() == group && o->nonpositional(); });
    if (options.empty()) continue;
    out += fmt::format("\n{}:\n", group);
    for (const CLI::Option* option : options) out += entry(option_text(option), option->get_description());
  }
  if (!verb->get_footer().empty()) out += "\n" + verb->get_footer() + "\n";
  return out;
}

std::string help_answer(const Session& session, const CLI::App* verb, const std::string& text) {
  return session.wants_json() ? help_json(full_name(verb), text) + "\n" : text;
}

std::vector<std::string> verb_names(const CLI::App* app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : listed_verbs(app)) names.push_back(verb->get_name());
  return names;
}

CLI::Validator one_of(std::vector<std::string> words) {
  return CLI::Validator(
      [words = std::move(words)](std::string& text) {
        if (std::ranges::find(words, text) != words.end()) return std::string();
        return fmt::format("'{}' is not one of {}", text, fmt::join(words, ", "));
      },
      "");
}

CLI::Validator file_name(std::vector<std::string> extensions) {
  return CLI::Validator(
      [extensions = std::move(extensions)](std::string& text) {
        if (text.empty()) return std::string("the file name is empty");
        const auto fits = [&](const std::string& extension) { return text.ends_with(extension); };
        if (extensions.empty() || std::ranges::any_of(extensions, fits)) return std::string();
        return fmt::format("the file name must end in {}, not '{}'", detail::alternatives(extensions), text);
      },
      "");
}

}  // namespace tessera::cli
