// SPDX-License-Identifier: Apache-2.0
// `tessera completion`: shell scripts that complete verbs and options. The scripts ask the program for the
// candidates, so they always match it.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <span>

#include "cli/program_json.h"
#include "cli/verbs.h"
#include "tessera/notation/atoms.h"

namespace tessera::cli {
namespace {

constexpr const char* kBash =
    R"sh(# Completion of tessera in bash. In ~/.bashrc: eval "$(tessera completion bash)"
_tessera() {
  local IFS=$'\n'
  COMPREPLY=($(compgen -W "$(tessera completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" | cut -f1)" \
               -- "${COMP_WORDS[COMP_CWORD]#[=:]}"))
}
complete -o default -F _tessera tessera
)sh";

constexpr const char* kZsh = R"sh(#compdef tessera
# Completion of tessera in zsh. In ~/.zshrc, after compinit: source <(tessera completion zsh)
_tessera() {
  local -a candidates
  local line
  for line in ${(f)"$(tessera completion words -- "${(@)words[2,CURRENT]}")"}; do
    candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  if (( $#candidates )); then _describe tessera candidates; else _files; fi
}
# As a file in fpath, this is the body of the function itself.
if [[ $funcstack[1] == _tessera ]]; then _tessera "$@"; else compdef _tessera tessera; fi
)sh";

constexpr const char* kFish =
    R"sh(# Completion of tessera in fish. In ~/.config/fish/config.fish: tessera completion fish | source
complete -c tessera -a '(tessera completion words -- (commandline -opc)[2..-1] "$(commandline -ct)")'
)sh";

std::vector<std::string> spellings(const CLI::Option* option) {
  std::vector<std::string> words;
  for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  for (const std::string& name : option->get_snames()) words.push_back("-" + name);
  return words;
}

const CLI::App* find_verb(const CLI::App* verb, const std::string& name) {
  const auto found = verb->get_subcommands([&](const CLI::App* v) { return v->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

std::string id_candidates(const std::string& before, const std::string& begun) {
  std::string out;
  for (const Atom& atom : atoms()) {
    if (atom.id.starts_with(begun)) out += fmt::format("{}{}\t{}\n", before, atom.id, atom.meaning);
  }
  return out;
}

// Candidates for the ID in `atom:ID` or `NAME=atom:ID`. `words` are the words before the partial word
// `begun`.
std::optional<std::string> atom_candidates(std::span<const std::string> words, const std::string& begun) {
  // Bash passes three words and completes the third; the other shells pass one word.
  const bool at_colon = begun == ":";
  if (!words.empty() && words.back() == ":" && !at_colon)
    words = words.first(words.size() - 1);
  else if (!at_colon)
    words = {};
  if (!words.empty() && words.back() == "atom") return id_candidates("", at_colon ? "" : begun);
  const std::size_t name = begun.rfind("atom:");
  if (name == std::string::npos || (name > 0 && begun[name - 1] != '=')) return std::nullopt;
  return id_candidates(begun.substr(0, name + 5), begun.substr(name + 5));
}

// Candidates for the last word, which may be empty or partial: `WORD<tab>DESCRIPTION` each.
std::string candidates(const CLI::App* verb, std::vector<std::string> words) {
  std::erase(words, "=");  // bash passes `--color=a` as three words
  if (words.empty()) words.emplace_back();
  const std::string begun = words.back();
  words.pop_back();
  std::string out;
  const auto add = [&](const std::string& word, const std::string& description) {
    if (word.starts_with(begun)) out += fmt::format("{}\t{}\n", word, description);
  };
  if (const std::optional<std::string> ids = atom_candidates(words, begun)) return *ids;
  const CLI::Option* waiting = nullptr;  // an option that takes the next word as its value
  bool positional = false;
  for (const std::string& word : words) {
    const bool is_value = waiting != nullptr;
    waiting = nullptr;
    if (is_value) continue;
    if (word.starts_with("-")) {
      const CLI::Option* option = verb->get_option_no_throw(word);
      if (option != nullptr && option->get_type_size() != 0) waiting = option;
    } else if (const CLI::App* next = positional ? nullptr : find_verb(verb, word); next != nullptr) {
      verb = next;
    } else {
      positional = true;
    }
  }
  if (waiting != nullptr) {
    const std::string& type = waiting->get_type_name();  // `auto|always|never`
    if (type.find('|') == std::string::npos) return out;
    for (std::size_t begin = 0; begin <= type.size();) {
      const std::size_t end = std::min(type.find('|', begin), type.size());
      add(type.substr(begin, end - begin), waiting->get_description());
      begin = end + 1;
    }
    return out;
  }
  if (!begun.starts_with("-") && !positional) {
    for (const CLI::App* next :
         verb->get_subcommands([](const CLI::App* v) { return !v->get_group().empty(); })) {
      add(next->get_name(), next->get_description());
    }
    if (!out.empty()) return out;
  }
  if (!begun.starts_with("-") && verb->get_name() == "atoms") return id_candidates("", begun);
  if (!begun.starts_with("-")) return out;  // a file or a map: the shell completes it
  for (const CLI::Option* option :
       verb->get_options([](const CLI::Option* o) { return o->nonpositional(); })) {
    for (const std::string& word : spellings(option)) add(word, option->get_description());
  }
  return out;
}

}  // namespace

void add_completion(CLI::App& app, Session& session) {
  CLI::App* completion = app.add_subcommand("completion", "completion of verbs and options for your shell");
  completion->require_subcommand(0, 1);
  const auto add = [&](const char* name, const char* description, const char* script) {
    CLI::App* shell = completion->add_subcommand(name, description);
    add_common_options(*shell, session);
    shell->callback([&session, name, script] {
      session.action = [&session, name, script] {
        const auto [destination, failed] = Destination::open(session);
        if (destination == nullptr) return failed;
        const bool json = destination->format() == Format::json;
        destination->output().write(json ? completion_json(name, script) + "\n" : script);
        return destination->finish(kDone);
      };
    });
  };
  add("bash", "for ~/.bashrc: eval \"$(tessera completion bash)\"", kBash);
  add("zsh", "for ~/.zshrc, after compinit: source <(tessera completion zsh)", kZsh);
  add("fish", "for ~/.config/fish/config.fish: tessera completion fish | source", kFish);

  // Only the scripts call this verb. Help does not list it, because it has no group.
  CLI::App* words = completion->add_subcommand("words", "candidates for the last word");
  words->group("");
  auto given = std::make_shared<std::vector<std::string>>();
  words->add_option("WORDS", *given, "the words after 'tessera', up to the partial one");
  words->callback([&app, &session, given] {
    session.action = [&app, &session, given] {
      session.out().write(candidates(&app, *given));
      return static_cast<int>(kDone);
    };
  });

  completion->footer(R"help(Examples:
  tessera completion bash
  eval "$(tessera completion bash)")help");
  add_common_options(*completion, session);
}

}  // namespace tessera::cli
