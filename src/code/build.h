// SPDX-License-Identifier: Apache-2.0
/// \file
/// Steps shared by all kinds of generated code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "code/function.h"
#include "code/test_text.h"

namespace tessera::coding {

/// A function that does not yet have parameters or values. Errors: bad_option (a name that is not an
/// identifier).
Result<Function> start_function(const CodeOptions& options, std::string_view default_name);

/// Adds a parameter and returns its value as a term.
TermId add_parameter(Function& function, std::string name, Interval range);

/// The names of a map's variables if they are identifiers and distinct; default names for the others.
std::vector<std::string> variable_names(const IndexMap& map);

/// Adds a value for each result of the map, and the map's constraints as conditions. Variable i of the map is
/// variables[i]. The names of the results differ from those of the parameters. Errors: those of lower.
Result<void> add_map(Function& function, const IndexMap& map, std::span<const TermId> variables);

/// The simplified map. Errors: undefined_value (a known empty map), unbounded.
Result<IndexMap> prepared(const IndexMap& map);

/// A function from the variables of a map to its results. Its comment has the lines of `about` and the
/// simplified map. Errors: those of map_code.
Result<Function> map_function(const IndexMap& map, const CodeOptions& options,
                              std::vector<std::string> about);

/// The function that gives the values of the map at a point of its box, if the constraints hold there.
Expected expected_of(const IndexMap& map);

/// The source text: the language's first lines, `functions`, and the test.
SourceCode finished(const Rules& rules, std::string functions, std::string test = {});

/// The function as code, with its test if the options ask for one.
Result<SourceCode> finished(const Function& function, const CodeOptions& options, const Expected& expected);

/// A map from a number n in [0, N) to the variables of `map` without the runtime variables, the last one
/// fastest, followed by the results of `map`. Its dimension is n. Errors: overflow.
Result<IndexMap> by_number(const IndexMap& map);

}  // namespace tessera::coding
