// SPDX-License-Identifier: Apache-2.0
#include "hlo/syntax/attribute_forms.h"

#include <fmt/core.h>

#include <charconv>
#include <utility>
#include <vector>

#include "hlo/syntax/attribute_reader.h"
#include "hlo/syntax/attributes.h"
#include "hlo/syntax/lexer.h"
#include "hlo/syntax/literal_reader.h"
#include "hlo/syntax/replica_groups.h"

namespace tessera::detail {
namespace {

template <class T>
std::optional<Diagnostic> error_of(Result<T> result) {
  return result ? std::nullopt : std::optional<Diagnostic>(std::move(result).error());
}

// For forms that are only checked, not stored.
template <class Read>
std::optional<Diagnostic> check_with(const Attribute& attribute, Read read) {
  HloLexer lexer(attribute.value, attribute.span.begin);
  if (read(lexer) && lexer.skip() && lexer.at_end()) return std::nullopt;
  if (!lexer.error) lexer.expected("the end of the value");
  Diagnostic error = *std::move(lexer.error);
  if (error.code == Code::syntax) error.code = Code::bad_attribute;
  error.message = fmt::format("attribute '{}': {}", attribute.key, error.message);
  return error;
}

}  // namespace

std::optional<Diagnostic> check_form(const Attribute& attribute, AttributeForm form) {
  switch (form) {
    case AttributeForm::unknown:
    case AttributeForm::verbatim:
    case AttributeForm::text:
    case AttributeForm::literal:  // checked when the end of the value was found
    case AttributeForm::computation:
    case AttributeForm::metadata:
    case AttributeForm::string_map:
    case AttributeForm::names:
    case AttributeForm::sharding:  // checked with the type: check_sharding
      return std::nullopt;
    case AttributeForm::ints:
      return error_of(read_ints(attribute));
    case AttributeForm::int_lists:
      return check_with(attribute, [](HloLexer& lexer) {
        std::vector<Index> list;
        return read_list(lexer, '{', '}', [&] {
          if (!lexer.skip()) return false;
          return lexer.peek() == '{' ? read_index_list(lexer, list)
                                     : lexer.integer(list.emplace_back(), "an integer");
        });
      });
    case AttributeForm::integer:
      return error_of(read_int(attribute));
    case AttributeForm::boolean:
      return error_of(read_bool(attribute));
    case AttributeForm::word:
      return error_of(read_word(attribute));
    case AttributeForm::words:
      return error_of(read_words(attribute));
    case AttributeForm::real:
      return check_with(attribute, [](HloLexer& lexer) { return read_scalar(lexer, DType::f64); });
    case AttributeForm::window:
      return error_of(read_window(attribute));
    case AttributeForm::dim_labels:
      return error_of(read_dim_labels(attribute));
    case AttributeForm::padding:
      return error_of(read_padding(attribute));
    case AttributeForm::slice:
      return error_of(read_slice_ranges(attribute));
    case AttributeForm::replica_groups:
      return error_of(read_replica_groups(attribute));
    case AttributeForm::pairs:
      return error_of(read_source_target_pairs(attribute));
    case AttributeForm::aliases:
      return error_of(read_output_aliases(attribute));
    case AttributeForm::type:
      return error_of(read_type(attribute));
  }
  return std::nullopt;
}

}  // namespace tessera::detail
