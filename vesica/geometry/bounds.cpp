#include "vesica/geometry/bounds.h"

namespace vesica {

Bounds Bounds::moved(const Pose<double>& X_FB) const {
  if (is_finite()) {
    const Vec3d c = X_FB * center(), h = X_FB.R_WB.cwiseAbs() * half();
    return {c - h, c + h};
  }
  // Entry by entry, so that an infinite side leaves the others alone where the axes agree.
  Bounds moved{X_FB.p_WB, X_FB.p_WB};
  for (int r = 0; r < 3; ++r) {
    for (int k = 0; k < 3; ++k) {
      const double a = X_FB.R_WB(r, k);
      if (a == 0) continue;
      moved.min[r] += a * (a > 0 ? min[k] : max[k]);
      moved.max[r] += a * (a > 0 ? max[k] : min[k]);
    }
  }
  return moved;
}

}  // namespace vesica
