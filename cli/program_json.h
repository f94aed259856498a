// SPDX-License-Identifier: Apache-2.0
/// \file
/// JSON about the program itself. Each text is one line without a line break.
#pragma once

#include <string>
#include <string_view>

namespace tessera::cli {

/// `{"schema": "tessera.version/1", "status": 0, "version": "0.1.0"}`.
std::string version_json(std::string_view version);

/// `{"schema": "tessera.help/1", "status": 0, "verb": "tessera map", "text": "..."}`.
std::string help_json(std::string_view verb, std::string_view text);

/// `{"schema": "tessera.completion/1", "status": 0, "shell": "bash", "script": "..."}`.
std::string completion_json(std::string_view shell, std::string_view script);

}  // namespace tessera::cli
