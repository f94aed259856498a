// SPDX-License-Identifier: Apache-2.0
#include "report/distribution_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/exit_status.h"
#include "report/json.h"

namespace tessera {
namespace {

Json head(std::string_view action, int status) {
  return {{"schema", "tessera.reshard/1"}, {"action", action}, {"status", status}};
}

Json shape_json(const BoundDistribution& bound) {
  return std::vector<Index>(bound.shape().begin(), bound.shape().end());
}

Json holders_json(std::span<const ShardHolder> holders) {
  Json json = Json::array();
  for (const ShardHolder& holder : holders) {
    json.push_back({{"place", holder.place}, {"local", holder.local}, {"offset", holder.offset}});
  }
  return json;
}

}  // namespace

std::string to_text(std::span<const ShardHolder> holders) {
  std::vector<std::string> texts;
  for (const ShardHolder& holder : holders) {
    texts.push_back(fmt::format("place {}, index {}, offset {}", holder.place,
                                holder.local.empty() ? "()" : fmt::format("{}", fmt::join(holder.local, ",")),
                                holder.offset));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string to_json(const BoundDistribution& distribution, std::span<const HoldersAnswer> answers) {
  Json json = head("at", 0);
  json["distribution"] = to_string(distribution.distribution());
  json["shape"] = shape_json(distribution);
  json["answers"] = Json::array();
  for (const HoldersAnswer& answer : answers) {
    json["answers"].push_back({{"index", answer.index}, {"holders", holders_json(answer.holders)}});
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
  json["shape"] = shape_json(a);
  if (no) {
    json["at"] = equality.at;
    json["holders_a"] = holders_json(equality.a);
    json["holders_b"] = holders_json(equality.b);
  }
  return detail::dump(json);
}

std::string to_json(const BoundDistribution& from, const Distribution& to) {
  Json json = head("convert", 0);
  json["distribution"] = to_string(from.distribution());
  json["shape"] = shape_json(from);
  json["to"] = to_string(to.notation);
  json["text"] = to_string(to);
  return detail::dump(json);
}

}  // namespace tessera
