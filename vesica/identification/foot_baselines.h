// What a fitted foot is judged beside: forces that were not measured, and a curve without a model.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "vesica/identification/foot_fit.h"

namespace vesica {

// The stance with another force on the same motion: `reversed` in time, or `three_humps`, a made-up
// curve. Pictures of pressure are scaled to the force, as the source does with those of its mat.
FootStance make_placebo(const FootStance& stance, const std::string& what);

// Where the force acts, reversed in time; no pictures.
FootStance reverse_point(const FootStance& stance);

// Mean curves over the phase of some stances: force over weight; centre of pressure in a frame that
// lies where the foot stands, along its length.
class FootMeanCurve {
 public:
  explicit FootMeanCurve(const std::vector<FootStance>& stances);
  std::vector<FootLoad> foretell(const FootStance& stance) const;

 private:
  static constexpr int kPhases = 101;
  std::array<double, kPhases> force_{};
  std::array<Eigen::Vector2d, kPhases> cop_;
  std::array<int, kPhases> counts_{};
};

}  // namespace vesica
