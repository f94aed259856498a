// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "base/try.h"
#include "files/gguf.h"
#include "files/header_source.h"
#include "files/metadata.h"
#include "files/weight_map.h"
#include "tessera/files/tensor_file.h"

namespace tessera {
namespace {

std::string_view front_of(const MappedFile& file, std::size_t most) {
  return {reinterpret_cast<const char*>(file.bytes().data()), std::min(file.bytes().size(), most)};
}

bool is_text(std::string_view bytes) {
  return std::ranges::none_of(bytes, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < ' ' && c != '\n' && c != '\t' && c != '\r' && c != '\f';
  });
}

Result<TensorListing> npy_listing(const std::string& path, std::shared_ptr<const Source>* header) {
  const Result<TensorFile> file = TensorFile::open({path}, header, FileFormat::npy);
  if (!file) return fail(file.error());
  const FileTensor& recorded = file->tensor();
  TensorListing listing{.file_bytes = static_cast<Index>(file->mapping().bytes().size())};
  ListedTensor tensor{
      .dtype = recorded.dtype, .element_bits = recorded.element_bits, .layout = recorded.layout};
  tensor.shape.assign(recorded.layout->shape().begin(), recorded.layout->shape().end());
  tensor.begin = recorded.begin;
  tensor.end = recorded.end;
  listing.tensors.push_back(std::move(tensor));
  return listing;
}

Result<ListedTensor> listed(const SafetensorsHeader& header, const StoredTensor& stored) {
  ListedTensor tensor{.name = stored.name, .type_name = stored.type_name, .shape = stored.shape};
  tensor.begin = static_cast<Index>(header.data_begin) + stored.begin;
  tensor.end = static_cast<Index>(header.data_begin) + stored.end;
  Result<FileTensor> described = described_tensor(header, stored);
  if (!described) {
    // A type from a later version of the format is listed by its name only.
    if (described.error().code == Code::unknown_type) return tensor;
    return fail(described.error());
  }
  tensor.dtype = described->dtype;
  tensor.element_bits = described->element_bits;
  tensor.layout = std::move(described->layout);
  tensor.named = std::move(described->named);
  const std::span<const Index> shape = tensor.named ? tensor.named->shape() : tensor.layout->shape();
  tensor.shape.assign(shape.begin(), shape.end());
  return tensor;
}

Result<TensorListing> safetensors_listing(const std::string& path, std::shared_ptr<const Source>* header) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return fail(file.error());
  const auto refuse = [&](Diagnostic diagnostic) {
    if (header != nullptr) *header = header_source(path, file->bytes());
    return fail(std::move(diagnostic));
  };
  const Result<SafetensorsHeader> read = parse_safetensors_header(file->bytes());
  if (!read) return refuse(read.error());
  TensorListing listing{.content = Content::safetensors,
                        .file_bytes = static_cast<Index>(file->bytes().size()),
                        .metadata = read->metadata};
  for (const StoredTensor& stored : read->tensors) {
    Result<ListedTensor> tensor = listed(*read, stored);
    if (!tensor) return refuse(tensor.error());
    listing.tensors.push_back(*std::move(tensor));
  }
  return listing;
}

Result<TensorListing> gguf_listing(const std::string& path, std::shared_ptr<const Source>* header) {
  TESSERA_TRY(file, MappedFile::open(path));
  Result<GgufHeader> read = parse_gguf_header(file.bytes());
  if (!read) {
    if (header != nullptr) *header = header_source(path, file.bytes());
    return fail(read.error());
  }
  TensorListing listing{.content = Content::gguf,
                        .file_bytes = static_cast<Index>(file.bytes().size()),
                        .version = read->version,
                        .alignment = read->alignment,
                        .keys = std::move(read->metadata)};
  bool reversed = false;
  for (GgufTensor& stored : read->tensors) {
    FileTensor tensor = file_tensor(stored);
    reversed |= stored.shape.size() > 1;
    listing.tensors.push_back({.name = std::move(tensor.name),
                               .type_name = std::string(stored.type->name),
                               .dtype = tensor.dtype,
                               .element_bits = tensor.element_bits,
                               .shape = std::move(stored.shape),
                               .layout = std::move(tensor.layout),
                               .named = std::move(tensor.named),
                               .begin = tensor.begin,
                               .end = tensor.end});
  }
  if (reversed)
    listing.notes.push_back("shapes have the slowest dimension first; ggml prints them in reverse");
  if (const std::optional<GgufGap>& gap = read->gap) {
    const ListedTensor& tensor = listing.tensors[gap->tensor];
    listing.notes.push_back(fmt::format(
        "tensor '{}' at byte {} of the data does not begin where the one before it ends, rounded up to {}; "
        "llama.cpp refuses "
        "such files, and a type number with another meaning looks like this",
        detail::printable(tensor.name), gap->offset, read->alignment));
  }
  return listing;
}

