// SPDX-License-Identifier: Apache-2.0
#include "hlo/metadata/stack_frames.h"

#include <algorithm>
#include <array>
#include <utility>

#include "hlo/limits.h"
#include "hlo/syntax/attributes.h"
#include "hlo/syntax/lexer.h"

namespace tessera::detail {
namespace {

// Puts an entry at its number.
template <class T>
void put_at(std::vector<T>& table, Index number, T value) {
  if (number < 1 || number > kHloLimits.metadata.entries) return;
  const auto place = static_cast<std::size_t>(number - 1);
  // A table that skips numbers has gaps; one that skips many is not a table.
  if (place > 2 * table.size() + 64) return;
  if (place >= table.size()) table.resize(place + 1);
  table[place] = std::move(value);
}

template <class T>
const T* entry_at(const std::vector<T>& table, Index number) {
  return number < 1 || std::cmp_greater(number, table.size()) ? nullptr
                                                              : &table[static_cast<std::size_t>(number - 1)];
}

// The fields of `{key=1 key=2}` whose keys are listed; others are skipped. False if the text has another
// form.
template <std::size_t kCount>
bool read_fields(HloLexer& lexer, const std::array<std::string_view, kCount>& keys,
                 std::array<Index, kCount>& values) {
  if (!lexer.accept('{')) return false;
  while (lexer.skip() && !lexer.at_end() && lexer.peek() != '}') {
    const std::string_view key = lexer.identifier();
    Index value = 0;
    if (key.empty() || !lexer.accept('=') || !lexer.integer(value, "a number")) return false;
    for (std::size_t i = 0; i < kCount; ++i)
      if (keys[i] == key) values[i] = value;
    lexer.accept(',');
  }
  return lexer.accept('}');
}

struct WrittenLocation {
  Index file = 0;
  Index function = 0;
  Index line = 0;
};

struct WrittenFrame {
  Index location = 0;
  Index parent = 0;
};

bool read_entry_name(HloLexer& lexer, std::string& out) {
  if (!lexer.skip()) return false;
  const std::size_t begin = lexer.position();
  if (!lexer.skip_string()) return false;
  auto name = read_string({.key = "", .value = lexer.between(begin, lexer.position())});
  if (name) out = *std::move(name);
  return true;
}

}  // namespace

StackFrames::StackFrames(std::string_view tables) {
  HloLexer lexer(tables);
  std::vector<WrittenLocation> locations;
  std::vector<WrittenFrame> frames;
  while (lexer.skip() && !lexer.at_end()) {
    const std::string_view table = lexer.identifier();
    if (table.empty()) break;
    bool read = true;
    while (read && lexer.skip() && is_digit(lexer.peek())) {
      Index number = 0;
      read = lexer.integer(number, "an entry number");
      if (!read) break;
      if (table == "FileNames" || table == "FunctionNames") {
        std::string name;
        read = read_entry_name(lexer, name);
        if (read) put_at(table == "FileNames" ? files_ : functions_, number, std::move(name));
      } else if (table == "FileLocations") {
        std::array<Index, 3> values{};
        read = read_fields<3>(lexer, {"file_name_id", "function_name_id", "line"}, values);
        if (read) put_at(locations, number, WrittenLocation{values[0], values[1], values[2]});
      } else {
        std::array<Index, 2> values{};
        read = read_fields<2>(lexer, {"file_location_id", "parent_frame_id"}, values);
        if (read) put_at(frames, number, WrittenFrame{values[0], values[1]});
      }
    }
    if (!read) break;
  }
  frames_.reserve(frames.size());
  for (const WrittenFrame& frame : frames) {
    StackFrame& out = frames_.emplace_back();
    out.parent = std::max<Index>(frame.parent - 1, 0);
    const WrittenLocation* const location = entry_at(locations, frame.location);
    if (location == nullptr) continue;
    out.file = entry_at(files_, location->file);
    out.function = entry_at(functions_, location->function);
    out.line = location->line;
  }
}

const StackFrame* StackFrames::find(Index number) const { return entry_at(frames_, number); }

}  // namespace tessera::detail
