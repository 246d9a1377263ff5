#include "vesica/identification/foot_anchor.h"

namespace vesica {
namespace {

// Mean height of the foot's middle (heel marker and 170 mm before it) while it is flat.
double calc_flat_height(const FootStance& stance) {
  double sum = 0;
  int count = 0;
  for (size_t f = 0; f < stance.frames.size(); ++f) {
    if (stance.phase(f) < 0.2 || stance.phase(f) > 0.5) continue;
    sum += (stance.frames[f].foot.X_WB * Vec3d(0, 0.085, 0)).z();
    ++count;
  }
  return sum / count;
}

}  // namespace

FootAnchor::FootAnchor(const std::vector<FootStance>& stances) : moves_(true) {
  for (const FootStance& s : stances) {
    height_ += calc_flat_height(s) / static_cast<double>(stances.size());
  }
}

FootStance FootAnchor::apply(FootStance stance) const {
  if (!moves_) return stance;
  const double lift = height_ - calc_flat_height(stance);
  for (FootFrame& frame : stance.frames) frame.foot.X_WB.p_WB.z() += lift;
  return stance;
}

}  // namespace vesica
