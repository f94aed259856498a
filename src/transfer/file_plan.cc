// SPDX-License-Identifier: Apache-2.0
#include "transfer/file_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/index_walk.h"
#include "base/plural.h"
#include "base/printable.h"
#include "base/try.h"
#include "base/xxh3.h"
#include "files/dense.h"
#include "files/file_writer.h"
#include "files/metadata.h"
#include "files/npy.h"
#include "files/safetensors.h"
#include "files/weight_map.h"
#include "notation/to_digits.h"
#include "tessera/relayout/relayout.h"
#include "transfer/cell_moves.h"
#include "transfer/part_folder.h"
#include "transfer/rule_planner.h"
#include "transfer/target_order.h"

namespace tessera::transfer {
namespace {

bool ends_with_format(const std::string& target) { return format_of(target) != FileFormat::raw; }

// The metadata that all sources agree on, without the keys that describe their layouts.
std::map<std::string, std::string, std::less<>> common_metadata(const Checkpoint& source) {
  auto out = source.files()[0].metadata;
  for (const CheckpointFile& file : source.files()) {
    std::erase_if(out, [&](const auto& entry) {
      const auto other = file.metadata.find(entry.first);
      return other == file.metadata.end() || other->second != entry.second ||
             entry.first.starts_with("tessera.");
    });
  }
  out.emplace("format", "pt");
  return out;
}

// Distributes tensors without places over files of at most `most` bytes, in the order of their names.
void name_files(FilePlan& plan, const std::string& target, Index most) {
  if (plan.single_file) {
    for (TargetTensor& tensor : plan.tensors) tensor.file = target;
    return;
  }
  std::vector<std::size_t> file_of;
  std::size_t file = 0;
  Index bytes = 0;
  for (const TargetTensor& tensor : plan.tensors) {
    if (bytes > 0 && bytes + tensor.bytes() > most) {
      ++file;
      bytes = 0;
    }
    bytes += tensor.bytes();
    file_of.push_back(file);
  }
  for (std::size_t t = 0; t < file_of.size(); ++t) {
    plan.tensors[t].file = file == 0
                               ? "model.safetensors"
                               : fmt::format("model-{:05}-of-{:05}.safetensors", file_of[t] + 1, file + 1);
  }
}

Result<void> add_safetensors(FilePlan& plan, TargetFile& file) {
  // The widest elements come first, so that every tensor is aligned.
  std::ranges::stable_sort(file.tensors, [&](std::size_t a, std::size_t b) {
    return plan.tensors[a].element_bits * plan.tensors[a].packed >
           plan.tensors[b].element_bits * plan.tensors[b].packed;
  });
  SafetensorsHeader header;
  header.metadata = common_metadata(plan.source);
  Index at = 0;
  for (const std::size_t number : file.tensors) {
    TargetTensor& tensor = plan.tensors[number];
    if (tensor.type_name.empty() && tensor.dtype)
      tensor.type_name = safetensors_name(*tensor.dtype).value_or("");
    const Index bytes = tensor.bytes();
    StoredTensor stored{tensor.name, tensor.type_name, tensor.dtype, tensor.stored_shape(), 0, bytes};
    const bool own_type = safetensors_bits(tensor.type_name) == tensor.element_bits * tensor.packed;
    if (tensor.layout || !own_type) {
      if (!tensor.layout && (!tensor.dtype || tensor.packed > 1)) {
        return fail(Code::not_representable,
                    fmt::format("elements of tensor '{}' have no type in .safetensors", tensor.name), {},
                    "write .npy files: name them with --to-files");
      }
      // The bytes of the elements, with the type and the layout in the metadata.
      FileTensor described_as{
          .name = tensor.name, .dtype = tensor.dtype, .element_bits = tensor.element_bits, .end = bytes};
      if (tensor.layout) {
        described_as.layout = tensor.layout;
        described_as.named = tensor.named;
      } else {
        TESSERA_TRY(dense, dense_layout(tensor.dtype, tensor.shape, DenseOrder::c, tensor.element_bits));
        described_as.layout = dense;
      }
      TESSERA_TRY(described, describing_header(described_as));
      stored = described.tensors.front();
      header.metadata.insert(described.metadata.begin(), described.metadata.end());
    }
    stored.begin = at;
    at += bytes;
    stored.end = at;
    header.tensors.push_back(std::move(stored));
  }
  file.header = to_bytes(header);
  file.bytes = static_cast<Index>(file.header.size()) + at;
  for (std::size_t k = 0; k < file.tensors.size(); ++k) {
    TargetTensor& tensor = plan.tensors[file.tensors[k]];
    tensor.begin = static_cast<Index>(file.header.size()) + header.tensors[k].begin;
    tensor.end = static_cast<Index>(file.header.size()) + header.tensors[k].end;
  }
  return {};
}

Result<void> add_npy(FilePlan& plan, TargetFile& file) {
  if (file.tensors.size() != 1) {
    return fail(Code::bad_option,
                fmt::format("'{}' would hold {} tensors, but a .npy file holds one array", file.name,
                            file.tensors.size()),
                {}, "name the tensor in the file's name: --to-files '{*name}-{place}.npy'");
  }
  TargetTensor& tensor = plan.tensors[file.tensors[0]];
  const bool fortran = tensor.layout && dense_order(*tensor.layout) == DenseOrder::fortran;
  if (tensor.layout && !fortran) {
    return fail(Code::not_representable,
                fmt::format("a .npy file has no place for the layout '{}' of tensor '{}'",
                            to_string(*tensor.layout), tensor.name),
                {}, "write .safetensors files: name them with --to-files");
  }
  if (!tensor.dtype || tensor.element_bits * tensor.packed % 8 != 0) {
    return fail(Code::not_representable,
                fmt::format("elements of tensor '{}' have no type in .npy", tensor.name), {},
                "write .safetensors files: name them with --to-files");
  }
  file.header = npy_header(*tensor.dtype, tensor.stored_shape(), fortran);
  tensor.begin = static_cast<Index>(file.header.size());
  tensor.end = tensor.begin + tensor.bytes();
  file.bytes = tensor.end;
  return {};
}

// Takes the tensors in the order of their names and places, and renumbers the targets of the origins
// accordingly.
void take_tensors(std::vector<TargetTensor> tensors, std::vector<ArrayOrigin>& arrays,
                  std::vector<PieceOrigin>& pieces, FilePlan& plan) {
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t t) {
    return std::pair(std::string_view(tensors[t].name), tensors[t].place);
  });
  std::vector<std::size_t> number(tensors.size());
  for (std::size_t t = 0; t < order.size(); ++t) {
    number[order[t]] = t;
    plan.tensors.push_back(std::move(tensors[order[t]]));
  }
  for (ArrayOrigin& origin : arrays) {
    for (auto& [place, tensor] : origin.targets) tensor = number[tensor];
  }
  for (PieceOrigin& origin : pieces) {
    for (auto& [key, tensor] : origin.targets) tensor = number[tensor];
  }
  plan.arrays = std::move(arrays);
  plan.pieces = std::move(pieces);
}

