// SPDX-License-Identifier: Apache-2.0
#include "python/src/hlo_instruction.h"

#include <fmt/format.h>

#include <optional>

#include "hlo/analysis/instruction_indexing.h"
#include "hlo/syntax/printer.h"
#include "python/src/errors.h"
#include "python/src/hlo_movement.h"
#include "python/src/layout_argument.h"
#include "report/indexing_json.h"
#include "report/indexing_text.h"

namespace tessera::python {

IndexingDirection direction_argument(std::string_view word) {
  if (word == "out") return IndexingDirection::output_to_input;
  if (word == "in") return IndexingDirection::input_to_output;
  raise(Code::bad_option, fmt::format("'{}' is not a direction", word),
        "out: from an output to what it reads; in: from an operand to what reads it");
}

namespace {

ProgramMaps maps_of(const ProgramInstruction& self, std::string_view direction) {
  const IndexingDirection way = direction_argument(direction);
  return released([&] {
    tessera::ProgramIndexing program;
    return ProgramMaps{self.program, detail::analyze_one(program, *self.instruction, way), way};
  });
}

nb::list operand_maps(const ProgramMaps& all) {
  nb::list out;
  for (const PairIndexing& pair : all.maps.pairs) {
    for (const Indexing& one : pair.maps) out.append(ProgramMap{all.program, one, pair.output, pair.operand});
  }
  return out;
}

nb::dict attributes_of(const ProgramInstruction& self) {
  nb::dict out;
  for (const Attribute& one : self.instruction->attributes) {
    out[nb::cast(one.key)] = nb::cast(one.value);
  }
  return out;
}

nb::tuple operands_of(const ProgramInstruction& self) {
  nb::list out;
  for (const Operand& operand : self.instruction->operands) {
    out.append(ProgramInstruction{self.program, operand.instruction});
  }
  return nb::tuple(out);
}

nb::tuple runtime_of(const ProgramMap& self) {
  nb::list out;
  for (const RuntimeValue& value : self.indexing.runtime) out.append(source_text(value));
  return nb::tuple(out);
}

}  // namespace

void add_hlo_instruction(nb::module_& m) {
  nb::class_<ProgramMap>(m, "OperandMap", "One map of an instruction, and how exact it is.")
      .def_ro("output", &ProgramMap::output, "The array of the result, nested tuples flattened.")
      .def_ro("operand", &ProgramMap::operand, "The number of the operand.")
      .def_prop_ro(
          "element",
          [](const ProgramMap& i) -> std::optional<int> {
            if (i.indexing.leaf < 0) return {};
            return i.indexing.leaf;
          },
          "The array of a tuple operand.")
      .def_prop_ro(
          "map",
          [](const ProgramMap& i) -> std::optional<IndexMap> {
            if (i.indexing.exactness == Exactness::unknown) return {};
            return i.indexing.map;
          },
          "From an index of the output to the elements that it reads; None if unknown.")
      .def_prop_ro(
          "exactness", [](const ProgramMap& i) { return to_string(i.indexing.exactness); },
          "``exact``, ``superset`` or ``unknown``.")
      .def_prop_ro(
          "reason", [](const ProgramMap& i) { return i.indexing.reason; },
          "Why the map is not exact; empty if it is.")
      .def_prop_ro("runtime", &runtime_of, nb::sig("def runtime(self) -> tuple[str, ...]"),
                   "Where the value of each runtime variable is read.")
      .def(
          "to_json", [](const ProgramMap& i) { return to_json(i.indexing); },
          "The map as ``tessera hlo --json`` prints it.")
      .def("__str__", [](const ProgramMap& i) { return to_text(i.indexing); })
      .def("__repr__", [](const ProgramMap& i) {
        return fmt::format("<OperandMap of operand {}: {}>", i.operand, to_text(i.indexing));
      });
  nb::class_<ProgramMaps>(m, "InstructionMaps", "All maps of an instruction.")
      .def_prop_ro("instruction",
                   [](const ProgramMaps& a) { return ProgramInstruction{a.program, a.maps.instruction}; })
      .def_prop_ro(
          "exactness", [](const ProgramMaps& a) { return to_string(a.maps.exactness); },
          "The weakest of the maps.")
      .def_prop_ro("maps", &operand_maps, nb::sig("def maps(self) -> list[OperandMap]"),
                   "By output, then by operand.")
      .def(
          "to_json",
          [](const ProgramMaps& a) {
            return to_json({a.program.file, a.program.module->name}, a.maps, a.direction);
          },
          "The line of ``tessera hlo --json``.")
      .def("__str__",
           [](const ProgramMaps& a) {
             std::string text = header_text(*a.maps.instruction) + "\n" + to_text(a.maps);
             text.pop_back();
             return text;
           })
      .def("__repr__", [](const ProgramMaps& a) {
        return fmt::format("<InstructionMaps of {}>", a.maps.instruction->name);
      });
  nb::class_<ProgramInstruction>(m, "Instruction", "One line of a computation.")
      .def_prop_ro(
          "name", [](const ProgramInstruction& i) { return i.instruction->name; }, "Without ``%``.")
      .def_prop_ro(
          "opcode", [](const ProgramInstruction& i) { return i.instruction->opcode_text; }, "As written.")
      .def_prop_ro(
          "type", [](const ProgramInstruction& i) { return type_text(*i.instruction); },
          "The type of the result.")
      .def_prop_ro(
          "layout", [](const ProgramInstruction& i) { return read_layout(type_text(*i.instruction)); },
          "The layout of an array. Raises Error for tuples and tokens.")
      .def_prop_ro("computation", [](const ProgramInstruction& i) { return i.instruction->parent->name; })
      .def_prop_ro("operands", &operands_of, nb::sig("def operands(self) -> tuple[Instruction, ...]"))
      .def_prop_ro("attributes", &attributes_of, nb::sig("def attributes(self) -> dict[str, str]"),
                   "Values as written.")
      .def_prop_ro("is_root", [](const ProgramInstruction& i) { return i.instruction->is_root; })
      .def(
          "operand_maps", [](const ProgramInstruction& i) { return operand_maps(maps_of(i, "out")); },
          nb::sig("def operand_maps(self) -> list[OperandMap]"),
          "From an index of each output to the elements of each operand that it reads.\n\n"
          ">>> from tessera import hlo\n"
          ">>> module = hlo.load('''HloModule m\n"
          "... ENTRY e {\n"
          "...   a = f32[4,8] parameter(0)\n"
          "...   ROOT t = f32[8,4] transpose(a), dimensions={1,0}\n"
          "... }''')\n"
          ">>> print(module['t'].operand_maps()[0])\n"
          "(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]")
      .def("indexing", &maps_of, "direction"_a = "out",
           "All maps; ``direction`` ``in``: from an index of an operand to the outputs that read it.")
      .def("bitcast", &bitcast_of,
           "Whether a copy, transpose, reshape or bitcast moves nothing, and the layouts under which it "
           "would.\n"
           "None for other instructions.\n\n"
           ">>> from tessera import hlo\n"
           ">>> module = hlo.load('''HloModule m\n"
           "... ENTRY e {\n"
           "...   a = f32[4,8]{1,0} parameter(0)\n"
           "...   ROOT t = f32[8,4]{1,0} transpose(a), dimensions={1,0}\n"
           "... }''')\n"
           ">>> module['t'].bitcast().free_result\n"
           "'f32[8,4]{0,1}'")
      .def("__str__", [](const ProgramInstruction& i) { return to_string(*i.instruction); })
      .def("__repr__",
           [](const ProgramInstruction& i) {
             return fmt::format("<Instruction {}>", header_text(*i.instruction));
           })
      .def(
          "__eq__",
          [](const ProgramInstruction& a, const ProgramInstruction& b) {
            return a.instruction == b.instruction;
          },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const ProgramInstruction& i) {
        return static_cast<Py_ssize_t>(reinterpret_cast<std::uintptr_t>(i.instruction) >> 4);
      });
}

}  // namespace tessera::python
