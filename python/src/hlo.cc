// SPDX-License-Identifier: Apache-2.0
// tessera.hlo: programs, and the elements that their instructions read.
#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "files/file_writer.h"
#include "hlo/analysis/selection.h"
#include "hlo/syntax/printer.h"
#include "python/src/analysis_stream.h"
#include "python/src/errors.h"
#include "python/src/hlo_costs.h"
#include "python/src/hlo_instruction.h"
#include "python/src/hlo_movement.h"
#include "python/src/hlo_objects.h"
#include "report/indexing_json.h"
#include "report/indexing_text.h"
#include "report/page/page.h"
#include "report/parameters_answer.h"
#include "report/program/program_json.h"
#include "report/program/program_report.h"
#include "report/stats_report.h"

namespace tessera::python {
namespace {

// The text of a function that JAX lowered or compiled, otherwise a path or a text.
std::string path_or_text_of(nb::handle program) {
  if (!nb::hasattr(program, "as_text")) return path_of(program);
  // A lowered function prints StableHLO unless it is asked for HLO; a compiled one has HLO only.
  const bool lowered = nb::hasattr(program, "compile");
  return nb::cast<std::string>(lowered ? program.attr("as_text")("hlo") : program.attr("as_text")());
}

// The modules of a text or a file. If `strict`, raises the first error; otherwise returns the valid rest.
nb::list load_all(nb::handle where, bool strict) {
  const std::string path_or_text = path_or_text_of(where);
  const bool is_text = path_or_text.find('\n') != std::string::npos ||
                       path_or_text.starts_with("HloModule") || path_or_text.find('{') != std::string::npos;
  const std::string file = is_text ? "<text>" : path_or_text;
  std::shared_ptr<const Source> source;
  if (is_text) {
    source = std::make_shared<const Source>(file, path_or_text);
  } else {
    source = unwrap(released([&] { return read_file(file); }));
  }
  const auto modules =
      std::make_shared<const ParsedModules>(released([&] { return parse_hlo(std::move(source)); }));
  for (const Diagnostic& diagnostic : modules->diagnostics) {
    const bool fatal = strict || modules->modules.empty();
    if (diagnostic.severity == Severity::error && fatal) {
      nb::object error = error_object(diagnostic, modules->source.get(), true);
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
      throw nb::python_error();
    }
  }
  nb::list out;
  for (const HloModule& module : modules->modules) out.append(ProgramModule{modules, &module, file});
  return out;
}

nb::object load(nb::handle path_or_text, bool strict) {
  const nb::list all = load_all(path_or_text, strict);
  if (nb::len(all) != 1) {
    raise(Code::bad_option, fmt::format("the text has {} modules", nb::len(all)),
          "hlo.load_all returns all of them");
  }
  return all[0];
}

nb::list diagnostics_of(const ProgramModule& program) {
  nb::list out;
  for (const Diagnostic& one : program.modules->diagnostics)
    out.append(error_object(one, program.modules->source.get(), true));
  return out;
}

}  // namespace

bool contains(const ProgramModule& program, nb::handle which) {
  if (nb::isinstance<ProgramInstruction>(which))
    return nb::cast<const ProgramInstruction&>(which).program.module == program.module;
  if (!nb::isinstance<nb::str>(which)) return false;
  auto name = nb::cast<std::string>(which);
  if (name.starts_with('%')) name.erase(0, 1);
  const std::size_t slash = name.rfind('/');
  const std::string_view own = std::string_view(name).substr(slash == std::string::npos ? 0 : slash + 1);
  return std::ranges::any_of(program.module->computations, [&](const auto& one) {
    const bool asked = slash == std::string::npos || one->name == std::string_view(name).substr(0, slash);
    return (asked && one->find(own) != nullptr) || one->find(name) != nullptr;
  });
}

ProgramInstruction find_instruction(const ProgramModule& program, std::string_view name) {
  if (name.starts_with('%')) name.remove_prefix(1);
  const HloModule& module = *program.module;
  if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos) {
    const Computation* const computation = module.find(name.substr(0, slash));
    const Instruction* const found =
        computation == nullptr ? nullptr : computation->find(name.substr(slash + 1));
    if (found != nullptr) return {program, found};
  }
  if (module.entry != nullptr) {
    if (const Instruction* const found = module.entry->find(name)) return {program, found};
  }
  const Instruction* only = nullptr;
  for (const auto& computation : module.computations) {
    const Instruction* const found = computation->find(name);
    if (found == nullptr) continue;
    if (only != nullptr) {
      raise(Code::unknown_name, fmt::format("several computations have an instruction '{}'", name),
            "write COMPUTATION/NAME");
    }
    only = found;
  }
  if (only != nullptr) return {program, only};
  AnalyzeOptions options;  // for the message, which suggests a similar name
  unwrap(choose_op(options, name, program.modules->modules));
  raise(Code::unknown_name, fmt::format("no instruction is named '{}'", name));
}