// Rewrites moves from row-major numbers to the offsets of tensors in other layouts.
Result<void> apply_layouts(FilePlan& plan) {
  const auto cells_of = [&](std::size_t source) -> const std::optional<Digits>& {
    return plan.source.tensors()[source].cells;
  };
  std::vector<StridedMove> moved;
  for (TargetTensor& tensor : plan.tensors) {
    if (!tensor.order && std::ranges::none_of(tensor.moves, [&](const TensorMove& move) {
          return cells_of(move.source).has_value() || plan.source.tensors()[move.source].by_number();
        }))
      continue;
    std::vector<TensorMove> moves;
    for (TensorMove& move : tensor.moves) {
      moved.clear();
      const std::optional<Digits>& cells = cells_of(move.source);
      if (cells) TESSERA_NEED(from_cells(move.box, *cells, moved));
      if (!cells) moved.push_back(std::move(move.box));
      if (tensor.order) {
        std::vector<StridedMove> ordered;
        for (const StridedMove& one : moved) TESSERA_NEED(to_cells(one, *tensor.order, ordered));
        moved = std::move(ordered);
      }
      const bool by_number = plan.source.tensors()[move.source].by_number();
      for (StridedMove& one : moved) moves.push_back({move.source, std::move(one), by_number});
    }
    tensor.moves = std::move(moves);
  }
  std::vector<SourceCopy> copies;
  for (SourceCopy& copy : plan.copies) {
    std::vector<StridedMove> boxes;
    if (cells_of(copy.first)) TESSERA_NEED(from_cells(copy.box, *cells_of(copy.first), boxes));
    if (!cells_of(copy.first)) boxes.push_back(copy.box);
    for (StridedMove& box : boxes) {
      moved.clear();
      if (cells_of(copy.other)) TESSERA_NEED(to_cells(box, *cells_of(copy.other), moved));
      if (!cells_of(copy.other)) moved.push_back(std::move(box));
      for (StridedMove& one : moved) {
        copies.push_back(copy);
        copies.back().box = std::move(one);
      }
    }
  }
  plan.copies = std::move(copies);
  return {};
}

