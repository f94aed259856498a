// SPDX-License-Identifier: Apache-2.0
// The files owners and text of the folder reshard.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "runner/check.h"
#include "runner/reshard.h"
#include "tessera/reshard/distribution.h"

namespace tessera::vectors {

Result<BoundDistribution> bound(std::string_view text, const Json& row, const char* shape) {
  const auto distribution = parse_distribution(text);
  if (!distribution) return fail(distribution.error());
  std::optional<Index> places;
  if (row.contains("places")) places = row["places"].get<Index>();
  return bind_distribution(*distribution, indices(row[shape]), places);
}

namespace {

Json holders_json(const std::vector<ShardHolder>& holders, bool places_only) {
  Json out = Json::array();
  for (const ShardHolder& holder : holders) {
    if (places_only) {
      out.push_back(holder.place);
    } else {
      out.push_back({holder.place, holder.local, holder.offset});
    }
  }
  return out;
}

VectorResult owners_row(const Json& row) {
  const auto found = bound(text_of(row, "distribution"), row, "shape");
  if (!found) return VectorResult::fail("a distribution", to_string(found.error()));
  Json local = Json::array();
  Json buffer = Json::array();
  for (Index place = 0; place < found->places(); ++place) {
    const auto shape = found->local_shape(place);
    if (!shape) continue;
    local.push_back({place, *shape});
    buffer.push_back({place, found->local_buffer(place).size()});
  }
  if (local != row["local"]) return VectorResult::fail(row["local"].dump(), local.dump());
  if (buffer != row["buffer"]) return VectorResult::fail(row["buffer"].dump(), buffer.dump());
  for (const Json& point : row["points"]) {
    const auto at = holders(*found, indices(point[0]));
    if (!at) return VectorResult::fail(point.dump(), to_string(at.error()));
    const Json got = holders_json(*at, false);
    if (got != point[1]) return VectorResult::fail(point.dump(), got.dump());
  }
  return VectorResult::pass();
}

VectorResult print_distribution(const Json& row) {
  std::string text = text_of(row, "text");
  for (int time = 0; time < 2; ++time) {
    const auto read = parse_distribution(text);
    if (!read) return VectorResult::fail(text_of(row, "print"), to_string(read.error()));
    if (Json(to_string(read->notation)) != row["notation"]) {
      return VectorResult::fail(text_of(row, "notation"), std::string(to_string(read->notation)));
    }
    text = to_string(*read);
    if (Json(text) != row["print"]) return VectorResult::fail(text_of(row, "print"), text);
  }
  return VectorResult::pass();
}

VectorResult error_result(const Json& row, const Diagnostic& error) {
  const bool same = Json(to_string(error.code)) == row["error"] &&
                    (!row.contains("reason") || row["reason"] == Json(error.reason));
  return VectorResult::when(same, fmt::format("{} {}", text_of(row, "error"), row.value("reason", "")),
                            fmt::format("{} ({})", to_string(error), error.reason));
}

VectorResult convert_distribution(const Json& row) {
  const auto from = bound(text_of(row, "text"), row, "shape");
  if (!from) return VectorResult::fail("a distribution", to_string(from.error()));
  const auto made = convert(*from, *parse_distribution_notation(text_of(row, "to")));
  if (row.contains("error")) {
    if (made) return VectorResult::fail(text_of(row, "error"), to_string(*made));
    return error_result(row, made.error());
  }
  if (!made) return VectorResult::fail(text_of(row, "print"), to_string(made.error()));
  const std::string text = to_string(*made);
  const auto again = bound(text, row, "shape");
  if (!again) return VectorResult::fail(text_of(row, "print"), text + ": " + to_string(again.error()));
  if (Json(to_string(again->distribution().notation)) != row["to"])
    return VectorResult::fail(text_of(row, "to"), text);
  const auto same = equal(*from, *again, DistributionNotion::map);
  const bool good = same && same->verdict == Verdict::yes;
  return VectorResult::when(good, text_of(row, "print"), text);
}

VectorResult equal_distributions(const Json& row) {
  const auto a = bound(text_of(row, "a"), row, "shape");
  const auto b = bound(text_of(row, "b"), row, "shape");
  if (!a || !b) return VectorResult::fail("two distributions", to_string(a ? b.error() : a.error()));
  const bool places_only = text_of(row, "notion") == "holders";
  const auto same = equal(*a, *b, places_only ? DistributionNotion::holders : DistributionNotion::map);
  if (!same) return VectorResult::fail(row["equal"].dump(), to_string(same.error()));
  if (same->verdict == Verdict::undecided) return VectorResult::fail(row["equal"].dump(), "undecided");
  Json got = {{"equal", same->verdict == Verdict::yes}};
  Json wanted = {{"equal", row["equal"]}};
  if (same->verdict == Verdict::no) {
    got["at"] = same->at;
    got["a_holds"] = holders_json(same->a, places_only);
    got["b_holds"] = holders_json(same->b, places_only);
  }
  for (const char* key : {"at", "a_holds", "b_holds"}) {
    if (row.contains(key)) wanted[key] = row[key];
  }
  return VectorResult::when(got == wanted, wanted.dump(), got.dump());
}

VectorResult refused_row(const Json& row) {
  const auto read = parse_distribution(text_of(row, "text"));
  if (!row.contains("shape")) {
    if (read) return VectorResult::fail(text_of(row, "error"), to_string(*read));
    return error_result(row, read.error());
  }
  if (!read) return VectorResult::fail("a distribution", to_string(read.error()));
  const auto made = bind_distribution(*read, indices(row["shape"]));
  if (made) return VectorResult::fail(text_of(row, "error"), "no error");
  return error_result(row, made.error());
}

VectorResult text_row(const Json& row) {
  const std::string op = text_of(row, "op");
  if (op == "print") return print_distribution(row);
  if (op == "convert") return convert_distribution(row);
  if (op == "equal") return equal_distributions(row);
  if (op == "error") return refused_row(row);
  if (op == "axes") return axes_row(row);
  return unknown_op(row);
}

const Register kOwners = row_check("reshard", "owners.jsonl", owners_row);
const Register kReshardText = row_check("reshard", "text.jsonl", text_row);

}  // namespace
}  // namespace tessera::vectors
