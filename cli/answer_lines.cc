// SPDX-License-Identifier: Apache-2.0
#include "cli/answer_lines.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli/line_reader.h"

namespace tessera::cli {

int answer_lines(Session& session, Output& out, std::string_view argument, const AnswerLine& answer) {
  LineReader reader(0);
  int status = kDone;
  for (std::size_t number = 1;; ++number) {
    std::string_view line;
    const LineReader::Status read = reader.next(line);
    if (read == LineReader::Status::end) return status;
    if (read == LineReader::Status::failed) {
      session.report_argument(
          {.code = Code::file_read,
           .message = fmt::format("stdin cannot be read: {}", std::strerror(reader.error()))},
          argument);
      return reader.error() == EISDIR ? kBadInput : kFailed;
    }
    const bool too_long = read == LineReader::Status::too_long;
    status = std::max(status, answer({too_long ? std::string_view() : line, number, too_long}));
    if (!reader.has_line()) {
      out.flush();
      session.err().flush();
    }
    if (out.error() != 0) return status;
  }
}

}  // namespace tessera::cli
