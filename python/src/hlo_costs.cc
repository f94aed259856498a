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
  detail::ReportOptions options;
  if (!chip.empty()) options.chip = unwrap(detail::read_chip(chip));
  if (!source.empty()) {
    const auto files = std::make_shared<verbs::CodeFiles>(source);
    options.own = [files](const std::string& file) { return files->has(file); };
    options.text = [files](const detail::CodeLine& line) { return files->line(line.file, line.line); };
  }
  return released([&] {
    detail::ReportBuilder builder(options);
    builder.add(program.file, *program.module, start != nullptr ? start->name : std::string_view(), [] {});
    const detail::ProgramReport report = std::move(builder).finish();
    const detail::ReportedModule& module = report.modules.front();
    std::string text;
    for (const detail::Waste& waste : detail::wastes(report, module))
      text += fmt::format("{}: {} {}\n", waste.kind, place_name(*waste.instruction), waste.text);
    return CostTable{chip.empty() ? text : detail::waste_text(report, module),
                     detail::wastes_json(report, module)};
  });
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
