// SPDX-License-Identifier: Apache-2.0
#include "tessera/files/tensor_file.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/at_fault.h"
#include "base/plural.h"
#include "base/try.h"
#include "files/dense.h"
#include "files/gguf.h"
#include "files/header_reader.h"
#include "files/header_source.h"
#include "files/metadata.h"
#include "files/npy.h"
#include "files/safetensors.h"
#include "text/character_class.h"

namespace tessera {

std::string_view to_string(FileFormat format) {
  switch (format) {
    case FileFormat::npy:
      return "npy";
    case FileFormat::safetensors:
      return "safetensors";
    case FileFormat::gguf:
      return "gguf";
    case FileFormat::raw:
      break;
  }
  return "raw";
}

namespace {

template <class Tensor>
std::string text_of_layout(const Tensor& tensor) {
  if (tensor.layout) return to_string(*tensor.layout);
  return tensor.named ? to_string(*tensor.named) : "";
}

}  // namespace

std::string layout_text(const FileTensor& tensor) { return text_of_layout(tensor); }
std::string layout_text(const ListedTensor& tensor) { return text_of_layout(tensor); }

TensorPath parse_tensor_path(std::string_view text) {
  const std::string lower = detail::lower_case(text);
  std::size_t hash = text.npos;
  for (const std::string_view mark : {".safetensors#", ".gguf#"}) {
    const std::size_t at = lower.find(mark);
    if (at != lower.npos) hash = std::min(hash, at + mark.size() - 1);
  }
  if (hash == text.npos) return {std::string(text)};
  return {std::string(text.substr(0, hash)), std::string(text.substr(hash + 1))};
}

FileFormat format_of(std::string_view path) {
  const std::string name = detail::lower_case(path);
  if (name.ends_with(".npy")) return FileFormat::npy;
  if (name.ends_with(".gguf")) return FileFormat::gguf;
  return name.ends_with(".safetensors") ? FileFormat::safetensors : FileFormat::raw;
}

std::span<const std::byte> TensorFile::data() const {
  return mapping_.bytes().subspan(static_cast<std::size_t>(tensor_.begin),
                                  static_cast<std::size_t>(tensor_.end - tensor_.begin));
}

Result<TensorFile> TensorFile::open(const TensorPath& path, std::shared_ptr<const Source>* header) {
  return open(path, header, format_of(path.path));
}

Result<TensorFile> TensorFile::open(const TensorPath& path, std::shared_ptr<const Source>* header,
                                    FileFormat format) {
  TensorFile file;
  file.path_ = path.path;
  file.format_ = format;
  Result<MappedFile> mapping = MappedFile::open(path.path);
  if (!mapping) return fail(detail::at_fault("file", mapping.error()));
  file.mapping_ = std::move(*mapping);
  file.tensor_.end = static_cast<Index>(file.mapping_.bytes().size());
  Result<void> read;
  if (file.format_ == FileFormat::npy) read = file.read_npy();
  if (file.format_ == FileFormat::safetensors) read = file.read_safetensors(path.tensor);
  if (file.format_ == FileFormat::gguf) read = file.read_gguf(path.tensor);
  if (!read) {
    if (header != nullptr) *header = header_source(path.path, file.mapping_.bytes());
    return fail(read.error());
  }
  return file;
}

Result<void> TensorFile::read_npy() {
  Result<NpyHeader> header = parse_npy_header(mapping_.bytes());
  if (!header) return fail(header.error());
  const Span whole = place(0, header->data_begin);
  Result<Layout> layout =
      dense_layout(header->dtype, header->shape, header->fortran_order ? DenseOrder::fortran : DenseOrder::c,
                   header->element_bytes * 8);
  if (!layout) {
    Diagnostic diagnostic = layout.error();
    diagnostic.span = whole;
    return fail(std::move(diagnostic));
  }
  const Index bytes = header->element_count() * header->element_bytes;
  const Index there = static_cast<Index>(mapping_.bytes().size() - header->data_begin);
  if (there < bytes) {
    return fail(Code::buffer_too_small,
                fmt::format("the array takes {}, but the header is followed by only {}",
                            detail::plural(bytes, "byte"), there),
                whole, "the file may be truncated");
  }
  if (there > bytes) {
    return fail(Code::bad_file,
                fmt::format("the array takes {}, but the header is followed by {}",
                            detail::plural(bytes, "byte"), there),
                whole, "only one array per file can be read; write the others to separate files");
  }
  tensor_.dtype = header->dtype;
  tensor_.element_bits = header->element_bytes * 8;
  tensor_.layout = std::move(*layout);
  tensor_.begin = static_cast<Index>(header->data_begin);
  tensor_.end = tensor_.begin + bytes;
  return {};
}

namespace {

// The number of the tensor with this name, or of the only one if the name is empty.
Result<std::size_t> chosen(const std::vector<std::string_view>& names, const std::string& name, Span whole) {
  if (names.empty()) return fail(Code::bad_file, "the file has no tensor", whole);
  const std::string list = fmt::format(
      "it has {}{}",
      fmt::join(names.begin(), names.begin() + std::min<std::ptrdiff_t>(std::ssize(names), 8), ", "),
      names.size() > 8 ? fmt::format(" and {} more", names.size() - 8) : "");
  if (name.empty() && names.size() > 1) {
    return fail(Code::bad_option, fmt::format("the file has {} tensors; name one", names.size()), whole,
                list + fmt::format("; write FILE#{}, or --tensor {}", names[0], names[0]));
  }
  const auto found = name.empty() ? names.begin() : std::ranges::find(names, name);
  if (found == names.end())
    return fail(Code::unknown_name, fmt::format("the file has no tensor '{}'", name), whole, list);
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

Result<void> TensorFile::read_safetensors(const std::string& name) {
  Result<SafetensorsHeader> header = parse_safetensors_header(mapping_.bytes());
  if (!header) return fail(header.error());
  const Span whole = place(8, 9);
  std::vector<std::string_view> names;
  for (const StoredTensor& one : header->tensors) names.push_back(one.name);
  TESSERA_TRY(found, chosen(names, name, whole));
  Result<FileTensor> described = described_tensor(*header, header->tensors[found]);
  if (!described) {
    Diagnostic diagnostic = described.error();
    diagnostic.span = whole;
    return fail(std::move(diagnostic));
  }
  tensor_ = std::move(*described);
  return {};
}

Result<void> TensorFile::read_gguf(const std::string& name) {
  TESSERA_TRY(header, parse_gguf_header(mapping_.bytes()));
  const Span whole = place(0, 4);
  std::vector<std::string_view> names;
  for (const GgufTensor& one : header.tensors) names.push_back(one.name);
  TESSERA_TRY(found, chosen(names, name, whole));
  tensor_ = file_tensor(header.tensors[found]);
  return {};
}

}  // namespace tessera
