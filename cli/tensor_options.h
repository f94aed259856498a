// SPDX-License-Identifier: Apache-2.0
/// \file
/// Options of `copy` and `plan`: layouts, element types, sizes.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "cli/session.h"
#include "files/dense.h"
#include "tessera/relayout/plan.h"
#include "tessera/transfer/copy.h"

namespace tessera::cli {

/// The options as given on the command line.
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

/// NumPy's order `C` or `F`, which may replace a layout.
std::optional<DenseOrder> parse_order(std::string_view text);

/// The layout of an option. Empty if the option is not given, or after an error, which is reported and sets
/// `status`. An order takes its shape and type from `like`. Warns about a shape without strides, because it
/// is column-major.
std::optional<Layout> read_layout(Session& session, const char* option, const std::string& text, int& status,
                                  const Layout* like = nullptr);

/// The element type and width from the options, otherwise from `to`.
std::optional<ElementHint> read_hint(Session& session, const TensorOptions& options,
                                     const std::optional<Layout>& to, int& status);

std::optional<Isa> read_isa(Session& session, const std::string& name, int& status);
/// Prints --isa list. Returns the exit status.
int list_isas(Session& session, std::string_view verb);

/// The meaning of --fill: what to do with padding, and the bytes to write.
struct PaddingFill {
  Padding padding = Padding::keep;
  std::array<std::byte, 16> bytes = {};
};
std::optional<PaddingFill> read_fill(Session& session, const std::string& text, std::optional<DType> dtype,
                                     Index element_bits, int& status);

/// Reports an error at argument number `which` with this text. Returns the exit status.
int report_failure(Session& session, Diagnostic diagnostic, std::string_view argument, std::size_t which = 0);
/// Reports an error at the value of an option. Returns the exit status.
int report_option(Session& session, Diagnostic diagnostic, std::string_view option);

}  // namespace tessera::cli
