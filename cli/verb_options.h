// SPDX-License-Identifier: Apache-2.0
/// \file
/// Verbs whose options follow from the fields of their requests.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/session.h"
#include "verbs/verb.h"

namespace tessera::cli {

/// Adds a verb with the arguments and options of its request.
void add_verb(CLI::App& app, Session& session, const verbs::Verb& verb);

}  // namespace tessera::cli
