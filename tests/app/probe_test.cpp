// `vesica probe` from outside: the contract of its JSON, units, derivatives, pressure maps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "tests/app/tool.h"
#include "vesica/math/pose.h"

namespace vesica::test::probe_test {
namespace {

using nlohmann::json;

json probe(const Workspace& work, const CaseText& text, const std::string& options = "") {
  work.write("case.yaml", text.text());
  const Outcome outcome = work.run("probe case.yaml " + options);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome.json();
}

Vec3d vector_of(const json& j) { return Vec3d(j[0], j[1], j[2]); }
Mat3d matrix_of(const json& j) {
  Mat3d m;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) m(r, c) = j[r][c];
  }
  return m;
}

TEST(Probe, HasEveryKeyOfTheContract) {
  const Workspace work;
  for (const char* height : {"18 mm", "30 mm", "-40 mm"}) {  // pressed, apart, immersed
    CaseText text;
    text.pose_i = fmt::format("{{position: [0, 0, {}]}}", height);
    const json result = probe(work, text);
    for (const char* key : {"in_contact",
                            "distance",
                            "volume",
                            "centroid",
                            "normal",
                            "second_moment",
                            "flattened_inertia",
                            "radius_of_gyration",
                            "area",
                            "section_area",
                            "max_depth",
                            "closing_speed",
                            "normal_force",
                            "center_of_pressure",
                            "force_on_i",
                            "moment_on_i_at_centroid",
                            "force_on_j",
                            "moment_on_j_at_centroid",
                            "method",
                            "error_estimate"}) {
      EXPECT_TRUE(result.contains(key)) << key << " at " << height;
    }
    EXPECT_FALSE(result.contains("derivatives"));
  }
}

// A flat ellipsoid at half depth: all figures by hand. V = abc 5 pi/24, section pi ab (1 - 1/4),
// centroid at 3 (2-d)^2/(4 (3-d)) = 0.675 c below the centre.
TEST(Probe, FiguresOfAFlatEllipsoid) {
  const Workspace work;
  CaseText text;
  text.shape_i = "{type: ellipsoid, radii: [0.04, 0.06, 0.02]}";
  text.pose_i = "{position: [0.1, 0.2, 0.01]}";
  text.velocity_i = "{linear: [0, 0, -0.2]}";
  text.normal = "{law: volumetric, stiffness: 1e7, damping: 0.5}";
  text.friction = "{law: none}";
  const json result = probe(work, text);
  const double volume = M_PI * 1e-5;
  // Printed with 17 digits, so only the rounding of a few operations is left (measured: 3e-16).
  const double tolerance = 1e-14;
  EXPECT_TRUE(result["in_contact"]);
  EXPECT_NEAR(result["volume"].get<double>(), volume, tolerance * volume);
  EXPECT_NEAR(result["distance"].get<double>(), -0.01, tolerance);
  EXPECT_NEAR(result["max_depth"].get<double>(), 0.01, tolerance);
  EXPECT_NEAR(result["section_area"].get<double>(), M_PI * 0.04 * 0.06 * 0.75, tolerance);
  EXPECT_NEAR(result["area"].get<double>(), M_PI * 0.04 * 0.06 * 0.75, tolerance);
  EXPECT_NEAR(result["closing_speed"].get<double>(), 0.2, tolerance);
  EXPECT_NEAR(result["normal_force"].get<double>(), 1e7 * volume * 1.1, 1e7 * volume * tolerance);
  EXPECT_LT((vector_of(result["centroid"]) - Vec3d(0.1, 0.2, 0.01 - 0.675 * 0.02)).norm(),
            tolerance);
  EXPECT_LT((vector_of(result["normal"]) - Vec3d::UnitZ()).norm(), tolerance);
  EXPECT_LT((vector_of(result["center_of_pressure"]) - Vec3d(0.1, 0.2, 0)).norm(), tolerance);
}

TEST(Probe, ActionAndReaction) {
  const Workspace work;
  const json result = probe(work, CaseText());
  EXPECT_EQ(vector_of(result["force_on_i"]), -vector_of(result["force_on_j"]));
  EXPECT_EQ(vector_of(result["moment_on_i_at_centroid"]),
            -vector_of(result["moment_on_j_at_centroid"]));
  // Friction opposes the slip; the normal part is normal_force.
  const Vec3d n = vector_of(result["normal"]);
  EXPECT_NEAR(n.dot(vector_of(result["force_on_i"])), result["normal_force"].get<double>(), 1e-12);
  EXPECT_LT(vector_of(result["force_on_i"]).x(), 0);
}

