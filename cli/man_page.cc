// SPDX-License-Identifier: Apache-2.0
#include "cli/man_page.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "cli/help.h"

namespace tessera::cli {
namespace {

// Text that troff prints unchanged: no character is an instruction, and '-' is the ASCII hyphen.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && out.empty()) {
      out += fmt::format("\\&{}", c);
    } else if (c == '\'') {
      out += "\\(aq";  // an ASCII quote: shells do not accept the typographic one
    } else if (c == '`') {
      out += "\\(ga";
    } else if (c == '^') {
      out += "\\(ha";
    } else if (c == '~') {
      out += "\\(ti";
    } else {
      out += c;
    }
  }
  return out;
}

std::string uppercase(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::string page_name(const CLI::App* verb) {
  std::string name = full_name(verb);
  std::ranges::replace(name, ' ', '-');
  return name;
}

// The two parts of the text after the options.
struct Footer {
  std::string text;
  std::string examples;
};

Footer footer_of(const CLI::App* verb) {
  Footer footer;
  const std::string all = verb->get_footer();
  bool example = false;
  bool paragraph = false;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find('\n', begin), all.size());
    const std::string_view line = std::string_view(all).substr(begin, end - begin);
    begin = end + 1;
    const bool indented = line.starts_with("  ");
    if (line == "Examples:") {
      example = true;
    } else if (example && indented) {
      footer.examples += escaped(line.substr(2)) + "\n";
    } else if (line.empty()) {
      paragraph = !footer.text.empty();
    } else {
      example = false;
      if (paragraph) footer.text += ".PP\n";
      paragraph = false;
      footer.text += indented ? fmt::format(".nf\n{}\n.fi\n", escaped(line)) : escaped(line) + "\n";
    }
  }
  return footer;
}

std::string entry_of(const CLI::Option* option) {
  return fmt::format(".TP\n.B {}\n{}\n", escaped(option_text(option)), escaped(option->get_description()));
}

// Arguments and options, each below its own heading. `heading` is SH or SS.
std::string options_of(const CLI::App* verb, const char* heading, bool common) {
  std::string out;
  const auto positionals = verb->get_options([](const CLI::Option* o) { return o->get_positional(); });
  if (!positionals.empty()) out += fmt::format(".{} ARGUMENTS\n", heading);
  for (const CLI::Option* option : positionals) out += entry_of(option);
  for (const std::string& group : verb->get_groups()) {
    if (!common && group == kCommonGroup) continue;
    const auto options = verb->get_options(
        [&](const CLI::Option* o) { return o->get_group() == group && o->nonpositional(); });
    if (options.empty()) continue;
    out += fmt::format(".{} \"{}\"\n", heading, uppercase(group));
    for (const CLI::Option* option : options) out += entry_of(option);
  }
  return out;
}

std::string examples_of(const Footer& footer, const char* heading) {
  if (footer.examples.empty()) return {};
  return fmt::format(".{} EXAMPLES\n.nf\n{}.fi\n", heading, footer.examples);
}

}  // namespace

std::string man_page(const CLI::App* verb) {
  const std::string name = page_name(verb);
  const bool program = verb->get_parent() == nullptr;
  std::string summary = verb->get_description();
  if (program) summary = summary.substr(summary.find(": ") + 2);
  std::string out = fmt::format(".TH {} 1 \"\" \"{}\" \"Tessera\"\n", escaped(uppercase(name)), version());
  out += fmt::format(".SH NAME\n{} \\- {}\n", escaped(name), escaped(summary));
  out += fmt::format(".SH SYNOPSIS\n.B {}\n", escaped(usage(verb)));
  const Footer footer = footer_of(verb);
  if (!footer.text.empty()) out += ".SH DESCRIPTION\n" + footer.text;
  const std::vector<const CLI::App*> verbs = listed_verbs(verb);
  if (program) {
    out += ".SH VERBS\n";
    for (const CLI::App* one : verbs)
      out += fmt::format(".TP\n.BR {} (1)\n{}\n", escaped(page_name(one)), escaped(one->get_description()));
  } else {
    for (const CLI::App* one : verbs) {
      const Footer inner = footer_of(one);
      out += fmt::format(".SH \"{}\"\n{}\n.PP\n.B {}\n", escaped(uppercase(full_name(one))),
                         escaped(one->get_description()), escaped(usage(one)));
      if (!inner.text.empty()) out += ".PP\n" + inner.text;
      out += options_of(one, "SS", /*common=*/false) + examples_of(inner, "SS");
    }
  }
  out += options_of(verb, "SH", /*common=*/true) + examples_of(footer, "SH");
  if (program) return out;
  return out +
         ".SH \"EXIT STATUS\"\n0 yes or done, 1 no, 2 bad input, 3 a limit was reached or the machine "
         "failed.\n"
         ".SH \"SEE ALSO\"\n.BR tessera (1)\n";
}

}  // namespace tessera::cli
