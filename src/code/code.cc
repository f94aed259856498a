// SPDX-License-Identifier: Apache-2.0
// Functions that compute layouts and maps.
#include "tessera/code/code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "code/build.h"
#include "code/lower.h"
#include "tessera/notation/layout.h"
#include "tessera/notation/triton_layout.h"

namespace tessera {
namespace {

using coding::Function;

Result<void> check_elements(const Layout& layout) {
  if (layout.size() > 0) return {};
  return fail(Code::bad_extent, "the layout has no elements", {},
              "give every dimension an extent of at least 1");
}

// Whether the layout says which element a register of a thread holds.
bool of_registers(const Layout& layout) {
  const auto* triton = layout.as<TritonLayout>();
  return triton != nullptr && space_of(triton->attribute.kind) == TritonSpace::registers;
}

// Whether offsets count the memories of several blocks or partitions.
bool has_several_memories(const Layout& layout) {
  const auto* triton = layout.as<TritonLayout>();
  if (triton == nullptr || of_registers(layout)) return false;
  const auto bases = triton_bases(*triton);
  return bases && !(bases->of("block").empty() && bases->of("partition").empty());
}

std::vector<std::string> index_names(const Layout& layout) {
  if (of_registers(layout)) return {"thread", "value"};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < layout.rank(); ++i) names.push_back(fmt::format("d{}", i));
  return names;
}

// The range of offsets that occur, or a superset if the range is not known.
Interval offsets_of(const Layout& layout, Interval otherwise) {
  const Result<Interval> exact = offset_range(layout);
  return exact ? *exact : otherwise;
}

// MLIR's name of the element type. If the layout has no element type, f32.
std::string memref_element(const Layout& layout) {
  const auto dtype = layout.dtype();
  if (!dtype) return "f32";
  const std::string name{to_string(*dtype)};
  if (name[0] == 'f' && name.find('8') == name.npos) return name;
  return name == "bf16" ? name : fmt::format("i{}", layout.element_bits().value_or(8));
}

// `memref<3x5xf32, strided<[8, 1]>>`, if the offset is linear in every dimension.
std::optional<std::string> memref_type(const Layout& layout) {
  const Digits* digits = layout.known_digits();
  if (digits == nullptr) return std::nullopt;
  std::vector<std::string> strides(layout.rank(), "0");
  for (const Digit& digit : digits->digits()) {
    if (digit.div != 1 || digits->digits(static_cast<std::size_t>(digit.dim)).size() != 1)
      return std::nullopt;
    strides[static_cast<std::size_t>(digit.dim)] = fmt::format("{}", digit.stride);
  }
  const std::string element = memref_element(layout);
  const std::string offset = digits->base() == 0 ? "" : fmt::format(", offset: {}", digits->base());
  return fmt::format("memref<{}x{}, strided<[{}]{}>>", fmt::join(layout.shape(), "x"), element,
                     fmt::join(strides, ", "), offset);
}

}  // namespace

std::string SourceCode::import_line(std::string_view file) const {
  switch (coding::rules_of(language).family) {
    case coding::Family::c:
      return fmt::format("#include \"{}\"\n", file);
    case coding::Family::python:
    case coding::Family::arrays: {
      const std::size_t dot = file.rfind('.');
      return fmt::format("from {} import *\n", file.substr(0, dot));
    }
    case coding::Family::affine:
      break;
  }
  return {};
}

