#include "vesica/markers/lower_extremity.h"

#include <gtest/gtest.h>

#include "tests/support/support.h"
#include "vesica/markers/identify.h"

namespace vesica::markers {
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

TEST(LowerExtremity, ParametersAreRecoveredFromExactMarkers) {
  const Model model = make_lower_extremity(false);
  const Eigen::VectorXd truth = make_subject(model, 1.0, 3);
  const std::vector<Trial> trials{
      make_synthetic_trial(model, truth, MotionKind::kGait, 255, 100, {}, 1).trial};
  Options options;
  const Identification result = identify(model, trials, options);
  EXPECT_TRUE(result.summary.converged);
  EXPECT_LT((result.d - truth).cwiseAbs().maxCoeff(), 1e-9);
}

}  // namespace
}  // namespace vesica::markers
