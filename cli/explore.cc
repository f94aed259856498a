// SPDX-License-Identifier: Apache-2.0
// `tessera explore` and `tessera link`: questions for the page that answers them in a browser.
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/limits.h"
#include "cli/page_link.h"
#include "cli/question.h"
#include "cli/verbs.h"
#include "report/json.h"

namespace tessera::cli {
namespace {

struct ExploreRequest {
  std::string question;
  std::string page;
  std::string save;
  bool no_open = false;
};

Result<std::string> content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(Code::file_read, fmt::format("'{}' cannot be read", path));
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// Whether the text names a file that the page can show.
bool names_file(const std::string& text) {
  std::error_code error;
  return !text.empty() && text.size() < 4096 && std::filesystem::is_regular_file(text, error);
}

// Whether the text is an address; a program may have one among its words.
bool is_link(const std::string& text) {
  return text.starts_with("#") ||
         (text.find("://") != std::string::npos && text.find_first_of(" \t\n") == std::string::npos);
}

// The address of a file: what has a meaning in an address is written as %XX.
std::string file_address(std::string_view path) {
  constexpr std::string_view kPlain = "/-._~";
  std::string out = "file://";
  for (const char c : path) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       kPlain.find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

// The question that the page is to open with.
Result<PageQuestion> page_question(const std::string& text) {
  if (is_link(text)) {
    const std::size_t hash = text.find('#');
    if (hash == std::string::npos || hash + 1 == text.size())
      return fail(Code::syntax, "the link has no question after '#'", {}, "`tessera link` prints links");
    return PageQuestion{.fragment = text.substr(hash + 1)};
  }
  if (!names_file(text)) return PageQuestion{.text = text};
  std::error_code error;
  if (std::filesystem::file_size(text, error) > kCliLimits.explored_bytes)
    return fail(Code::limit, "the file is larger than 256 MiB", {},
                fmt::format("tessera hlo {} --report REPORT.html reads larger programs", text));
  Result<std::string> file = content_of(text);
  if (!file) return fail(file.error());
  return PageQuestion{.file_name = std::filesystem::path(text).filename().string(), .file = *std::move(file)};
}

// Whether the program may replace this file: it is a page that the program wrote.
bool is_own_page(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string head(2000, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  return head.find("<title>Tessera explorer</title>") != std::string::npos;
}

// Opens a file in the reader's browser. Returns whether a browser was started.
bool open_in_browser(const std::string& path) {
#ifdef __APPLE__
  const char* const opener = "open";
#else
  const char* const opener = "xdg-open";
#endif
  const pid_t child = fork();
  if (child == 0) {
    if (freopen("/dev/null", "w", stdout) == nullptr || freopen("/dev/null", "w", stderr) == nullptr)
      _exit(127);
    execlp(opener, opener, path.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int report_failure(Session& session, Diagnostic error, std::string_view argument) {
  const int status = status_of(error);
  session.report_argument(std::move(error), argument);
  return status;
}

int explore(Session& session, const ExploreRequest& request) {
  if (session.is_request())
    return report_failure(session,
                          {.code = Code::bad_option,
                           .message = "a request cannot open a page",
                           .help = "`link` gives the address of a question"},
                          "explore");
  const auto [destination, failed] = Destination::open(session);
  if (destination == nullptr) return failed;
  const auto refuse = [&](const Diagnostic& error, std::string_view argument) {
    return destination->finish(report_failure(session, error, argument));
  };
  const Result<std::string> path = page_path(request.page);
  if (!path) return refuse(path.error(), request.page.empty() ? "explore" : "--page");
  const Result<std::string> page = content_of(*path);
  if (!page) return refuse(page.error(), "explore");
  const Result<PageQuestion> question = page_question(request.question);
  if (!question) return refuse(question.error(), request.question);
  const Result<std::string> whole = page_with(*page, *question);
  if (!whole) return refuse(whole.error(), request.page.empty() ? "explore" : "--page");
  const bool named = !request.save.empty();
  const std::string out = named                          ? request.save
                          : !question->file_name.empty() ? request.question + ".explorer.html"
                                                         : "tessera-explorer.html";
  const bool replaces = session.options.force || (!named && is_own_page(out));
  Result<std::unique_ptr<OutputFile>> file = OutputFile::create(out, replaces);
  if (!file) return refuse(file.error(), named ? "--save" : "explore");
  (*file)->output().write(*whole);
  if (const Result<void> done = (*file)->commit(); !done)
    return refuse(done.error(), named ? "--save" : "explore");
  const bool opened = !request.no_open && open_in_browser(out);
  if (!request.no_open && !opened) session.note("no browser was started: open the file yourself");
  if (destination->format() == Format::json) {
    Json json = Json::object();
    json["schema"] = "tessera.explore/1";
    json["status"] = 0;
    json["path"] = out;
    json["opened"] = opened;
    destination->output().write(detail::dump(json) + "\n");
  } else {
    destination->output().write(out + "\n");
  }
  return destination->finish(kDone);
}

PrintedAnswer link_of(const std::string& question, const std::string& page) {
  if (question.empty())
    return no_answer({.code = Code::syntax,
                      .message = "the question is empty",
                      .help = "give a layout, a map, or a command: 'show (4,8):(8,1)'"},
                     0);
  std::string base = page;
  if (base.empty()) {
    const Result<std::string> path = page_path("");
    if (!path) return no_answer(path.error(), 0);
    base = file_address(*path);
  }
  const std::string link = base.substr(0, base.find('#')) + "#" + page_fragment(question);
  Json json = Json::object();
  json["schema"] = "tessera.link/1";
  json["status"] = 0;
  json["link"] = link;
  return {.text = link, .json = detail::dump(json)};
}

}  // namespace

void add_explore(CLI::App& app, Session& session) {
  CLI::App* const verb = app.add_subcommand("explore", "open a question in the browser, without a server");
  auto request = std::make_shared<ExploreRequest>();
  verb->add_option("QUESTION", request->question,
                   "a layout, a map, a file with an HLO program, a whole command in quotes, or a link");
  verb->add_option("--page", request->page, "the page, if it is not the one that is installed")
      ->type_name("FILE");
  verb->add_option("--save", request->save, "the file to write")->type_name("FILE.html");
  verb->add_flag("--no-open", request->no_open, "only write the file, and print its path");
  add_common_options(*verb, session);
  verb->footer(
      R"(Writes one file with the page, the library and the question: tessera-explorer.html, FILE.explorer.html next to a program, or
the file of --save. It works without a network.

Examples:
  tessera explore 'f32[3,5]{1,0:T(2,2)}'
  tessera explore examples/hlo/transformer_block.hlo
  tessera explore 'access (32,32):(32,1) --bytes 4 --threads columns --fix' --no-open)");
  verb->callback(
      [&session, request] { session.action = [&session, request] { return explore(session, *request); }; });
}

void add_link(CLI::App& app, Session& session) {
  CLI::App* const verb = app.add_subcommand("link", "the address at which the explorer shows a question");
  auto question = std::make_shared<std::string>();
  auto page = std::make_shared<std::string>();
  verb->add_option("QUESTION", *question, "a layout, a map, or a whole command in quotes")->required();
  verb->add_option("--page", *page, "the address of the page (default: the file that is installed)")
      ->type_name("URL");
  add_common_options(*verb, session);
  verb->footer(
      R"(The part of the address after # holds the question itself: it stays with the reader, no server sees it.

Examples:
  tessera link 'f32[3,5]{1,0:T(2,2)}' --page https://example.org/tessera.html
  tessera link 'equal f32[4,8]{1,0} (4,8):(8,1)' --page https://example.org/tessera.html)");
  verb->callback([&session, question, page] {
    session.action = [&session, question, page] {
      return answer(session, {.inputs = {*question},
                              .ask = [page](const Inputs& texts) { return link_of(texts[0], *page); }});
    };
  });
}

}  // namespace tessera::cli
