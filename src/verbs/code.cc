// SPDX-License-Identifier: Apache-2.0
#include "verbs/code.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/at_fault.h"
#include "code/build.h"
#include "code/sized_code.h"
#include "report/code_answer.h"
#include "report/exit_status.h"
#include "tessera/hlo/walk.h"
#include "tessera/map/map_algebra.h"
#include "tessera/text/index_map.h"
#include "verbs/file_hint.h"
#include "verbs/instruction.h"
#include "verbs/map_text.h"
#include "verbs/program.h"
#include "verbs/register_plan.h"

namespace tessera::verbs {
namespace {

CodeOptions options_of(const CodeRequest& request) {
  return {.language = request.lang,
          .name = request.name.value_or(""),
          .multiply_high = request.multiply_high,
          .test = request.test};
}

// An error about the layout, which is the input here.
Diagnostic at_input(Diagnostic error) {
  if (error.field == "layout") error.field = "input";
  return error;
}

Result<CodeResult> answer_of(Result<SourceCode> code, std::string_view kind, std::string_view field) {
  if (!code) return refuse(field, std::move(code.error()));
  return CodeResult(*std::move(code), kind, {});
}

Result<CodeResult> code_of_map(const CodeRequest& request, const IndexMap& map) {
  if (request.inverse) {
    const Result<IndexMap> back = inverse(map);
    if (!back) return refuse("input", back.error());
    // Such a variable would be a parameter, although the code is to compute it.
    if (back->range_count() != 0)
      return refuse("input", Code::undecided, "the point of a result has no closed form",
                    "'tessera map inverse' gives the relation between results and points");
    return answer_of(map_code(*back, options_of(request)), "inverse", "input");
  }
  if (request.loop) return answer_of(loop_code(map, options_of(request)), "loop", "input");
  return answer_of(map_code(map, options_of(request)), "map", "input");
}

Result<CodeResult> code_of_program(const CodeRequest& request, const std::string& path, Observer& observer) {
  auto program = read_program(path, observer);
  if (!program) return refuse("input", std::move(program.error()));
  const Result<const Instruction*> op = find_instruction(**program, request.op);
  if (!op) return refuse("op", op.error());
  const auto operand = static_cast<std::size_t>(request.operand);
  const Result<IndexingSet> set = output_to_input(**op, {.operand = operand});
  if (!set) return refuse("input", set.error());
  if (set->size() != 1)
    return refuse("input", Code::not_applicable,
                  fmt::format("there are {} maps from {} to operand {}", set->size(), (*op)->name, operand),
                  "choose one that 'tessera hlo' prints, and give it instead of the file");
  const Indexing& indexing = set->front();
  if (indexing.exactness == Exactness::unknown)
    return refuse("input", Code::undecided,
                  fmt::format("what {} reads is unknown: {}", (*op)->name, indexing.reason),
                  "give the map of what it reads, if you know it, instead of the file");
  Result<CodeResult> answer = code_of_map(request, indexing.map);
  if (!answer || indexing.exactness != Exactness::superset) return answer;
  return CodeResult(answer->code(),
                    request.inverse ? "inverse"
                    : request.loop  ? "loop"
                                    : "map",
                    {fmt::format("the map is a superset of what is read: {}", indexing.reason)});
}

Result<CodeResult> code_between(const CodeRequest& request) {
  if (!request.from || !request.to)
    return refuse("from", Code::bad_option, "a copy needs --from and --to", "--from LAYOUT --to LAYOUT");
  const Layout& from = request.from->value;
  const Layout& to = request.to->value;
  if (are_registers(from) && are_registers(to)) return no_copy_of_registers("to");
  Index bytes = request.bytes;
  for (const Layout* layout : {&from, &to}) {
    const auto bits = layout->element_bits();
    if (!bits) continue;
    if (*bits % 8 != 0)
      return refuse(layout == &from ? "from" : "to", Code::unsupported_width,
                    fmt::format("an element of {} bits is not a whole number of bytes", *bits));
    if (bytes != 0 && bytes != *bits / 8)
      return refuse("to", Code::different_type,
                    fmt::format("the elements have {} and {} bytes", bytes, *bits / 8),
                    "a copy moves bits and never converts numbers");
    bytes = *bits / 8;
  }
  if (bytes == 0)
    return refuse("to", Code::missing_layout, "the element width is unknown", "add the width: --bytes 4");
  if (!request.plan) return answer_of(copy_code(from, to, bytes, options_of(request)), "copy", "to");
  const Result<RelayoutPlan> plan = make_plan(from, to, bytes);
  if (!plan) return fail(detail::at_fault("to", plan.error()));
  return answer_of(plan_code(*plan, options_of(request)), "plan", "to");
}

Result<CodeResult> code_of_layout(const CodeRequest& request, const Given<NamedOrLayout>& given) {
  const auto& [named, found] = given.value;
  if (request.get || request.set) {
    if (!named)
      return refuse("input", Code::argument_type, "--get and --set take named layouts",
                    "write a family with its type and extents: pack:awq u4[8,16]");
    return request.get ? answer_of(get_code(*named, options_of(request)), "get", "input")
                       : answer_of(set_code(*named, options_of(request)), "set", "input");
  }
  const Result<Layout> made = found ? Result<Layout>(*found) : Layout::make(*named);
  if (!made) {
    Diagnostic error = made.error();
    if (named && named->kind() != NamedKind::cells)
      error.help = "--get writes a function that reads an element, --set one that stores it";
    return refuse("input", std::move(error));
  }
  const Layout& layout = *made;
  if (request.loop) return answer_of(loop_code(lower(layout), options_of(request)), "loop", "input");
  if (!request.inverse) return answer_of(offset_code(layout, options_of(request)), "offset", "input");
  Result<SourceCode> back = inverse_code(layout, options_of(request));
  if (!back) return refuse("input", std::move(back.error()));
  return answer_of(std::move(back), "inverse", "input");
}

// A layout with names for sizes, or with numbers in their places.
Result<CodeResult> code_with_sizes(const CodeRequest& request, Given<PlacedLayout> layout) {
  symbolic::AssumptionList assumed;
  if (auto put = put_sizes(layout, request.where, request.size, assumed); !put)
    return fail(at_input(std::move(put.error())));
  if (!layout.value.sized) {
    auto side = layout_side(layout.value);
    if (!side) return refuse("input", std::move(side.error()));
    return code_of_layout(request, {*std::move(side), layout.text});
  }
  const auto refused_without = [&](std::string_view field, std::string_view what) {
    Diagnostic error = layout_side(layout.value).error();
    error.message = fmt::format("{} needs numbers for the sizes", what);
    return refuse(field, std::move(error));
  };
  if (request.inverse) return refused_without("inverse", "an inverse");
  if (request.loop) return refused_without("loop", "a loop");
  if (request.get || request.set)
    return refuse("input", Code::argument_type, "--get and --set take named layouts",
                  "write a family with its type and extents: pack:awq u4[8,16]");
  auto code = coding::sized_code(*layout.value.sized, assumed, options_of(request));
  if (!code) return fail(detail::at_fault("input", std::move(code.error())));
  return answer_of(std::move(code), "offset", "input");
}

// One axis as a layout, or a function for each.
Result<CodeResult> code_of_axes(const CodeRequest& request, const AxeLayout& axe) {
  if (!request.axis.empty()) {
    auto layout = layout_of(axe, request.axis);
    if (!layout) return refuse("axis", std::move(layout.error()));
    return code_of_layout(request, {{.layout = *std::move(layout)}, to_string(axe)});
  }
  if (request.get || request.set)
    return refuse("input", Code::argument_type, "--get and --set take named layouts",
                  "write a family with its type and extents: pack:awq u4[8,16]");
  auto placed = placement(axe);
  if (!placed) return refuse("input", std::move(placed.error()));
  if (request.inverse || request.loop) return code_of_map(request, placed->maps().front());
  return answer_of(placement_code(*placed, options_of(request)), "placement", "input");
}

bool is_program_path(const std::string& text) {
  return text.ends_with(".hlo") || text.ends_with(".hlo.gz") || names_a_file(text);
}

}  // namespace

Result<CodeInput> FieldType<CodeInput>::read(std::string_view text) {
  std::string own(text);
  if (is_map_text(text) && !text.starts_with("map:")) {
    Result<IndexMap> map = parse_index_map(text);
    if (!map) return fail(std::move(map.error()));
    return CodeInput(*std::move(map));
  }
  if (is_axe_text(text)) {
    Result<AxeLayout> axe = parse_axe(text);
    if (!axe) return fail(std::move(axe.error()));
    return CodeInput(*std::move(axe));
  }
  if (is_program_path(own)) return CodeInput(ProgramPath{std::move(own)});
  Result<Given<NamedOrLayout>> layout = FieldType<Given<NamedOrLayout>>::read(text);
  if (layout) return CodeInput(*std::move(layout));
  Result<PlacedLayout> sized = Reading<PlacedLayout>::read(own);
  if (!sized) return fail(std::move(sized.error()));
  if (!sized->sized) return fail(std::move(layout.error()));
  return CodeInput(Given<PlacedLayout>{*std::move(sized), std::move(own)});
}

int CodeResult::status() const { return kDone; }

// The test is in the same file as the code, unless the answer goes to a file of its own.
Result<std::string> CodeResult::to_text(const Terminal& terminal) const {
  std::string text = code_.text;
  if (terminal.path.empty()) text += code_.test;
  text.pop_back();
  return text;
}

Result<std::string> CodeResult::to_json() const { return tessera::to_json(code_, kind_); }

std::optional<FileBeside> CodeResult::beside(std::string_view path) const {
  if (code_.test.empty()) return std::nullopt;
  const std::size_t folder = path.rfind('/') + 1;  // 0 if there is none
  const std::string_view file = path.substr(folder);
  const std::size_t dot = std::min(file.rfind('.'), file.size());
  const std::string name =
      fmt::format("{}{}_test{}", path.substr(0, folder), file.substr(0, dot), file.substr(dot));
  // In MLIR, the test and the function are one module.
  const std::string before = code_.language == CodeLanguage::mlir ? code_.text : code_.import_line(file);
  return FileBeside{name, before + code_.test};
}

Result<CodeResult> code(const CodeRequest& request, Observer& observer) {
  if (request.name && request.name->empty()) return refuse("name", Code::bad_option, "the name is empty");
  if (const auto named = coding::start_function(options_of(request), "f"); !named)
    return refuse("name", named.error());
  const bool between = request.copy_kernel || request.plan || request.from || request.to;
  const bool has_input = !std::holds_alternative<std::monostate>(request.input);
  if (between && has_input)
    return refuse("input", Code::bad_option, "a copy takes --from and --to, and no other input",
                  "leave out the input, or the options of the copy");
  if (!between && !has_input)
    return refuse("", Code::bad_option, "there is nothing to write code for",
                  "give a layout, a map or a file, or --from and --to");
  const bool sizes = !request.where.empty() || !request.size.empty();
  if (const auto* const sized = std::get_if<Given<PlacedLayout>>(&request.input)) {
    if (!request.op.empty() || !request.axis.empty())
      return refuse(request.op.empty() ? "axis" : "op", Code::bad_option, "this option is not for layouts",
                    "leave it out");
    return code_with_sizes(request, *sized);
  }
  if (sizes) {
    const auto* const layout = std::get_if<Given<NamedOrLayout>>(&request.input);
    if (layout == nullptr)
      return refuse(request.where.empty() ? "size" : "where", Code::bad_option,
                    "--where and --size are about sizes with names, and only a layout may have them here",
                    "give a layout, such as f32[M,N]{1,0}, or leave the option out");
    return code_with_sizes(request, {{.plain = layout->value}, layout->text});
  }
  if (between) return code_between(request);
  if ((request.get || request.set) && !std::holds_alternative<Given<NamedOrLayout>>(request.input) &&
      !std::holds_alternative<AxeLayout>(request.input))
    return refuse("input", Code::argument_type, "--get and --set take named layouts",
                  "write a family with its type and extents: pack:awq u4[8,16]");
  if (const auto* const file = std::get_if<ProgramPath>(&request.input))
    return code_of_program(request, file->path, observer);
  if (!request.op.empty())
    return refuse("op", Code::bad_option, "--op has no effect without a program",
                  "give a file with an HLO program");
  const auto* const axe = std::get_if<AxeLayout>(&request.input);
  if (!request.axis.empty() && axe == nullptr)
    return refuse("axis", Code::bad_option, "--axis chooses the axis of an Axe layout", "leave out --axis");
  if (axe != nullptr) {
    // One memory axis is an ordinary layout.
    auto layout = request.axis.empty() ? Layout::make(*axe) : Result<Layout>(fail(Code::not_applicable, ""));
    if (!layout) return code_of_axes(request, *axe);
    return code_of_layout(request, {{.layout = *std::move(layout)}, to_string(*axe)});
  }
  if (const auto* const map = std::get_if<IndexMap>(&request.input)) return code_of_map(request, *map);
  return code_of_layout(request, std::get<Given<NamedOrLayout>>(request.input));
}

}  // namespace tessera::verbs
