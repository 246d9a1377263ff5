#include "vesica/identification/foot_baselines.h"

#include <algorithm>
#include <cmath>

namespace vesica {
namespace {

struct FloorFrame {
  Eigen::Vector2d origin;
  Eigen::Matrix2d R;
};

// Heel and direction of the foot from three to five tenths of the stance, when it is flat.
FloorFrame make_floor_frame(const FootStance& s) {
  Eigen::Vector2d origin = Eigen::Vector2d::Zero(), along = Eigen::Vector2d::Zero();
  int count = 0;
  for (size_t f = 0; f < s.frames.size(); ++f) {
    if (s.phase(f) < 0.3 || s.phase(f) > 0.5) continue;
    origin += s.frames[f].foot.X_WB.p_WB.head<2>();
    along += s.frames[f].foot.X_WB.R_WB.col(1).head<2>();
    ++count;
  }
  along.normalize();
  FloorFrame frame{origin / count, {}};
  frame.R << along.y(), along.x(), -along.x(), along.y();
  return frame;
}

void sample_stance(const FootStance& s, double phase, double* force, Eigen::Vector2d* cop) {
  size_t f = 1;
  while (f + 1 < s.frames.size() && s.phase(f) < phase) ++f;
  const double part = (phase - s.phase(f - 1)) / (s.phase(f) - s.phase(f - 1));
  *force = (1 - part) * s.force[f - 1] + part * s.force[f];
  *cop = (1 - part) * s.cop[f - 1] + part * s.cop[f];
}

}  // namespace

FootMeanCurve::FootMeanCurve(const std::vector<FootStance>& stances) {
  cop_.fill(Eigen::Vector2d::Zero());
  for (const FootStance& stance : stances) {
    const FloorFrame frame = make_floor_frame(stance);
    for (int k = 0; k < kPhases; ++k) {
      double force = 0;
      Eigen::Vector2d cop;
      sample_stance(stance, double(k) / (kPhases - 1), &force, &cop);
      force_[k] += force / stance.weight / static_cast<double>(stances.size());
      if (!cop.allFinite()) continue;
      cop_[k] += frame.R.transpose() * (cop - frame.origin);
      ++counts_[k];
    }
  }
  for (int k = 0; k < kPhases; ++k) {
    if (counts_[k] > 0) cop_[k] /= counts_[k];
  }
}

std::vector<FootLoad> FootMeanCurve::foretell(const FootStance& stance) const {
  const FloorFrame frame = make_floor_frame(stance);
  std::vector<FootLoad> loads;
  for (size_t f = 0; f < stance.frames.size(); ++f) {
    const double at = stance.phase(f) * (kPhases - 1);
    const int k = std::min(static_cast<int>(at), kPhases - 2);
    const double part = at - k;
    const double force = stance.weight * ((1 - part) * force_[k] + part * force_[k + 1]);
    const bool both = counts_[k] > 0 && counts_[k + 1] > 0;
    const Eigen::Vector2d local =
        both ? Eigen::Vector2d((1 - part) * cop_[k] + part * cop_[k + 1]) : cop_[kPhases / 2];
    const Eigen::Vector2d cop = frame.origin + frame.R * local;
    loads.emplace_back(force, force * cop.x(), force * cop.y());
  }
  return loads;
}

FootStance make_placebo(const FootStance& stance, const std::string& what) {
  FootStance placebo = stance;
  if (what == "reversed") {
    std::reverse(placebo.force.begin(), placebo.force.end());
  } else {
    for (size_t f = 0; f < placebo.force.size(); ++f) {
      const double u = stance.phase(f);
      placebo.force[f] =
          stance.weight * std::sqrt(std::sin(M_PI * u)) * (0.85 - 0.25 * std::cos(6 * M_PI * u));
    }
  }
  for (FootPressureFrame& picture : placebo.pressure) {
    const double scale = placebo.force[picture.frame] / std::max(1.0, stance.force[picture.frame]);
    for (double& p : picture.pressure) p *= scale;
  }
  return placebo;
}

FootStance reverse_point(const FootStance& stance) {
  FootStance placebo = stance;
  std::reverse(placebo.cop.begin(), placebo.cop.end());
  placebo.pressure.clear();
  return placebo;
}

}  // namespace vesica
