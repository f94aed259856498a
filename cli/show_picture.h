// SPDX-License-Identifier: Apache-2.0
/// \file
/// The options of `show` and the picture that they describe.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/picture_file.h"
#include "cli/session.h"
#include "tessera/draw/picture.h"
#include "tessera/notation/layout.h"

namespace tessera::cli {

/// The options of `show`.
struct ShowRequest {
  std::string layout;
  bool facts = false;  ///< only the facts, or with `picture` both
  bool picture = false;
  std::string view = "index";
  std::string window;
  std::string color_by = "auto";
  std::string cells = "auto";
  std::string theme = "auto";
  std::string style = "box";
  Index bytes = 0;
  Index word = 8;  ///< bits of a row, with the view `bits`
  Index columns = 0;
  Index width = 0;
  /// \name Options that exclude each other
  /// @{
  std::string compare;
  std::string divide;
  std::string compose;
  std::string product;
  bool tv = false;
  std::string tile;
  /// @}

  /// True if the picture shows more than one layout, or a tile.
  bool is_special() const {
    return tv || !compare.empty() || !divide.empty() || !compose.empty() || !product.empty();
  }
};

/// An error and the text that it points into.
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

/// An error with the status of its code.
ShowProblem problem_in(Diagnostic diagnostic, std::string name, const std::string& text);
/// A parse error, which is bad input for every code.
ShowProblem unreadable(Diagnostic diagnostic, std::string name, const std::string& text,
                       std::size_t line = 1);

template <class T>
ShowAnswer<T> answer_of(Result<T> result, const char* name, const std::string& text) {
  if (result) return {.value = *std::move(result)};
  return {.problem = problem_in(result.error(), name, text)};
}

/// The number of bits of an element: from --bytes, otherwise from the atom that the request names. 0 means
/// the type of the layout decides.
Index element_bits(const ShowRequest& request);

/// Draws the picture. `on_terminal` means that it goes to standard output, where only the part of a large
/// layout that fits is drawn.
ShowAnswer<Picture> picture_for(const ShowRequest& request, const Layout& layout, ShowFile kind,
                                bool on_terminal);

}  // namespace tessera::cli
