// SPDX-License-Identifier: Apache-2.0
#include "verbs/program.h"

#include <algorithm>
#include <utility>

namespace tessera::verbs {

Result<std::shared_ptr<const ParsedModules>> read_program(const std::string& path, Observer& observer,
                                                          const ParseHloOptions& options) {
  const Result<std::shared_ptr<const Source>> source = read_file(path);
  if (!source) return fail(source.error());
  auto program = std::make_shared<const ParsedModules>(parse_hlo(*source, options));
  for (const Diagnostic& problem : program->diagnostics) observer.found(problem, program->source);
  if (program->modules.empty()) return fail(Code::syntax, "the file has no module");
  return program;
}

Failure in_file(Observer& observer, Diagnostic error, const std::shared_ptr<const Source>& source) {
  observer.found(error, source);
  error.field = kInFile;
  return fail(std::move(error));
}

bool has_errors(const ParsedModules& program) {
  return std::ranges::any_of(program.diagnostics,
                             [](const Diagnostic& problem) { return problem.severity == Severity::error; });
}

}  // namespace tessera::verbs
