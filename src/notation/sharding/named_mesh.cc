// SPDX-License-Identifier: Apache-2.0
#include "notation/sharding/named_mesh.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "notation/sharding/mesh_scanner.h"

namespace tessera::detail {

Result<MeshAxes> read_mesh_axes(std::string_view text) {
  class Reader : public MeshScanner {
   public:
    using MeshScanner::MeshScanner;
    Result<MeshAxes> read() {
      if (!accept("mesh")) return expected("'mesh'");
      MeshAxes out;
      TESSERA_TRY(mesh, MeshScanner::mesh());
      out.mesh = std::move(mesh);
      accept(",");
      std::vector<SubAxis> used;
      TESSERA_TRY(named, axes(out.mesh, used));
      out.axes = std::move(named);
      out.end = position();
      return out;
    }
  };
  return Reader(text).read();
}

std::string without_comments(std::string_view text) {
  std::string out(text);
  for (std::size_t i = 0; i < out.size();) {
    if (out[i] == '"' || out[i] == '\'') {
      i = string_end(text, i);
    } else if (text.substr(i).starts_with("/*")) {
      const std::size_t close = text.find("*/", i + 2);
      const std::size_t end = close == std::string_view::npos ? text.size() : close + 2;
      std::fill(out.begin() + static_cast<std::ptrdiff_t>(i), out.begin() + static_cast<std::ptrdiff_t>(end),
                ' ');
      i = end;
    } else if (text.substr(i).starts_with("//")) {
      while (i < out.size() && out[i] != '\n') out[i++] = ' ';
    } else {
      ++i;
    }
  }
  return out;
}

}  // namespace tessera::detail
