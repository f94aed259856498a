// SPDX-License-Identifier: Apache-2.0
#include "cli/repl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>

#if TESSERA_HAVE_EDIT
#include <histedit.h>
#include <unistd.h>
#endif

#include "cli/line_reader.h"
#include "tessera/eval/evaluator.h"
#include "tessera/eval/function.h"
#include "tessera/report/eval_answer.h"

namespace tessera::cli {
namespace {

constexpr const char* kPrompt = "tessera> ";
constexpr const char* kCommands =
    "  EXPRESSION          its value: composition((6,2):(8,2), (4,3):(3,1))\n"
    "  NAME = EXPRESSION   gives a name to it; NAME(2,3) is the offset of a coordinate\n"
    "  help [WORD]         the functions, those with WORD in their name\n"
    "  variables           the names and their values\n"
    "  quit                or Ctrl-D\n";

enum class Read : std::uint8_t { line, interrupted, end };

#if TESSERA_HAVE_EDIT

volatile std::sig_atomic_t interrupts = 0;

// A second Ctrl-C while an answer is computed ends the program, which has nothing to lose.
void on_interrupt(int) {
  interrupts = interrupts + 1;
  if (interrupts > 1) _exit(130);
}

// Edited lines: libedit with history in memory.
class Lines {
 public:
  explicit Lines(const Evaluator& evaluator)
      : evaluator_(evaluator), edit_(el_init("tessera", stdin, stdout, stderr)), history_(history_init()) {
    HistEvent event;
    history(history_.get(), &event, H_SETSIZE, 1000);
    history(history_.get(), &event, H_SETUNIQUE, 1);
    el_set(edit_.get(), EL_EDITOR, "emacs");
    el_set(edit_.get(), EL_PROMPT, +[](EditLine*) { return const_cast<char*>(kPrompt); });
    el_set(edit_.get(), EL_HIST, history, history_.get());
    el_set(edit_.get(), EL_CLIENTDATA, this);
    el_set(edit_.get(), EL_ADDFN, "complete", "complete a function or a variable", on_tab);
    el_set(edit_.get(), EL_BIND, "^I", "complete", nullptr);
    el_set(edit_.get(), EL_BIND, "^R", "em-inc-search-prev", nullptr);
    // While a line is edited Ctrl-C and Ctrl-Z are keys: a signal just before the editor begins to wait would
    // be lost.
    el_set(edit_.get(), EL_SETTY, "-d", "-isig", nullptr);
    el_set(edit_.get(), EL_ADDFN, "drop", "drop the line", on_drop);
    el_set(edit_.get(), EL_BIND, "^C", "drop", nullptr);
    el_set(edit_.get(), EL_ADDFN, "suspend", "back to the shell until fg", on_suspend);
    el_set(edit_.get(), EL_BIND, "^Z", "suspend", nullptr);
    struct sigaction action = {};
    action.sa_handler = on_interrupt;  // no SA_RESTART: a read that waits comes back
    sigaction(SIGINT, &action, &before_);
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  ~Lines() { sigaction(SIGINT, &before_, nullptr); }

  Read next(std::string& line) {
    int count = 0;
    interrupts = 0;
    const char* text = el_gets(edit_.get(), &count);
    if (interrupts != 0) {
      interrupts = 0;
      el_reset(edit_.get());
      return Read::interrupted;
    }
    if (text == nullptr || count <= 0) return Read::end;
    line.assign(text, static_cast<std::size_t>(count));
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
    if (!line.empty()) {
      HistEvent event;
      history(history_.get(), &event, H_ENTER, line.c_str());
    }
    return Read::line;
  }

 private:
  static unsigned char on_drop(EditLine*, int) {
    interrupts = 1;
    return CC_EOF;
  }

  static unsigned char on_suspend(EditLine* edit, int) {
    el_set(edit, EL_PREP_TERM, 0);
    std::raise(SIGTSTP);
    el_set(edit, EL_PREP_TERM, 1);
    return CC_REDISPLAY;
  }

  static unsigned char on_tab(EditLine* edit, int) {
    void* self = nullptr;
    el_get(edit, EL_CLIENTDATA, &self);
    return static_cast<Lines*>(self)->complete(edit);
  }

  // Completes the word in front of the cursor as far as the candidates agree, and lists them if they do not.
  unsigned char complete(EditLine* edit) {
    const LineInfo* info = el_line(edit);
    const char* begin = info->cursor;
    const auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    };
    while (begin > info->buffer && is_word(begin[-1])) --begin;
    const std::string word(begin, info->cursor);
    std::vector<std::string> candidates;
    const auto add = [&](std::string name) {
      if (name.starts_with(word)) candidates.push_back(std::move(name));
    };
    for (const FunctionInfo& f : eval_functions()) add(std::string(f.name) + "(");
    for (const auto& [name, value] : evaluator_.variables()) add(name);
    if (candidates.empty()) return CC_ERROR;
    std::ranges::sort(candidates);
    std::string common = candidates.front();
    for (const std::string& one : candidates) {
      const auto end = std::ranges::mismatch(common, one).in1;
      common.erase(end, common.end());
    }
    if (common.size() > word.size()) {
      el_insertstr(edit, common.c_str() + word.size());
      return CC_REFRESH;
    }
    if (candidates.size() == 1) return CC_ERROR;
    std::string list = "\n";
    for (const std::string& one : candidates) list += one + "  ";
    list += "\n";
    std::fputs(list.c_str(), stdout);
    std::fflush(stdout);
    return CC_REDISPLAY;
  }

