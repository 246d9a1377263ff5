// Two feet on one plate, noticed by where the load acts.
#include "vesica/identification/foot_on_plate.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/support.h"
#include "vesica/identification/foot_synthetic.h"
#include "vesica/io/load_motion.h"
#include "vesica/motion/trial_edit.h"

namespace vesica::foot_on_plate_test {
namespace {

FootShape make_shape() {
  FootShape shape;
  shape.inner = {-0.04, 0.18, 0};
  shape.outer = {0.05, 0.16, 0};
  return shape;
}

TEST(FootOnPlate, OneFootIsLeftAlone) {
  for (const double stride : {-0.8, 0.0, 0.9}) {
    ::vesica::SyntheticFootWalk walk;
    walk.stride = stride;
    EXPECT_EQ(find_second_foot(make_synthetic_stance(make_brown_foot(), walk), make_shape()), "");
  }
}

// The next foot lands 0.6 m ahead and 0.1 m beside in the last quarter, on the same plate.
TEST(FootOnPlate, ASecondFootIsNoticed) {
  FootStance s = make_synthetic_stance(make_brown_foot(), {});
  const Eigen::Vector2d ahead(-0.1, 0.6);
  for (size_t f = 0; f < s.frames.size(); ++f) {
    const double u = s.phase(f);
    if (u < 0.75) continue;
    const double more = s.weight * (u - 0.75) / 0.25;
    s.cop[f] = (s.force[f] * s.cop[f] + more * ahead) / (s.force[f] + more);
    s.force[f] += more;
  }
  EXPECT_NE(find_second_foot(s, make_shape()).find("two feet"), std::string::npos);
}

// Nobody else stands on the plates of a clean recording.
TEST(FootOnPlate, RealStancesAreLeftAlone) {
  const auto folder = test::shared_data() / "wbds07";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no recordings at " << folder;
  const auto load = [&](const char* name) { return load_motion((folder / name).string()); };
  const MotionTrial standing = load("WBDS07static1.trc");
  const MotionTrial walk = join(load("WBDS07walkO04C.trc"), load("WBDS07walkO04C.mot"));
  FootTrialOptions options;
  options.weight = 697;
  const FootTrials apart = find_foot_stances(standing, {{"O04C", walk}}, options);
  for (const std::string& remark : apart.remarks) {
    EXPECT_EQ(remark.find("two feet"), std::string::npos) << remark;
  }
  EXPECT_GE(apart.stances.size(), 2u);
}

}  // namespace
}  // namespace vesica::foot_on_plate_test
