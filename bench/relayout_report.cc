// SPDX-License-Identifier: Apache-2.0
#include "relayout_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tessera/relayout/plan.h"

namespace tessera::bench {
namespace {

using Json = nlohmann::ordered_json;

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

std::string number(double value) { return value > 0 ? fmt::format("{:.2f}", value) : std::string("-"); }

}  // namespace

double goal_of(const RelayoutCase& subject, int threads) {
  return threads == 1 ? subject.goal : subject.goal_two_threads;
}

void print_head(int threads) {
  fmt::print(
      "{} thread{}, {}. Scores are multiples of memcpy's speed, goals are multiples of the speed of {}. In "
      "brackets: "
      "the best of "
      "five libraries on another machine.\n\n",
      threads, threads == 1 ? "" : "s", to_string(default_isa()),
      threads == 1 ? "memcpy" : "the best plain copy");
  fmt::print(
      "| {:<4} | {:<42} | {:>7} | {:>11} | {:>9} | {:>5} | {:>12} | {:>4} | {:<5} | {:>14} | {:>7} |\n", "id",
      "case", "MB", "memcpy GB/s", "best copy", "score", "of best copy", "goal", "", "peer", "plan ns");
  fmt::print("| {} | {} | {}: | {}: | {}: | {}: | {}: | {}: | {} | {}: | {}: |\n", std::string(4, '-'),
             std::string(42, '-'), std::string(6, '-'), std::string(10, '-'), std::string(8, '-'),
             std::string(4, '-'), std::string(11, '-'), std::string(3, '-'), std::string(5, '-'),
             std::string(13, '-'), std::string(6, '-'));
}

void print_row(const Measurement& m, int threads) {
  const RelayoutCase& subject = *m.subject;
  const Anchors& a = subject.anchors;
  const double elsewhere = std::max({a.hptt, a.xla, a.onednn, a.eigen, a.numpy});
  const Timing* best = m.best_peer();
  const double goal = goal_of(subject, threads);
  std::string peer = number(best != nullptr ? m.score(*best) : 0);
  if (threads == 1 && elsewhere > 0) peer += fmt::format(" [{:.2f}]", elsewhere);
  const char* reached = goal == 0 ? "" : m.goal_score(threads) >= goal ? "ok" : "below";
  fmt::print(
      "| {:<4} | {:<42} | {:>7.3g} | {:>11.2f} | {:>9.2f} | {:>5.2f} | {:>12.2f} | {:>4} | {:<5} | {:>14} | "
      "{:>7.0f} |\n",
      subject.id, subject.title, m.payload_bytes * 1e-6, m.memcpy_gbps(), m.best_copy(), m.score(),
      m.score() / m.best_copy(), number(goal), m.ours.correct ? reached : "WRONG", peer, m.plan_ns);
  std::fflush(stdout);
}

void print_means(const std::vector<Measurement>& all, int threads) {
  // Sums of logarithms.
  struct Sums {
    double share = 0, score = 0, goal = 0;
    int count = 0, goals = 0;
  };
  std::map<std::string, Sums> groups;
  for (const Measurement& m : all) {
    const double goal = goal_of(*m.subject, threads);
    for (const std::string& group : {std::string(1, m.subject->id[0]), std::string("all")}) {
      Sums& sums = groups[group];
      sums.share += std::log(m.score() / m.best_copy());
      ++sums.count;
      if (goal == 0) continue;
      sums.score += std::log(m.goal_score(threads));
      sums.goal += std::log(goal);
      ++sums.goals;
    }
  }
  fmt::print(
      "\n| cases | | of best copy | with a goal | score | goal |\n"
      "| ----- | -: | ---: | ---: | ---: | ---: |\n");
  for (const auto& [group, sums] : groups) {
    const auto mean = [&](double sum) { return sums.goals > 0 ? number(std::exp(sum / sums.goals)) : "-"; };
    fmt::print("| {} | {} | {} | {} | {} | {} |\n", group, sums.count,
               number(std::exp(sums.share / sums.count)), sums.goals, mean(sums.score), mean(sums.goal));
  }
}

nlohmann::ordered_json to_json(const std::vector<Measurement>& all, int threads) {
  Json cases = Json::array();
  for (const Measurement& m : all) cases.push_back(to_json(m, threads));
  return {{"isa", std::string(to_string(default_isa()))}, {"threads", threads}, {"cases", cases}};
}

}  // namespace tessera::bench
