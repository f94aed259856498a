// SPDX-License-Identifier: Apache-2.0
#include "cli/repl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#if TESSERA_HAVE_EDIT
#include <histedit.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "cli/eval_help.h"
#include "cli/history_file.h"
#include "cli/line_reader.h"
#include "eval/for_all_sizes.h"
#include "report/eval_answer.h"
#include "report/sized_answer.h"
#include "tessera/eval/evaluator.h"

namespace tessera::cli {
namespace {

constexpr const char* kPrompt = "tessera> ";
constexpr const char* kMore = "    ...> ";  // prompt inside a bracket

enum class LineRead : std::uint8_t { line, interrupted, end };

#if TESSERA_HAVE_EDIT

volatile std::sig_atomic_t interrupts = 0;

// A second Ctrl-C during a computation ends the program. Nothing is lost.
void on_interrupt(int) {
  interrupts = interrupts + 1;
  if (interrupts > 1) _exit(130);
}

// Lines edited with libedit, with a history file.
class LineEditor {
 public:
  LineEditor(const Evaluator& evaluator, std::filesystem::path file)
      : evaluator_(evaluator),
        file_(std::move(file)),
        edit_(el_init("tessera", stdin, stdout, stderr)),
        history_(history_init()) {
    HistEvent event;
    history(history_.get(), &event, H_SETSIZE, 1000);
    history(history_.get(), &event, H_SETUNIQUE, 1);
    if (!file_.empty()) history(history_.get(), &event, H_LOAD, file_.c_str());
    el_set(edit_.get(), EL_EDITOR, "emacs");
    el_set(edit_.get(), EL_CLIENTDATA, this);
    el_set(edit_.get(), EL_PROMPT, prompt);
    el_set(edit_.get(), EL_HIST, history, history_.get());
    el_set(edit_.get(), EL_ADDFN, "complete", "completes a function or a variable", on_tab);
    el_set(edit_.get(), EL_BIND, "^I", "complete", nullptr);
    el_set(edit_.get(), EL_BIND, "^R", "em-inc-search-prev", nullptr);
    // While a line is edited, Ctrl-C and Ctrl-Z are plain keys, because a signal just before the editor
    // begins to wait would be lost.
    el_set(edit_.get(), EL_SETTY, "-d", "-isig", nullptr);
    el_set(edit_.get(), EL_ADDFN, "drop", "drop the line", on_drop);
    el_set(edit_.get(), EL_BIND, "^C", "drop", nullptr);
    el_set(edit_.get(), EL_ADDFN, "suspend", "back to the shell until fg", on_suspend);
    el_set(edit_.get(), EL_BIND, "^Z", "suspend", nullptr);
    struct sigaction action = {};
    action.sa_handler = on_interrupt;  // no SA_RESTART, so that a waiting read returns
    sigaction(SIGINT, &action, &before_);
  }
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;
  ~LineEditor() {
    sigaction(SIGINT, &before_, nullptr);
    save();
  }

  // The next line. If `more`, the line continues a text.
  LineRead next(std::string& line, bool more) {
    int count = 0;
    interrupts = 0;
    prompt_ = more ? kMore : kPrompt;
    const char* text = el_gets(edit_.get(), &count);
    if (interrupts != 0) {
      interrupts = 0;
      el_reset(edit_.get());
      return LineRead::interrupted;
    }
    if (text == nullptr || count <= 0) return LineRead::end;
    line.assign(text, static_cast<std::size_t>(count));
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
    return LineRead::line;
  }

  // Adds a whole text to the history, joined into one line.
  void remember(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    HistEvent event;
    history(history_.get(), &event, H_ENTER, text.c_str());
  }

 private:
  static char* prompt(EditLine* edit) {
    void* self = nullptr;
    el_get(edit, EL_CLIENTDATA, &self);
    return const_cast<char*>(static_cast<LineEditor*>(self)->prompt_);
  }

  // Errors are ignored, because the session is over. The file appears complete or not at all, readable only
  // by its owner.
  void save() {
    if (file_.empty()) return;
    std::error_code failed;
    std::filesystem::create_directories(file_.parent_path(), failed);
    std::filesystem::path part = file_;
    part += fmt::format(".{}", ::getpid());
    HistEvent event;
    const mode_t before = ::umask(077);
    const bool written = history(history_.get(), &event, H_SAVE, part.c_str()) >= 0;
    ::umask(before);
    if (written) std::filesystem::rename(part, file_, failed);
    if (!written || failed) std::filesystem::remove(part, failed);
  }

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
    return static_cast<LineEditor*>(self)->complete(edit);
  }

