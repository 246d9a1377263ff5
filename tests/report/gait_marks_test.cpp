#include "vesica/report/gait_marks.h"

#include <gtest/gtest.h>

namespace vesica::gait_marks_test {
namespace {

TEST(GaitMarks, FootAndKindAreInTheLabel) {
  const PlotEvent strike = make_gait_mark(1.25, "Left Foot Strike", true);
  EXPECT_TRUE(strike.begins);
  EXPECT_EQ(strike.color, "left");
  EXPECT_EQ(strike.text, "Left Foot Strike at 1.250 s");
  const PlotEvent off = make_gait_mark(2, "right foot off", false, " (file)");
  EXPECT_FALSE(off.begins);
  EXPECT_FALSE(off.filled);
  EXPECT_EQ(off.color, "right");
  EXPECT_EQ(off.text, "right foot off at 2.000 s (file)");
  EXPECT_EQ(make_gait_mark(0, "Event", true).color, "other");
}

}  // namespace
}  // namespace vesica::gait_marks_test
