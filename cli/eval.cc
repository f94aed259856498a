// SPDX-License-Identifier: Apache-2.0
// `tessera eval`: on a terminal, without an expression, a prompt.
#include <unistd.h>

#include <memory>

#include "cli/repl.h"
#include "cli/verb_options.h"
#include "cli/verbs.h"

namespace tessera::cli {

void add_eval(CLI::App& app, Session& session) {
  const auto no_history = std::make_shared<bool>(false);
  const auto prompt = [&session, no_history](const verbs::FieldTexts& texts) -> std::optional<int> {
    const bool asked = texts.contains("expr") || texts.contains("list");
    const bool files = session.options.json || !session.options.output.empty();
    if (asked || files || ::isatty(0) == 0 || ::isatty(1) == 0) return std::nullopt;
    return run_repl(session, texts.contains("explain"), !*no_history);
  };
  add_verb(app, session, *verbs::find_verb("eval"), prompt)
      ->add_flag(
          "--no-history", *no_history,
          "do not save the prompt's history (TESSERA_HISTORY names its file; if empty, nothing is saved)");
}

}  // namespace tessera::cli
