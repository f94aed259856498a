// SPDX-License-Identifier: Apache-2.0
#include "report/file_info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <type_traits>
#include <variant>

#include "base/plural.h"
#include "base/printable.h"
#include "base/shortened.h"
#include "report/copy_answer.h"
#include "report/json.h"
#include "report/limits.h"
#include "tessera/files/tensor_file.h"
#include "tessera/notation/layout.h"
#include "tessera/notation/tensor_type.h"

namespace tessera {
namespace {

using detail::plural;
using detail::printable;

std::string_view format_name(Content content) {
  switch (content) {
    case Content::npy:
      return "npy";
    case Content::index:
      return "safetensors index";
    case Content::gguf:
      return "gguf";
    default:
      return "safetensors";
  }
}

Index data_bytes(const TensorListing& listing) {
  Index sum = 0;
  for (const ListedTensor& tensor : listing.tensors) sum += tensor.end - tensor.begin;
  return sum;
}

// XLA's name of the element type if it has one, otherwise the file's name for it, otherwise the width in
// bits.
std::string type_text(const ListedTensor& tensor) {
  if (tensor.dtype) return std::string(to_string(*tensor.dtype));
  if (tensor.named) return to_string(tensor.named->type());
  if (!tensor.type_name.empty()) return tensor.type_name;
  return tensor.element_bits > 0 ? fmt::format("{} bits", tensor.element_bits) : "";
}

// Rows of aligned cells. The column of numbers is aligned to the right.
class AlignedTable {
 public:
  explicit AlignedTable(std::string_view numbers) : numbers_(numbers) {}

  // Names come from untrusted files, so they are escaped.
  void add(std::vector<std::string> row) {
    for (std::string& cell : row) cell = printable(cell);
    rows_.push_back(std::move(row));
  }

  std::string text() const {
    // Omit columns that are empty below their heading.
    std::vector<std::size_t> widths(rows_[0].size(), 0);
    for (std::size_t k = 1; k < rows_.size(); ++k) {
      for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], rows_[k][i].size());
    }
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] > 0) widths[i] = std::max(widths[i], rows_[0][i].size());
    }
    std::string out;
    for (const std::vector<std::string>& row : rows_) {
      std::string line = "  ";
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (widths[i] == 0) continue;
        line += rows_[0][i] == numbers_ ? fmt::format("{:>{}}  ", row[i], widths[i])
                                        : fmt::format("{:<{}}  ", row[i], widths[i]);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
    return out;
  }

 private:
  std::string_view numbers_;  // the heading of the numeric column
  std::vector<std::vector<std::string>> rows_;
};

// The number of bytes of an array in memory. Empty if its layout and type do not determine it.
std::optional<Index> bytes_of(const HloType& type) {
  if (!type.is_array() || type.has_unbounded()) return std::nullopt;
  const Result<Layout> layout = Layout::make(type.array());
  if (!layout) return std::nullopt;
  const Result<Index> bytes = file_bytes(*layout, memory_bits(*layout, type.array().dtype));
  return bytes ? std::optional(*bytes) : std::nullopt;
}

// The parts of a value, depth first: `name{0,1}`. Types may nest 500 levels deep.
void add_parts(const HloType& type, std::string_view name, std::vector<Index>& path,
               std::vector<EntryValue>& out) {
  if (type.is_tuple()) {
    Index i = 0;
    for (const HloType& element : type.elements()) {
      path.push_back(i++);
      add_parts(element, name, path, out);
      path.pop_back();
    }
    return;
  }
  const std::string place = path.empty() ? "" : fmt::format("{{{}}}", fmt::join(path, ","));
  out.push_back({std::string(name) + place, to_string(type), bytes_of(type)});
}

std::string bytes_text(const std::optional<Index>& bytes) { return bytes ? fmt::format("{}", *bytes) : ""; }

Json json_of(const MetadataKey& key) {
  Json json = {{"key", key.name}, {"type", key.type}};
  const auto put = [&](const auto& value) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, std::monostate>) {
      json["length"] = key.length;
    } else {
      json["value"] = value;
    }
  };
  std::visit(put, key.value);
  return json;
}

// A value on one line: text is shortened, and of an array only the length is known.
std::string value_text(const MetadataKey& key) {
  const auto text = [&](const auto& value) {
    using T = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_same_v<T, std::monostate>) {
      return fmt::format("{} ({})", key.type, detail::plural(key.length, "value"));
    } else if constexpr (std::is_same_v<T, std::string>) {
      return printable(shortened(value, detail::kReportLimits.value_bytes));
    } else {
      return fmt::format("{}", value);
    }
  };
  return std::visit(text, key.value);
}

Json json_of(const ListedTensor& tensor) {
  Json json = Json::object();
  if (!tensor.name.empty()) json["name"] = tensor.name;
  if (!tensor.file.empty()) json["file"] = tensor.file;
  json["type"] = tensor.dtype   ? Json(to_string(*tensor.dtype))
                 : tensor.named ? Json(to_string(tensor.named->type()))
                                : Json();
  if (!tensor.type_name.empty()) json["stored_type"] = tensor.type_name;
  json["element_bits"] = tensor.element_bits > 0 ? Json(tensor.element_bits) : Json();
  const bool known = !type_text(tensor).empty();
  json["shape"] = known ? Json(tensor.shape) : Json();
  const std::string layout = layout_text(tensor);
  json["layout"] = layout.empty() ? Json() : Json(layout);
  json["begin"] = known ? Json(tensor.begin) : Json();
  json["bytes"] = known ? Json(tensor.end - tensor.begin) : Json();
  return json;
}

