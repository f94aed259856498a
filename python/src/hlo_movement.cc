// SPDX-License-Identifier: Apache-2.0
#include "python/src/hlo_movement.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <charconv>
#include <string>
#include <system_error>

#include "base/plural.h"
#include "python/src/errors.h"
#include "report/indexing_text.h"
#include "report/same_bytes_answer.h"

namespace tessera::python {
namespace {

const char* word_of(Verdict verdict) {
  return verdict == Verdict::yes ? "yes" : verdict == Verdict::no ? "no" : "undecided";
}

std::string line(std::string text) {
  text.pop_back();
  return text;
}

HloValue value_of(const ProgramModule& program, nb::handle which) {
  if (nb::isinstance<ProgramInstruction>(which)) {
    const auto& op = nb::cast<const ProgramInstruction&>(which);
    if (op.program.module != program.module)
      raise(Code::unknown_name,
            fmt::format("'{}' is an instruction of another module", op.instruction->name));
    if (op.instruction->type.is_tuple()) {
      raise(Code::bad_option, fmt::format("'{}' is a tuple", op.instruction->name),
            fmt::format("name one of its arrays: '{}#0'", op.instruction->name));
    }
    return {op.instruction, 0};
  }
  if (!nb::isinstance<nb::str>(which))
    throw nb::type_error(
        "expected an instruction, or the name of one: 'x', or 'x#1' for an array of a tuple");
  const auto typed = nb::cast<std::string>(which);
  const std::size_t hash = typed.find('#');
  const Instruction* const op = find_instruction(program, typed.substr(0, hash)).instruction;
  const std::uint64_t count = op->type.leaf_count();
  std::uint32_t leaf = 0;
  if (hash != std::string::npos) {
    const char* const end = typed.data() + typed.size();
    const auto [at, error] = std::from_chars(typed.data() + hash + 1, end, leaf);
    if (error != std::errc() || at != end || leaf >= count) {
      raise(Code::index_out_of_range,
            fmt::format("'{}' has {}, numbered from 0", op->name, detail::plural(count, "array")));
    }
  } else if (op->type.is_tuple()) {
    raise(Code::bad_option, fmt::format("'{}' is a tuple", typed),
          fmt::format("name one of its arrays: '{}#0'", typed));
  }
  if (count == 0 || !leaf_type(op->type, leaf).is_array())
    raise(Code::bad_option, fmt::format("'{}' is not an array", typed));
  return {op, leaf};
}

template <class T>
std::optional<T> unless_empty(const T& values) {
  return values.empty() ? std::nullopt : std::optional(values);
}

std::optional<std::string> text_of(const std::optional<TensorType>& type) {
  return type ? std::optional(to_string(*type)) : std::nullopt;
}

void add_same_bytes(nb::module_& m) {
  const auto no = [](const ProgramSameBytes& s) {
    return s.answer.verdict == Verdict::no && s.answer.byte.has_value();
  };
  nb::class_<ProgramSameBytes>(m, "SameBytes", "Whether two results of a program hold the same bytes.")
      .def_prop_ro(
          "answer", [](const ProgramSameBytes& s) { return word_of(s.answer.verdict); },
          nb::sig("def answer(self) -> typing.Literal['yes', 'no', 'undecided']"))
      .def_prop_ro(
          "source",
          [](const ProgramSameBytes& s) -> std::optional<ProgramInstruction> {
            if (!s.answer.source) return {};
            return ProgramInstruction{s.program, s.answer.source->instruction};
          },
          "The instruction whose elements both hold; None if none was found.")
      .def_prop_ro(
          "bytes", [](const ProgramSameBytes& s) { return s.answer.bytes; }, "Of each, with padding.")
      .def_prop_ro(
          "byte", [](const ProgramSameBytes& s) { return s.answer.byte; },
          "For ``no``: a byte that differs; None if the sizes do.")
      .def_prop_ro(
          "element_a",
          [no](const ProgramSameBytes& s) { return no(s) ? std::optional(s.answer.first) : std::nullopt; },
          "The element of the source that the first holds at this byte.")
      .def_prop_ro(
          "element_b",
          [no](const ProgramSameBytes& s) { return no(s) ? std::optional(s.answer.second) : std::nullopt; },
          "The element of the source that the second holds at this byte.")
      .def_prop_ro(
          "reason", [](const ProgramSameBytes& s) { return s.answer.reason; },
          "Which sizes differ, or why it is undecided.")
      .def_prop_ro(
          "places", [](const ProgramSameBytes& s) { return s.answer.places; },
          "Unless ``yes``: from an index of the second to the index of the first that holds the same element "
          "of the\n"
          "source, for the elements that both hold. None if there is no such map.")
      .def_prop_ro(
          "places_reason", [](const ProgramSameBytes& s) { return s.answer.places_reason; },
          "Why ``places`` is None.")
      .def(
          "to_json",
          [](const ProgramSameBytes& s) {
            return line(to_json({s.program.file, s.program.module->name}, s.a, s.b, s.answer));
          },
          "The line of ``tessera hlo --same --json``.")
      .def("__str__", [](const ProgramSameBytes& s) { return line(to_text(s.a, s.b, s.answer)); })
      .def("__repr__", [](const ProgramSameBytes& s) {
        return fmt::format("<SameBytes: {}>", word_of(s.answer.verdict));
      });
}

void add_bitcast(nb::module_& m) {
  nb::class_<ProgramBitcast>(
      m, "BitcastAnswer",
      "Whether an instruction leaves every byte in place, so that a bitcast could replace it.")
      .def_prop_ro(
          "answer", [](const ProgramBitcast& b) { return word_of(b.answer.verdict); },
          nb::sig("def answer(self) -> typing.Literal['yes', 'no', 'undecided']"))
      .def_prop_ro(
          "reason", [](const ProgramBitcast& b) { return b.answer.reason; },
          "Why it is undecided, or which sizes or memory spaces differ.")
      .def_prop_ro(
          "bytes", [](const ProgramBitcast& b) { return b.answer.bytes; },
          "Of the result's elements, without padding.")
      .def_prop_ro(
          "moved_bytes", [](const ProgramBitcast& b) { return b.answer.moved_bytes; },
          "Of the elements that move; None if they were not counted.")
      .def_prop_ro(
          "element", [](const ProgramBitcast& b) { return unless_empty(b.answer.element); },
          "The first index of the result whose element moves.")
      .def_prop_ro(
          "free_result", [](const ProgramBitcast& b) { return text_of(b.free.result); },
          "Unless ``yes``: a type of the result under which nothing moves, proved; None if none was found.")
      .def_prop_ro(
          "free_operand", [](const ProgramBitcast& b) { return text_of(b.free.operand); },
          "As ``free_result``, for the operand.")
      .def("__str__", [](const ProgramBitcast& b) { return line(to_text(*b.instruction, b.answer, b.free)); })
      .def("__repr__", [](const ProgramBitcast& b) {
        return fmt::format("<BitcastAnswer: {}>", word_of(b.answer.verdict));
      });
}

}  // namespace

void add_hlo_movement(nb::module_& m) {
  add_same_bytes(m);
  add_bitcast(m);
}

std::optional<ProgramBitcast> bitcast_of(const ProgramInstruction& self) {
  return released([&]() -> std::optional<ProgramBitcast> {
    auto answer = bitcast_answer(*self.instruction);
    if (!answer) return std::nullopt;
    FreeLayouts free = answer->verdict == Verdict::yes ? FreeLayouts() : free_layouts(*self.instruction);
    return ProgramBitcast{self.program, self.instruction, *std::move(answer), std::move(free)};
  });
}

ProgramSameBytes same_bytes_of(const ProgramModule& self, nb::handle a, nb::handle b) {
  const HloValue first = value_of(self, a);
  const HloValue second = value_of(self, b);
  return released([&] { return ProgramSameBytes{self, first, second, same_bytes(first, second)}; });
}

}  // namespace tessera::python