  struct EndEdit {
    void operator()(EditLine* e) const { el_end(e); }
  };
  struct EndHistory {
    void operator()(History* h) const { history_end(h); }
  };
  const Evaluator& evaluator_;
  std::unique_ptr<EditLine, EndEdit> edit_;
  std::unique_ptr<History, EndHistory> history_;
  struct sigaction before_ = {};
};

#else

// Plain lines: the terminal itself edits them.
class Lines {
 public:
  explicit Lines(const Evaluator&) : reader_(0) {}
  Read next(std::string& line) {
    std::fputs(kPrompt, stdout);
    std::fflush(stdout);
    std::string_view text;
    const LineReader::Status status = reader_.next(text);
    if (status == LineReader::Status::end || status == LineReader::Status::failed) return Read::end;
    line = status == LineReader::Status::line ? text : std::string_view{};
    return Read::line;
  }

 private:
  LineReader reader_;
};

#endif

std::string trimmed(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : line.substr(begin, line.find_last_not_of(" \t") - begin + 1);
}

void answer(Session& session, Evaluator& evaluator, const std::string& line, bool explain) {
  const Evaluation evaluation = evaluator.evaluate(line, explain);
  session.out().write(to_text(evaluation));
  session.out().flush();
  for (const std::string& note : evaluation.notes) session.err().write(fmt::format("note: {}\n", note));
  if (evaluation.error) {
    session.err().write(render(*evaluation.error, Source("<input>", line), session.error_color()));
  }
  session.err().flush();
}

std::string variable_list(const Evaluator& evaluator) {
  std::string out;
  for (const auto& [name, value] : evaluator.variables())
    out += fmt::format("{} = {}\n", name, to_string(value));
  return out.empty() ? "no variables yet\n" : out;
}

}  // namespace

std::string function_list(std::string_view word) {
  std::string out;
  std::string_view group;
  for (const FunctionInfo& f : eval_functions()) {
    if (f.name.find(word) == std::string_view::npos) continue;
    if (f.group != group) {
      group = f.group;
      out += fmt::format("{}{}:\n", out.empty() ? "" : "\n", group);
    }
    out += fmt::format("  {:<36} {}\n", f.signature, f.summary);
  }
  return out;
}

int run_repl(Session& session, bool explain) {
  Evaluator evaluator;
  Lines lines(evaluator);
  session.out().write("Layout algebra. 'help' lists what there is, Ctrl-D ends.\n");
  std::string line;
  for (;;) {
    session.out().flush();
    const Read read = lines.next(line);
    if (read == Read::interrupted) {
      session.out().write("\n");
      continue;
    }
    const std::string text = trimmed(line);
    if (read == Read::end || text == "quit" || text == "exit") break;
    if (text.empty()) continue;
    if (text == "help" || text == "?") {
      session.out().write(function_list() + "\n" + kCommands);
    } else if (text.starts_with("help ")) {
      const std::string list = function_list(trimmed(text.substr(5)));
      session.out().write(list.empty() ? "no function has this in its name\n" : list);
    } else if (text == "variables") {
      session.out().write(variable_list(evaluator));
    } else {
      answer(session, evaluator, line, explain);
    }
    if (session.out().error() != 0) return kFailed;
  }
  session.out().write("\n");
  return kDone;
}

}  // namespace tessera::cli