Result<void> check_tensors(FilePlan& plan) {
  std::map<std::pair<std::string, std::string>, bool> seen;
  for (TargetTensor& tensor : plan.tensors) {
    if (!seen.emplace(std::pair(tensor.file, tensor.name), true).second) {
      return fail(Code::duplicate_name, fmt::format("two rules write the tensor '{}'", tensor.name), {},
                  "give one of them another name");
    }
    Index bits = tensor.layout ? tensor.bytes() * 8 : tensor.element_bits;
    for (const Index extent : tensor.layout ? std::vector<Index>() : tensor.shape) {
      if (mul_overflows(bits, extent, bits))
        return fail(Code::overflow,
                    fmt::format("the size of tensor '{}' does not fit in 64 bits", tensor.name));
    }
    if (bits % 8 != 0) {
      return fail(Code::unsupported_width,
                  fmt::format("tensor '{}' would have {} bits, not whole bytes", tensor.name, bits), {},
                  "cut a dimension whose parts are whole bytes");
    }
    std::ranges::stable_sort(tensor.moves, {}, [](const TensorMove& move) { return move.box.to; });
    plan.tensor_bytes += bits / 8;
  }
  return {};
}

// A tensor without digits is in memory as a whole, in both orders, for each file that is written.
Result<void> check_memory(const FilePlan& plan, const ReshardFilesOptions& options) {
  const Index files = plan.files_together(options.threads);
  for (const TargetTensor& tensor : plan.tensors) {
    if (!tensor.by_number() || tensor.bytes() <= options.memory_bytes / 4 / files) continue;
    return fail(
        Code::limit,
        fmt::format("tensor '{}' has {}, more than a quarter of --memory{}: its layout has no digits, so it "
                    "is written from memory",
                    tensor.name, detail::plural(tensor.bytes(), "byte"),
                    files > 1 ? fmt::format(" for {} files at a time", files) : ""),
        {}, fmt::format("give more memory: --memory {}M", (4 * files * tensor.bytes() >> 20) + 1));
  }
  return {};
}

Result<void> check_target(const FilePlan& plan, const std::string& target, bool force) {
  if (plan.single_file) {
    TESSERA_NEED(writable_path(target, force));
  } else {
    TESSERA_NEED(PartFolder::writable_target(target, /*single_file=*/false, force));
  }
  return {};
}

}  // namespace

Result<void> TargetTensor::set_layout(const NamedLayout& named_layout) {
  TESSERA_TRY(cells_of, to_layout(named_layout));
  named = named_layout;
  return set_layout(cells_of);
}

Result<void> TargetTensor::set_layout(const Layout& cells_of) {
  TESSERA_NEED(file_bytes(cells_of, element_bits));
  layout = cells_of;
  if (auto digits = to_digits(cells_of)) order = std::move(*digits);
  padded = padded || cells_of.size() * element_bits != bytes() * 8;
  return {};
}

Index TargetTensor::bytes() const {
  return named ? named->buffer_bytes() : ceil_div(cells() * element_bits, Index{8});
}

Index TargetTensor::cell_of(Index number) const {
  return layout ? layout->offset(detail::index_with_number(shape, number)) : number;
}

CheckpointTensor TargetTensor::as_stored() const {
  return {.name = name,
          .shape = shape,
          .strides = detail::row_major_strides(shape),
          .layout = layout,
          .cells = order,
          .begin = begin,
          .end = end};
}

Index TargetTensor::units() const { return by_number() ? detail::element_count(shape).value_or(0) : cells(); }

Index TargetTensor::cells() const {
  if (named) return named->buffer_bytes() * 8 / element_bits;
  if (layout) return layout->buffer_size().value_or(0);
  Index count = 1;
  for (const Index extent : shape) count *= extent;
  return count;
}

std::vector<Index> TargetTensor::stored_shape() const {
  if (named) return named->container().shape;
  std::vector<Index> out = shape;
  if (packed > 1) out.back() /= packed;
  return out;
}

Index FilePlan::files_together(int threads) const {
  return std::max<Index>(1, std::min<Index>(executor_threads(threads), std::ssize(files)));
}