Json json_of(const std::vector<EntryValue>& values) {
  Json json = Json::array();
  for (const EntryValue& value : values) {
    Json one = Json::object();
    one["name"] = value.name;
    one["type"] = value.type;
    one["bytes"] = value.bytes ? Json(*value.bytes) : Json();
    json.push_back(std::move(one));
  }
  return json;
}

}  // namespace

ModuleInfo info_of(const HloModule& module) {
  ModuleInfo info{.name = module.name,
                  .computations = module.computations.size(),
                  .instructions = module.instruction_count()};
  if (module.entry == nullptr) return info;
  info.entry = module.entry->name;
  std::vector<Index> path;
  for (const Instruction* parameter : module.entry->parameters) {
    if (parameter != nullptr) add_parts(parameter->type, parameter->name, path, info.parameters);
  }
  if (module.entry->root != nullptr) add_parts(module.entry->root->type, "", path, info.results);
  return info;
}

std::string to_text(const std::string& path, const TensorListing& listing) {
  const bool index = listing.content == Content::index;
  std::string out = fmt::format(
      "{}: {}, {}, {} of data, {}\n", path, format_name(listing.content),
      plural(listing.tensors.size(), "tensor"), plural(static_cast<std::size_t>(data_bytes(listing)), "byte"),
      index ? plural(listing.files.size(), "file") : fmt::format("file size {}", listing.file_bytes));
  AlignedTable table("bytes");
  table.add({"tensor", "type", "shape", "bytes", "layout", "file"});
  for (const ListedTensor& tensor : listing.tensors) {
    const bool known = !type_text(tensor).empty();
    table.add({tensor.name, type_text(tensor), known ? fmt::format("({})", fmt::join(tensor.shape, ",")) : "",
               known ? fmt::format("{}", tensor.end - tensor.begin) : "", layout_text(tensor), tensor.file});
  }
  out += table.text();
  for (const auto& [key, value] : listing.metadata) {
    if (!key.starts_with("tessera."))
      out += fmt::format("  metadata {}: {}\n", printable(key), printable(value));
  }
  for (const MetadataKey& key : listing.keys)
    out += fmt::format("  metadata {}: {}\n", printable(key.name), value_text(key));
  for (const std::string& note : listing.notes) out += fmt::format("  note: {}\n", note);
  for (const std::string& file : listing.missing)
    out += fmt::format("  {} does not exist\n", printable(file));
  return out;
}

std::string to_text(const std::string& path, const std::vector<ModuleInfo>& modules) {
  std::string out = fmt::format("{}: HLO text, {}\n", path, plural(modules.size(), "module"));
  for (const ModuleInfo& module : modules) {
    out += fmt::format("module {}: {}, {}{}\n", printable(module.name),
                       plural(module.computations, "computation"), plural(module.instructions, "instruction"),
                       module.entry.empty() ? "" : fmt::format(", entry {}", printable(module.entry)));
    AlignedTable table("bytes");
    table.add({"", "name", "bytes", "type"});
    for (const EntryValue& value : module.parameters)
      table.add({"parameter", value.name, bytes_text(value.bytes), value.type});
    for (const EntryValue& value : module.results)
      table.add({"result", value.name, bytes_text(value.bytes), value.type});
    if (!module.parameters.empty() || !module.results.empty()) out += table.text();
  }
  return out;
}

std::string to_json(const std::string& path, const TensorListing& listing) {
  Json json = {{"schema", "tessera.info/1"}, {"status", 0}, {"path", path}};
  json["format"] = format_name(listing.content);
  json["file_bytes"] = listing.file_bytes;
  json["data_bytes"] = data_bytes(listing);
  json["tensors"] = Json::array();
  for (const ListedTensor& tensor : listing.tensors) json["tensors"].push_back(json_of(tensor));
  if (listing.content == Content::index) {
    json["files"] = listing.files;
    json["missing"] = listing.missing;
  }
  if (listing.content == Content::safetensors) json["metadata"] = listing.metadata;
  if (listing.content == Content::gguf) {
    json["version"] = listing.version;
    json["alignment"] = listing.alignment;
    json["keys"] = Json::array();
    for (const MetadataKey& key : listing.keys) json["keys"].push_back(json_of(key));
    json["notes"] = listing.notes;
  }
  return detail::dump(json);
}

std::string to_json(const std::string& path, const std::vector<ModuleInfo>& modules) {
  Json json = {{"schema", "tessera.info/1"}, {"status", 0}, {"path", path}, {"format", "hlo"}};
  json["modules"] = Json::array();
  for (const ModuleInfo& module : modules) {
    Json one = Json::object();
    one["name"] = module.name;
    one["computations"] = module.computations;
    one["instructions"] = module.instructions;
    one["entry"] = module.entry.empty() ? Json() : Json(module.entry);
    one["parameters"] = json_of(module.parameters);
    one["results"] = json_of(module.results);
    json["modules"].push_back(std::move(one));
  }
  return detail::dump(json);
}

}  // namespace tessera
