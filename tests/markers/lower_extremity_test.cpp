#include "vesica/markers/lower_extremity.h"

#include <gtest/gtest.h>

#include <cmath>

namespace vesica::markers::lower_extremity_test {
namespace {

TEST(LowerExtremity, HasTheSizesOfTheSource) {
  const Model gait = make_lower_extremity(false), rom = make_lower_extremity(true);
  EXPECT_EQ(gait.coordinate_count(), 63);
  EXPECT_EQ(gait.constraint_count(), 45);
  EXPECT_EQ(gait.parameter_count(), 33);
  EXPECT_EQ(rom.parameter_count(), 41);
  EXPECT_EQ(gait.coordinate_count() * 255 + gait.parameter_count(), 16098);
  EXPECT_EQ(rom.coordinate_count() * 4680 + rom.parameter_count(), 294881);
}

TEST(LowerExtremity, SyntheticMarkersLieOnTheSyntheticSegments) {
  const Model model = make_lower_extremity(true);
  const Eigen::VectorXd d = make_subject(model, 1, 2);
  for (MotionKind kind : {MotionKind::kGait, MotionKind::kRangeOfMotion}) {
    const SyntheticTrial made = make_synthetic_trial(model, d, kind, 50, 20, {}, 1);
    const Geometry geometry = calc_geometry(model, d);
    const Plan plan(model, false);
    for (int f = 0; f < 50; ++f) {
      const SegmentPose* poses = &made.poses[f * model.segments.size()];
      std::vector<SegmentPose> projected(poses, poses + model.segments.size());
      EXPECT_TRUE(project_poses(plan, geometry, projected.data()));
      for (size_t s = 0; s < projected.size(); ++s) {
        // Joints hold already: measured 3e-16.
        EXPECT_LT((projected[s].p_WS - poses[s].p_WS).norm(), 1e-14);
      }
      for (int m = 0; m < made.trial.marker_count; ++m) {
        EXPECT_LT(
            (calc_marker(geometry, model, m, poses) - made.trial.frame(f).positions[m]).norm(),
            1e-15);
      }
    }
  }
}

TEST(LowerExtremity, NoiseHasTheAskedSizeAndCorrelation) {
  const Model model = make_lower_extremity(false);
  const Eigen::VectorXd d = model.start_values();
  const auto exact = make_synthetic_trial(model, d, MotionKind::kGait, 4000, 100, {}, 1);
  const auto noisy =
      make_synthetic_trial(model, d, MotionKind::kGait, 4000, 100, {0, 0.004, 0.1, 0.05}, 1);
  double variance = 0, lagged = 0, seen = 0, pairs = 0;
  const int n = noisy.trial.marker_count;
  for (int m = 0; m < n; ++m) {
    Vec3d last = Vec3d::Constant(std::nan(""));
    for (int f = 0; f < 4000; ++f) {
      const int segment = model.markers[m].segment;
      const SegmentPose& pose = exact.poses[f * model.segments.size() + segment];
      const Vec3d e = as_rotation(pose.q_WS).transpose() *
                      (noisy.trial.positions[f * n + m] - exact.trial.positions[f * n + m]);
      if (e.allFinite()) {
        variance += e.squaredNorm() / 3;
        seen += 1;
        if (last.allFinite()) {
          lagged += e.dot(last) / 3;
          pairs += 1;
        }
      }
      last = e;
    }
  }
  EXPECT_NEAR(std::sqrt(variance / seen), 0.004, 0.0002);
  EXPECT_NEAR(lagged / pairs / (variance / seen), std::exp(-0.1), 0.01);
  EXPECT_NEAR(1 - seen / (4000.0 * n), 0.05, 0.02);
}

}  // namespace
}  // namespace vesica::markers::lower_extremity_test
