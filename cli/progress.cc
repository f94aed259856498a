// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace tessera::cli {

Progress::Progress(Output& err, std::uint64_t total, bool shown)
    : err_(err), total_(total), shown_(shown && ::isatty(2) != 0) {}

Progress::~Progress() {
  if (!drawn_) return;
  err_.write("\r\x1b[K");
  err_.flush();
}

void Progress::advance() {
  ++done_;
  if (!shown_ || done_ % 16 != 0) return;  // the clock is not asked for each of a million things
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  draw(now);
  next_ = now + std::chrono::milliseconds(100);
}

void Progress::draw(Clock::time_point now) {
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(done_) / seconds;
  std::string text;
  if (total_ > 0) {
    constexpr int kCells = 24;
    const double share = std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_));
    const int full = static_cast<int>(share * kCells);
    text = fmt::format("[{:#<{}}{:.<{}}] {:3.0f} %  {} of {} instructions, {:.0f}/s, {:.0f} s left", "", full,
                       "", kCells - full, share * 100, done_, total_, rate,
                       static_cast<double>(total_ - std::min(done_, total_)) / rate);
  } else {
    text = fmt::format("{} instructions, {:.0f}/s", done_, rate);
  }
  err_.write("\r" + text + "\x1b[K");
  err_.flush();
  drawn_ = true;
}

}  // namespace tessera::cli
