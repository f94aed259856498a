// SPDX-License-Identifier: Apache-2.0
#include "transfer/source_shards.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/index_walk.h"
#include "base/plural.h"
#include "base/try.h"

namespace tessera::transfer {
namespace {

Failure not_there(std::string message, std::string help) {
  return fail({.code = Code::different_shape,
               .message = std::move(message),
               .reason = "not_covered",
               .help = std::move(help)});
}

Result<std::size_t> usable(const Checkpoint& source, std::size_t number) {
  const std::optional<Diagnostic>& fault = source.tensors()[number].unusable;
  if (fault) return fail(*fault);
  return number;
}

Result<std::size_t> only_tensor(const Checkpoint& source, const std::string& name, bool unique) {
  const CheckpointFile* first = nullptr;
  std::size_t number = 0;
  for (const CheckpointFile& file : source.files()) {
    const auto found = file.tensors.find(name);
    if (found == file.tensors.end()) continue;
    if (first != nullptr) {
      return fail(Code::duplicate_name,
                  fmt::format("tensor '{}' is in '{}' and in '{}'", name, first->name, file.name), {},
                  "say which part of it each file has: --from DIST, or a recipe");
    }
    first = &file;
    number = found->second;
    if (!unique) break;
  }
  if (first == nullptr)
    return not_there(fmt::format("the source has no tensor '{}'", name), "tessera info lists the tensors");
  return usable(source, number);
}

// The file of a place, found by `{place}` in the template or by the file's position.
Result<const CheckpointFile*> file_of_place(const Checkpoint& source, Index place) {
  for (const CheckpointFile& file : source.files()) {
    const auto number = file.axes.find("place");
    if (number != file.axes.end() && number->second == place) return &file;
  }
  const auto& files = source.files();
  if (!files[0].axes.contains("place") && place < std::ssize(files))
    return &files[static_cast<std::size_t>(place)];
  return not_there(fmt::format("the source has no file for place {}: it has {}", place,
                               detail::plural(files.size(), "file")),
                   "a file is missing, or name the files with a template: 'tp{place}.safetensors'");
}

// A shape to which the distribution applies, used to find its parts.
std::vector<Index> probe_shape(const Distribution& distribution, std::size_t rank) {
  if (!distribution.shape.empty()) return distribution.shape;
  std::vector<Index> shape(rank, 1);
  for (const DimCut& cut : distribution.cuts) {
    const Index dim = cut.dim < 0 ? cut.dim + static_cast<Index>(rank) : cut.dim;
    if (cut.rule != CutRule::sizes || dim < 0 || dim >= static_cast<Index>(rank)) continue;
    Index sum = 0;
    for (const Index size : cut.sizes) sum += size;
    shape[static_cast<std::size_t>(dim)] = sum;
  }
  return shape;
}

}  // namespace

Result<Distribution> parse_file_distribution(std::string_view text) {
  auto distribution = parse_distribution(text);
  if (!distribution || !distribution->local.span) return distribution;
  const LocalLayout& local = distribution->local;
  if (local.storage == LocalLayout::Storage::row && !local.pitch && !local.padded) return distribution;
  return fail(Code::not_applicable,
              fmt::format("'{}' has a local layout, but the shards in files are row-major", text), {},
              "leave out what follows `local`, and change the layout of the files: tessera copy");
}

Result<std::size_t> find_source(const Checkpoint& source, const std::string& name, std::optional<Index> place,
                                const std::function<std::optional<Index>(const std::string&)>& axis) {
  if (!place) return only_tensor(source, name, true);
  const CheckpointFile* found = nullptr;
  const bool by_axes = !source.files()[0].axes.empty() && !source.files()[0].axes.contains("place");
  if (by_axes) {
    std::string without;  // an axis of the template that has no value
    for (const CheckpointFile& file : source.files()) {
      const bool fits = std::ranges::all_of(file.axes, [&](const auto& entry) {
        const auto value = axis(entry.first);
        if (!value) without = entry.first;
        return !value || *value == entry.second;
      });
      if (!fits || !file.tensors.contains(name)) continue;
      if (found != nullptr) {
        return fail(
            Code::unknown_name,
            fmt::format("'{}' and '{}' may both be place {} of tensor '{}': in the names of the files, "
                        "'{}' has no value for it",
                        found->name, file.name, *place, name, without),
            {}, "name the files by their places: {place} instead of {" + without + "}");
      }
      found = &file;
    }
    if (found == nullptr)
      return not_there(fmt::format("no file for place {} has the tensor '{}'", *place, name),
                       "a file is missing, or the recipe is for another model");
  } else {
    TESSERA_TRY(file, file_of_place(source, *place));
    found = file;
  }
  const auto tensor = found->tensors.find(name);
  if (tensor == found->tensors.end())
    return not_there(fmt::format("'{}' has no tensor '{}'", found->name, name),
                     "tessera info lists the tensors");
  return usable(source, tensor->second);
}

Result<std::size_t> check_stored(Checkpoint& source, std::size_t number, const PieceTensor& from,
                                 const RecipeTensor& form, Index place) {
  if (!form.layout.empty()) {
    TESSERA_TRY(layout, named_layout(form, from.axes.shape()));
    TESSERA_TRY(view, source.add_view(number, layout));
    number = view;
  }
  const CheckpointTensor& stored = source.tensors()[number];
  const Index bits = form.bits;
  std::vector<Index> shape = stored.shape;
  if (bits > 0) {
    if (stored.layout || stored.named) {
      return fail(
          Code::not_applicable,
          fmt::format("tensor '{}' has the layout '{}', so \"bits\" cannot cut its elements", stored.name,
                      stored.named ? to_string(*stored.named) : to_string(*stored.layout)),
          {}, "leave out \"bits\"");
    }
    if (shape.empty() || stored.element_bits % bits != 0 || stored.element_bits == bits) {
      return fail(
          Code::unsupported_width,
          fmt::format(
              "an element of tensor '{}' has {} bits, which do not divide into several cells of {} bits",
              stored.name, stored.element_bits, bits));
    }
    shape.back() *= stored.element_bits / bits;
  }
  const std::vector<Index> expected = from.on ? *from.on->local_shape(place) : from.axes.shape();
  if (shape != expected) {
    return fail(Code::shape_mismatch,
                fmt::format("tensor '{}' has shape [{}] in '{}', but '{}' has shape [{}]", stored.name,
                            fmt::join(shape, ","), source.files()[stored.file].name, to_string(from.axes),
                            fmt::join(expected, ",")),
                {}, "check the sizes of the axes");
  }
  if (stored.strides != detail::row_major_strides(stored.shape)) {
    return fail(Code::not_applicable, fmt::format("tensor '{}' is not row-major", stored.name), {},
                "write it row-major first: tessera copy IN OUT --to C");
  }
  return number;
}

Result<SourceShards> source_shards(const Checkpoint& source, const std::string& name,
                                   const std::string& sharding, bool unique) {
  if (sharding.empty()) {
    TESSERA_TRY(number, only_tensor(source, name, unique));
    Distribution whole;
    whole.everywhere = true;
    TESSERA_TRY(on, bind_distribution(whole, source.tensors()[number].shape, 1));
    return SourceShards{std::move(on), {{0, number}}};
  }
  TESSERA_TRY(distribution, parse_file_distribution(sharding));
  const std::optional<Index> everywhere =
      distribution.everywhere ? std::optional<Index>(std::ssize(source.files())) : std::nullopt;
  // Which part of a dimension a place holds does not depend on the extent, so a probe of any extent tells.
  std::size_t rank = 0;
  for (const CheckpointTensor& tensor : source.tensors()) {
    if (tensor.name == name) rank = tensor.shape.size();
  }
  const auto in_tensor = [&](Diagnostic diagnostic) {
    diagnostic.notes.push_back(fmt::format("tensor '{}' has {}", name, detail::plural(rank, "dimension")));
    diagnostic.span = {};
    return fail(std::move(diagnostic));
  };
  auto probe = bind_distribution(distribution, probe_shape(distribution, rank), everywhere);
  if (!probe) return in_tensor(probe.error());
  std::map<Index, std::size_t> tensor_of;
  Index files = 0;
  for (Index place = 0; place < probe->places(); ++place) {
    if (!probe->shard_of(place)) continue;
    ++files;
    TESSERA_TRY(file, file_of_place(source, place));
    const auto found = file->tensors.find(name);
    if (found == file->tensors.end())
      return not_there(fmt::format("'{}' has no tensor '{}'", file->name, name),
                       "every file of the distribution has a part of each tensor");
    TESSERA_TRY(number, usable(source, found->second));
    tensor_of[place] = number;
  }
  if (files != std::ssize(source.files())) {
    return fail(
        Code::value_count,
        fmt::format("the source has {}, but '{}' names {}", detail::plural(source.files().size(), "file"),
                    sharding, detail::plural(files, "place")),
        {}, "place k is the k-th file by name; choose files with a template: 'tp{place}.safetensors'");
  }
  std::vector<Index> shape(rank, 0);
  for (std::size_t d = 0; d < rank; ++d) {
    std::vector<bool> seen(probe->parts(d).size(), false);
    for (const auto& [place, number] : tensor_of) {
      const std::vector<Index>& local = source.tensors()[number].shape;
      const std::size_t part = probe->part({.shard = *probe->shard_of(place), .dim = d});
      if (local.size() != rank) {
        return fail(Code::rank_mismatch,
                    fmt::format("tensor '{}' has {} dimensions in one file and {} in another", name, rank,
                                local.size()));
      }
      if (!seen[part]) shape[d] += local[d];
      seen[part] = true;
    }
  }
  auto on = bind_distribution(distribution, shape, everywhere);
  if (!on) return in_tensor(on.error());
  const CheckpointTensor& first = source.tensors()[tensor_of.begin()->second];
  for (const auto& [place, number] : tensor_of) {
    const CheckpointTensor& tensor = source.tensors()[number];
    const std::vector<Index> expected = *on->local_shape(place);
    if (tensor.shape != expected) {
      return fail(Code::shape_mismatch,
                  fmt::format("tensor '{}' has shape [{}] in '{}', but its part of [{}] has shape [{}]", name,
                              fmt::join(tensor.shape, ","), source.files()[tensor.file].name,
                              fmt::join(shape, ","), fmt::join(expected, ",")),
                  {}, "the files do not divide the tensor as the distribution does");
    }
    if (tensor.type_name != first.type_name || tensor.element_bits != first.element_bits) {
      return fail(
          Code::different_type,
          fmt::format("tensor '{}' has elements of {} in '{}' and of {} in '{}'", name, first.type_name,
                      source.files()[first.file].name, tensor.type_name, source.files()[tensor.file].name));
    }
  }
  return SourceShards{std::move(*on), std::move(tensor_of)};
}

}  // namespace tessera::transfer
