// SPDX-License-Identifier: Apache-2.0
// `tessera schema`: the JSON Schema of a verb's request.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/question.h"
#include "cli/verbs.h"
#include "verbs/verb.h"

namespace tessera::cli {
namespace {

PrintedAnswer schema_of(const std::string& name) {
  const verbs::Verb* const verb = verbs::find_verb(name);
  if (verb == nullptr)
    return no_answer({.code = Code::unknown_name,
                      .message = fmt::format("no schema for requests of '{}'", name),
                      .help = fmt::format("verbs with a schema: {}", verbs::verb_names())},
                     0);
  const std::string schema = verb->schema();
  return {.text = schema,
          .json = fmt::format(R"({{"schema":"tessera.schema/1","status":0,"verb":"{}","request":{}}})",
                              verb->name, schema)};
}

}  // namespace

void add_schema(CLI::App& app, Session& session) {
  CLI::App* const schema = app.add_subcommand("schema", "the JSON Schema of a verb's request");
  auto words = std::make_shared<std::vector<std::string>>();
  schema->add_option("VERB", *words, "a verb: tile, map simplify")->required();
  add_common_options(*schema, session);
  schema->footer(
      R"(The schema is JSON Schema 2020-12. `batch` reads such an object: {"verb": "tile", "request": {...}}.

Examples:
  tessera schema tile)");
  schema->callback([&session, words] {
    session.action = [&session, words] {
      return answer(session, {.inputs = {fmt::format("{}", fmt::join(*words, " "))},
                              .ask = [](const Inputs& texts) { return schema_of(texts[0]); }});
    };
  });
}

}  // namespace tessera::cli
