// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the JSON of answers about layouts has in common; docs/lookup/json.md lists the keys.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "tessera/base/result.h"
#include "tessera/notation/conversion.h"
#include "tessera/notation/layout.h"

namespace tessera::detail {

/// `{"schema": "tessera.VERB/1", "status": ...}`.
Json answer_json(std::string_view verb, int status);
/// `{"notation": "cute", "text": ..., "crop": [...]}`, where `text` is the canonical text. Morello layouts
/// have `shape`; strided layouts have `shape`, `strides` and `offset`; linear layouts have `bases`.
Json layout_json(const Layout& layout);
/// The same, with the order of dimensions, and the fields of a named layout.
Json described(const Layout& layout);
/// Adds whether the layouts are equal, and the difference.
void add_equality(Json& json, const LayoutEquality& equality);

/// `{"text": ..., "error": {"code": ..., "message": ...}}`.
Json unanswered(const std::string& text, const Diagnostic& error);

/// One entry for each answer: `entry` makes it, unless the answer is an error.
template <class Answer, class Entry>
Json results_json(std::span<const Answer> answers, Entry&& entry) {
  Json results = Json::array();
  for (const Answer& one : answers)
    results.push_back(one.error ? unanswered(one.text, *one.error) : entry(one));
  return results;
}

}  // namespace tessera::detail