namespace {

nb::list instructions_of(const ProgramModule& program) {
  nb::list out;
  for (const auto& computation : program.module->computations) {
    for (const auto& instruction : computation->instructions)
      out.append(ProgramInstruction{program, instruction.get()});
  }
  return out;
}

AnalyzeOptions analyze_options(const ProgramModule& program, std::string_view direction,
                               const std::string& op, const std::string& computation, bool fused,
                               std::size_t threads) {
  AnalyzeOptions options{.direction = direction_argument(direction), .fused = fused, .threads = threads};
  if (!computation.empty()) unwrap(choose_computation(options, computation, program.modules->modules));
  if (!op.empty()) unwrap(choose_op(options, op, program.modules->modules));
  return options;
}

StatsReport stats_of(const ProgramModule& program, const AnalyzeOptions& options) {
  return released([&] {
    return StatsReport{.file = program.file, .modules = 1, .analysis = analyze(*program.module, options, {})};
  });
}

void report(const ProgramModule& program, const std::string& path, std::size_t threads) {
  const Result<void> written = released([&]() -> Result<void> {
    detail::ReportBuilder builder({.threads = threads});
    builder.add(program.file, *program.module, "", [] {});
    const std::string json = detail::to_json(std::move(builder).finish(), nullptr);
    return write_file(path, path.ends_with(".json") ? json : detail::report_page(program.file, json),
                      /*force=*/true);
  });
  if (!written) raise(written.error());
}

// The maps from the outputs of the entry, or of another computation, to its parameters.
nb::list parameter_maps(const ProgramModule& program, std::string_view name) {
  const Computation* const computation = name.empty() ? program.module->entry : program.module->find(name);
  if (computation == nullptr) raise(Code::unknown_name, fmt::format("no computation is named '{}'", name));
  nb::list out;
  tessera::ProgramIndexing walk;
  const std::size_t leaves = computation->root->type.leaf_count();
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    const auto& found =
        released([&]() -> decltype(auto) { return (walk.root_to_parameters(*computation, leaf)); });
    for (const auto& one : found) {
      const HloType& type = computation->parameters[one.parameter]->type;
      for (Indexing indexing : one.maps) {
        if (type.leaf_count() != 1) indexing.leaf = static_cast<std::int32_t>(one.leaf);
        out.append(ProgramMap{program, std::move(indexing), static_cast<std::uint32_t>(leaf), one.parameter});
      }
    }
  }
  return out;
}

// What the root, or the instruction `op`, reads of the parameters.
ProgramParameters parameter_reads_of(const ProgramModule& program, const std::string& op,
                                     const std::string& computation,
                                     const std::optional<std::vector<Index>>& at,
                                     const std::map<std::string, Index>& set, std::uint32_t output) {
  const Computation* const top =
      computation.empty() ? program.module->entry : program.module->find(computation);
  if (top == nullptr || top->root == nullptr)
    raise(Code::unknown_name, fmt::format("no computation is named '{}'", computation));
  const Instruction* const start = op.empty() ? top->root : find_instruction(program, op).instruction;
  ProgramParameters out{.program = program, .answer = {}};
  const Result<void> done = released([&]() -> Result<void> {
    const auto callers = callers_between(*program.module, *top, *start);
    if (!callers) return fail(callers.error());
    tessera::ProgramIndexing walk;
    auto reads = parameter_reads(walk, *start, *callers);
    if (!reads) return fail(reads.error());
    out.answer.reads = *std::move(reads);
    for (const auto& [name, value] : set) {
      if (auto given = set_runtime(out.answer.reads, name, value); !given) return given;
    }
    if (!at) return {};
    auto elements = elements_at(out.answer.reads, output, *at);
    if (!elements) return fail(elements.error());
    out.answer.at = *at;
    out.answer.output = output;
    out.answer.elements = *std::move(elements);
    return {};
  });
  if (!done) raise(done.error());
  return out;
}

