// SPDX-License-Identifier: Apache-2.0
// tessera-bench relayout: copies between layouts against memcpy, plain copies and other libraries.
#include "relayout_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "relayout_measure.h"
#include "tessera/relayout/isa.h"

namespace tessera::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kUsage =
    R"(tessera-bench relayout [options]: copies between layouts, times memcpy's speed
  --table            print a table (the default)
  --json [FILE]      write JSON, to stdout without a file
  --cases A1,B       these cases, or all whose name begins so; the 52 without an option, X for the others
  --smoke            A1,A2,A7,B6,C3,C7,D2: wrong copies are errors, slow ones are remarked upon
  --threads N        1 or 2 (default 1); with 2, goals are against the best plain copy on 2
  --rounds N         interleaved rounds, the median counts (default 7, 5 at most from 1 GB on)
  --quantile Q       which round counts (default 0.5; 0 is the fastest, for busy machines)
  --max-mb N         leave out cases with more payload
  --no-peers         leave out other libraries
  --plans            print each case's plan
)";

struct Options {
  MeasureOptions measure;
  std::string cases;
  bool smoke = false;
  bool plans = false;
  bool json = false;
  std::string json_file;
  double max_mb = 1e9;
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts(1);
  for (const char c : list) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// A name with a number is one case, a letter is its group.
bool selected(const Options& options, std::string_view id) {
  if (options.smoke) {
    constexpr std::string_view kSmoke[] = {"A1", "A2", "A7", "B6", "C3", "C7", "D2"};
    return std::ranges::find(kSmoke, id) != std::end(kSmoke);
  }
  if (options.cases.empty()) return id[0] != 'X' && id.back() != 'z';
  for (const std::string& part : split(options.cases)) {
    if (id == part || (part.size() == 1 && id.starts_with(part))) return true;
  }
  return false;
}

std::optional<Options> read_options(int argc, char** argv) {
  Options options;
  for (int i = 0; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto has_value = [&] { return i + 1 < argc && argv[i + 1][0] != '-'; };
    const auto number = [&](double low, double high) -> std::optional<double> {
      double value = 0;
      if (!has_value()) return std::nullopt;
      const std::string_view text = argv[++i];
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc() || end != text.data() + text.size() || !(value >= low && value <= high))
        return std::nullopt;
      return value;
    };
    std::optional<double> value = 0;
    if (argument == "--table") {
    } else if (argument == "--json") {
      options.json = true;
      if (has_value()) options.json_file = argv[++i];
    } else if (argument == "--cases" && has_value()) {
      options.cases = argv[++i];
    } else if (argument == "--smoke") {
      options.smoke = true;
    } else if (argument == "--threads" && (value = number(1, 64))) {
      options.measure.threads = static_cast<int>(*value);
    } else if (argument == "--rounds" && (value = number(1, 10'000))) {
      options.measure.rounds = static_cast<int>(*value);
    } else if (argument == "--quantile" && (value = number(0, 1))) {
      options.measure.quantile = *value;
    } else if (argument == "--max-mb" && (value = number(0, 1e9))) {
      options.max_mb = *value;
    } else if (argument == "--no-peers") {
      options.measure.peers = false;
    } else if (argument == "--plans") {
      options.plans = true;
    } else {
      fmt::print(stderr, "{}", kUsage);
      if (argument != "--help") fmt::print(stderr, "\nnot understood: {}\n", argument);
      return std::nullopt;
    }
  }
  return options;
}

double goal_of(const RelayoutCase& subject, int threads) {
  return threads == 1 ? subject.goal : subject.goal_two_threads;
}

Json to_json(const Measurement& m, int threads) {
  Json peers = Json::object();
  for (const Timing& peer : m.peers) peers[peer.name] = peer.correct ? Json(m.score(peer)) : Json("wrong");
  Json copies = Json::object();
  for (const Timing& copy : m.copies) copies[copy.name] = m.payload_bytes / copy.seconds * 1e-9;
  return {{"id", m.subject->id},
          {"title", m.subject->title},
          {"src", m.subject->src},
          {"dst", m.subject->dst},
          {"element_bytes", m.subject->element_bytes},
          {"threads", threads},
          {"megabytes", m.payload_bytes * 1e-6},
          {"correct", m.ours.correct},
          {"score", m.score()},
          {"score_low", *std::ranges::min_element(m.our_rounds)},
          {"score_high", *std::ranges::max_element(m.our_rounds)},
          {"score_vs_best_copy", m.score() / m.best_copy()},
          {"goal", goal_of(*m.subject, threads)},
          {"gbps", m.payload_bytes / m.ours.seconds * 1e-9},
          {"memcpy_gbps", m.memcpy_gbps()},
          {"best_copy", m.best_copy()},
          {"copies_gbps", copies},
          {"plan_ns", m.plan_ns},
          {"peers", peers}};
}

void print_head(int threads) {
  fmt::print(
      "{} thread{}; score = times memcpy's speed, goal against {}; peers in brackets: once, elsewhere\n",
      threads, threads == 1 ? "" : "s", threads == 1 ? "memcpy" : "the best plain copy");
  fmt::print("{:<4} {:<42} {:>8} {:>7} {:>6} {:>6} {:>6} {:>6} {:>6} {:>14} {:>8}\n", "id", "case", "MB",
             "memcpy", "copy", "score", "/copy", "goal", "", "peer", "plan ns");
}

void print_row(const Measurement& m, int threads) {
  const RelayoutCase& subject = *m.subject;
  const Anchors& a = subject.anchors;
  const double elsewhere = std::max({a.hptt, a.xla, a.onednn, a.eigen, a.numpy});
  const Timing* best = m.best_peer();
  const double goal = goal_of(subject, threads);
  std::string peer = best != nullptr ? fmt::format("{:.2f}", m.score(*best)) : std::string("-");
  if (threads == 1 && elsewhere > 0) peer += fmt::format(" [{:.2f}]", elsewhere);
  fmt::print("{:<4} {:<42} {:>8.3g} {:>7.2f} {:>6.2f} {:>6.2f} {:>6.2f} {:>6} {:>6} {:>14} {:>8.0f}{}\n",
             subject.id, subject.title, m.payload_bytes * 1e-6, m.memcpy_gbps(), m.best_copy(), m.score(),
             m.score() / m.best_copy(), goal > 0 ? fmt::format("{:.2f}", goal) : std::string("-"),
             goal == 0                       ? ""
             : m.goal_score(threads) >= goal ? "ok"
                                             : "below",
             peer, m.plan_ns, m.ours.correct ? "" : "  WRONG");
  std::fflush(stdout);
}

// Geometric means of score and goal, by the letter of the case, over the cases with a goal.
void print_means(const std::vector<Measurement>& all, int threads) {
  struct Sum {
    double score = 0, goal = 0;
    int count = 0;
  };
  std::map<std::string, Sum> sums;
  for (const Measurement& m : all) {
    const double goal = goal_of(*m.subject, threads);
    if (goal == 0) continue;
    for (const std::string& group : {std::string(1, m.subject->id[0]), std::string("all")}) {
      sums[group].score += std::log(m.goal_score(threads));
      sums[group].goal += std::log(goal);
      ++sums[group].count;
    }
  }
  for (const auto& [group, sum] : sums) {
    fmt::print("mean {:<3} {:>3} cases: {:.2f}, goal {:.2f}\n", group, sum.count,
               std::exp(sum.score / sum.count), std::exp(sum.goal / sum.count));
  }
}

void fill_with_noise(const BigBuffer& buffer) {
  std::mt19937_64 random(7);
  for (std::size_t i = 0; i + 8 <= buffer.size(); i += 8) {
    const std::uint64_t value = random();
    std::memcpy(buffer.data() + i, &value, 8);
  }
}

}  // namespace

int relayout_main(int argc, char** argv) {
  const auto options = read_options(argc, argv);
  if (!options) return 2;
  std::vector<const RelayoutCase*> subjects;
  BufferSizes largest;
  for (const RelayoutCase& subject : relayout_cases()) {
    if (!selected(*options, subject.id)) continue;
    const auto sizes = buffer_sizes(subject);
    if (!sizes) {
      fmt::print(stderr, "{}: {}\n", subject.id, sizes.error().message);
      return 1;
    }
    if (static_cast<double>(sizes->dst) > options->max_mb * 1e6) continue;
    largest.src = std::max(largest.src, sizes->src);
    largest.dst = std::max(largest.dst, sizes->dst);
    subjects.push_back(&subject);
  }
  if (subjects.empty()) {
    fmt::print(stderr, "no case is called so\n");
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

  const int threads = options->measure.threads;
  const bool table = !options->json || !options->json_file.empty();
  if (table) print_head(threads);
  std::vector<Measurement> all;
  bool wrong = false;
  for (const RelayoutCase* subject : subjects) {
    auto measured = measure(*subject, options->measure, src, dst);
    if (!measured) {
      fmt::print(stderr, "{}: {}\n", subject->id, measured.error().message);
      wrong = true;
      continue;
    }
    wrong = wrong || !measured->ours.correct;
    if (table) print_row(*measured, threads);
    if (options->plans) fmt::print("{}\n", measured->plan);
    if (options->smoke && measured->goal_score(threads) < goal_of(*subject, threads) / 2) {
      fmt::print(stderr, "{}: below half of its goal; is the machine busy?\n", subject->id);
    }
    all.push_back(*std::move(measured));
  }
  if (table) print_means(all, threads);
  if (options->json) {
    Json cases = Json::array();
    for (const Measurement& m : all) cases.push_back(to_json(m, threads));
    const Json document = {
        {"isa", std::string(to_string(default_isa()))}, {"threads", threads}, {"cases", cases}};
    if (options->json_file.empty()) {
      std::cout << document.dump(2) << "\n";
    } else {
      std::ofstream file(options->json_file);
      file << document.dump(2) << "\n";
      if (!file) {
        fmt::print(stderr, "cannot write {}\n", options->json_file);
        return 1;
      }
    }
  }
  return wrong ? 1 : 0;
}

}  // namespace tessera::bench
