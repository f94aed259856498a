// SPDX-License-Identifier: Apache-2.0
// `tessera reshard show`: pictures of distributions, and of the data that moves between them.
#include <memory>
#include <string>
#include <vector>

#include "cli/help.h"
#include "cli/output_file.h"
#include "cli/picture_file.h"
#include "cli/reshard_sides.h"
#include "cli/reshard_verbs.h"
#include "cli/tensor_options.h"
#include "cli/verbs.h"
#include "report/distribution_answer.h"
#include "report/reshard_picture.h"
#include "tessera/draw/picture.h"

namespace tessera::cli {
namespace {

struct PictureOfSides : ReshardSides {
  std::string what = "shards";
  std::string theme = "light";
};

// The picture in the format of the file's extension, or as text if there is no file.
Result<std::string> picture_file(const Session& session, const Picture& picture, Theme theme) {
  const std::string& path = session.options.output;
  const ThemeChoice choice = theme == Theme::dark ? ThemeChoice::dark : ThemeChoice::light;
  if (session.options.json || path.ends_with(".json")) {
    return R"({"schema":"tessera.reshard/1","action":"show","status":0,"picture":)" + render_json(picture) +
           "}\n";
  }
  if (path.ends_with(".svg")) return render_svg(picture, choice);
  if (path.ends_with(".png")) return render_png(picture, theme);
  if (path.ends_with(".html")) return render_html(picture, {}, choice);
  if (path.ends_with(".tex")) return render_tikz(picture, theme);
  const bool color = path.empty() && session.output_color() == Color::always;
  return picture.title + "\n" +
         render_text(picture, {.colors = color ? ColorDepth::ansi256 : ColorDepth::none, .theme = theme});
}

int show_sides(Session& session, const PictureOfSides& request) {
  int status = kDone;
  if (const std::string& path = session.options.output; !path.empty() && !kind_of(path)) {
    return report_option(session, no_such_kind(path), kOutputOption);
  }
  auto sides = read_sides(session, request, status);
  if (!sides) return status;
  for (const std::string& note : numbering_notes({&sides->from.distribution(), &sides->to.distribution()}))
    session.note(note);
  const auto plan =
      make_reshard_plan({{"", bit_width(sides->dtype), std::move(sides->from), std::move(sides->to)}});
  if (!plan) return report_option(session, plan.error(), request.view.empty() ? "--to" : "--view");
  const auto picture = request.what == "shards" ? shards_picture(*plan) : traffic_picture(*plan);
  if (!picture) return report_option(session, picture.error(), "--shape");
  const auto text = picture_file(session, *picture, request.theme == "dark" ? Theme::dark : Theme::light);
  if (!text) return report_option(session, text.error(), kOutputOption);
  if (session.options.output.empty()) {
    session.out().write(*text);
    return kDone;
  }
  auto file = OutputFile::create(session.options.output, session.options.force);
  if (!file) return report_option(session, file.error(), kOutputOption);
  (*file)->output().write(*text);
  if (const Result<void> done = (*file)->commit(); !done)
    return report_option(session, done.error(), kOutputOption);
  return kDone;
}

}  // namespace

void add_reshard_show(CLI::App& reshard, Session& session) {
  CLI::App* verb = reshard.add_subcommand("show", "pictures of two distributions and of what moves");
  auto request = std::make_shared<PictureOfSides>();
  add_side_options(*verb, *request);
  verb->add_option("--picture", request->what,
                   "shards (the default): who holds what before and after; traffic: bytes between places and "
                   "per place")
      ->type_name("shards|traffic")
      ->check(one_of({"shards", "traffic"}));
  verb->add_option("--theme", request->theme, "light (the default) or dark background")
      ->type_name("light|dark")
      ->check(one_of({"light", "dark"}));
  add_common_options(*verb, session);
  verb->footer(R"(-o FILE writes .svg, .png, .html, .tex, .json or text, by its extension.

Examples:
  tessera reshard show --shape 'f32[8,8]' --from '{devices=[4,1]<=[4]}' --to '{devices=[1,4]<=[4]}'
  tessera reshard show --shape 'f32[8,8]' --from '{devices=[4,1]<=[4]}' --to '{replicated}' --picture traffic)");
  verb->callback([&session, request] {
    session.action = [&session, request] { return show_sides(session, *request); };
  });
}

}  // namespace tessera::cli
