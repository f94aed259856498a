// SPDX-License-Identifier: Apache-2.0
#include "cli/page_link.h"

#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "report/json.h"

namespace tessera::cli {
namespace {

constexpr std::string_view kStandard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kForAddresses = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// Base64 without padding.
std::string base64(std::string_view bytes, std::string_view alphabet) {
  std::string out;
  out.reserve(bytes.size() / 3 * 4 + 4);
  std::uint32_t word = 0;
  int bits = 0;
  for (const char c : bytes) {
    word = word << 8 | static_cast<unsigned char>(c);
    for (bits += 8; bits >= 6; bits -= 6) out += alphabet[word >> (bits - 6) & 63];
  }
  if (bits > 0) out += alphabet[word << (6 - bits) & 63];
  return out;
}

std::string deflated(std::string_view text) {
  z_stream stream = {};
  constexpr int kRaw = -MAX_WBITS;
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kRaw, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  std::string in(text);
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

std::string page_fragment(std::string_view question) {
  Json json = Json::object();
  json["text"] = question;
  return base64(deflated(detail::dump(json)), kForAddresses);
}

Result<std::string> page_path(const std::string& named) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<fs::path> places;
  if (!named.empty()) {
    places.emplace_back(named);
  } else if (const char* const given = std::getenv("TESSERA_EXPLORER"); given != nullptr && *given != '\0') {
    places.emplace_back(given);
  } else if (const fs::path self = fs::read_symlink("/proc/self/exe", error); !error) {
    const fs::path folder = self.parent_path();
    places = {folder / "../share/tessera/explorer.html", folder / "../../web/tessera.html"};
  }
  for (const fs::path& place : places)
    if (fs::is_regular_file(place, error)) return fs::weakly_canonical(place, error).string();
  return fail(Code::file_not_found,
              named.empty() ? "the page of the explorer is not installed" : "'" + named + "' is not a file",
              {}, "`make web` builds it in build/web/tessera.html; --page names another place");
}

Result<std::string> page_with(std::string page, const PageQuestion& question) {
  constexpr std::string_view kPlace = "<div id=\"page\"></div>";
  const std::size_t place = page.find(kPlace);
  if (place == std::string::npos || page.find("<title>Tessera explorer</title>") == std::string::npos)
    return fail(Code::syntax, "the file is not the page of the explorer", {},
                "use build/web/tessera.html, which `make web` builds");
  Json json = Json::object();
  if (!question.fragment.empty()) json["fragment"] = question.fragment;
  if (!question.text.empty()) json["text"] = question.text;
  if (!question.file_name.empty()) {
    json["name"] = question.file_name;
    json["file"] = base64(question.file, kStandard);
  }
  std::string text;
  for (const char c : detail::dump(json)) {
    if (c == '<') {
      text += "\\u003c";  // nothing in the text ends the element
    } else {
      text += c;
    }
  }
  page.insert(place, "<script type=\"application/json\" id=\"question\">" + text + "</script>\n");
  return page;
}

}  // namespace tessera::cli