Result<SourceCode> offset_code(const Layout& layout, const CodeOptions& options) {
  if (const auto nonempty = check_elements(layout); !nonempty) return fail(nonempty.error());
  const bool registers = of_registers(layout);
  Result<Function> function = coding::start_function(options, registers ? "index" : "offset");
  if (!function) return fail(function.error());
  std::vector<coding::TermId> index;
  const std::vector<std::string> names = index_names(layout);
  for (std::size_t i = 0; i < names.size(); ++i)
    index.push_back(coding::add_parameter(*function, names[i], Interval::of_extent(layout.shape()[i])));
  const Result<coding::TermId> value = coding::lower(function->terms, layout, index);
  if (!value) return fail(value.error());
  const Interval range = offsets_of(layout, function->terms[*value].range);
  function->about = {fmt::format("Offset of element ({}) of {}, in elements: in {}.", fmt::join(names, ", "),
                                 to_string(layout), to_string(range))};
  function->values = {*value};
  function->results = {registers ? "index" : "offset"};
  if (registers)
    function->about = {
        fmt::format("Index of the element in register `value` of `thread`, the first dimension "
                    "fastest, of {}: in {}.",
                    to_string(layout), to_string(range))};
  if (has_several_memories(layout))
    function->about.emplace_back("The memories of partitions and blocks follow one another.");
  const coding::Rules& rules = function->terms.rules();
  Result<SourceCode> code = coding::finished(
      *function, options, [&](std::span<const Index> point) -> std::optional<std::vector<Index>> {
        return std::vector<Index>{layout.offset(point)};
      });
  if (!code || rules.family != coding::Family::affine) return code;
  // A view with these strides or this map, in the form that other dialects accept.
  const auto strided = memref_type(layout);
  code->text += fmt::format("// As a memref: {}\n",
                            strided ? *strided
                                    : fmt::format("memref<{}x{}, #{}>", fmt::join(layout.shape(), "x"),
                                                  memref_element(layout), function->name));
  return code;
}

Result<SourceCode> inverse_code(const Layout& layout, const CodeOptions& options) {
  if (const auto nonempty = check_elements(layout); !nonempty) return fail(nonempty.error());
  Result<Function> function = coding::start_function(options, "index_of");
  if (!function) return fail(function.error());
  const Result<Interval> range = offset_range(layout);
  if (!range) return fail(range.error());
  const bool registers = of_registers(layout);
  const coding::TermId offset = coding::add_parameter(*function, registers ? "element" : "offset", *range);
  const Result<coding::InverseTerms> inverse = coding::invert(function->terms, layout, offset);
  if (!inverse) return fail(inverse.error());
  function->conditions.push_back({offset, *range});
  std::vector<coding::Condition> more = inverse->conditions;
  for (std::size_t i = 0; i < layout.rank(); ++i)
    more.push_back({inverse->index[i], Interval::of_extent(layout.shape()[i])});
  for (const coding::Condition& condition : more) {
    const auto implied = [&](const coding::Condition& other) {
      return other.term == condition.term && condition.range.contains(other.range);
    };
    if (condition.range.contains(function->terms[condition.term].range)) continue;
    if (std::ranges::none_of(function->conditions, implied)) function->conditions.push_back(condition);
  }
  if (inverse->check) {
    const Result<coding::TermId> back = coding::lower(function->terms, layout, inverse->index);
    if (!back) return fail(back.error());
    function->conditions.push_back({function->terms.subtract(*back, offset), {0, 0}});
  }
  function->values = inverse->index;
  function->results = index_names(layout);
  const std::string_view none = options.language == CodeLanguage::python                   ? "None"
                                : function->terms.rules().family == coding::Family::arrays ? "valid is false"
                                                                                           : "false";
  function->about = {
      registers ? fmt::format("The register `value` of `thread` that has the element of this index, the "
                              "first dimension fastest, of {}; {} if none has it.",
                              to_string(layout), none)
                : fmt::format("Index ({}) of the element at an offset of {}; {} if none is there.",
                              fmt::join(function->results, ", "), to_string(layout), none)};
  return coding::finished(*function, options,
                          [&](std::span<const Index> point) -> std::optional<std::vector<Index>> {
                            const Result<Preimage> found = indices_at(layout, point[0], {.indices = 1});
                            if (!found || found->indices.empty()) return std::nullopt;
                            return found->indices[0];
                          });
}

Result<SourceCode> map_code(const IndexMap& map, const CodeOptions& options) {
  const Result<Function> function = coding::map_function(map, options, {});
  if (!function) return fail(function.error());
  return coding::finished(*function, options, coding::expected_of(map));
}

}  // namespace tessera
