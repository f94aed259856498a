// SPDX-License-Identifier: Apache-2.0
#include "report/reshard_files_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/plural.h"
#include "base/printable.h"
#include "report/copy_answer.h"
#include "report/json.h"
#include "report/limits.h"
#include "report/moved_keys.h"
#include "reshard/pieces/shard_pieces.h"

namespace tessera {
namespace {

using detail::plural;

std::string type_of(const transfer::TargetTensor& tensor) {
  if (!tensor.type_name.empty()) return tensor.type_name;
  return tensor.dtype ? std::string(to_string(*tensor.dtype)) : fmt::format("{} bits", tensor.element_bits);
}

// The layout of a new tensor that is not row-major.
std::string layout_of(const transfer::TargetTensor& tensor) {
  if (tensor.named) return to_string(*tensor.named);
  return tensor.layout ? to_string(*tensor.layout) : "";
}

std::size_t source_count(const transfer::TargetTensor& tensor) {
  std::set<std::size_t> sources;
  for (const transfer::TensorMove& move : tensor.moves) sources.insert(move.source);
  return sources.size();
}

std::string dimension_name(std::size_t dim, std::size_t rank) {
  if (rank <= 2) return dim == 0 ? "rows" : "columns";
  return fmt::format("dimension {}", dim);
}

// The pieces of each dimension of a new tensor, or of its shard, that is concatenated from pieces. Shows at
// most 16 runs.
std::vector<std::string> concatenations(const transfer::TargetTensor& tensor) {
  std::vector<std::string> out;
  if (tensor.match == nullptr) return out;
  const PieceTensor& form = tensor.match->to()[tensor.pattern];
  for (std::size_t d = 0; d < form.axes.dims.size(); ++d) {
    const std::string name = dimension_name(d, form.axes.dims.size());
    const auto whole = piece_runs(form.axes, d);
    if (whole && whole->size() < 2) continue;
    const auto runs = piece_runs(form, tensor.place, d);
    if (!runs) {
      out.push_back(fmt::format("{} not listed: {}", name, runs.error().message));
      continue;
    }
    std::vector<std::string> texts;
    for (const PieceRun& run : *runs) {
      if (texts.size() == detail::kReportLimits.file_runs) {
        texts.push_back(fmt::format("… {} runs", runs->size()));
        break;
      }
      texts.push_back(fmt::format("{}:{} {}", run.first, run.first + run.count, run.piece));
    }
    out.push_back(fmt::format("{} {}", name, fmt::join(texts, ", ")));
  }
  return out;
}

void add_numbering(Json& json, const SidesNumbering& numbering) {
  if (!numbering.from.empty()) json["numbering"]["from"] = numbering.from;
  if (!numbering.to.empty()) json["numbering"]["to"] = numbering.to;
}

}  // namespace

std::string to_text(const ReshardFilesAnswer& answer) {
  const ReshardFilesReport& report = answer.report;
  std::string text = fmt::format("{} -> {}\n", answer.source, answer.target);
  text += fmt::format("{} -> {}, {}\n", plural(report.source_files, "file"), plural(report.files, "file"),
                      plural(report.tensors.size(), "tensor"));
  text += fmt::format("{} read, {} written in {:.3f} s ({}/s)\n", report.read_bytes,
                      plural(report.written_bytes, "byte"), report.seconds,
                      bytes_text(rate(report.written_bytes, report.seconds)));
  text += resumed_text(report);
  if (report.copies > 0)
    text += fmt::format("copies in the source: {} equal those that were read\n",
                        plural(report.copies, "element"));
  if (report.checked) text += "checked: every byte is written once\n";
  if (report.verified) text += fmt::format("verified: all {}\n", plural(report.verified->checked, "element"));
  text += leftovers_text(report);
  return detail::printable(text, true);
}

std::string to_json(const ReshardFilesAnswer& answer) {
  const ReshardFilesReport& report = answer.report;
  Json json = {{"schema", "tessera.reshard/1"}, {"status", 0}};
  json["source"] = answer.source;
  json["target"] = answer.target;
  add_numbering(json, answer.numbering);
  json["source_files"] = report.source_files;
  json["files"] = report.files;
  add_moved(json, report);
  json["copies"] = report.copies;
  json["checked"] = report.checked;
  json["looked_up"] = report.verified ? report.verified->checked : 0;
  Json& tensors = json["tensors"] = Json::array();
  for (const WrittenTensor& tensor : report.tensors) {
    tensors.push_back({{"name", tensor.name},
                       {"file", tensor.file},
                       {"bytes", tensor.bytes},
                       {"xxh3", fmt::format("{:016x}", tensor.xxh3)}});
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string plan_text(const std::string& target, const transfer::FilePlan& plan) {
  std::string text =
      fmt::format("{} -> {}, {}, {} to write to {}\n", plural(plan.source.files().size(), "file"),
                  plural(plan.files.size(), "file"), plural(plan.tensors.size(), "tensor"),
                  plural(plan.tensor_bytes, "byte"), target);
  for (std::size_t r = 0; r < plan.rules.size(); ++r) {
    bool used = false;
    for (const transfer::TargetTensor& tensor : plan.tensors) {
      if (tensor.rule != r) continue;
      if (!used) text += plan.rules[r] + "\n";
      used = true;
      text += fmt::format("  {}#{}: {}[{}], {} from {}", tensor.file, tensor.name, type_of(tensor),
                          fmt::join(tensor.stored_shape(), ","), plural(tensor.end - tensor.begin, "byte"),
                          plural(source_count(tensor), "tensor"));
      const std::string layout = layout_of(tensor);
      text += layout.empty() ? "\n" : fmt::format(", as {}\n", layout);
      for (const std::string& runs : concatenations(tensor)) text += fmt::format("    {}\n", runs);
    }
  }
  for (const std::string& rule : plan.unmatched) text += fmt::format("no tensor: {}\n", rule);
  for (const std::string& name : plan.dropped) text += fmt::format("dropped: {}\n", name);
  return detail::printable(text, true);
}

std::string plan_json(const std::string& target, const transfer::FilePlan& plan,
                      const SidesNumbering& numbering) {
  Json json = {{"schema", "tessera.reshard/1"}, {"status", 0}};
  json["target"] = target;
  add_numbering(json, numbering);
  json["source_files"] = plan.source.files().size();
  json["files"] = plan.files.size();
  add_dry_run(json, plan.tensor_bytes);
  json["dropped"] = plan.dropped;
  json["unmatched"] = plan.unmatched;
  Json& tensors = json["tensors"] = Json::array();
  for (const transfer::TargetTensor& tensor : plan.tensors) {
    Json one = {{"name", tensor.name}, {"file", tensor.file}, {"type", type_of(tensor)}};
    one["shape"] = tensor.stored_shape();
    if (const std::string layout = layout_of(tensor); !layout.empty()) one["layout"] = layout;
    one["bytes"] = tensor.end - tensor.begin;
    one["rule"] = plan.rules[tensor.rule];
    one["pieces"] = concatenations(tensor);
    std::set<std::string> sources;
    for (const transfer::TensorMove& move : tensor.moves) {
      const transfer::CheckpointTensor& source = plan.source.tensors()[move.source];
      sources.insert(fmt::format("{}#{}", plan.source.files()[source.file].name, source.name));
    }
    one["sources"] = sources;
    tensors.push_back(std::move(one));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string checksums_text(const ReshardFilesReport& report) {
  std::string text;
  for (const WrittenTensor& tensor : report.tensors)
    text += fmt::format("{:016x}  {}#{}\n", tensor.xxh3, tensor.file, tensor.name);
  return detail::printable(text, true);
}

}  // namespace tessera
