// SPDX-License-Identifier: Apache-2.0
// tessera-bench relayout: compares copies between layouts with memcpy, plain copies and other libraries.
#include "relayout_bench.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "relayout_measure.h"
#include "relayout_report.h"

namespace tessera::bench {
namespace {

struct Options {
  MeasureOptions measure;
  std::vector<std::string> cases;
  std::string json_file;  // "-" is stdout
  double max_mb = 1e9;
  bool table = false;
  bool smoke = false;
  bool plans = false;
};

const std::vector<std::string> kSmoke = {"A1", "A2", "A7", "B6", "C3", "C7", "D2"};

// A name with a number selects one case; a letter selects a group of cases.
bool names(const std::string& name, std::string_view id) {
  return id == name || (name.size() == 1 && id.starts_with(name));
}

std::string no_such_case(const std::string& name) {
  const auto& all = relayout_cases();
  const bool known = std::ranges::any_of(all, [&](const RelayoutCase& one) { return names(name, one.id); });
  return known ? "" : fmt::format("no case is called '{}'", name);
}

// If no names are given, selects the cases that have goals.
bool selected(const Options& options, const RelayoutCase& subject) {
  if (options.cases.empty()) return subject.goal > 0;
  return std::ranges::any_of(options.cases, [&](const std::string& name) { return names(name, subject.id); });
}

void add_options(CLI::App& app, Options& options) {
  MeasureOptions& measure = options.measure;
  app.add_flag("--table", options.table, "a Markdown table (the default without --json)");
  app.add_option("--json", options.json_file, "write JSON; to stdout without a file")
      ->expected(0, 1)
      ->default_str("-")
      ->type_name("[FILE]");
  CLI::Option* cases =
      app.add_option(
             "--cases", options.cases,
             "ids of cases such as A1, or letters for all cases of a group; F, X and C3z have no goals "
             "(default: the 52 cases that have one)")
          ->delimiter(',')
          ->check(CLI::Validator(no_such_case, ""))
          ->type_name("NAMES");
  app.add_flag(
         "--smoke", options.smoke,
         fmt::format("run only {}; a wrong copy is an error, a slow one a warning", fmt::join(kSmoke, ",")))
      ->excludes(cases);
  app.add_option("--threads", measure.threads,
                 "1 or 2; with 2, the goals are relative to the best plain copy on 2 threads (default 1)")
      ->check(CLI::Range(1, 64))
      ->type_name("N");
  app.add_option("--rounds", measure.rounds,
                 "interleaved rounds, whose median is reported; at most 5 from 1 GB on (default 7)")
      ->check(CLI::Range(1, 10'000))
      ->type_name("N");
  app.add_option("--quantile", measure.quantile,
                 "the quantile of the rounds to report; 0 is the fastest, for busy machines (default 0.5)")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("Q");
  app.add_option("--max-mb", options.max_mb, "leave out cases whose destination is larger than this")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  app.add_flag_callback("--no-peers", [&] { measure.peers = false; }, "leave out other libraries");
  app.add_flag("--plans", options.plans, "print each case's plan");
}

void fill_with_noise(const BigBuffer& buffer) {
  std::mt19937_64 random(7);
  for (std::size_t i = 0; i + 8 <= buffer.size(); i += 8) {
    const std::uint64_t value = random();
    std::memcpy(buffer.data() + i, &value, 8);
  }
}

int run(const Options& options) {
  std::vector<const RelayoutCase*> subjects;
  BufferSizes largest;
  for (const RelayoutCase& subject : relayout_cases()) {
    if (!selected(options, subject)) continue;
    const auto sizes = buffer_sizes(subject);
    if (!sizes) {
      fmt::print(stderr, "{}: {}\n", subject.id, sizes.error().message);
      return 1;
    }
    if (static_cast<double>(sizes->dst) > options.max_mb * 1e6) continue;
    largest.src = std::max(largest.src, sizes->src);
    largest.dst = std::max(largest.dst, sizes->dst);
    subjects.push_back(&subject);
  }
  if (subjects.empty()) {
    fmt::print(stderr, "--max-mb leaves no case\n");
    return 2;
  }
  const BigBuffer src(largest.src);
  const BigBuffer dst(largest.dst);
  if (src.data() == nullptr || dst.data() == nullptr) {
    fmt::print(stderr, "not enough memory: {} MB; --max-mb leaves out the large cases\n",
               (largest.src + largest.dst) >> 20);
    return 1;
  }
  fill_with_noise(src);

  const int threads = options.measure.threads;
  const bool table = options.table || options.json_file.empty();
  if (table) print_head(threads);
  std::vector<Measurement> all;
  bool wrong = false;
  for (const RelayoutCase* subject : subjects) {
    auto measured = measure(*subject, options.measure, src, dst);
    if (!measured) {
      fmt::print(stderr, "{}: {}\n", subject->id, measured.error().message);
      wrong = true;
      continue;
    }
    wrong = wrong || !measured->ours.correct;
    if (table) print_row(*measured, threads);
    if (options.plans) fmt::print("{}\n", measured->plan);
    if (options.smoke && measured->goal_score(threads) < goal_of(*subject, threads) / 2)
      fmt::print(stderr, "{}: below half of its goal; is the machine busy?\n", subject->id);
    all.push_back(*std::move(measured));
  }
  if (table) print_means(all, threads);
  if (options.json_file == "-") {
    std::cout << to_json(all, threads).dump(2) << "\n";
  } else if (!options.json_file.empty()) {
    std::ofstream file(options.json_file);
    file << to_json(all, threads).dump(2) << "\n";
    if (!file) {
      fmt::print(stderr, "cannot write {}\n", options.json_file);
      return 1;
    }
  }
  return wrong ? 1 : 0;
}

}  // namespace

int relayout_main(int argc, char** argv) {
  Options options;
  CLI::App app("Copies between layouts, in multiples of memcpy's speed", "tessera-bench relayout");
  add_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (options.smoke) options.cases = kSmoke;
  return run(options);
}

}  // namespace tessera::bench
