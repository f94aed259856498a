// SPDX-License-Identifier: Apache-2.0
// The bytes that are live in random scheduled programs, counted by a simulation that shares no code with the
// product.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "hlo/memory/live_arrays.h"
#include "laws/random_seed.h"

namespace tessera::laws {
namespace {

// One line: makes a buffer, or names those of others.
struct SimulatedLine {
  std::string text;
  std::vector<std::size_t> reads;  // buffers
  std::vector<std::size_t> holds;  // of the value: one, or one for each element of a tuple
  bool makes = false;
  long inner = 0;                    // bytes that are live in what it calls
  std::ptrdiff_t written_over = -1;  // the buffer that it takes over
};

struct Simulated {
  std::string text;
  std::vector<long> live;  // by line
};

// A computation of one argument: its text, the size of its result, and the most bytes that are live in it
// besides argument and result, which are the caller's.
struct SimulatedCallee {
  std::string text;
  long result = 0;
  long peak = 0;
};

SimulatedCallee random_callee(std::mt19937_64& random, const std::string& name, long size, long result) {
  const auto upto = [&](std::size_t most) { return static_cast<std::size_t>(random() % most); };
  std::vector<long> sizes = {size};
  std::vector<std::vector<std::size_t>> reads = {{}};
  SimulatedCallee out;
  out.text = name + " {\n  w0 = u8[" + std::to_string(size) + "] parameter(0)\n";
  const auto line = [&](long own, std::vector<std::size_t> from, const std::string& text) {
    sizes.push_back(own);
    reads.push_back(std::move(from));
    out.text += "w" + std::to_string(sizes.size() - 1) + " = u8[" + std::to_string(own) + "] " + text + "\n";
  };
  const std::size_t count = upto(4);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t a = upto(sizes.size());
    const std::string from = "w" + std::to_string(a);
    const long cut = 1 + static_cast<long>(upto(static_cast<std::size_t>(sizes[a])));
    out.text += "  ";
    if (upto(2) == 0) {
      line(sizes[a], {a}, "not(" + from + ")");
    } else {
      line(cut, {a}, "slice(" + from + "), slice={[0:" + std::to_string(cut) + "]}");
    }
  }
  const std::size_t last = sizes.size() - 1;
  out.result = result > 0 ? result : sizes[last];
  out.text += "  ROOT ";
  line(out.result, {last},
       "pad(w" + std::to_string(last) + ", zero), padding=0_" + std::to_string(out.result - sizes[last]));
  const std::string zero = "  zero = u8[] constant(0)\n";
  out.text.insert(out.text.find('\n') + 1, zero);
  out.text += "}\n";
  for (std::size_t i = 1; i + 1 < sizes.size() + 1; ++i) {
    long live = 0;
    for (std::size_t b = 1; b + 1 < sizes.size(); ++b) {
      std::size_t until = b;
      for (std::size_t k = b; k < reads.size(); ++k)
        if (std::ranges::find(reads[k], b) != reads[k].end()) until = k;
      if (b <= i && i <= until) live += sizes[b];
    }
    out.peak = std::max(out.peak, live);
  }
  return out;
}

// Some arrays of bytes, names of them, and at the end a result that may take the place of a donated argument.
Simulated random_scheduled(std::mt19937_64& random) {
  const auto upto = [&](std::size_t most) { return static_cast<std::size_t>(random() % most); };
  std::vector<long> sizes;  // of buffers
  std::vector<SimulatedLine> lines;
  std::vector<std::size_t> arrays;  // lines with one array
  std::vector<std::size_t> tuples;
  std::string functions =
      "less { a = u8[] parameter(0) b = u8[] parameter(1) ROOT c = pred[] compare(a, b), direction=LT }\n"
      "sum { a = u8[] parameter(0) b = u8[] parameter(1) ROOT c = u8[] add(a, b) }\n";
  const std::size_t parameters = 1 + upto(2);
  const auto name = [](std::size_t line) { return "v" + std::to_string(line); };
  const auto shape = [&](std::size_t buffer) { return "u8[" + std::to_string(sizes[buffer]) + "]"; };
  const auto make = [&](long size, std::vector<std::size_t> reads, const std::string& text, bool parameter) {
    sizes.push_back(size);
    SimulatedLine line;
    line.text = shape(sizes.size() - 1) + " " + text;
    line.reads = std::move(reads);
    line.holds = {sizes.size() - 1};
    line.makes = !parameter;
    lines.push_back(line);
    arrays.push_back(lines.size() - 1);
  };
  for (std::size_t i = 0; i < parameters; ++i)
    make(1 + static_cast<long>(upto(64)), {}, "parameter(" + std::to_string(i) + ")", true);
  const std::size_t count = 3 + upto(12);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t a = arrays[upto(arrays.size())];
    const std::size_t buffer = lines[a].holds[0];
    switch (upto(10)) {
      case 0:
        make(sizes[buffer], {buffer}, "not(" + name(a) + ")", false);
        break;
      case 1: {
        const long size = 1 + static_cast<long>(upto(static_cast<std::size_t>(sizes[buffer])));
        make(size, {buffer}, "slice(" + name(a) + "), slice={[0:" + std::to_string(size) + "]}", false);
        break;
      }
      case 2: {
        const std::size_t b = arrays[upto(arrays.size())];
        std::vector<std::size_t> both{buffer, lines[b].holds[0]};
        make(sizes[buffer] + sizes[both[1]], both,
             "concatenate(" + name(a) + ", " + name(b) + "), dimensions={0}", false);
        break;
      }
      case 3: {
        SimulatedLine line;
        line.text = shape(buffer) + " bitcast(" + name(a) + ")";
        line.holds = {buffer};
        lines.push_back(line);
        arrays.push_back(lines.size() - 1);
        break;
      }
      case 4: {
        const std::size_t b = arrays[upto(arrays.size())];
        SimulatedLine line;
        line.holds = {buffer, lines[b].holds[0]};
        line.text = "(" + shape(line.holds[0]) + ", " + shape(line.holds[1]) + ") tuple(" + name(a) + ", " +
                    name(b) + ")";
        lines.push_back(line);
        tuples.push_back(lines.size() - 1);
        break;
      }
      case 5: {
        const std::string callee = "run" + std::to_string(lines.size());
        const SimulatedCallee own = random_callee(random, callee, sizes[buffer], 0);
        functions += own.text;
        make(own.result, {buffer}, "call(" + name(a) + "), to_apply=" + callee, false);
        lines.back().inner = own.peak;
        break;
      }
      case 6: {
        // Both branches have a result of one size; the one that needs more counts.
        const std::size_t b = arrays[upto(arrays.size())];
        const std::string callee = "run" + std::to_string(lines.size());
        const long size = sizes[buffer] + sizes[lines[b].holds[0]];
        const SimulatedCallee first = random_callee(random, callee + "a", sizes[buffer], size);
        const SimulatedCallee second = random_callee(random, callee + "b", sizes[lines[b].holds[0]], size);
        functions += first.text + second.text;
        make(size, {buffer, lines[b].holds[0]},
             "conditional(yes, " + name(a) + ", " + name(b) + "), true_computation=" + callee +
                 "a, false_computation=" + callee + "b",
             false);
        lines.back().inner = std::max(first.peak, second.peak);
        break;
      }
      case 7:
        make(sizes[buffer], {buffer}, "sort(" + name(a) + "), dimensions={0}, to_apply=less", false);
        break;
      case 8: {
        // Over its operand, if nothing needs that any more; an argument is not the program's to write over.
        const bool dead = upto(2) == 0 && buffer >= parameters;
        make(sizes[buffer], {buffer},
             "scatter(" + name(a) +
                 ", one, byte), update_window_dims={}, inserted_window_dims={0}, "
                 "scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=sum",
             false);
        const std::size_t made = lines.size() - 1;
        if (!dead) {
          make(sizes[buffer], {buffer}, "not(" + name(a) + ")", false);
          break;
        }
        lines[made].written_over = static_cast<std::ptrdiff_t>(buffer);
        const auto has_it = [&](std::size_t line) {
          return std::ranges::find(lines[line].holds, buffer) != lines[line].holds.end();
        };
        std::erase_if(arrays, has_it);
        std::erase_if(tuples, has_it);
        break;
      }
      default: {
        if (tuples.empty()) break;
        const std::size_t t = tuples[upto(tuples.size())];
        const std::size_t element = upto(2);
        SimulatedLine line;
        line.holds = {lines[t].holds[element]};
        line.text =
            shape(line.holds[0]) + " get-tuple-element(" + name(t) + "), index=" + std::to_string(element);
        lines.push_back(line);
        arrays.push_back(lines.size() - 1);
        break;
      }
    }
  }
  const std::size_t root = arrays[upto(arrays.size())];
  const std::size_t result = lines[root].holds[0];
  // Donate an argument that the result could take the place of.
  std::string donation;
  std::size_t donated = sizes.size();
  for (std::size_t p = 0; p < parameters && result >= parameters; ++p) {
    if (sizes[p] != sizes[result] || upto(4) == 0) continue;
    donation = ", input_output_alias={ {}: (" + std::to_string(p) + ", {}, may-alias) }";
    donated = p;
    break;
  }
  Simulated out;
  out.text = "HloModule m, is_scheduled=true" + donation + "\n" + functions + "ENTRY e {\n";
  for (std::size_t i = 0; i < parameters; ++i)
    out.text += std::string(i == root ? "  ROOT " : "  ") + name(i) + " = " + lines[i].text + "\n";
  // Constants are counted apart.
  out.text += "  yes = pred[] constant(true)\n  one = s32[1] constant({0})\n  byte = u8[] constant(1)\n";
  for (std::size_t i = parameters; i < lines.size(); ++i)
    out.text += std::string(i == root ? "  ROOT " : "  ") + name(i) + " = " + lines[i].text + "\n";
  out.text += "}\n";

