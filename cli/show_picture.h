// SPDX-License-Identifier: Apache-2.0
/// \file
/// What `show` was asked, and the picture that answers it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/session.h"
#include "tessera/draw/picture.h"
#include "tessera/notation/layout.h"

namespace tessera::cli {

/// What the answer is written as.
enum class ShowFile : std::uint8_t { text, svg, png, tex, html, json };

/// The options of `show`.
struct ShowRequest {
  std::string layout;
  bool facts = false;  ///< these alone, or with the other
  bool picture = false;
  std::string view = "index";
  std::string window;
  std::string color_by = "auto";
  std::string cells = "auto";
  std::string theme = "auto";
  std::string style = "box";
  Index bytes = 0;
  Index columns = 0;
  Index width = 0;
  /// \name At most one of these.
  /// @{
  std::string compare;
  std::string divide;
  std::string compose;
  std::string product;
  bool tv = false;
  std::string tile;
  /// @}

  /// One of these was given: the picture shows more than a layout.
  bool is_special() const {
    return tv || !compare.empty() || !divide.empty() || !compose.empty() || !product.empty();
  }
};

/// Why there is no answer, and the text it is about.
struct ShowProblem {
  Diagnostic diagnostic;
  std::shared_ptr<const Source> source;
  int status = kBadInput;
};
/// A value or a problem.
template <class T>
struct ShowAnswer {
  std::optional<T> value = {};
  std::optional<ShowProblem> problem = {};
};

/// Status and source of a refusal.
ShowProblem problem_in(Diagnostic diagnostic, std::string name, const std::string& text);
/// The same for a text that cannot be read: that is bad input, whatever the code is.
ShowProblem unreadable(Diagnostic diagnostic, std::string name, const std::string& text,
                       std::size_t line = 1);

template <class T>
ShowAnswer<T> answer_of(Result<T> result, const char* name, const std::string& text) {
  if (result) return {.value = *std::move(result)};
  return {.problem = problem_in(result.error(), name, text)};
}

/// Columns of the terminal, or what was asked for; 100 where there is no terminal.
Index terminal_width(const ShowRequest& request);

/// The picture. `on_terminal`: it is read where it is written; of a large layout a part is drawn then.
ShowAnswer<Picture> picture_for(const ShowRequest& request, const Layout& layout, ShowFile kind,
                                bool on_terminal);

}  // namespace tessera::cli