TEST(Probe, NamingTheBodiesTheOtherWayRoundTurnsEverything) {
  const Workspace work;
  const json one = probe(work, CaseText());
  const std::string turned =
      "vesica: 1\n"
      "bodies:\n"
      "  i: {shape: {type: half_space}}\n"
      "  j:\n"
      "    shape: {type: ellipsoid, radii: [35.4 mm, 54 mm, 22.6 mm]}\n"
      "    pose: {position: [0, 0, 18 mm], axis: [0, 1, 0], angle: -12 deg}\n"
      "    velocity: {linear: [0.15, 0, -0.1], angular: [0, 3, 0.5]}\n"
      "contact:\n"
      "  normal: {law: volumetric, stiffness: 1.6e7, damping: 0.565}\n"
      "  friction: {law: brown_mcphee, mu_s: 0.9, mu_d: 0.7, v_t: 0.05}\n";
  work.write("turned.yaml", turned);
  const json other = work.run("probe turned.yaml").json();
  // Same operations with signs changed (measured: equal to the last digit).
  EXPECT_LT((vector_of(one["force_on_i"]) - vector_of(other["force_on_j"])).norm(), 1e-11);
  EXPECT_LT(
      (vector_of(one["moment_on_i_at_centroid"]) - vector_of(other["moment_on_j_at_centroid"]))
          .norm(),
      1e-13);
  EXPECT_LT((vector_of(one["normal"]) + vector_of(other["normal"])).norm(), 1e-15);
  EXPECT_LT((vector_of(one["center_of_pressure"]) - vector_of(other["center_of_pressure"])).norm(),
            1e-15);
}

TEST(Probe, UnitsAreConvertedAtTheDoor) {
  const Workspace work;
  CaseText si, units;
  si.shape_i = "{type: ellipsoid, radii: [0.0354, 0.054, 0.0226]}";
  si.pose_i = "{position: [0, 0, 0.018], axis: [0, 1, 0], angle: -0.20943951023931953}";
  si.friction = "{law: brown_mcphee, mu_s: 0.9, mu_d: 0.7, v_t: 0.05, mu_v: 1.5, f_nt: 10}";
  units.shape_i = "{type: ellipsoid, radii: [3.54 cm, 54 mm, 22600 um]}";
  units.pose_i = "{position: [0 m, 0, 1.8e1 mm], axis: [0, 2, 0], angle: -12 deg}";
  units.velocity_i = "{linear: [150 mm/s, 0, -0.36 km/h], angular: [0, 3 rad/s, 0.5/s]}";
  units.velocity_i = "{linear: [150 mm/s, 0, -0.36 km/h], angular: [0, 3 rad/s, 0.5 1/s]}";
  units.normal = "{law: volumetric, stiffness: 0.016 N/mm^3, damping: 0.565 s/m}";
  units.friction =
      "{law: brown_mcphee, mu_s: 90 %, mu_d: 0.7, v_t: 5 cm/s, mu_v: 1.5 N s/m, f_nt: 0.01 kN}";
  const json a = probe(work, si), b = probe(work, units);
  // Decimal fractions in other units round differently: a few units in the last place.
  const Vec3d f = vector_of(a["force_on_i"]);
  EXPECT_LT((f - vector_of(b["force_on_i"])).norm(), 1e-12 * f.norm());
  EXPECT_NEAR(a["volume"].get<double>(), b["volume"].get<double>(), 1e-12 * 6.5e-6);
}

