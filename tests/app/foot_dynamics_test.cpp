// What `vesica identify` writes of a foot runs and is what was identified; the drag study; two feet
// on one plate.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/app/tool.h"
#include "tests/support/support.h"
#include "vesica/biomechanics/foot_file.h"
#include "vesica/biomechanics/foot_scene.h"
#include "vesica/io/csv.h"
#include "vesica/math/spline.h"

namespace vesica::foot_dynamics_test {
namespace {

using test::Outcome;
using test::Workspace;

TEST(FootDynamics, TheSceneThatIsWrittenRunsAndIsTheFoot) {
  const Workspace work;
  work.write("foot.yaml",
             "vesica: 1\ntype: foot\nsynthetic: {stances: 3}\ncalibrate: [walk1, walk2]\n");
  const Outcome outcome = work.run("identify foot.yaml --json --out f");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = outcome.json();
  for (const char* key : {"friction", "shear_baselines", "forward", "export"}) {
    EXPECT_FALSE(json[key].empty()) << key;
  }
  for (const auto& row : json["forward"]) {
    EXPECT_FALSE(row.contains("failure")) << row.dump();
    EXPECT_LE(row["ledger_residual"].get<double>(), 1e-3);
  }
  const Outcome run = work.run("simulate f/foot_right_scene.yaml --out r --quiet");
  ASSERT_EQ(run.status, 0) << run.err;

  // The contact forces of the run are those of the foot that was written, moved as it moved.
  const FootModel foot = read_foot(InputFile::load(work.path("f/foot_right.yaml")));
  const TimeTable table = load_csv(work.path("r/recording.csv")).analog;
  const TimeTable motion = load_csv(work.path("f/foot_right_motion.csv")).analog;
  const CubicSpline toe(motion.times, motion.column("toe"));
  const Vec3d center = calc_mass_center(foot, 0);
  const auto at = [&](size_t row, const std::string& name) -> Vec3d {
    const size_t first = table.find(name + ".x");
    return {table.at(row, first), table.at(row, first + 1), table.at(row, first + 2)};
  };
  double largest = 0;
  for (size_t r = 1; r + 1 < table.rows(); ++r) {
    FootFrame frame;
    const size_t q = table.find("foot.quaternion.w");
    frame.foot.X_WB.R_WB = as_rotation(Quaternion<double>{table.at(r, q), table.at(r, q + 1),
                                                          table.at(r, q + 2), table.at(r, q + 3)});
    const Vec3d arm = frame.foot.X_WB.R_WB * center;
    frame.foot.X_WB.p_WB = at(r, "foot.position") - arm;
    frame.foot.V_WB.w_WB = at(r, "foot.spin");
    frame.foot.V_WB.v_WB = at(r, "foot.velocity") - frame.foot.V_WB.w_WB.cross(arm);
    const double t = std::min(table.times[r], toe.last());
    frame.angles = {toe.value(t)};
    frame.rates = {toe.derivative(t)};
    double sum = 0;
    for (const FootEllipsoid& e : foot.ellipsoids) {
      sum += table.at(r, table.find(e.name + "_contact.normal_force"));
    }
    const double expected = calc_foot_load(foot, frame)[0];
    EXPECT_NEAR(sum, expected, 1e-6 * (100 + expected));
    largest = std::max(largest, sum);
    // The drive holds it to the measured height.
    const double height = (frame.foot.X_WB.p_WB + arm).z();
    EXPECT_NEAR(height, motion.at(r, 2), 3e-5);
  }
  EXPECT_GT(largest, 600);
}

TEST(FootDynamics, DragStudyIsJudged) {
  const Workspace work;
  work.write("drag.yaml",
             "vesica: 1\ntype: foot_drag\nforward: false\nsynthetic: {speeds: [0.1 m/s]}\n");
  const Outcome outcome = work.run("identify drag.yaml --json --out d");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = outcome.json();
  EXPECT_EQ(json["fits"].size(), 8u);  // two laws made it, two are fitted, dragged and walked
  for (const auto& fit : json["fits"]) {
    for (const auto& p : fit["parameters"]) {
      EXPECT_EQ(p.contains("true"), fit["truth"] == fit["law"]);
      EXPECT_LE(p["low"].get<double>(), p["value"].get<double>());
      EXPECT_TRUE(p.contains("identifiable"));
    }
  }
  EXPECT_NE(work.read("d/report.html").find("What is identified"), std::string::npos);
}

TEST(FootDynamics, BadDragFilesAreNamedWithTheirPlace) {
  const Workspace work;
  const auto error = [&](const std::string& text) {
    work.write("bad.yaml", text);
    const Outcome outcome = work.run("identify bad.yaml");
    EXPECT_EQ(outcome.status, 2) << text << outcome.err;
    return outcome.err;
  };
  const std::string head = "vesica: 1\ntype: foot_drag\n";
  EXPECT_NE(error(head + "synthetic: {load: 3 kg}\n").find("bad.yaml:3"), std::string::npos);
  EXPECT_NE(error(head + "synthetic: {lode: 3 N}\n").find("load"), std::string::npos);
  EXPECT_NE(error(head + "synthetic: {speeds: []}\n").find("at least one speed"),
            std::string::npos);
  EXPECT_NE(error(head + "synthetic: {cutoff: 80 Hz}\n").find("cutoff"), std::string::npos);
  work.write("bad.yaml", head + "foot: none.yaml\nsynthetic: {}\n");
  EXPECT_EQ(work.run("identify bad.yaml").status, 3);  // cannot be read
}

}  // namespace
}  // namespace vesica::foot_dynamics_test
