// SPDX-License-Identifier: Apache-2.0
#include "report/distribution_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/plural.h"
#include "report/exit_status.h"
#include "report/json.h"
#include "reshard/distribution_traits.h"

namespace tessera {
namespace {

Json shape_json(const BoundDistribution& bound) {
  return std::vector<Index>(bound.shape().begin(), bound.shape().end());
}

Json head(std::string_view action, int status) {
  return {{"schema", "tessera.reshard/1"}, {"action", action}, {"status", status}};
}

// The head of an answer about one distribution.
Json head(std::string_view action, int status, const BoundDistribution& bound) {
  Json json = head(action, status);
  json["distribution"] = to_string(bound.distribution());
  json["numbering"] = numbering(bound.distribution());
  json["shape"] = shape_json(bound);
  return json;
}

std::string index_text(std::span<const Index> index) {
  return index.empty() ? "()" : fmt::format("{}", fmt::join(index, ","));
}

const DimPart& part_of(const BoundDistribution& bound, std::size_t shard, std::size_t dim) {
  return bound.parts(dim)[bound.part({.shard = shard, .dim = dim})];
}

// The bytes of a place's memory. Empty if the type is unknown, or their number exceeds 64 bits.
std::optional<Index> bytes_for(const LocalBuffer& buffer, std::optional<DType> dtype) {
  Index bits = 0;
  if (!dtype || mul_overflows(buffer.size(), Index{bit_width(*dtype)}, bits)) return {};
  return ceil_div(bits, 8);
}

// `[lower, upper]` for each run, or `[lower, upper, count, step]`.
Json runs_json(const DimPart& part) {
  Json json = Json::array();
  for (const IndexRun& run : part.runs) {
    Json one = {run.lower, run.lower + run.length};
    if (run.count > 1) {
      one.push_back(run.count);
      one.push_back(run.step);
    }
    json.push_back(std::move(one));
  }
  return json;
}

Json holders_json(std::span<const ShardHolder> holders) {
  Json json = Json::array();
  for (const ShardHolder& holder : holders) {
    json.push_back({{"place", holder.place}, {"local", holder.local}, {"offset", holder.offset}});
  }
  return json;
}

}  // namespace

std::string_view numbering(const Distribution& distribution) {
  if (distribution.everywhere && distribution.on.empty()) return "every place";
  if (!distribution.on.empty()) return "listed";
  if (distribution.assumes_order) return "row-major, assumed";
  if (detail::distribution_traits(distribution.notation).lists_places) return "listed";
  for (std::size_t i = 0; i < distribution.mesh.places.size(); ++i) {
    if (distribution.mesh.places[i] != static_cast<Index>(i)) return "listed";
  }
  return "row-major";
}

std::vector<std::string> numbering_notes(std::span<const Distribution* const> distributions) {
  std::vector<std::string> notes;
  for (const Distribution* distribution : distributions) {
    if (!distribution->assumes_order || !distribution->on.empty()) continue;
    const detail::DistributionTraits& traits = detail::distribution_traits(distribution->notation);
    const auto last = std::ssize(distribution->mesh.places) - 1;
    std::string note =
        fmt::format("{}: {} assumed; {} lists them", traits.omits,
                    last == 0 ? "0" : fmt::format("0 to {} in row-major order", last), traits.listing);
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  }
  return notes;
}

std::string to_text(std::span<const ShardHolder> holders) {
  std::vector<std::string> texts;
  for (const ShardHolder& holder : holders) {
    texts.push_back(
        fmt::format("place {}, index {}, offset {}", holder.place, index_text(holder.local), holder.offset));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string to_json(const BoundDistribution& distribution, std::span<const HoldersAnswer> answers) {
  // Every element has a holder, so only one place was asked about if there is none.
  const bool held =
      std::ranges::none_of(answers, [](const HoldersAnswer& answer) { return answer.holders.empty(); });
  Json json = head("at", held ? kDone : kNo, distribution);
  json["answers"] = Json::array();
  for (const HoldersAnswer& answer : answers) {
    json["answers"].push_back({{"index", answer.index}, {"holders", holders_json(answer.holders)}});
  }
  return detail::dump(json);
}

std::string to_text(const LocalElementAnswer& answer) {
  return fmt::format("element {}, offset {}", index_text(answer.index), answer.offset);
}

std::string to_json(const BoundDistribution& distribution, std::span<const LocalElementAnswer> answers) {
  Json json = head("at", 0, distribution);
  json["answers"] = Json::array();
  for (const LocalElementAnswer& answer : answers) {
    json["answers"].push_back({{"place", answer.place},
                               {"local", answer.local},
                               {"index", answer.index},
                               {"offset", answer.offset}});
  }
  return detail::dump(json);
}

std::string place_text(const BoundDistribution& distribution, Index place, std::optional<DType> dtype) {
  const auto shard = distribution.shard_of(place);
  if (!shard) return fmt::format("place {}: empty, not in the mesh", place);
  const std::vector<Index> shape = *distribution.local_shape(place);
  const Index elements = distribution.elements(*shard);
  if (elements == 0) return fmt::format("place {}: empty, local shape {}", place, index_text(shape));
  std::vector<std::string> dims;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::vector<std::string> runs;
    for (const IndexRun& run : part_of(distribution, *shard, d).runs) runs.push_back(to_string(run));
    dims.push_back(fmt::format("{}", fmt::join(runs, " and ")));
  }
  const LocalBuffer buffer = distribution.local_buffer(place);
  std::string text =
      fmt::format("place {}: [{}], local shape {}", place, fmt::join(dims, ", "), index_text(shape));
  const bool has_layout = distribution.distribution().local.storage == LocalLayout::Storage::layout;
  text += buffer.strides() ? fmt::format(", strides {}", index_text(*buffer.strides()))
          : has_layout     ? ", strides of its layout"
                           : ", no strides: in tiles";
  text += fmt::format(", {}", detail::plural(elements, "element"));
  if (buffer.size() != elements) text += fmt::format(" in memory for {}", buffer.size());
  if (const auto bytes = bytes_for(buffer, dtype)) text += ", " + detail::plural(*bytes, "byte");
  return text;
}

std::string places_json(const BoundDistribution& distribution, std::span<const Index> places,
                        std::optional<DType> dtype) {
  Json json = head("places", 0, distribution);
  if (dtype) json["type"] = to_string(*dtype);
  json["shards"] = Json::array();
  for (const Index place : places) {
    const auto shard = distribution.shard_of(place);
    Json one = {{"place", place},
                {"in_mesh", shard.has_value()},
                {"empty", !shard || distribution.elements(*shard) == 0}};
    if (shard) {
      Json dims = Json::array();
      for (std::size_t d = 0; d < distribution.shape().size(); ++d)
        dims.push_back(runs_json(part_of(distribution, *shard, d)));
      const LocalBuffer buffer = distribution.local_buffer(place);
      one["indices"] = std::move(dims);
      one["local_shape"] = *distribution.local_shape(place);
      one["strides"] = buffer.strides() ? Json(*buffer.strides()) : Json(nullptr);
      one["elements"] = distribution.elements(*shard);
      one["memory_elements"] = buffer.size();
      if (const auto bytes = bytes_for(buffer, dtype)) one["bytes"] = *bytes;
    }
    json["shards"].push_back(std::move(one));
  }
  return detail::dump(json);
}

std::string to_text(const DistributionEquality& equality) {
  switch (equality.verdict) {
    case Verdict::yes:
      return "yes";
    case Verdict::no:
      return fmt::format("no at {}: {} and {}", fmt::join(equality.at, ","), to_text(equality.a),
                         to_text(equality.b));
    case Verdict::undecided:
      break;
  }
  return "undecided: a shard has too many elements to compare its two layouts one by one";
}

std::string to_json(const BoundDistribution& a, const BoundDistribution& b,
                    const DistributionEquality& equality) {
  const bool no = equality.verdict == Verdict::no;
  Json json = head("equal", status_of(equality.verdict));
  json["verdict"] = equality.verdict == Verdict::yes ? "yes" : no ? "no" : "undecided";
  json["a"] = to_string(a.distribution());
  json["b"] = to_string(b.distribution());
  json["numbering"] = {{"a", numbering(a.distribution())}, {"b", numbering(b.distribution())}};
  json["shape"] = shape_json(a);
  if (no) {
    json["at"] = equality.at;
    json["holders_a"] = holders_json(equality.a);
    json["holders_b"] = holders_json(equality.b);
  }
  return detail::dump(json);
}

std::string to_json(const BoundDistribution& from, const Distribution& to, std::span<const Index> view) {
  Json json = head("convert", 0, from);
  if (!view.empty()) json["view"] = std::vector<Index>(view.begin(), view.end());
  json["to"] = to_string(to.notation);
  json["text"] = to_string(to);
  return detail::dump(json);
}

}  // namespace tessera