// The Jacobians against central differences of the tool's own output, the input perturbed in text.
// Rotations are perturbed about world axes: exp(theta) R, as quaternions.
TEST(Probe, DerivativesMatchDifferencesOfItsOwnOutput) {
  const Workspace work;
  const Quaternion<double> start = quaternion_from_rotation_vector(Vec3d(0, -12 * M_PI / 180, 0));
  auto result_of = [&](const Vec3d& p, const Vec3d& theta, const Vec3d& v, const Vec3d& w,
                       const std::string& options) {
    const Quaternion<double> q = quaternion_from_rotation_vector(theta) * start;
    CaseText text;
    text.pose_i = fmt::format(
        "{{position: [{:.17g}, {:.17g}, {:.17g}], quaternion: [{:.17g}, {:.17g}, {:.17g}, "
        "{:.17g}]}}",
        p.x(), p.y(), p.z() + 0.018, q.w, q.x, q.y, q.z);
    text.velocity_i =
        fmt::format("{{linear: [{:.17g}, {:.17g}, {:.17g}], angular: [{:.17g}, {:.17g}, {:.17g}]}}",
                    v.x() + 0.15, v.y(), v.z() - 0.1, w.x(), w.y() + 3, w.z() + 0.5);
    return probe(work, text, options);
  };
  const Vec3d zero = Vec3d::Zero();
  const json exact = result_of(zero, zero, zero, zero, "--derivatives")["derivatives"];
  // Central differences: error h^2/6 f''' plus eps f/h. Steps of 1e-6 of each quantity's scale
  // (10 mm, 1 rad, 0.05 m/s, 1 rad/s) leave about 1e-10 relative (measured: at most 2.1e-10).
  const char* names[] = {"position", "rotation", "linear_velocity", "angular_velocity"};
  const double steps[] = {1e-7, 1e-5, 1e-6, 1e-4};
  for (int group = 0; group < 4; ++group) {
    Mat3d force, moment;
    for (int k = 0; k < 3; ++k) {
      Vec3d delta[4] = {zero, zero, zero, zero};
      delta[group][k] = steps[group];
      const json plus = result_of(delta[0], delta[1], delta[2], delta[3], "");
      const json minus = result_of(-delta[0], -delta[1], -delta[2], -delta[3], "");
      const double scale = 1 / (2 * steps[group]);
      force.col(k) = (vector_of(plus["force_on_i"]) - vector_of(minus["force_on_i"])) * scale;
      moment.col(k) = (vector_of(plus["moment_on_i_at_centroid"]) -
                       vector_of(minus["moment_on_i_at_centroid"])) *
                      scale;
    }
    const Mat3d exact_force = matrix_of(exact[fmt::format("force_by_{}", names[group])]);
    const Mat3d exact_moment = matrix_of(exact[fmt::format("moment_by_{}", names[group])]);
    const double force_error =
        (force - exact_force).cwiseAbs().maxCoeff() / exact_force.cwiseAbs().maxCoeff();
    const double moment_error =
        (moment - exact_moment).cwiseAbs().maxCoeff() / exact_moment.cwiseAbs().maxCoeff();
    EXPECT_LT(force_error, 2e-9) << names[group];
    EXPECT_LT(moment_error, 2e-9) << names[group];
  }
}

struct Map {
  double force = 0, peak = 0;
  Vec3d center = Vec3d::Zero();
  int rows = 0;
};

Map read_map(const std::string& csv) {
  Map map;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "u [m],v [m],x [m],y [m],z [m],depth [m],pressure [Pa]");
  double first_u = 0, du = 0;
  std::vector<double> pressures;
  while (std::getline(lines, line)) {
    double u, v, x, y, z, depth, p;
    EXPECT_EQ(
        std::sscanf(line.c_str(), "%lf,%lf,%lf,%lf,%lf,%lf,%lf", &u, &v, &x, &y, &z, &depth, &p), 7)
        << line;
    if (map.rows == 0) first_u = u;
    if (map.rows == 1) du = u - first_u;
    ++map.rows;
    map.force += p;
    map.peak = std::max(map.peak, p);
    map.center += p * Vec3d(x, y, z);
  }
  if (map.force > 0) map.center /= map.force;
  map.force *= du * du;  // the cells are square
  return map;
}

TEST(Probe, PressureMapSumsToTheForceAtTheCentreOfPressure) {
  const Workspace work;
  for (const char* shape :
       {"{type: ellipsoid, radii: [35.4 mm, 54 mm, 22.6 mm]}", "{type: sphere, radius: 25 mm}"}) {
    CaseText text;
    text.shape_i = shape;
    double errors[2];
    int k = 0;
    for (int cells : {50, 400}) {
      const json result =
          probe(work, text, fmt::format("--pressure-map map.csv --cells {} --quiet", cells));
      const Map map = read_map(work.read("map.csv"));
      const double force = result["normal_force"];
      errors[k++] = std::abs(map.force - force) / force;
      // The midpoint rule; what is left comes from the rim, where the depth ends with a kink
      // (measured at 400 cells: 1.5e-6 of the force, 2e-9 m; at 50: 1e-4).
      if (cells == 400) {
        EXPECT_LT(errors[1], 1e-5) << shape;
        EXPECT_LT((map.center - vector_of(result["center_of_pressure"])).norm(), 2e-8) << shape;
      }
    }
    EXPECT_LT(errors[0], 1e-3) << shape;
  }
}

TEST(Probe, PictureStandsAlone) {
  const Workspace work;
  probe(work, CaseText(), "--pressure-map sub/folder/map.svg --cells 40 --quiet");
  const std::string svg = work.read("sub/folder/map.svg");
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(svg.find("href"), std::string::npos);  // loads nothing
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_NE(svg.find("centre of pressure"), std::string::npos);
}

TEST(Probe, ApartIsAnAnswerNotAnError) {
  const Workspace work;
  CaseText text;
  text.pose_i = "{position: [0, 0, 32.6 mm]}";
  const json result = probe(work, text, "--derivatives --pressure-map map.svg --quiet");
  EXPECT_FALSE(result["in_contact"]);
  EXPECT_NEAR(result["distance"].get<double>(), 0.01, 1e-15);
  EXPECT_EQ(result["volume"], 0);
  EXPECT_EQ(vector_of(result["force_on_i"]).norm(), 0);
  EXPECT_EQ(matrix_of(result["derivatives"]["force_by_position"]).norm(), 0);
  EXPECT_NE(work.read("map.svg").find("not in contact"), std::string::npos);
}