std::string in_folder_of(const std::string& path, const std::string& name) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? name : path.substr(0, slash + 1) + name;
}

Result<TensorListing> index_listing(const std::string& path, std::shared_ptr<const Source>* header) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return fail(file.error());
  const auto refuse = [&](Diagnostic diagnostic) {
    if (header != nullptr) *header = header_source(path, file->bytes());
    return fail(std::move(diagnostic));
  };
  const Result<std::vector<WeightEntry>> map = parse_weight_map(front_of(*file, file->bytes().size()));
  if (!map) return refuse(map.error());
  TensorListing listing{.content = Content::index};
  std::map<std::string, std::map<std::string, ListedTensor>> found;  // by file and name
  for (const WeightEntry& entry : *map) found[entry.file];
  for (auto& [name, tensors] : found) {
    listing.files.push_back(name);
    Result<TensorListing> part = safetensors_listing(in_folder_of(path, name), header);
    if (!part && part.error().code == Code::file_not_found) {
      listing.missing.push_back(name);
      continue;
    }
    if (!part) {
      // If that file has no header to point into, report the error for the index.
      if (header != nullptr && *header == nullptr) return refuse(part.error());
      return part;
    }
    listing.file_bytes += part->file_bytes;
    for (ListedTensor& tensor : part->tensors) tensors.emplace(tensor.name, std::move(tensor));
  }
  for (const WeightEntry& entry : *map) {
    const auto& tensors = found[entry.file];
    const auto tensor = tensors.find(entry.tensor);
    const bool missing = std::ranges::count(listing.missing, entry.file) > 0;
    if (tensor == tensors.end() && !missing) {
      return refuse({.code = Code::bad_file,
                     .message = fmt::format("'{}' has no tensor '{}'", entry.file, entry.tensor),
                     .span = entry.place});
    }
    listing.tensors.push_back(missing ? ListedTensor{.name = entry.tensor} : tensor->second);
    listing.tensors.back().file = entry.file;
  }
  return listing;
}

}  // namespace

Result<Content> content_of(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return fail(file.error());
  const std::string_view front = front_of(*file, 4096);
  if (front.starts_with("\x93NUMPY")) return Content::npy;
  if (front.starts_with("GGUF")) return Content::gguf;
  if (front.starts_with("PK\x03\x04")) return Content::zip;
  if (front.starts_with("\x1f\x8b")) return Content::text;
  // If the file is corrupt at its very beginning, rely on its extension.
  const FileFormat format = format_of(path);
  if (format == FileFormat::npy) return Content::npy;
  if (format == FileFormat::gguf) return Content::gguf;
  if (format == FileFormat::safetensors || (front.size() > 8 && front[8] == '{' && front[7] == '\0'))
    return Content::safetensors;
  if (path.ends_with(".index.json")) return Content::index;
  return !front.empty() && is_text(front) ? Content::text : Content::unknown;
}

Result<TensorListing> list_tensors(const std::string& path, Content content,
                                   std::shared_ptr<const Source>* header) {
  if (content == Content::npy) return npy_listing(path, header);
  if (content == Content::gguf) return gguf_listing(path, header);
  return content == Content::index ? index_listing(path, header) : safetensors_listing(path, header);
}

}  // namespace tessera
