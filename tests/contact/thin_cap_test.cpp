// A ball that only just touches a box: rounding decides what they share, but not where it pushes.
#include <gtest/gtest.h>

#include "tests/support/contact_case.h"
#include "tests/support/support.h"
#include "vesica/contact/contact.h"

namespace vesica::thin_cap_test {
namespace {

TEST(ThinCap, ConservativeNormalStaysThatOfTheFace) {
  const Contact<double> contact = test::read_contact_case(
      "i: {type: sphere, radius: 0.1}\nj: {type: box, size: [1, 1, 0.4]}\n"
      "contact: {normal: {law: volumetric, stiffness: 1e7}, interference: {normal: "
      "conservative}}\n",
      "cap.yaml");
  Pose<double> X_WI, X_WJ;
  X_WJ.p_WB = Vec3d(0, -0.2, -0.2);
  int thin = 0;
  for (double depth = 1e-3; depth > 1e-17; depth *= 0.7) {
    for (double y : {0.0, 0.0883, 0.1234}) {
      X_WI.p_WB = Vec3d(0.003, y, 0.1 - depth);
      const Overlap<double> o = calc_overlap(contact, X_WI, X_WJ);
      if (!(o.volume > 0)) continue;
      thin += depth < 1e-12;
      EXPECT_GT(o.n_W.z(), 0.8) << depth << " " << y;
      EXPECT_GE(o.push, 0.5 * o.volume) << depth << " " << y;
      if (depth > 1e-9) {
        EXPECT_NEAR(o.n_W.z(), 1, 1e-6) << depth << " " << y;
      }
    }
  }
  EXPECT_GT(thin, 10);  // where it was noise
}

}  // namespace
}  // namespace vesica::thin_cap_test
