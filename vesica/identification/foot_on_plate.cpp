#include "vesica/identification/foot_on_plate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace vesica {
namespace {

constexpr double kLoaded = 100;                                  // N
constexpr double kBehind = 0.06, kAhead = 0.12, kBeside = 0.05;  // m
constexpr double kShareOutside = 0.05;

}  // namespace

std::string find_second_foot(const FootStance& stance, const FootShape& shape) {
  const double ball = std::max(shape.inner.y(), shape.outer.y());
  const double left = std::min({0.0, shape.inner.x(), shape.outer.x()}) - kBeside;
  const double right = std::max({0.0, shape.inner.x(), shape.outer.x()}) + kBeside;
  int loaded = 0, outside = 0;
  double farthest = 0;
  for (size_t f = 0; f < stance.frames.size(); ++f) {
    if (!(stance.force[f] > kLoaded) || !stance.cop[f].allFinite()) continue;
    ++loaded;
    // Along the foot's direction on the ground, from the heel.
    const Pose<double>& X = stance.frames[f].foot.X_WB;
    const Eigen::Vector2d along = X.R_WB.col(1).head<2>().normalized();
    const Eigen::Vector2d from_heel = stance.cop[f] - X.p_WB.head<2>();
    const double y = along.dot(from_heel),
                 x = along.y() * from_heel.x() - along.x() * from_heel.y();
    const double beyond = std::max({-kBehind - y, y - ball - kAhead, left - x, x - right, 0.0});
    if (beyond > 0) ++outside;
    farthest = std::max(farthest, beyond);
  }
  if (loaded == 0 || outside <= kShareOutside * loaded) return {};
  return fmt::format(
      "two feet seem to be on the plate: in {:.0f} % of the frames the load acts beside this foot, "
      "by up to {:.0f} cm",
      100.0 * outside / loaded, 100 * farthest);
}

}  // namespace vesica
