// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/plane_points.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace tessera::detail {
namespace {

using Wide = __int128;

constexpr Index kLargestCoefficient = Index{1} << 20;
constexpr Index kLargestBound = Index{1} << 45;
constexpr int kMostPlanes = 64;

Wide floor_div_wide(Wide a, Wide b) {  // b > 0
  const Wide q = a / b;
  return a % b < 0 ? q - 1 : q;
}

// (x, y) / w with w > 0.
struct Vertex {
  Wide x;
  Wide y;
  Wide w;
};

struct Direction {
  Index x;
  Index y;
};

// The values of a direction over the vertices.
struct Extent {
  double width;
  Wide first;  // the least integer among them
  Wide last;   // the greatest integer among them
};

// What the half-planes with one variable leave.
struct PlaneBox {
  static constexpr Index kUnbounded = kLargestBound + 1;
  Index left = -kUnbounded;
  Index right = kUnbounded;
  Index below = -kUnbounded;
  Index above = kUnbounded;
  bool bounded() const {
    return left != -kUnbounded && right != kUnbounded && below != -kUnbounded && above != kUnbounded;
  }
};

class Polygon {
 public:
  explicit Polygon(std::span<const HalfPlane> planes) : planes_(planes) {}

  void find_vertices() {
    const auto planes = planes_;
    for (std::size_t i = 0; i < planes.size(); ++i) {
      for (std::size_t j = i + 1; j < planes.size(); ++j) {
        const HalfPlane& p = planes[i];
        const HalfPlane& q = planes[j];
        Wide w = static_cast<Wide>(p.a) * q.b - static_cast<Wide>(p.b) * q.a;
        if (w == 0) continue;
        Wide x = static_cast<Wide>(p.c) * q.b - static_cast<Wide>(p.b) * q.c;
        Wide y = static_cast<Wide>(p.a) * q.c - static_cast<Wide>(p.c) * q.a;
        if (w < 0) {
          w = -w;
          x = -x;
          y = -y;
        }
        const bool inside = std::ranges::all_of(
            planes, [&](const HalfPlane& h) { return h.a * x + h.b * y <= static_cast<Wide>(h.c) * w; });
        if (inside) vertices_.push_back({x, y, w});
      }
    }
  }

  bool empty() const { return vertices_.empty(); }

  Extent extent(Direction d) const {
    double least = std::numeric_limits<double>::infinity();
    double greatest = -least;
    Extent out{0, 0, 0};
    bool any = false;
    for (const Vertex& v : vertices_) {
      const Wide value = d.x * v.x + d.y * v.y;
      const double approximate = static_cast<double>(value) / static_cast<double>(v.w);
      least = std::min(least, approximate);
      greatest = std::max(greatest, approximate);
      const Wide up = -floor_div_wide(-value, v.w);
      const Wide down = floor_div_wide(value, v.w);
      out.first = any ? std::min(out.first, up) : up;
      out.last = any ? std::max(out.last, down) : down;
      any = true;
    }
    out.width = greatest - least;
    return out;
  }

  // Some point base + t * step with an integer t is inside.
  bool line_has_point(Wide base_x, Wide base_y, Direction step) const {
    bool bounded_below = false;
    bool bounded_above = false;
    Wide low = 0;
    Wide high = 0;
    for (const HalfPlane& h : planes_) {
      const Wide slope = static_cast<Wide>(h.a) * step.x + static_cast<Wide>(h.b) * step.y;
      const Wide room = h.c - (h.a * base_x + h.b * base_y);
      if (slope == 0) {
        if (room < 0) return false;
      } else if (slope > 0) {
        const Wide bound = floor_div_wide(room, slope);
        high = bounded_above ? std::min(high, bound) : bound;
        bounded_above = true;
      } else {
        const Wide bound = -floor_div_wide(room, -slope);
        low = bounded_below ? std::max(low, bound) : bound;
        bounded_below = true;
      }
    }
    return !bounded_below || !bounded_above || low <= high;
  }

 private:
  std::span<const HalfPlane> planes_;
  std::vector<Vertex> vertices_;
};

}  // namespace

std::optional<bool> has_integer_point(std::span<const HalfPlane> planes) {
  if (planes.size() > kMostPlanes) return std::nullopt;
  PlaneBox box;
  for (const HalfPlane& h : planes) {
    if (std::max({h.a, -h.a, h.b, -h.b}) > kLargestCoefficient || h.c > kLargestBound ||
        h.c < -kLargestBound) {
      return std::nullopt;
    }
    if (h.b == 0 && h.a > 0) box.right = std::min(box.right, floor_div(h.c, h.a));
    if (h.b == 0 && h.a < 0) box.left = std::max(box.left, -floor_div(h.c, -h.a));
    if (h.a == 0 && h.b > 0) box.above = std::min(box.above, floor_div(h.c, h.b));
    if (h.a == 0 && h.b < 0) box.below = std::max(box.below, -floor_div(h.c, -h.b));
  }
  if (!box.bounded()) return std::nullopt;  // both variables have their interval among the planes
  if (box.left > box.right || box.below > box.above) return false;
  Polygon polygon(planes);
  // A narrow box is searched line by line, which costs less than the vertices.
  constexpr Index kNarrow = 64;
  if (box.right - box.left < kNarrow || box.above - box.below < kNarrow) {
    const bool upright = box.right - box.left <= box.above - box.below;
    const Index last = upright ? box.right : box.above;
    for (Index k = upright ? box.left : box.below; k <= last; ++k) {
      if (polygon.line_has_point(upright ? k : 0, upright ? 0 : k, {upright ? 0 : 1, upright ? 1 : 0}))
        return true;
    }
    return false;
  }
  polygon.find_vertices();
  if (polygon.empty()) return false;
  // Reduce the pair (u, v) of directions as Gauss does for lengths, here for widths. The rows stay a basis,
  // so the lines u = k are k * base + t * step with step orthogonal to u and v(step) = 1.
  Direction u{1, 0};
  Direction v{0, 1};
  if (polygon.extent(v).width < polygon.extent(u).width) std::swap(u, v);
  for (int round = 0; round < 200; ++round) {
    // The width of v - m*u is convex in m: walk down by halving steps.
    const auto at = [&](Index m) { return Direction{v.x - m * u.x, v.y - m * u.y}; };
    Index m = 0;
    double best = polygon.extent(v).width;
    constexpr Index kLargestStep = Index{1} << 24;
    for (Index step = kLargestStep; step > 0; step /= 2) {
      for (const Index next : {m - step, m + step}) {
        const double width = polygon.extent(at(next)).width;
        if (width < best) {
          best = width;
          m = next;
        }
      }
    }
    v = at(m);
    if (best >= polygon.extent(u).width) break;
    std::swap(u, v);
    if (std::max({u.x, -u.x, u.y, -u.y, v.x, -v.x, v.y, -v.y}) > kLargestStep) return std::nullopt;
  }
  const Extent extent = polygon.extent(u);
  constexpr double kEnough = 2.2;  // above 1 + 2/sqrt(3) there is a point
  if (extent.width > kEnough) return true;
  const Index determinant = u.x * v.y - u.y * v.x;  // 1 or -1
  for (Wide k = extent.first; k <= extent.last; ++k) {
    // u(p) = k: base with u(base) = 1, v(base) = 0 is (v.y, -v.x) / determinant.
    if (polygon.line_has_point(k * v.y * determinant, -k * v.x * determinant, {-u.y, u.x})) return true;
  }
  return false;
}

}  // namespace tessera::detail