Result<FilePlan> make_file_plan(const std::string& source, const std::string& target,
                                const ReshardFilesOptions& options,
                                std::shared_ptr<const Source>* errors_in) {
  Result<Recipe> recipe =
      options.recipe.empty() ? distribution_recipe(options.from, options.to) : parse_recipe(options.recipe);
  if (!recipe) {
    if (errors_in != nullptr) *errors_in = std::make_shared<const Source>("recipe", options.recipe);
    return fail(recipe.error());
  }
  if (!options.from_files.empty()) recipe->from_files = options.from_files;
  if (!options.to_files.empty()) recipe->to_files = options.to_files;
  FilePlan plan;
  TESSERA_TRY(checkpoint, Checkpoint::open(source, recipe->from_files, errors_in, options.raw));
  plan.source = std::move(checkpoint);
  plan.single_file = ends_with_format(target);
  TESSERA_TRY(planned, plan_rules(plan.source, *recipe, options));
  take_tensors(std::move(planned.tensors), planned.arrays, planned.pieces, plan);
  plan.rules = std::move(planned.rules);
  plan.copies = std::move(planned.copies);
  plan.unmatched = std::move(planned.unmatched);
  if (!options.layout.empty()) TESSERA_NEED(order_targets(plan.tensors, options.layout, plan.notes));
  TESSERA_NEED(name_packings(plan.tensors));
  TESSERA_NEED(apply_layouts(plan));
  plan.dropped = std::move(planned.dropped);
  const std::string file_name = target.substr(target.rfind('/') + 1);
  if (!planned.has_places && recipe->to_files.empty() && !(plan.source.has_arrays() && !plan.single_file))
    name_files(plan, file_name, options.max_file_bytes);
  TESSERA_NEED(check_tensors(plan));
  std::map<std::string, std::vector<std::size_t>> by_file;
  for (std::size_t t = 0; t < plan.tensors.size(); ++t) by_file[plan.tensors[t].file].push_back(t);
  if (plan.single_file && by_file.size() > 1) {
    return fail(Code::bad_option,
                fmt::format("the target needs {} files, one for each place", by_file.size()), {},
                "name a folder");
  }
  for (auto& [name, tensors] : by_file) {
    TargetFile file{name, {}, 0, std::move(tensors)};
    if (file.name.find('/') != std::string::npos) {
      return fail(Code::bad_option, fmt::format("the file name '{}' has a '/'", file.name), {},
                  "all files of a checkpoint are in one folder");
    }
    if (detail::printable(file.name) != file.name) {
      return fail(Code::bad_option,
                  fmt::format("the file name '{}' has control characters", detail::printable(file.name)), {},
                  "give the files other names in the recipe: \"files\": {\"to\": …}");
    }
    const FileFormat format = format_of(name);
    if (format == FileFormat::raw || format == FileFormat::gguf) {
      return fail(Code::bad_option, fmt::format("the name '{}' does not end with .safetensors or .npy", name),
                  {}, "end the names with .safetensors or .npy");
    }
    if (format == FileFormat::npy) {
      TESSERA_NEED(add_npy(plan, file));
    } else {
      TESSERA_NEED(add_safetensors(plan, file));
    }
    plan.files.push_back(std::move(file));
  }
  if (!planned.has_places && !plan.single_file && plan.files.size() > 1 &&
      format_of(plan.files[0].name) == FileFormat::safetensors) {
    std::vector<WeightEntry> entries;
    for (const TargetTensor& tensor : plan.tensors) entries.push_back({tensor.name, tensor.file});
    plan.index = weight_map_text(entries, plan.tensor_bytes);
  }
  TESSERA_NEED(check_memory(plan, options));
  TESSERA_NEED(check_target(plan, target, options.force));
  return plan;
}

std::string FilePlan::hash() const {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  for (const CheckpointFile& file : source.files())
    fmt::format_to(out, "{} {} {} {}\n", file.name, file.bytes, file.changed, file.number);
  // Moves count from the first element, and those by number do not say where the elements are.
  for (const CheckpointTensor& tensor : source.tensors()) {
    fmt::format_to(out, "{} {}\n", tensor.begin, tensor.end);
    if (tensor.by_number())
      fmt::format_to(out, "{}\n", tensor.named ? to_string(*tensor.named) : to_string(*tensor.layout));
  }
  for (const TargetFile& file : files) fmt::format_to(out, "{} {}\n", file.name, xxh3_128(file.header));
  for (const TargetTensor& tensor : tensors) {
    fmt::format_to(out, "{} {} {} {}\n", tensor.name, tensor.begin, tensor.element_bits,
                   tensor.layout ? to_string(*tensor.layout) : "");
    for (const TensorMove& move : tensor.moves) {
      fmt::format_to(out, "{} {} {}", move.source, move.box.from, move.box.to);
      for (const StridedLoop& loop : move.box.loops)
        fmt::format_to(out, " {},{},{}", loop.extent, loop.from, loop.to);
      text.push_back('\n');
    }
  }
  return xxh3_128({text.data(), text.size()});
}

}  // namespace tessera::transfer