TEST(Probe, SameInputSameBytes) {
  const Workspace work;
  work.write("case.yaml", CaseText().text());
  const Outcome a = work.run("probe case.yaml --derivatives --pressure-map a.csv --quiet");
  const Outcome b = work.run("probe case.yaml --derivatives --pressure-map b.csv --quiet");
  EXPECT_EQ(a.out, b.out);
  EXPECT_EQ(work.read("a.csv"), work.read("b.csv"));
}

constexpr const char* kTetrahedron =
    "v 0 0 0\nv 100 0 0\nv 0 100 0\nv 0 0 100\n"
    "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

// A box sunk 2 mm: V = 100 x 60 x 2 mm^3. The tip of a tetrahedron with edges of 100 mm along the
// axes, upside down and 30 mm deep, is the tetrahedron scaled by 0.3: V = 30^3/6 mm^3.
TEST(Probe, PolyhedraOnTheGround) {
  const Workspace work;
  work.write("tetrahedron.obj", kTetrahedron);
  struct Solid {
    const char *shape, *pose, *method;
    double volume;
  };
  // Turned by 180 deg about x the apex points down: z -> -z, y -> -y.
  const char* apex_down = "{position: [0, 0, 70 mm], axis: [1, 0, 0], angle: 180 deg}";
  const Solid solids[] = {
      {"{type: box, size: [100 mm, 60 mm, 40 mm]}", "{position: [0, 0, 18 mm]}", "polyhedra",
       100e-3 * 60e-3 * 2e-3},
      {"{type: convex, vertices: [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]}", apex_down,
       "polyhedra", 27e-6 / 6},
      {"{type: mesh, file: tetrahedron.obj, scale: 0.001}", apex_down, "polyhedra", 27e-6 / 6},
  };
  for (const Solid& solid : solids) {
    SCOPED_TRACE(solid.shape);
    CaseText text;
    text.shape_i = solid.shape;
    text.pose_i = solid.pose;
    text.velocity_i = "{linear: [0, 0, 0]}";
    const json result = probe(work, text, "--derivatives --pressure-map map.csv --quiet");
    // Exact but for rounding (measured: 9e-16).
    EXPECT_NEAR(result["volume"].get<double>(), solid.volume, 1e-14 * solid.volume);
    EXPECT_NEAR(result["normal_force"].get<double>(), 1.6e7 * solid.volume,
                1e-14 * 1.6e7 * solid.volume);
    EXPECT_EQ(result["method"], solid.method);
    // Sinking further adds the section's area.
    const double area = result["section_area"];
    EXPECT_NEAR(result["derivatives"]["force_by_position"][2][2].get<double>(), -1.6e7 * area,
                1e-14 * 1.6e7 * area);
    // Of the grid, 160 cells along the longer side (measured: 4e-5, and rounding for the box, whose
    // rim lies on the cells' edges).
    EXPECT_NEAR(read_map(work.read("map.csv")).force, 1.6e7 * solid.volume,
                4e-4 * 1.6e7 * solid.volume);
  }
}

TEST(Probe, RestitutionUsesTheImpactSpeedOrTheSpeedNow) {
  const Workspace work;
  CaseText text;
  text.velocity_i = "{linear: [0, 0, -0.1]}";
  text.friction = "{law: none}";
  text.normal = "{law: volumetric, stiffness: 1.6e7, restitution: 1, v_small: 0.01}";
  const json elastic = probe(work, text);
  EXPECT_NEAR(elastic["normal_force"].get<double>(), 1.6e7 * elastic["volume"].get<double>(),
              1e-12);
  text.normal = "{law: volumetric, stiffness: 1.6e7, restitution: 0.5, v_small: 0.01}";
  const json now = probe(work, text);
  text.more = "  impact_speed: 0.1\n";
  const json given = probe(work, text);
  EXPECT_EQ(now["normal_force"], given["normal_force"]);
  text.more = "  impact_speed: 0.2\n";
  const json faster = probe(work, text);
  // alpha is D/(e c_impact): half the damping part at twice the impact speed.
  const double base = elastic["normal_force"];
  EXPECT_NEAR(2 * (faster["normal_force"].get<double>() - base),
              now["normal_force"].get<double>() - base, 1e-10);
}

TEST(Probe, TableAndJsonSayTheSame) {
  const Workspace work;
  work.write("case.yaml", CaseText().text());
  const Outcome table = work.run("probe case.yaml --table");
  EXPECT_EQ(table.status, 0);
  const double force = work.run("probe case.yaml").json()["normal_force"];
  EXPECT_NE(table.out.find(fmt::format("{:.5g}", force)), std::string::npos) << table.out;
}

}  // namespace
}  // namespace vesica::test::probe_test
