// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "report/copy_answer.h"

namespace tessera::cli {

ProgressBar::ProgressBar(Output& err, std::uint64_t total, bool shown, ProgressUnit unit)
    : err_(err), total_(total), shown_(shown && ::isatty(2) != 0), unit_(unit) {}

ProgressBar::~ProgressBar() {
  if (!drawn_) return;
  err_.write("\r\x1b[K");
  err_.flush();
}

void ProgressBar::advance() {
  ++done_;
  if (!shown_ || done_ % 16 != 0) return;  // reading the clock a million times is slow
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  draw(now);
  next_ = now + std::chrono::milliseconds(100);
}

void ProgressBar::advance_to(std::uint64_t done) {
  done_ = done;
  if (!shown_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  draw(now);
  next_ = now + std::chrono::milliseconds(100);
}

std::string ProgressBar::amount(double count) const {
  return unit_ == ProgressUnit::bytes ? bytes_text(count) : fmt::format("{:.0f}", count);
}

void ProgressBar::draw(Clock::time_point now) {
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const auto done = static_cast<double>(done_);
  const double rate = std::max(done, 1.0) / seconds;
  const char* const noun = unit_ == ProgressUnit::bytes      ? ""
                           : unit_ == ProgressUnit::elements ? " elements"
                                                             : " instructions";
  std::string text;
  if (total_ > 0) {
    constexpr int kCells = 24;
    const double share = std::min(1.0, done / static_cast<double>(total_));
    const int full = static_cast<int>(share * kCells);
    text = fmt::format("[{:#<{}}{:.<{}}] {:3.0f} %  {} of {}{}, {}/s, {:.0f} s left", "", full, "",
                       kCells - full, share * 100, amount(done), amount(static_cast<double>(total_)), noun,
                       amount(rate), static_cast<double>(total_ - std::min(done_, total_)) / rate);
  } else {
    text = fmt::format("{}{}, {}/s", amount(done), noun, amount(rate));
  }
  err_.write("\r" + text + "\x1b[K");
  err_.flush();
  drawn_ = true;
}

}  // namespace tessera::cli