  // Run it: a buffer exists from the line that makes it on, and is freed when no later line and no caller
  // needs it.
  std::set<std::size_t> exist;
  for (std::size_t p = 0; p < parameters; ++p) exist.insert(p);
  std::vector<std::size_t> room(sizes.size());  // the buffer whose memory each buffer has
  for (std::size_t b = 0; b < room.size(); ++b) room[b] = b;
  for (const SimulatedLine& line : lines)
    if (line.written_over >= 0) room[line.holds[0]] = room[static_cast<std::size_t>(line.written_over)];
  bool moved_in = false;  // the result is in the memory of the donated argument
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto needed_later = [&](std::size_t buffer, std::size_t from) {
      for (std::size_t k = from; k < lines.size(); ++k)
        if (std::ranges::find(lines[k].reads, buffer) != lines[k].reads.end()) return true;
      return false;
    };
    if (lines[i].makes) {
      const std::size_t made = lines[i].holds[0];
      exist.insert(made);
      if (made == room[result] && donated < sizes.size() && !needed_later(donated, i)) moved_in = true;
    }
    std::set<std::size_t> rooms;
    for (const std::size_t buffer : exist) rooms.insert(room[buffer]);
    long live = lines[i].inner;
    for (const std::size_t buffer : rooms)
      if (!(moved_in && buffer == room[result])) live += sizes[buffer];
    out.live.push_back(live);
    if (i + 1 == parameters) out.live.insert(out.live.end(), 3, live);  // the constants
    std::erase_if(exist, [&](std::size_t buffer) {
      return buffer >= parameters && buffer != result && !needed_later(buffer, i + 1);
    });
  }
  return out;
}

TEST(LiveBytes, AreThoseOfASimulation) {
  std::mt19937_64 random(seed(20261130));
  const std::uint64_t count = cases(2000);
  for (std::uint64_t i = 0; i < count; ++i) {
    const Simulated program = random_scheduled(random);
    const ParsedModules parsed = parse_hlo(program.text);
    ASSERT_TRUE(parsed.ok()) << program.text << parsed.diagnostics.at(0).message;
    const detail::ProgramMemory memory = detail::program_memory(parsed.modules.at(0));
    ASSERT_EQ(memory.steps.size(), program.live.size());
    for (std::size_t k = 0; k < program.live.size(); ++k) {
      const Count expected{program.live[k], program.live[k]};
      ASSERT_EQ(memory.steps[k].bytes, expected) << program.text << "line " << k;
    }
    ASSERT_EQ(memory.peak.upper, *std::ranges::max_element(program.live)) << program.text;
    long held = 0;
    for (const detail::LiveArray& array : memory.held) held += array.bytes;
    ASSERT_EQ(held, memory.peak.upper) << program.text;
  }
}

}  // namespace
}  // namespace tessera::laws
