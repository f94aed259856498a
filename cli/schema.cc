// SPDX-License-Identifier: Apache-2.0
// `tessera schema`: the JSON Schema of a verb's request.
#include <fmt/core.h>

#include "cli/question.h"
#include "cli/verbs.h"
#include "report/json.h"
#include "verbs/answer_schema.h"
#include "verbs/verb.h"

namespace tessera::cli {
namespace {

PrintedAnswer schema_of(const std::string& name, bool answer) {
  const verbs::Verb* const verb = verbs::find_verb(name);
  if (verb == nullptr)
    return no_answer({.code = Code::unknown_name,
                      .message = fmt::format("no schema for requests of '{}'", name),
                      .help = fmt::format("verbs with a schema: {}", verbs::verb_names())},
                     0);
  const std::string schema = answer ? detail::dump(verbs::answer_schema(name)) : verb->schema();
  return {.text = schema,
          .json = fmt::format(R"({{"schema":"tessera.schema/1","status":0,"verb":"{}","{}":{}}})", verb->name,
                              answer ? "answer" : "request", schema)};
}

}  // namespace

void add_schema(CLI::App& app, Session& session) {
  CLI::App* const schema =
      app.add_subcommand("schema", "the JSON Schema of a verb's request, or of its answer");
  const auto of_answer = std::make_shared<bool>(false);
  auto verb = std::make_shared<std::string>();
  auto action = std::make_shared<std::string>();
  schema->add_option("VERB", *verb, "a verb: tile, map")->required();
  schema->add_option("ACTION", *action, "its action, if it has some: simplify");
  schema->add_flag("--answer", *of_answer, "the schema of what the verb prints with --json");
  add_common_options(*schema, session);
  schema->footer(
      R"(The schema is JSON Schema 2020-12. `batch` reads such an object: {"verb": "tile", "request": {...}}.

Examples:
  tessera schema tile
  tessera schema map simplify
  tessera schema tile --answer)");
  schema->callback([&session, verb, action, of_answer] {
    session.action = [&session, verb, action, of_answer] {
      return answer(session,
                    {.inputs = {*verb + (action->empty() ? "" : " ") + *action},
                     .ask = [of_answer](const Inputs& texts) { return schema_of(texts[0], *of_answer); }});
    };
  });
}

}  // namespace tessera::cli