  // Completes the word before the cursor with the common prefix of the candidates. If that adds nothing,
  // lists the candidates.
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
    for (const char* command : {"explain ", "help ", "variables", "quit"}) {
      if (begin == info->buffer) add(command);
    }
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
  std::filesystem::path file_;  // the history; empty for none
  const char* prompt_ = kPrompt;
  std::unique_ptr<EditLine, EndEdit> edit_;
  std::unique_ptr<History, EndHistory> history_;
  struct sigaction before_ = {};
};

#else

// Plain lines, edited by the terminal itself.
class LineEditor {
 public:
  LineEditor(const Evaluator&, const std::filesystem::path&) : reader_(0) {}
  void remember(const std::string&) {}
  LineRead next(std::string& line, bool more) {
    std::fputs(more ? kMore : kPrompt, stdout);
    std::fflush(stdout);
    std::string_view text;
    const LineReader::Status status = reader_.next(text);
    if (status == LineReader::Status::end || status == LineReader::Status::failed) return LineRead::end;
    line = status == LineReader::Status::line ? text : std::string_view{};
    return LineRead::line;
  }

 private:
  LineReader reader_;
};

#endif

std::string trimmed(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : line.substr(begin, line.find_last_not_of(" \t") - begin + 1);
}

/// Numbers, or answers for all sizes.
template <class Answers>
void show(Session& session, const Answers& evaluation, const std::string& text) {
  session.out().write(to_text(evaluation));
  session.out().flush();
  for (const std::string& note : evaluation.notes) session.err().write(fmt::format("note: {}\n", note));
  if (evaluation.error) {
    session.err().write(render(*evaluation.error, Source("<input>", text), session.error_color()));
  }
  session.err().flush();
}

std::string variable_list(const Evaluator& evaluator) {
  std::string out;
  for (const auto& [name, value] : evaluator.variables())
    out += fmt::format("{} = {}\n", name, to_string(value));
  return out.empty() ? "no variables yet\n" : out;
}

// The text after a command word; empty if the text is an expression, such as `help = 3` or `explain(…)`.
std::optional<std::string> after_word(const std::string& text, std::string_view word) {
  if (!text.starts_with(word)) return std::nullopt;
  if (text.size() == word.size()) return "";
  if (text[word.size()] != ' ' && text[word.size()] != '\t') return std::nullopt;
  std::string rest = trimmed(text.substr(word.size()));
  if (rest.starts_with("=") && !rest.starts_with("==")) return std::nullopt;
  return rest;
}

class Repl {
 public:
  Repl(Session& session, bool explain, bool keep_history)
      : session_(session),
        explain_(explain),
        lines_(evaluator_, keep_history ? history_path() : std::filesystem::path()) {}

  int run() {
    session_.out().write("Layout algebra. Type 'help' for help, Ctrl-D to quit.\n");
    for (std::string line;;) {
      session_.out().flush();
      const LineRead read = lines_.next(line, false);
      if (read == LineRead::interrupted) {
        session_.out().write("\n");
        continue;
      }
      const std::string text = trimmed(line);
      if (read == LineRead::end || text == "quit" || text == "exit") break;
      if (!text.empty() && !command(text)) evaluate(line, explain_);
      if (session_.out().error() != 0) return kFailed;
    }
    session_.out().write("\n");
    return kDone;
  }

 private:
  bool command(const std::string& text) {
    if (text == "variables") {
      session_.out().write(variable_list(evaluator_));
    } else if (text == "?") {
      session_.out().write(eval_help());
    } else if (const auto word = after_word(text, "help")) {
      session_.out().write(eval_help(*word));
    } else if (const auto rest = after_word(text, "explain")) {
      if (rest->empty() || *rest == "on" || *rest == "off") {
        explain_ = *rest != "off";
        session_.out().write(explain_ ? "each call shows its steps\n" : "calls show no steps\n");
      } else {
        evaluate(*rest, true);
        return true;
      }
    } else {
      return false;
    }
    lines_.remember(text);
    return true;
  }

  // Reads more lines while a bracket is open. An empty line or Ctrl-D ends the text.
  void evaluate(std::string text, bool explain) {
    Evaluation evaluation;
    for (std::string line;;) {
      if (!explain) {
        if (const auto sized = eval::for_all_sizes(text, "", evaluator_.variables(), sized_)) {
          lines_.remember(text);
          return show(session_, *sized, text);
        }
      }
      evaluation = evaluator_.evaluate(text, explain);
      if (!evaluation.incomplete) break;
      session_.out().flush();
      const LineRead read = lines_.next(line, true);
      if (read == LineRead::interrupted) return session_.out().write("\n");
      if (read == LineRead::end || trimmed(line).empty()) break;
      text += "\n" + line;
    }
    sized_.replaced_by(evaluation);
    lines_.remember(explain && !explain_ ? "explain " + text : text);
    show(session_, evaluation, text);
  }

  Session& session_;
  bool explain_;
  Evaluator evaluator_;
  eval::SizedVariables sized_;
  LineEditor lines_;
};

}  // namespace

int run_repl(Session& session, bool explain, bool keep_history) {
  return Repl(session, explain, keep_history).run();
}

}  // namespace tessera::cli