nb::list maps_of_parameters(const ProgramParameters& self) {
  nb::list out;
  for (const ParameterRead& one : self.answer.reads.reads) {
    const bool tuple = self.answer.reads.computation->parameters[one.parameter]->type.is_tuple();
    for (Indexing indexing : one.maps) {
      if (tuple) indexing.leaf = static_cast<std::int32_t>(one.leaf);
      out.append(ProgramMap{self.program, std::move(indexing), one.output, one.parameter});
    }
  }
  return out;
}

nb::dict runtime_of_parameters(const ProgramParameters& self) {
  nb::dict out;
  for (const RuntimeInput& input : self.answer.reads.runtime)
    out[nb::cast(input.name)] = nb::cast(runtime_text(input.value));
  return out;
}

// The boxes by parameter and array; None for an array whose elements are not listed.
nb::dict boxes_of_parameters(const ProgramParameters& self) {
  nb::dict out;
  for (const ParameterElements& one : self.answer.elements) {
    const nb::object key = nb::make_tuple(one.parameter, one.leaf);
    if (!one.listed()) {
      out[key] = nb::none();
      continue;
    }
    nb::list boxes;
    if (out.contains(key)) {
      if (nb::object(out[key]).is_none()) continue;
      boxes = nb::cast<nb::list>(out[key]);
    }
    for (const ElementBox& box : one.boxes) {
      nb::list ranges;
      for (std::size_t d = 0; d < box.lower.size(); ++d)
        ranges.append(nb::make_tuple(box.lower[d], box.upper[d]));
      boxes.append(nb::tuple(ranges));
    }
    out[key] = boxes;
  }
  return out;
}

}  // namespace

