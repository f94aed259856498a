// SPDX-License-Identifier: Apache-2.0
/// \file
/// The parts of the answer of `hlo`.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hlo/analysis/bitcast.h"
#include "hlo/analysis/padding.h"
#include "hlo/metadata/metadata.h"
#include "report/copies_answer.h"
#include "report/indexing_json.h"
#include "report/indexing_text.h"
#include "report/parameters_answer.h"
#include "report/program/comparison.h"
#include "report/program/program_report.h"
#include "report/stats_report.h"
#include "tessera/hlo/analyze.h"
#include "verbs/answer.h"

namespace tessera::verbs {

using SharedProgram = std::shared_ptr<const ParsedModules>;

/// Part of an answer: its text ends with a line break, and its JSON is any number of lines.
class HloPart : public VerbAnswer {
 public:
  int status() const override { return 0; }
};

/// `file NAME`: separates the parts of a text.
class HloHeadline : public HloPart {
 public:
  HloHeadline(std::string_view word, std::string_view name) : word_(word), name_(name) {}
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_json() const override { return std::string(); }

 private:
  std::string word_;
  std::string name_;
};

/// Where parts belong.
struct PartPlace {
  SharedProgram program;
  std::string file;
  std::string module;

  InstructionPlace place() const { return {file, module}; }
};

/// The maps of an instruction.
class InstructionPart : public HloPart {
 public:
  InstructionPart(PartPlace where, std::shared_ptr<detail::ModuleCode> code, InstructionIndexing maps,
                  IndexingDirection direction, bool legacy)
      : where_(std::move(where)),
        code_(std::move(code)),
        maps_(std::move(maps)),
        direction_(direction),
        legacy_(legacy) {}
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_json() const override;

 private:
  PartPlace where_;
  std::shared_ptr<detail::ModuleCode> code_;
  InstructionIndexing maps_;
  IndexingDirection direction_;
  bool legacy_;
};

/// Whether an instruction is a bitcast.
class BitcastPart : public HloPart {
 public:
  BitcastPart(PartPlace where, InstructionIndexing maps, IndexingDirection direction, BitcastAnswer answer)
      : where_(std::move(where)), maps_(std::move(maps)), direction_(direction), answer_(std::move(answer)) {}
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_json() const override;

 private:
  PartPlace where_;
  InstructionIndexing maps_;
  IndexingDirection direction_;
  BitcastAnswer answer_;
};

/// A text and its JSON, which belong to the program.
class ModulePart : public HloPart {
 public:
  using Make = std::function<std::string()>;
  ModulePart(PartPlace where, Make text, Make json)
      : where_(std::move(where)), text_(std::move(text)), json_(std::move(json)) {}
  Result<std::string> to_text(const Terminal& /*terminal*/) const override { return text_(); }
  Result<std::string> to_json() const override { return json_(); }

 private:
  PartPlace where_;  // keeps the program
  Make text_;
  Make json_;
};

/// The report of all files.
class ReportPart : public HloPart {
 public:
  struct Reported {
    std::vector<std::string> files;
    std::deque<SharedProgram> programs;
    detail::ProgramReport report;
    detail::ProgramReport old;
    std::optional<detail::ProgramComparison> comparison;
    bool with_summary = true;
  };
  explicit ReportPart(std::unique_ptr<Reported> reported) : reported_(std::move(reported)) {}
  bool has_picture() const override { return true; }
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_json() const override;
  Result<std::string> to_picture(PictureFormat format) const override;

 private:
  std::unique_ptr<Reported> reported_;  // gets its tiles when they are needed
};

}  // namespace tessera::verbs
