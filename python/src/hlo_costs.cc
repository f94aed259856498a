// SPDX-License-Identifier: Apache-2.0
#include "python/src/hlo_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "python/src/errors.h"
#include "report/copies_answer.h"
#include "report/indexing_text.h"
#include "report/on_chip_answer.h"
#include "report/padding_answer.h"
#include "report/program/comparison.h"
#include "report/program/findings.h"
#include "report/program/program_report.h"
#include "report/program/waste_json.h"
#include "report/program/waste_text.h"
#include "report/program/wastes.h"
#include "report/traffic_answer.h"
#include "tessera/hlo/traffic.h"
#include "verbs/code_files.h"
#include "verbs/hlo_costs.h"

namespace tessera::python {
namespace {

const Computation* start_of(const ProgramModule& program, const std::string& name) {
  if (name.empty()) return nullptr;
  const Computation* const found = program.module->find(name);
  if (found == nullptr) raise(Code::unknown_name, fmt::format("no computation is named '{}'", name));
  return found;
}

bool every_step(const Instruction& /*op*/) { return true; }

CostTable table_of(const ProgramModule& program, const verbs::HloRequest& request,
                   const std::string& computation) {
  const Computation* const start = start_of(program, computation);
  return released([&] {
    const verbs::PartPlace where{program.modules, program.file, std::string(program.module->name)};
    const verbs::CostPart part = verbs::cost_part(request, where, *program.module, start, every_step);
    return CostTable{part.text(), part.json()};
  });
}

// The objects of the lines; those of totals only, or all others without the keys that they share.
nb::list objects_of(const CostTable& table, bool totals) {
  nb::list out;
  const nb::object loads = nb::module_::import_("json").attr("loads");
  for (std::size_t begin = 0; begin < table.json.size();) {
    const std::size_t end = std::min(table.json.find('\n', begin), table.json.size());
    const nb::object parsed = loads(nb::str(table.json.data() + begin, end - begin));
    begin = end + 1;
    const auto object = nb::cast<nb::dict>(parsed);
    nb::dict row;
    bool is_total = false;
    bool is_step = false;
    for (const auto [key, value] : object) {
      const auto name = nb::cast<std::string>(key);
      if (name == "schema" || name == "file" || name == "module") continue;
      is_total = is_total || name.ends_with("totals");
      is_step = is_step || name == "live_step";
      if (nb::isinstance<nb::dict>(value)) {
        for (const auto [inner, own] : nb::cast<nb::dict>(value)) row[inner] = own;
      } else {
        row[key] = value;
      }
    }
    if (is_total == totals && !is_step) out.append(row);
  }
  return out;
}

detail::ReportOptions report_options(const std::string& chip, const std::string& source) {
  detail::ReportOptions options;
  if (!chip.empty()) options.chip = unwrap(detail::read_chip(chip));
  if (source.empty()) return options;
  const auto files = std::make_shared<verbs::CodeFiles>(source);
  options.own = [files](const std::string& file) { return files->has(file); };
  options.text = [files](const detail::CodeLine& line) { return files->line(line.file, line.line); };
  return options;
}

detail::ProgramReport report_of(const ProgramModule& program, const detail::ReportOptions& options,
                                std::string_view computation) {
  detail::ReportBuilder builder(options);
  builder.add(program.file, *program.module, computation, [] {});
  return std::move(builder).finish();
}

// The folder with the user's code; empty for None.
std::string folder_of(nb::handle source) { return source.is_none() ? std::string() : path_of(source); }

}  // namespace

CostTable traffic_table(const ProgramModule& program, const std::string& computation) {
  const Computation* const start = start_of(program, computation);
  return released([&] {
    const ProgramTraffic traffic = program_traffic(*program.module, {.start = start});
    const InstructionPlace place{program.file, program.module->name};
    return CostTable{to_text(traffic, every_step, false), to_json(place, traffic, every_step)};
  });
}

CostTable tiled_table(const ProgramModule& program, const std::string& on_chip,
                      const std::string& computation) {
  if (on_chip.empty()) return traffic_table(program, computation);
  const auto chip = unwrap(verbs::FieldType<verbs::OnChip>::read(on_chip));
  const Computation* const start = start_of(program, computation);
  return released([&] {
    const ProgramTraffic traffic = program_traffic(*program.module, {.start = start});
    const detail::TiledProgram tiled = detail::tiled_traffic(*program.module, traffic, chip.bytes);
    const InstructionPlace place{program.file, program.module->name};
    return CostTable{detail::to_text(traffic, tiled, chip.source, every_step),
                     detail::to_json(place, traffic, tiled, chip.source, every_step)};
  });
}

CostTable copies_table(const ProgramModule& program, const std::string& computation) {
  const Computation* const start = start_of(program, computation);
  return released([&] {
    const CopiesReport copies =
        copies_report(*program.module, program_traffic(*program.module, {.start = start}), start);
    const Bandwidth bandwidth{measured_bandwidth(), true};
    const InstructionPlace place{program.file, program.module->name};
    return CostTable{to_text(copies, bandwidth), to_json(place, copies, bandwidth)};
  });
}

CostTable padding_table(const ProgramModule& program, const std::string& computation) {
  const Computation* const start = start_of(program, computation);
  return released([&] {
    const PaddingReport padding = padding_report(*program.module, std::nullopt, start);
    const InstructionPlace place{program.file, program.module->name};
    return CostTable{to_text(padding), to_json(place, padding)};
  });
}

CostTable work_table(const ProgramModule& program, const std::string& computation) {
  return table_of(program, {.work = true}, computation);
}

CostTable memory_table(const ProgramModule& program, const std::string& computation) {
  return table_of(program, {.memory = true}, computation);
}

CostTable collectives_table(const ProgramModule& program, const std::string& computation) {
  return table_of(program, {.collectives = true}, computation);
}

CostTable time_table(const ProgramModule& program, const std::string& chip, const std::string& computation) {
  verbs::HloRequest request;
  request.chip = unwrap(detail::read_chip(chip));
  return table_of(program, request, computation);
}

CostTable shares_table(const ProgramModule& program, const std::string& by, const std::string& source,
                       const std::string& computation) {
  verbs::HloRequest request;
  constexpr auto kWords = verbs::Words<detail::ShareKey>::words;
  const auto* const found = std::ranges::find(kWords, by);
  if (found == kWords.end())
    raise(Code::bad_option, fmt::format("'{}' is not one of source, scope, opcode", by));
  request.by = static_cast<detail::ShareKey>(found - kWords.begin());
  request.source = source;
  return table_of(program, request, computation);
}

CostTable wastes_table(const ProgramModule& program, const std::string& chip, const std::string& source,
                       const std::string& computation) {
  const Computation* const start = start_of(program, computation);
  const detail::ReportOptions options = report_options(chip, source);
  return released([&] {
    const detail::ProgramReport report =
        report_of(program, options, start != nullptr ? start->name : std::string_view());
    const detail::ReportedModule& module = report.modules.front();
    std::string text;
    for (const detail::Waste& waste : detail::wastes(report, module))
      text += fmt::format("{}: {} {}\n", waste.kind, place_name(*waste.instruction), waste.text);
    return CostTable{chip.empty() ? text : detail::waste_text(report, module),
                     detail::wastes_json(report, module)};
  });
}

CostTable summary_table(const ProgramModule& program, const std::string& chip, const std::string& source) {
  const detail::ReportOptions options = report_options(chip, source);
  return released([&] {
    const detail::ProgramReport report = report_of(program, options, {});
    return CostTable{detail::summary_text(report), detail::findings_json(report, report.modules.front())};
  });
}

CostTable comparison_table(const ProgramModule& program, const ProgramModule& old, const std::string& chip) {
  detail::ReportOptions options = report_options(chip, {});
  options.traffic_only = true;
  return released([&] {
    const detail::ProgramReport before = report_of(old, options, {});
    const detail::ProgramReport after = report_of(program, options, {});
    const detail::ProgramComparison comparison = detail::compare_programs(before, after);
    return CostTable{detail::to_text(comparison),
                     detail::comparison_json(after.modules.front().place(), comparison)};
  });
}

std::string path_of(nb::handle path) {
  const nb::bytes raw(nb::module_::import_("os").attr("fsencode")(path));
  return {raw.c_str(), raw.size()};
}

void add_cost_methods(nb::class_<ProgramModule>& module) {
  module
      .def(
          "traffic",
          [](const ProgramModule& p, const std::string& computation, nb::handle on_chip) {
            return tiled_table(p, on_chip.is_none() ? std::string() : nb::cast<std::string>(nb::str(on_chip)),
                               computation);
          },
          "computation"_a = "", "on_chip"_a = nb::none(),
          nb::sig("def traffic(self, computation: str = '', on_chip: int | str | None = None) -> CostTable"),
          "The bytes that each step reads, writes and must move, as ``tessera hlo --traffic``; with "
          "``on_chip``,\nbytes or a chip, what it moves in tiles that fit. Raises Error (bad_option).")
      .def("copies", &copies_table, "computation"_a = "",
           "The instructions that only move data, and the chains of them, as ``tessera hlo --copies``.")
      .def("padding", &padding_table, "computation"_a = "",
           "What padding costs, as ``tessera hlo --padding``.")
      .def(
          "wastes",
          [](const ProgramModule& p, const std::string& chip, nb::handle source,
             const std::string& computation) {
            return wastes_table(p, chip, folder_of(source), computation);
          },
          "chip"_a = "", "source"_a = nb::none(), "computation"_a = "",
          nb::sig(
              "def wastes(self, chip: str = '', source: str | os.PathLike[str] | None = None, computation: "
              "str = '') -> CostTable"),
          "What the program could do without, the most time or bytes first, with its line of code and scope. "
          "Rows\nare those of ``wastes`` in ``tessera hlo --report FILE.json``, with names and maps as text; "
          "``chip``\nas for ``time`` adds seconds. Raises Error (bad_option).")
      .def(
          "summary",
          [](const ProgramModule& p, const std::string& chip, nb::handle source) {
            return summary_table(p, chip, folder_of(source));
          },
          "chip"_a = "", "source"_a = nb::none(),
          nb::sig(
              "def summary(self, chip: str = '', source: str | os.PathLike[str] | None = None) -> CostTable"),
          "What the program wastes, in sentences: ``print(module.summary('h100'))`` is ``tessera hlo "
          "--summary "
          "--chip\nh100``. Raises Error (bad_option).")
      .def("compare", &comparison_table, "old"_a, "chip"_a = "",
           "The steps that move more or fewer bytes than in an older program, as ``tessera hlo --compare``. "
           "Raises\nError (bad_option).")
      .def("work", &work_table, "computation"_a = "",
           "The operations that each step computes, as ``tessera hlo --work``.\n\n"
           ">>> from tessera import hlo\n"
           ">>> module = hlo.load('''HloModule m\n"
           "... ENTRY e {\n"
           "...   a = f32[4,8] parameter(0)\n"
           "...   b = f32[8,2] parameter(1)\n"
           "...   ROOT c = f32[4,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
           "... }''')\n"
           ">>> module.work().totals['flops']\n"
           "{'lower': 128, 'upper': 128}")
      .def("memory", &memory_table, "computation"_a = "",
           "The arrays that are live at the peak, as ``tessera hlo --memory``.")
      .def("collectives", &collectives_table, "computation"_a = "",
           "What each collective moves between devices, as ``tessera hlo --collectives``.")
      .def(
          "time", &time_table, "chip"_a, "computation"_a = "",
          "An estimate of the time of each step, as ``tessera hlo --chip``: ``module.time('h100')``. Raises\n"
          "Error (bad_option).")
      .def(
          "by",
          [](const ProgramModule& p, const std::string& key, nb::handle source,
             const std::string& computation) { return shares_table(p, key, folder_of(source), computation); },
          "key"_a, "source"_a = nb::none(), "computation"_a = "",
          nb::sig("def by(self, key: typing.Literal['source', 'scope', 'opcode'], source: str | "
                  "os.PathLike[str] | None = None, computation: str = '') -> CostTable"),
          "What each line of code, scope or opcode moves and computes, as ``tessera hlo --by``; ``source`` "
          "is "
          "the folder\nwith your code. Raises Error (bad_option).");
}

void add_hlo_costs(nb::module_& m) {
  nb::class_<CostTable>(
      m, "CostTable",
      "What a program costs: rows, and their totals. Counts are ``{'lower': n, 'upper': n}``, equal "
      "if exact;\n``upper`` is None without a bound. ``str()`` is the table that ``tessera hlo`` "
      "prints.")
      .def_prop_ro(
          "rows", [](const CostTable& t) { return objects_of(t, false); },
          nb::sig("def rows(self) -> list[dict[str, typing.Any]]"),
          "The rows, with the keys of ``tessera hlo --json``: ``pandas.json_normalize(table.rows)`` and\n"
          "``pyarrow.Table.from_pylist(table.rows)`` make tables of them.")
      .def_prop_ro(
          "totals", [](const CostTable& t) { return nb::object(objects_of(t, true)[0]); },
          nb::sig("def totals(self) -> dict[str, typing.Any]"), "The sums over the whole program.")
      .def("__len__", [](const CostTable& t) { return nb::len(objects_of(t, false)); })
      .def(
          "__iter__", [](const CostTable& t) { return objects_of(t, false).attr("__iter__")(); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[dict[str, typing.Any]]"))
      .def(
          "to_json", [](const CostTable& t) { return t.json; },
          "The lines that ``tessera hlo --json`` prints.")
      .def("__str__", [](const CostTable& t) { return t.text.substr(0, t.text.find_last_not_of('\n') + 1); })
      .def("__repr__", [](const CostTable& t) {
        return fmt::format("<CostTable of {} rows>", nb::len(objects_of(t, false)));
      });
}

}  // namespace tessera::python
