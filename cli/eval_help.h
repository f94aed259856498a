// SPDX-License-Identifier: Apache-2.0
/// \file
/// The calculator's help texts.
#pragma once

#include <string>
#include <string_view>

namespace tessera::cli {

/// The answer to `help` (commands, topics and names) or to `help WORD` (a function with an example and its
/// value, a topic, a group, or the functions with WORD in their names). Never empty.
std::string eval_help(std::string_view word = {});

}  // namespace tessera::cli