void add_hlo(nb::module_& m) {
  add_hlo_movement(m);
  add_hlo_costs(m);
  add_hlo_instruction(m);
  nb::class_<ProgramParameters>(m, "ParameterReads",
                                "What an instruction reads of the parameters of a program.")
      .def_prop_ro("instruction",
                   [](const ProgramParameters& p) {
                     return ProgramInstruction{p.program, p.answer.reads.instruction};
                   })
      .def_prop_ro(
          "exactness", [](const ProgramParameters& p) { return to_string(p.answer.reads.exactness()); },
          "The weakest of the maps.")
      .def_prop_ro("maps", &maps_of_parameters, nb::sig("def maps(self) -> list[OperandMap]"),
                   "By output, then by parameter, whose number is ``operand``.")
      .def_prop_ro("runtime", &runtime_of_parameters, nb::sig("def runtime(self) -> dict[str, str]"),
                   "Where the value of each runtime variable is read, and how the program clamps it.")
      .def_prop_ro(
          "boxes", &boxes_of_parameters,
          nb::sig("def boxes(self) -> dict[tuple[int, int], list[tuple[tuple[int, int], ...]] | None]"),
          "For ``at``: by number and array of a parameter, the elements that it reads, or may read if a "
          "runtime value\n"
          "chooses. A box has the first index and the one after the last for each dimension. None if there "
          "are too many\n"
          "to list, or if nothing is known.")
      .def(
          "to_json",
          [](const ProgramParameters& p) {
            std::string text = to_json({p.program.file, p.program.module->name}, p.answer);
            text.pop_back();
            return text;
          },
          "The line of ``tessera hlo --parameters --json``.")
      .def("__str__",
           [](const ProgramParameters& p) {
             std::string text = to_text(p.answer);
             text.pop_back();
             return text;
           })
      .def("__repr__", [](const ProgramParameters& p) {
        return fmt::format("<ParameterReads of {}>", p.answer.reads.instruction->name);
      });
  nb::class_<AnalysisStream>(m, "Analysis", "An iterator over the maps of a module's instructions.")
      .def(
          "__iter__", [](nb::handle self) { return nb::borrow(self); },
          nb::sig("def __iter__(self) -> Analysis"))
      .def("__next__", [](AnalysisStream& stream) {
        std::optional<ProgramMaps> next = released([&] { return stream.next(); });
        if (!next) throw nb::stop_iteration();
        return *std::move(next);
      });
  nb::class_<ProgramModule> module(m, "HloModule", "An HLO program. ``module['name']`` is an instruction.");
  module.def_prop_ro("name", [](const ProgramModule& p) { return p.module->name; })
      .def_ro("file", &ProgramModule::file, "The path, or ``<text>``.")
      .def_prop_ro(
          "root", [](const ProgramModule& p) { return ProgramInstruction{p, p.module->entry->root}; },
          "The root of the entry computation.")
      .def_prop_ro(
          "computations",
          [](const ProgramModule& p) {
            nb::list out;
            for (const auto& one : p.module->computations) out.append(nb::cast(one->name));
            return out;
          },
          nb::sig("def computations(self) -> list[str]"), "Names of the computations.")
      .def_prop_ro("instructions", &instructions_of, nb::sig("def instructions(self) -> list[Instruction]"),
                   "All instructions, in the order of the text.")
      .def_prop_ro("diagnostics", &diagnostics_of,
                   nb::sig("def diagnostics(self) -> list[tessera._errors.Error]"),
                   "Warnings, and with ``strict=False`` errors, of the text.")
      .def("__getitem__", &find_instruction, "name"_a,
           "An instruction of the entry, else of any computation; or COMPUTATION/NAME. Raises\n"
           "UnknownName, a KeyError.")
      .def(
          "__contains__", [](const ProgramModule& p, nb::handle which) { return contains(p, which); },
          "which"_a, nb::sig("def __contains__(self, which: object) -> bool"),
          "Whether the module has this instruction, or an instruction of this name.")
      .def(
          "__iter__", [](const ProgramModule& p) { return nb::iter(instructions_of(p)); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[Instruction]"), "All instructions.")
      .def("__len__", [](const ProgramModule& p) { return p.module->instruction_count(); })
      .def(
          "analyze",
          [](const ProgramModule& p, std::size_t threads, std::string_view direction, const std::string& op,
             const std::string& computation, bool fused) {
            return std::make_unique<AnalysisStream>(
                p, analyze_options(p, direction, op, computation, fused, threads));
          },
          "threads"_a = 0, "direction"_a = "out", "op"_a = "", "computation"_a = "", "fused"_a = false,
          "The maps of every instruction, in the order of the module, one by one: memory does not grow. The "
          "options\n"
          "are those of ``tessera hlo``; ``threads``: 0 is all cores.")
      .def("parameter_maps", &parameter_maps, "computation"_a = "",
           nb::sig("def parameter_maps(self, computation: str = '') -> list[OperandMap]"),
           "From an index of each output of the entry, or of another computation, to the elements of each "
           "parameter\n"
           "that it depends on, through the whole program. ``operand`` is the number of the parameter.")
      .def(
          "parameters", &parameter_reads_of, "op"_a = "", "computation"_a = "", "at"_a = nb::none(),
          "set"_a = std::map<std::string, Index>(), "output"_a = 0,
          nb::sig(
              "def parameters(self, op: str = '', computation: str = '', at: collections.abc.Sequence[int] | "
              "None = None, set: collections.abc.Mapping[str, int] = {}, output: int = 0) -> ParameterReads"),
          "What the root of the entry, or instruction ``op``, reads of the parameters through the whole "
          "program; "
          "with\n"
          "``computation``, of its own parameters. ``at``: the element of array ``output`` of the result to "
          "ask "
          "about.\n"
          "``set``: values of runtime variables before the program clamps them, such as ``{'rt0': 20}``. "
          "Raises "
          "Error\n"
          "(unknown_name, not_applicable, number_range, index_out_of_range, rank_mismatch).\n\n"
          ">>> from tessera import hlo\n"
          ">>> module = hlo.load('''HloModule m\n"
          "... ENTRY e {\n"
          "...   x = f32[32] parameter(0)\n"
          "...   i = s32[] parameter(1)\n"
          "...   ROOT y = f32[16] dynamic-slice(x, i), dynamic_slice_sizes={16}\n"
          "... }''')\n"
          ">>> module.parameters().runtime\n"
          "{'rt0': 'parameter(1) clamped to [0, 16]; (d0) -> (), domain: d0 in [0, 15]'}\n"
          ">>> module.parameters(at=[9], set={'rt0': 20}).boxes\n"
          "{(0, 0): [((25, 26),)], (1, 0): [()]}")
      .def(
          "same", &same_bytes_of, "a"_a, "b"_a,
          nb::sig("def same(self, a: str | Instruction, b: str | Instruction) -> SameBytes"),
          "Whether two results hold the same bytes in the same order, and where the first holds the elements "
          "of the\n"
          "second. ``NAME#K`` is array K of a tuple. Raises Error (unknown_name, index_out_of_range, "
          "bad_option).\n\n"
          ">>> from tessera import hlo\n"
          ">>> module = hlo.load('''HloModule m\n"
          "... ENTRY e {\n"
          "...   a = f32[4,8]{1,0} parameter(0)\n"
          "...   ROOT t = f32[8,4]{1,0} transpose(a), dimensions={1,0}\n"
          "... }''')\n"
          ">>> print(module.same('a', 't').places)\n"
          "(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 3]");
  add_cost_methods(module);
  module
      .def(
          "stats",
          [](const ProgramModule& p, std::size_t threads, std::string_view direction) {
            return to_text(stats_of(p, analyze_options(p, direction, "", "", false, threads)));
          },
          "threads"_a = 0, "direction"_a = "out",
          "Counts of exact, superset and unknown answers, as ``tessera hlo --stats``.")
      .def(
          "report",
          [](const ProgramModule& p, nb::handle path, std::size_t threads) {
            report(p, path_of(path), threads);
          },
          "path"_a, "threads"_a = 0,
          nb::sig("def report(self, path: str | os.PathLike[str], threads: int = 0) -> None"),
          "Writes the report of ``tessera hlo --report``: a self-contained page, or the same as .json. "
          "Replaces an\n"
          "existing file. Raises FileError.")
      .def("__str__", [](const ProgramModule& p) { return to_string(*p.module); })
      .def("__repr__", [](const ProgramModule& p) {
        return fmt::format("<HloModule {}: {} instructions>", p.module->name, p.module->instruction_count());
      });
  m.def("load", &load, "path_or_text"_a, "strict"_a = true,
        nb::sig(
            "def load(path_or_text: str | bytes | os.PathLike[str] | tessera._types.HloText, strict: bool = "
            "True) -> HloModule"),
        "Reads the module of an HLO text, of a file (also .gz), or of a function that JAX lowered or "
        "compiled:\n"
        "``hlo.load(jax.jit(f).lower(x).compile())``. Raises ParseError at the first error; with\n"
        "``strict=False`` the valid rest is kept, and ``diagnostics`` has the errors. Raises FileError.\n\n"
        ">>> from tessera import hlo\n"
        ">>> hlo.load('HloModule m\\nENTRY e { ROOT a = f32[4] parameter(0) }')\n"
        "<HloModule m: 1 instructions>");
  m.def("load_all", &load_all, "path_or_text"_a, "strict"_a = true,
        nb::sig("def load_all(path_or_text: str | bytes | os.PathLike[str] | tessera._types.HloText, strict: "
                "bool = "
                "True) -> list[HloModule]"),
        "As ``load``, for any number of modules.");
}

}  // namespace tessera::python
