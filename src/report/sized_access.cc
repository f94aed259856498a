// SPDX-License-Identifier: Apache-2.0
#include "report/sized_access.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/plural.h"
#include "report/access_answer.h"
#include "report/answer_rows.h"
#include "report/exit_status.h"
#include "report/json.h"
#include "report/layout_json.h"
#include "report/sized_answer.h"

namespace tessera {
namespace {

using detail::inner;
using detail::plural;
using detail::row;
using detail::size_text;

/// `by N mod 32: gcd(N,32)`.
std::string summary(const symbolic::SizedAccess& access, const symbolic::SizedAnswer& answer) {
  std::vector<std::string> by;
  for (const auto& [name, modulus] : access.by) by.push_back(fmt::format("{} mod {}", name, modulus));
  std::string out = !by.empty()                ? fmt::format("by {}", fmt::join(by, ", "))
                    : answer.cases.size() == 1 ? "the same for all sizes"
                                               : "by the sizes";
  if (!access.formula.empty()) out += ": " + access.formula;
  return out;
}

/// The cases, each in a line of the second column.
std::string column(std::string lines) {
  constexpr std::size_t width = 15;
  lines.insert(0, width, ' ');
  for (std::size_t at = 0; (at = lines.find('\n', at)) != std::string::npos; ++at)
    lines.insert(at + 1, width, ' ');
  return lines + "\n";
}

}  // namespace

int status_of(const SizedAccessAnswer& answer) {
  int out = status_of(answer.wavefronts.answers);
  for (std::size_t i = 0; i < answer.wavefronts.accesses.size(); ++i) {
    const std::string ideal = std::to_string(answer.wavefronts.accesses[i].ideal);
    for (const symbolic::SizedCase& c : answer.wavefronts.answers.answers[i].cases) {
      if (c.kind == symbolic::SizedCase::Kind::value && c.text != ideal) out = std::max<int>(out, kNo);
    }
  }
  return out;
}

std::string to_text(const SizedAccessAnswer& answer) {
  const AccessOptions& options = answer.options;
  const std::string& where = answer.wavefronts.answers.where;
  std::string out =
      fmt::format("{}, for all sizes{}\n", answer.layout, where.empty() ? "" : " with " + where);
  out +=
      inner("memory", fmt::format("shared, {}: {} banks of {} bytes, {} lanes; elements of {}",
                                  options.target.name(), options.target.most_banks(), options.target.word(),
                                  options.target.lanes(), size_text(options.element_bits)));
  for (std::size_t i = 0; i < answer.wavefronts.accesses.size(); ++i) {
    const symbolic::SizedAccess& one = answer.wavefronts.accesses[i];
    out += row(one.access.name, fmt::format("{} of {} a lane, {} of {}", kind_text(one.access),
                                            size_text(one.access.vector * options.element_bits),
                                            plural(static_cast<Index>(one.instructions), "instruction"),
                                            plural(one.phases, "phase")));
    out += inner("wavefronts",
                 fmt::format("{}; ideal {}", summary(one, answer.wavefronts.answers.answers[i]), one.ideal));
    out += column(to_text({.answers = {answer.wavefronts.answers.answers[i]}}, 0));
  }
  out.pop_back();
  return out;
}

std::string to_line(const SizedAccessAnswer& answer) {
  std::string out;
  for (std::size_t i = 0; i < answer.wavefronts.accesses.size(); ++i) {
    const symbolic::SizedAccess& one = answer.wavefronts.accesses[i];
    out += fmt::format(
        "{}{}: wavefronts {}", i == 0 ? "" : "; ", one.access.name,
        to_text({.answers = {answer.wavefronts.answers.answers[i]}}, 0, {.one_line = true, .all = true}));
  }
  return out;
}

std::string to_json(const SizedAccessAnswer& answer) {
  const symbolic::SizedWavefronts& all = answer.wavefronts;
  Json json = Json::parse(to_json({"access", "layout", "accesses", "name"}, answer.layout, "", all.answers),
                          nullptr, false);
  json["status"] = status_of(answer);
  json["layout"] = answer.layout;
  json["element_bits"] = answer.options.element_bits;
  json["target"] = {{"name", answer.options.target.name()},
                    {"lanes", answer.options.target.lanes()},
                    {"word", answer.options.target.word()}};
  for (std::size_t i = 0; i < all.accesses.size(); ++i) {
    const symbolic::SizedAccess& one = all.accesses[i];
    Json& own = json["accesses"][i];
    own["tv"] = tv_text(one.access);
    own["kind"] = kind_text(one.access);
    own["vector"] = one.access.vector;
    own["weight"] = one.access.weight;
    own["instructions"] = one.instructions;
    own["ideal"] = one.ideal;
    own["by"] = Json::array();
    for (const auto& [name, modulus] : one.by) own["by"].push_back({{"name", name}, {"modulus", modulus}});
    if (!one.formula.empty()) own["formula"] = one.formula;
  }
  return detail::dump(json);
}

}  // namespace tessera
