// SPDX-License-Identifier: Apache-2.0
#include "transfer/checkpoint.h"

#include <dirent.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/at_fault.h"
#include "base/index_walk.h"
#include "base/try.h"
#include "files/dense.h"
#include "files/header_source.h"
#include "files/safetensors.h"
#include "files/weight_map.h"
#include "notation/to_digits.h"
#include "transfer/code_tensor.h"

namespace tessera::transfer {
namespace {

struct FoundFile {
  std::string name;
  std::map<std::string, Index, std::less<>> axes = {};
};

bool is_folder(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

std::string folder_part(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

std::string file_part(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

// The regular files of a folder.
Result<std::vector<std::string>> names_in(const std::string& folder) {
  DIR* const directory = ::opendir(folder.c_str());
  if (directory == nullptr)
    return fail(Code::file_not_found, fmt::format("the folder '{}' cannot be opened", folder), {},
                "check the path: relative paths start from the current directory");
  std::vector<std::string> out;
  while (const dirent* entry = ::readdir(directory)) {
    if (entry->d_name[0] != '.' && !is_folder(folder + "/" + entry->d_name)) out.emplace_back(entry->d_name);
  }
  ::closedir(directory);
  return out;
}

// The tensor files of a folder, in order: the files that match a template or, without one, all files of one
// kind. Programs read settings next to raw arrays, so those are left out.
Result<std::vector<FoundFile>> files_in(const std::string& folder, const std::string& files, bool raw) {
  TESSERA_TRY(names, names_in(folder));
  std::vector<FoundFile> out;
  if (!files.empty()) {
    TESSERA_TRY(pattern, NamePattern::parse(files));
    for (const std::string& name : names) {
      if (auto match = pattern.match(name)) out.push_back({name, std::move(match->axes)});
    }
  } else {
    const std::vector<FileFormat> with_headers{FileFormat::safetensors, FileFormat::npy, FileFormat::gguf};
    for (const FileFormat format : raw ? std::vector{FileFormat::raw} : with_headers) {
      if (!out.empty()) break;
      for (const std::string& name : names) {
        if (format_of(name) == format && !is_settings(name)) out.push_back({name, {}});
      }
    }
  }
  if (out.empty()) {
    return fail(Code::file_not_found,
                !files.empty() ? fmt::format("the folder '{}' has no file of the form '{}'", folder, files)
                : raw ? fmt::format("the folder '{}' has no file of a tensor without a header", folder)
                      : fmt::format("the folder '{}' has no .safetensors, .npy or .gguf file", folder),
                {}, "ls shows the names of its files");
  }
  std::ranges::sort(out, [](const FoundFile& a, const FoundFile& b) {
    if (a.axes != b.axes) return a.axes < b.axes;
    if (natural_less(a.name, b.name)) return true;
    return !natural_less(b.name, a.name) && a.name < b.name;
  });
  return out;
}

// The array of a file without a header.
Result<TensorListing> list_raw(const std::string& path, const std::optional<NamedOrLayout>& layout) {
  if (!layout) {
    return fail(
        Code::bad_option, fmt::format("the name '{}' does not end with .safetensors, .npy or .gguf", path),
        {}, "name .safetensors, .npy or .gguf files, or give the layout of raw ones: --raw 'f32[300,200]'");
  }
  TESSERA_TRY(file, TensorFile::open({path}, nullptr, FileFormat::raw));
  TESSERA_TRY(codes, source_codes(file, layout));
  TensorListing out;
  out.file_bytes = std::ssize(file.data());
  out.tensors.push_back({.dtype = codes.type.dtype,
                         .element_bits = codes.cell_bits,
                         .shape = {codes.shape().begin(), codes.shape().end()},
                         .layout = codes.layout.layout,
                         .named = codes.layout.named,
                         .end = out.file_bytes});
  return out;
}

// How the files of a checkpoint are read. Another format, such as the chunks of Zarr, is a line here and its
// reader.
Result<TensorListing> list_any(const std::string& path, FileFormat format,
                               const std::optional<NamedOrLayout>& raw,
                               std::shared_ptr<const Source>* header) {
  switch (format) {
    case FileFormat::safetensors:
      return list_tensors(path, Content::safetensors, header);
    case FileFormat::npy:
      return list_tensors(path, Content::npy, header);
    case FileFormat::gguf:
      return list_tensors(path, Content::gguf, header);
    case FileFormat::raw:
      break;
  }
  return list_raw(path, raw);
}

std::string text_of(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return {};
  return {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()};
}

std::vector<Index> strides_of(const ListedTensor& tensor) {
  std::vector<Index> strides = detail::row_major_strides(tensor.shape);
  if (!tensor.layout || dense_order(*tensor.layout) != DenseOrder::fortran ||
      prefix_bytes(*tensor.layout) != 0)
    return strides;
  Index step = 1;
  for (std::size_t d = 0; d < strides.size(); ++d) {
    strides[d] = step;
    step *= tensor.shape[d];
  }
  return strides;
}

// The name of the type in .safetensors, if it is stored in its own width; otherwise that of the type itself.
std::string type_of(const ListedTensor& tensor) {
  if (!tensor.dtype) return tensor.named ? to_string(tensor.named->type()) : tensor.type_name;
  const auto own = safetensors_name(*tensor.dtype);
  if (own && safetensors_bits(*own) == tensor.element_bits) return std::string(*own);
  return tensor.type_name.empty() ? tensor.type_name : std::string(to_string(*tensor.dtype));
}

// Why the elements of a tensor cannot be moved. `which` names it.
std::optional<Diagnostic> why_unusable(const ListedTensor& tensor, const std::string& which) {
  if (!tensor.dtype && tensor.element_bits == 0) {
    return Diagnostic{
        .code = Code::unknown_type,
        .message = fmt::format("{} has elements of the unknown type '{}'", which, tensor.type_name)};
  }
  const std::string layout = layout_text(tensor);
  if (layout.starts_with("gguf:")) {
    return Diagnostic{
        .code = Code::not_applicable,
        .message = fmt::format("{} has the layout '{}': its blocks also hold more than elements, such as "
                               "scales, and that would be lost",
                               which, layout),
        .help = "copy the codes to pack:low, and each field by its name: tessera copy FILE#TENSOR OUT"};
  }
  return std::nullopt;
}

}  // namespace

Index CheckpointTensor::offset(std::span<const Index> index) const {
  if (layout && cells) return layout->offset(index);
  Index sum = 0;
  for (std::size_t d = 0; d < strides.size(); ++d) sum += index[d] * strides[d];
  return sum;
}

bool is_settings(std::string_view name) {
  constexpr std::string_view kEndings[] = {".json", ".txt", ".model", ".jinja"};
  return std::ranges::any_of(kEndings, [&](std::string_view ending) { return name.ends_with(ending); });
}

Index CheckpointTensor::offset_of_number(Index number) const {
  return layout && cells ? layout->offset(detail::index_with_number(shape, number)) : number;
}

Result<Checkpoint> Checkpoint::open(const std::string& source, const std::string& files,
                                    std::shared_ptr<const Source>* header,
                                    const std::optional<NamedOrLayout>& raw) {
  Checkpoint out;
  out.raw_ = raw;
  if (!is_folder(source) && file_part(source).find('{') == std::string::npos) {
    out.folder_ = folder_part(source);
    if (source.ends_with(".index.json")) {
      TESSERA_TRY(listing, list_tensors(source, Content::index, header));
      for (const std::string& missing : listing.missing) {
        return fail(Code::file_not_found,
                    fmt::format("'{}' names the file '{}', which does not exist", source, missing));
      }
      std::vector<std::string> names = listing.files;
      std::ranges::sort(names, natural_less);
      for (const std::string& name : names) TESSERA_NEED(out.add(out.folder_ + "/" + name, {}, header));
      TESSERA_NEED(out.check_index(source, header));
    } else {
      TESSERA_NEED(out.add(source, {}, header));
    }
  } else {
    out.folder_ = is_folder(source) ? source : folder_part(source);
    while (out.folder_.size() > 1 && out.folder_.back() == '/') out.folder_.pop_back();
    TESSERA_TRY(found, files_in(out.folder_, is_folder(source) ? files : file_part(source), raw.has_value()));
    for (FoundFile& file : found) {
      TESSERA_NEED(out.add(out.folder_ + "/" + file.name, std::move(file.axes), header));
    }
    const std::string index = out.folder_ + "/model.safetensors.index.json";
    struct stat status = {};
    if (is_folder(source) && ::stat(index.c_str(), &status) == 0)
      TESSERA_NEED(out.check_index(index, header));
  }
  out.has_folder_ = is_folder(source) || source.ends_with(".index.json");
  out.config_ = text_of(out.folder_ + "/config.json");
  return out;
}

Result<void> Checkpoint::add(const std::string& path, std::map<std::string, Index, std::less<>> axes,
                             std::shared_ptr<const Source>* header) {
  const FileFormat format = format_of(path);
  Result<MappedFile> mapping = MappedFile::open(path);
  if (!mapping) return fail(mapping.error());
  if (raw_ && format != FileFormat::raw) {
    return detail::at_fault(
        "from", fail(Code::bad_option, fmt::format("'{}' has a header, which says the layouts", path), {},
                     "leave out --raw"));
  }
  const auto listing = list_any(path, format, raw_, header);
  if (!listing) {
    Diagnostic diagnostic = listing.error();
    if (format != FileFormat::raw) diagnostic.notes.push_back(fmt::format("in '{}'", path));
    return fail(std::move(diagnostic));
  }
  has_arrays_ = format == FileFormat::npy || format == FileFormat::raw;
  CheckpointFile file{path, file_part(path), std::move(*mapping)};
  file.bytes = static_cast<Index>(file.mapping.bytes().size());
  struct stat status = {};
  if (::stat(path.c_str(), &status) == 0) {
    file.changed = std::int64_t{status.st_ctim.tv_sec} * 1'000'000'000 + status.st_ctim.tv_nsec;
    file.number = fmt::format("{}:{}", status.st_dev, status.st_ino);
  }
  file.metadata = listing->metadata;
  file.axes = std::move(axes);
  for (const ListedTensor& tensor : listing->tensors) {
    // A file of one array has no tensor name inside. Without a template, the tensor gets the name of the
    // file.
    std::string name = tensor.name;
    if (has_arrays_) name = file.axes.empty() ? file.name.substr(0, file.name.rfind('.')) : "array";
    CheckpointTensor made{.name = name,
                          .file = files_.size(),
                          .type_name = type_of(tensor),
                          .dtype = tensor.dtype,
                          .element_bits = tensor.element_bits,
                          .shape = tensor.shape,
                          .strides = detail::row_major_strides(tensor.shape),
                          .begin = tensor.begin,
                          .end = tensor.end};
    const bool dense = tensor.layout && dense_order(*tensor.layout) && prefix_bytes(*tensor.layout) == 0;
    const bool has_cells = tensor.named || (tensor.layout && !dense);
    // Cells are numbered in row-major order, whatever their layout.
    if (!has_cells) made.strides = strides_of(tensor);
    made.unusable = why_unusable(tensor, fmt::format("tensor '{}' of '{}'", name, path));
    if (has_cells && tensor.layout && !made.unusable) {
      made.begin += prefix_bytes(*tensor.layout);
      made.layout = tensor.layout;
      if (auto digits = to_digits(*tensor.layout)) {
        made.cells = std::move(*digits);
      } else {
        made.rows = RowBlocks::of(*tensor.layout);
      }
    } else if (has_cells && !made.unusable) {
      made.named = tensor.named;
    }
    file.tensors.emplace(name, tensors_.size());
    tensors_.push_back(std::move(made));
  }
  files_.push_back(std::move(file));
  return {};
}

Result<std::size_t> Checkpoint::add_view(std::size_t number, const NamedLayout& layout) {
  const auto key = std::pair(number, to_string(layout));
  if (const auto known = views_.find(key); known != views_.end()) return known->second;
  CheckpointTensor view = tensors_[number];
  if (view.layout || view.named || view.strides != detail::row_major_strides(view.shape)) {
    return fail(
        Code::not_applicable,
        fmt::format("tensor '{}' is not row-major, so '{}' cannot be its layout", view.name, key.second), {},
        "leave out \"layout\": the header has it");
  }
  if (view.end - view.begin != layout.buffer_bytes()) {
    return fail(Code::shape_mismatch,
                fmt::format("tensor '{}' has {} bytes, but '{}' takes {}", view.name, view.end - view.begin,
                            key.second, layout.buffer_bytes()),
                {}, "check the sizes of the axes: they are those of the array, not of its container");
  }
  if (layout.kind() == NamedKind::cells) {
    TESSERA_TRY(cells, to_layout(layout));
    view.layout = cells;
    if (auto digits = to_digits(cells)) view.cells = std::move(*digits);
  } else {
    view.named = layout;
  }
  const CellType& type = layout.type();
  view.dtype = type.dtype;
  view.type_name = to_string(type);
  view.element_bits = type.bits;
  view.shape.assign(layout.shape().begin(), layout.shape().end());
  view.strides = detail::row_major_strides(view.shape);
  tensors_.push_back(std::move(view));
  return views_[key] = tensors_.size() - 1;
}

// The index and the files must name the same tensors in the same files.
Result<void> Checkpoint::check_index(const std::string& path, std::shared_ptr<const Source>* header) const {
  const std::string text = text_of(path);
  const auto entries = parse_weight_map(text);
  const auto refuse = [&](Diagnostic diagnostic) {
    if (header != nullptr) *header = std::make_shared<const Source>(path, text);
    return fail(std::move(diagnostic));
  };
  if (!entries) return refuse(entries.error());
  std::set<std::string, std::less<>> listed;
  for (const WeightEntry& entry : *entries) {
    const auto file = std::ranges::find(files_, entry.file, &CheckpointFile::name);
    if (file == files_.end()) {
      return refuse(
          {.code = Code::file_not_found,
           .message = fmt::format("the index names the file '{}', which does not exist", entry.file),
           .span = entry.place,
           .help = "a file of the checkpoint is missing: get it again"});
    }
    if (!file->tensors.contains(entry.tensor)) {
      return refuse({.code = Code::bad_file,
                     .message = fmt::format("'{}' has no tensor '{}'", entry.file, entry.tensor),
                     .span = entry.place,
                     .help = "the index and the files belong to different checkpoints"});
    }
    listed.insert(entry.tensor);
  }
  for (const CheckpointTensor& tensor : tensors_) {
    if (listed.contains(tensor.name)) continue;
    return refuse(
        {.code = Code::bad_file,
         .message = fmt::format("'{}' has the tensor '{}', which the index does not name",
                                files_[tensor.file].name, tensor.name),
         .help =
             "the index and the files belong to different checkpoints; name the files with --from-files"});
  }
  return {};
}

std::vector<std::string> Checkpoint::names() const {
  std::set<std::string> out;
  for (const CheckpointTensor& tensor : tensors_) out.insert(tensor.name);
  return {out.begin(), out.end()};
}

void Checkpoint::drop_pages() const {
  for (const CheckpointFile& file : files_) file.mapping.drop_pages();
}

}  // namespace tessera::transfer
