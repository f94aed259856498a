// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks types, operands and attributes against the rules of each opcode.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hlo/syntax/diagnostic_sink.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// Checks every sound instruction; one that breaks a rule is reported and gets `sound = false`.
/// `entry_is_cut`: the text ends inside the entry computation, so the header is not compared with it.
void verify(HloModule& module, DiagnosticSink& sink, bool entry_is_cut);

/// Checks the attributes of the header against the entry computation; unknown ones are a warning.
void verify_header(const HloModule& module, DiagnosticSink& sink, bool entry_is_cut);

/// Checks `input_output_alias` or `buffer_donor`: the outputs and parameters that it names must exist.
std::optional<Diagnostic> check_aliases(const Attribute& attribute, const Computation& entry);

/// Infers the type of an instruction without a written one, or reports that it cannot be inferred.
void infer_missing_type(Instruction& instruction, DiagnosticSink& sink);

/// The error in a written type, with its place. `text` is the type as written, which starts at byte `begin`
/// of the source.
std::optional<Diagnostic> validate_written(const HloType& type, std::string_view text, std::size_t begin);

/// Whether the types have the same element types and dimensions. Layouts do not matter, and an unbounded
/// dimension is compatible with any extent.
bool compatible(const HloType& a, const HloType& b);

/// The type as messages show it: without layouts, long tuples cut.
std::string short_text(const HloType& type);

}  // namespace tessera::detail
