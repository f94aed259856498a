// SPDX-License-Identifier: Apache-2.0
#include "report/shares_answer.h"

#include <fmt/format.h>

#include <utility>

#include "base/plural.h"
#include "base/printable.h"
#include "report/amounts.h"
#include "report/byte_table.h"
#include "report/hlo_json.h"

namespace tessera::detail {
namespace {

const char* unknown_share(ShareKey key) {
  return key == ShareKey::source ? "(no source line)" : key == ShareKey::scope ? "(no scope)" : "(no opcode)";
}

std::string share_text(const CodeShare& share, ShareKey key, const CodeText& code) {
  std::string out(2 * std::size_t{share.depth}, ' ');
  out += share.name.empty() ? unknown_share(key) : printable(share.name);
  if (!share.line.function.empty()) out += " in " + printable(share.line.function);
  if (!share.example.empty()) out += fmt::format("; most in {}", printable(share.example));
  if (key == ShareKey::source && code) {
    if (const auto text = code(share.line)) out += "\n  | " + printable(*text);
  }
  return out;
}

}  // namespace

std::string_view to_string(ShareKey key) {
  return key == ShareKey::source ? "source" : key == ShareKey::scope ? "scope" : "opcode";
}

std::string to_text(const CodeShares& shares, const CodeText& code) {
  ByteTable table({"moved", "must", "flops", "integer", "transcendental", "steps"},
                  std::string(shares.key == ShareKey::source ? "line" : to_string(shares.key)));
  for (const CodeShare& share : shares.shares)
    table.add({bounds_text(share.moved), bounds_text(share.minimum), bounds_text(share.work.flops()),
               bounds_text(share.work.integer_operations()), bounds_text(share.work.transcendentals()),
               fmt::format("{}", share.steps)},
              share_text(share, shares.key, code));
  return table.text() +
         fmt::format(
             "{}: {} bytes move, {} must; {}, {}, {}. Each "
             "byte and each operation counts once{}; a step counts in each row that has a part of it\n",
             plural(static_cast<Index>(shares.steps), "step"), bounds_text(shares.moved),
             bounds_text(shares.minimum), bounds_text(shares.work.flops(), "flop"),
             bounds_text(shares.work.integer_operations(), "integer operation"),
             bounds_text(shares.work.transcendentals(), "transcendental"),
             shares.key == ShareKey::scope ? ", and in the scopes around it" : "");
}

std::string to_json(const InstructionPlace& place, const CodeShares& shares, const CodeText& code) {
  std::string out;
  const auto line = [&](const char* key, Json value) {
    Json json = hlo_object(place);
    json[key] = std::move(value);
    out += dump(json) + "\n";
  };
  for (const CodeShare& share : shares.shares) {
    Json json = json_of(share.work);
    json.erase("operations");
    json["by"] = to_string(shares.key);
    json["name"] = share.name;
    json["moved_bytes"] = json_of(share.moved);
    json["minimum_bytes"] = json_of(share.minimum);
    json["steps"] = share.steps;
    json["most_in"] = share.example;
    if (shares.key == ShareKey::scope) json["depth"] = share.depth;
    if (shares.key == ShareKey::source) {
      json["path"] = share.line.file;
      json["line"] = share.line.line;
      json["function"] = share.line.function;
      const auto text = code ? code(share.line) : std::nullopt;
      json["text"] = text ? Json(*text) : Json();
    }
    line("share", std::move(json));
  }
  Json totals = json_of(shares.work);
  totals.erase("operations");
  totals["by"] = to_string(shares.key);
  totals["steps"] = shares.steps;
  totals["moved_bytes"] = json_of(shares.moved);
  totals["minimum_bytes"] = json_of(shares.minimum);
  line("share_totals", std::move(totals));
  return out;
}

}  // namespace tessera::detail
