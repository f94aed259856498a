// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads the program that a request names.
#pragma once

#include <memory>
#include <string>

#include "tessera/hlo/module.h"
#include "verbs/observer.h"
#include "verbs/request.h"

namespace tessera::verbs {

inline constexpr Field kSizesField = {
    .name = "sizes",
    .help =
        "name the runtime sizes of dynamic dimensions, f32[<=8]: maps that depend on one have a runtime "
        "variable for it, in place of all sizes"};

/// The program of a file, after its problems went to `observer`. Errors: those of read_file, and syntax (it
/// has no module).
Result<std::shared_ptr<const ParsedModules>> read_program(const std::string& path, Observer& observer,
                                                          const ParseHloOptions& options = {});

/// The error is at a place in a file: it goes to the observer, and the answer is refused without repeating
/// it.
Failure in_file(Observer& observer, Diagnostic error, const std::shared_ptr<const Source>& source);

/// Whether it has an error.
bool has_errors(const ParsedModules& program);

}  // namespace tessera::verbs
