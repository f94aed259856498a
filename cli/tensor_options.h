// SPDX-License-Identifier: Apache-2.0
/// \file
/// What `copy` and `plan` have in common: layouts, element types, sizes.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "cli/session.h"
#include "tessera/relayout/options.h"
#include "tessera/transfer/copy.h"

namespace tessera::cli {

/// Options as they were typed.
struct TensorOptions {
  std::string from;
  std::string to;
  std::string type;
  Index bytes = 0;
  std::string fill = "keep";
  int threads = 0;
  std::string isa = "auto";
};

/// Adds --from, --to, --type, --bytes, --fill, --threads and --isa.
void add_tensor_options(CLI::App& verb, TensorOptions& options);

/// The layout of an option, nothing where it was not given. A wrong one was reported, and `status` says what
/// to exit with.
std::optional<Layout> read_layout(Session& session, const char* option, const std::string& text, int& status);

/// The types and widths that were given, `to` for what nothing else says.
std::optional<ElementHint> read_hint(Session& session, const TensorOptions& options,
                                     const std::optional<Layout>& to, int& status);

std::optional<Isa> read_isa(Session& session, const std::string& name, int& status);
/// What --isa list prints. Returns the exit status.
int list_isas(Session& session);

/// --fill: what happens to padding, and with which bytes.
struct Fill {
  Padding padding = Padding::keep;
  std::array<std::byte, 16> bytes = {};
};
std::optional<Fill> read_fill(Session& session, const std::string& text, std::optional<DType> dtype,
                              Index element_bits, int& status);

/// Reports under an argument, the first one with this text or a later one; the status to exit with.
int report_failure(Session& session, Diagnostic diagnostic, std::string_view argument, std::size_t which = 0);
/// The same under the value of an option.
int report_option(Session& session, Diagnostic diagnostic, std::string_view option);

}  // namespace tessera::cli
