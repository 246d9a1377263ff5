// Passive flexion: statics at one angle after another, of the twelve ligaments and of a published
// set of strands; what the literature says of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/biomechanics/lenhart_surfaces.h"
#include "tests/support/support.h"
#include "vesica/biomechanics/knee_loaded.h"
#include "vesica/biomechanics/knee_strands.h"
#include "vesica/simulation/equilibrium.h"
#include "vesica/simulation/make_scene.h"
#include "vesica/simulation/recording.h"
#include "vesica/simulation/simulate_model.h"

namespace vesica::knee_passive_test {
namespace {

using biomechanics::KneeOptions;

constexpr double kDegree = kPi / 180;

std::string strand_file() {
  return (test::shared_data() / "knee" / "lenhart2015_ligaments.csv").string();
}
bool has_strands() { return std::ifstream(strand_file()).good(); }

// At rest without weight, pressed together along the shank.
Scene<double> make_passive(KneeOptions options, double flexion, double pressing = 50) {
  options.impulse = 0;
  options.flexion = flexion;
  Model m = make_knee(options);
  m.gravity = Vec3d::Zero();
  m.bodies[1].pose = model::Frame<>::at(options.start);  // led from there
  model::PointForce<> press;
  press.body = "tibia";
  press.point = 0.5 * (options.plateaus[0].point + options.plateaus[1].point);
  press.force = Vec3d(0, 0, pressing);
  press.in_body_axes = true;
  m.forces.push_back({press});
  return make_scene<double>(m);
}

std::array<double, 6> measure(const Scene<double>& scene) {
  const System<double> system(scene, false);
  auto data = system.make_evaluation<double>();
  system.calc_motions(0, system.make_initial_state().y.data(), &data);
  return calc_grood_suntay(scene.measures[0], data.motions);
}

double calc_rest_residual(const Scene<double>& scene) {
  const System<double> system(scene, false);
  const State<double> state = system.make_initial_state();
  auto data = system.make_evaluation<double>();
  std::vector<double> rates(state.y.size()), f(6);
  calc_forces_at_rest(system, state.y.data(), state.memory, rates.data(), &data, f.data());
  const Vec3d e3 = data.motions[1].X_WB.R_WB.col(2), e2 = e3.cross(Vec3d::UnitX()).normalized();
  const Vec3d moment(f[3], f[4], f[5]);
  return std::max({std::abs(f[0]), std::abs(f[1]), std::abs(f[2]), std::abs(moment.dot(e2)),
                   std::abs(moment.dot(e3))});
}

// Statics hold at every angle, and a held angle far from the start is reached exactly.
TEST(KneePassive, RestsAtEveryAngle) {
  for (double angle = 0; angle <= 100; angle += 20) {
    const Scene<double> scene = make_passive({}, angle * kDegree);
    EXPECT_NEAR(measure(scene)[0], angle * kDegree, 1e-9);
    EXPECT_LT(calc_rest_residual(scene), 1e-8) << angle;
  }
}

TEST(KneeStrands, TableIsRead) {
  if (!has_strands()) GTEST_SKIP() << "no " << strand_file();
  const auto strands = biomechanics::load_knee_strands(strand_file(), 0.2);
  EXPECT_EQ(strands.ligaments.size(), 55u);
  EXPECT_EQ(strands.left_out.size(), 21u);
  // The first row of the file, its axes turned: z, x, y.
  const auto& first = strands.ligaments.front();
  EXPECT_EQ(first.name, "MCLd1");
  EXPECT_NEAR(first.slack_length, 0.030749999999185186, 1e-16);
  EXPECT_NEAR(first.stiffness * first.slack_length, 500, 1e-10);
  EXPECT_LT((first.femur - Vec3d(-0.037269, -0.0017455, -0.00045737)).norm(), 1e-15);
  EXPECT_LT((first.tibia - Vec3d(-0.031379, -0.00021515, 0.2 - 0.031853)).norm(), 1e-15);
}

// Faces of a cartilage (ASCII STL, an open shell), in OpenSim's axes.
std::vector<std::array<Vec3d, 3>> load_faces(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::vector<std::array<Vec3d, 3>> faces;
  size_t corner = 0;
  for (std::string word; stream >> word;) {
    if (word != "vertex") continue;
    if (corner % 3 == 0) faces.emplace_back();
    Vec3d& p = faces.back()[corner++ % 3];
    stream >> p.x() >> p.y() >> p.z();
  }
  return faces;
}

// The plane through faces of the tibia's cartilage, medial (-1) or lateral (1), that look up within
// an angle and lie within a circle about their middle, weighed by area: how it rises forward and to
// the right [deg].
struct Rise {
  double forward = 0, right = 0;
};
Rise fit_plateau(const std::vector<std::array<Vec3d, 3>>& faces, int side, double up,
                 double within) {
  struct Face {
    Vec3d middle;
    double area;
  };
  std::vector<Face> chosen;
  Vec3d center = Vec3d::Zero();
  for (const auto& [a, b, c] : faces) {
    const Vec3d n = (b - a).cross(c - a), middle = (a + b + c) / 3;
    if (side * middle.z() <= 0 || n.y() <= up * n.norm()) continue;
    chosen.push_back({middle, 0.5 * n.norm()});
    center += middle;
  }
  center /= static_cast<double>(chosen.size());
  Mat3d A = Mat3d::Zero();
  Vec3d b = Vec3d::Zero();
  for (const Face& f : chosen) {
    const Vec3d row(f.middle.x() - center.x(), f.middle.z() - center.z(), 1);
    if (row.head<2>().norm() > within) continue;
    A += f.area * row * row.transpose();
    b += f.area * row * f.middle.y();
  }
  const Vec3d slope = A.ldlt().solve(b);
  return {std::atan(slope.x()) / kDegree, std::atan(slope.y()) / kDegree};
}

// The slopes of the plateaus are those of the tibia's cartilage, however its rims are cut off.
TEST(KneeStrands, PlateausRiseAsTheCartilageDoes) {
  const auto mesh = test::shared_data() / "knee" / "ACLC01-R-tibia-cart-coarse.stl";
  if (!has_strands() || !std::filesystem::exists(mesh)) GTEST_SKIP() << "no " << mesh;
  const auto faces = load_faces(mesh);
  const KneeOptions options = biomechanics::make_strand_options(strand_file());
  for (size_t k = 0; k < 2; ++k) {
    const int side = k == 0 ? -1 : 1;
    const Vec3d& n = options.plateaus[k].normal;
    const double ours = std::atan2(-n.y(), n.z()) / kDegree;
    EXPECT_EQ(n.x(), 0);  // the tilt in the frontal plane is left out
    for (const double up : {0.3, 0.5, 0.7, 0.9}) {
      for (const double within : {1.0, 0.016, 0.012, 0.008}) {
        const Rise rise = fit_plateau(faces, side, up, within);
        fmt::print(
            "{} cartilage, normals up by {:.1f}, within {:4.0f} mm: rises {:5.2f} deg "
            "forward, {:6.2f} deg to the right; ours {:.2f}\n",
            side < 0 ? "medial" : "lateral", up, within * 1e3, rise.forward, rise.right, ours);
        if (up != 0.7) continue;
        EXPECT_NEAR(ours, rise.forward, within == 1.0 ? 0.05 : 1.5);
      }
    }
  }
}

TEST(KneeStrands, BadTablesAreRefused) {
  const std::string file = testing::TempDir() + "strands.csv";
  const auto error = [&](const std::string& text) {
    std::ofstream(file) << text;
    return test::input_error_of([&] { biomechanics::load_knee_strands(file, 0); });
  };
  const std::string heading =
      "name,linear_stiffness_N_per_strain,slack_length_m,origin_frame,ox_m,oy_m,oz_m,"
      "insertion_frame,ix_m,iy_m,iz_m\n";
  EXPECT_NE(error("").find("empty"), std::string::npos);
  EXPECT_NE(error("name,slack_length_m\n").find("linear_stiffness"), std::string::npos);
  EXPECT_NE(error(heading + "a,1,x,femur,0,0,0,tibia,0,0,0\n").find(":2: slack_length_m"),
            std::string::npos);
  EXPECT_NE(error(heading + "a,1,-1,femur,0,0,0,tibia,0,0,0\n").find("greater than zero"),
            std::string::npos);
  EXPECT_NE(error(heading + "a,1,1,femur,0,0,0,patella,0,0,0\n").find("no strand"),
            std::string::npos);
}

// Columns of OpenSim's ligament beyond the first: each is honoured or told, none is ignored.
TEST(KneeStrands, MoreColumnsAreHonoured) {
  const std::string file = (std::filesystem::temp_directory_path() / "strands_more.csv").string();
  const auto load = [&](const std::string& name, const std::string& more,
                        const std::string& side = "_r", const std::string& z = "-0.02") {
    std::ofstream(file) << "name,linear_stiffness_N_per_strain,slack_length_m,origin_frame,ox_m,"
                           "oy_m,oz_m,insertion_frame,ix_m,iy_m,iz_m,transition_strain,"
                           "damping_coefficient,applies_force,n_path_points\n"
                        << "b,1000,0.03,femur" << side << ",0,0,0,tibia" << side << ",0,-0.03,0\n"
                        << name << ",1200,0.03,femur" << side << ",0,0," << z << ",tibia" << side
                        << ",0,-0.03," << z << "," << more << "\n";
    return biomechanics::load_knee_strands(file, 0);
  };
  // The toe ends at the transition strain, twice the toe strain; 1200 N * 0.003 s per strain.
  const auto own = load("a", "0.08,0.003,TRUE,3");
  EXPECT_DOUBLE_EQ(own.ligaments[1].toe_strain.value(), 0.04);
  EXPECT_DOUBLE_EQ(own.ligaments[1].damping.value(), 1200 * 0.003 / 0.03);
  EXPECT_EQ(own.shortened, std::vector<std::string>{"a"});
  EXPECT_FALSE(own.ligaments[0].toe_strain || own.ligaments[0].damping);
  KneeOptions options;
  options.ligaments = own.ligaments;
  const Model knee = biomechanics::make_knee(options);
  const auto& line = std::get<model::Ligament<>>(knee.forces[1].force);
  EXPECT_DOUBLE_EQ(line.toe_strain, 0.04);
  EXPECT_DOUBLE_EQ(line.damping, 120);
  EXPECT_DOUBLE_EQ(std::get<model::Ligament<>>(knee.forces[0].force).damping, 500);
  const auto out = load("a", ",,false,2");
  EXPECT_EQ(out.ligaments.size(), 1u);
  EXPECT_EQ(out.left_out, std::vector<std::string>{"a (applies_force is false)"});
  const auto expect = [&](const std::string& part, const auto&... given) {
    const std::string error = test::input_error_of([&] { load(given...); });
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  expect(":3: transition_strain", "a", "x,,,");
  expect(":3: transition_strain", "a", "0,,,");
  expect(":3: damping_coefficient", "a", ",-1,,");
  expect(":3: applies_force", "a", ",,maybe,");
  // Names that bones, compartments and the measure have.
  for (const char* name : {"medial", "lateral", "knee", "femur", "tibia"}) {
    expect(std::string(":3: a strand cannot be called '") + name, name, ",,,");
  }
  // Sides, in words too; a collateral ligament on the wrong one is told.
  for (const char* side : {"_l", "_left", "_Left"}) {
    EXPECT_EQ(load("MCL1", ",,,", side, "0.03").side, biomechanics::Side::kLeft) << side;
    expect("MCL1 is not clearly medial in a left knee", "MCL1", ",,,", side, "-0.03");
  }
  for (const char* side : {"_r", "_right", ""}) {
    EXPECT_EQ(load("MCL1", ",,,", side, "-0.03").side, biomechanics::Side::kRight) << side;
    expect("MCL1 is not clearly medial in a right knee", "MCL1", ",,,", side, "0.03");
    expect("MCL1 is not clearly medial in a right knee", "MCL1", ",,,", side, "-0.003");
    expect("LCL1 is not clearly lateral in a right knee", "LCL1", ",,,", side, "-0.03");
  }
}

// Numbers in another unit are told, column by column, with how many strands have them and the
// first; and ligaments of which there is no strand.
TEST(KneeStrands, DoubtfulNumbersAndMissingLigamentsAreTold) {
  const auto load = [](double stiffness, const std::string& transition, const std::string& damping,
                       const std::string& name = "ACL") {
    std::stringstream table;
    table << "name,linear_stiffness_N_per_strain,slack_length_m,origin_frame,ox_m,oy_m,oz_m,"
             "insertion_frame,ix_m,iy_m,iz_m,transition_strain,damping_coefficient\n";
    for (const char* k : {"1", "2"}) {
      table << name << k << "," << stiffness << ",0.03,femur_r,0,0,0,tibia_r,0,-0.03,0,"
            << transition << "," << damping << "\n";
    }
    return biomechanics::read_knee_strands(table, "t.csv", 0);
  };
  for (const double stiffness : {100.0, 2000.0, 10000.0}) {
    EXPECT_TRUE(load(stiffness, "0.06", "0.003").doubtful.empty()) << stiffness;
  }
  EXPECT_TRUE(load(2000, "", "").doubtful.empty());
  const auto expect = [](const biomechanics::KneeStrands& strands, const std::string& part) {
    ASSERT_EQ(strands.doubtful.size(), 1u) << part;
    EXPECT_EQ(strands.doubtful[0].find(part), 0u) << strands.doubtful[0];
  };
  expect(load(2000, "0.06", "500"), "damping_coefficient of 2 strands (ACL1: 500, ...)");
  for (const char* percent : {"6", "0.6", "0.0006"}) {
    expect(load(2000, percent, ""), "transition_strain of 2 strands (ACL1: ");
  }
  for (const double stiffness : {2e6, 2.0}) {
    expect(load(stiffness, "", ""), "linear_stiffness_N_per_strain of 2 strands (ACL1: 2");
  }
  EXPECT_EQ(load(6e5, "6", "500").doubtful.size(), 3u);
  EXPECT_EQ(load(2000, "", "").missing, (std::vector<std::string>{"MCL", "LCL", "PCL"}));
  EXPECT_EQ(load(2000, "", "", "PCL").missing, (std::vector<std::string>{"MCL", "LCL", "ACL"}));
}

// The published table with its axes exchanged or turned round, all of it or all but the collateral
// ligaments, right and left: none is read as a knee.
TEST(KneeStrands, TablesInOtherAxesAreRefused) {
  if (!has_strands()) GTEST_SKIP() << "no " << strand_file();
  std::ifstream stream(strand_file());
  std::string line;
  std::getline(stream, line);
  const auto split = [](const std::string& text) {
    std::vector<std::string> cells(1);
    for (const char c : text) c == ',' ? cells.emplace_back() : cells.back() += c;
    return cells;
  };
  const std::vector<std::string> heading = split(line);
  const auto place = [&](const char* name) {
    return static_cast<size_t>(std::find(heading.begin(), heading.end(), name) - heading.begin());
  };
  const size_t ends[2][3] = {{place("ox_m"), place("oy_m"), place("oz_m")},
                             {place("ix_m"), place("iy_m"), place("iz_m")}};
  std::vector<std::vector<std::string>> rows;
  while (std::getline(stream, line)) rows.push_back(split(line));
  const std::string file = (std::filesystem::temp_directory_path() / "strands_axes.csv").string();
  // As the table would have it if its axis k were axis `order[k]`, turned by `sign[k]`.
  const auto load = [&](const std::array<size_t, 3>& order, const std::array<int, 3>& sign,
                        bool keeps_collaterals) {
    std::ofstream out(file);
    out << fmt::format("{}\n", fmt::join(heading, ","));
    for (auto row : rows) {
      const bool is_collateral = row[place("name")].find("CL") == 1 &&
                                 (row[place("name")][0] == 'M' || row[place("name")][0] == 'L');
      for (const auto& end : ends) {
        if (keeps_collaterals && is_collateral) continue;
        const auto given = row;
        for (size_t k = 0; k < 3; ++k) {
          row[end[k]] = fmt::format("{}", sign[k] * std::stod(given[end[order[k]]]));
        }
      }
      out << fmt::format("{}\n", fmt::join(row, ","));
    }
    out.close();
    return biomechanics::load_knee_strands(file, 0);
  };
  EXPECT_EQ(load({0, 1, 2}, {1, 1, 1}, false).ligaments.size(), 55u);
  int refused = 0;
  std::array<size_t, 3> order = {0, 1, 2};
  do {
    for (int signs = 0; signs < 8; ++signs) {
      const std::array<int, 3> sign = {(signs & 1) != 0 ? -1 : 1, (signs & 2) != 0 ? -1 : 1,
                                       (signs & 4) != 0 ? -1 : 1};
      for (const bool keeps : {false, true}) {
        const bool in_order = order == std::array<size_t, 3>{0, 1, 2};
        if (in_order ? signs == 0 : keeps) continue;  // as it is; as nobody would have it
        EXPECT_NE(test::input_error_of([&] { load(order, sign, keeps); }), "")
            << order[0] << order[1] << order[2] << " " << signs << " " << keeps;
        ++refused;
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(refused, 47 + 7);
}

// Strands of a left knee, reversed ones and other letters are read; what cannot be is told with its
// line.
TEST(KneeStrands, RowsAreWhatTheySay) {
  const std::string file = (std::filesystem::temp_directory_path() / "strands_rows.csv").string();
  const std::string heading =
      "name,linear_stiffness_N_per_strain,slack_length_m,origin_frame,ox_m,oy_m,oz_m,"
      "insertion_frame,ix_m,iy_m,iz_m,wrap_objects\n";
  const auto load = [&](const std::string& rows) {
    std::ofstream(file) << heading + rows;
    return biomechanics::load_knee_strands(file, 0);
  };
  const auto right =
      load("a,1000,0.03,/bodyset/femur_distal_r,0,0,0.02,tibia_proximal_r,0,-0.03,0.01\n");
  EXPECT_EQ(right.side, biomechanics::Side::kRight);
  // From tibia to femur, with capitals; wraps over what the table does not describe.
  const auto turned =
      load("a,1000,0.03,Tibia_proximal_R,0,-0.03,0.01,FEMUR_distal_R,0,0,0.02,Med\n");
  EXPECT_LT((turned.ligaments[0].femur - right.ligaments[0].femur).norm(), 1e-15);
  EXPECT_LT((turned.ligaments[0].tibia - right.ligaments[0].tibia).norm(), 1e-15);
  EXPECT_EQ(turned.straightened, std::vector<std::string>{"a"});
  EXPECT_EQ(turned.surfaces, std::vector<std::string>{"Med"});
  // Of a left knee: z to the right is medial; as a right knee it is the same.
  const auto left = load("a,1000,0.03,femur_distal_l,0,0,-0.02,tibia_proximal_l,0,-0.03,-0.01\n");
  EXPECT_EQ(left.side, biomechanics::Side::kLeft);
  EXPECT_LT((left.ligaments[0].femur - right.ligaments[0].femur).norm(), 1e-15);
  EXPECT_EQ(
      load("a,1000,0.03,femur_r,0,0,0,tibia_r,0,-0.03,0\nb,1,1,femur_r,0,0,0,patella_r,0,0,0\n")
          .left_out,
      std::vector<std::string>{"b (ends on patella_r)"});
  const auto error = [&](const std::string& rows) {
    return test::input_error_of([&] { load(rows); });
  };
  const std::string good = "a,1000,0.03,femur_r,0,0,0,tibia_r,0,-0.03,0\n";
  const auto expect = [&](const std::string& rows, const std::string& part) {
    EXPECT_NE(error(rows).find(part), std::string::npos) << error(rows);
  };
  expect(good + "b,1000,0.03,femur_l,0,0,0,tibia_l,0,-0.03,0\n", ":3: b runs from femur_l");
  expect("a,1000,0.03,femur_r,0,0,0,tibia_l,0,-0.03,0\n", "one knee");
  expect(good + good, ":3: there is a strand 'a' already");
  expect("a,1000,0.03,femur_r,0,0,0,tibia_r,0,-0,03,0,,\n", ":2: the row has 14 cells");
  // Millimetres in one column, or in all of them.
  expect("a,1000,30,femur_r,0,0,0,tibia_r,0,-0.03,0\n", "slack length is 30 m");
  expect("a,1000,0.03,femur_r,0,0,0,tibia_r,0,-30,0\n", "30 m from the knee");
  expect("a,1000,30,femur_r,0,0,0,tibia_r,0,-30,0\n", "30 m from the knee");
}

// Passive flexion: what the tibia does from the straight knee on.
struct PassivePath {
  std::vector<double> flexion, internal, adduction;  // [deg]
  // How far the point of the tibia that lies at the middle of the condyles' centres in the straight
  // knee moves forward of it, along the floating axis [mm]: no part of it is the turning itself.
  std::vector<double> anterior;
};
PassivePath follow(const KneeOptions& options, double pressing = 50) {
  PassivePath path;
  const Vec3d center = 0.5 * (options.condyles[0].center + options.condyles[1].center);
  Vec3d in_tibia = Vec3d::Zero();
  std::array<double, 6> straight{};
  for (int k = 0; k <= 9; ++k) {
    const Scene<double> scene = make_passive(options, k * 10 * kDegree, pressing);
    const System<double> system(scene, false);
    auto data = system.make_evaluation<double>();
    system.calc_motions(0, system.make_initial_state().y.data(), &data);
    const Pose<double>& tibia = data.motions[1].X_WB;
    const auto m = calc_grood_suntay(scene.measures[0], data.motions);
    if (k == 0) {
      straight = m;
      in_tibia = tibia.R_WB.transpose() * (center - tibia.p_WB);
    }
    const Vec3d e2 = tibia.R_WB.col(2).cross(Vec3d::UnitX()).normalized();
    path.flexion.push_back(10 * k);
    path.internal.push_back((m[2] - straight[2]) / kDegree);
    path.adduction.push_back((m[1] - straight[1]) / kDegree);
    path.anterior.push_back((tibia * in_tibia - center).dot(e2) * 1e3);
  }
  return path;
}

void print(const char* name, const PassivePath& path) {
  for (size_t k = 0; k < path.flexion.size(); ++k) {
    fmt::print(
        "{} {:2.0f} deg: internal rotation {:6.2f} deg, adduction {:5.2f} deg, forward {:6.2f} "
        "mm\n",
        name, path.flexion[k], path.internal[k], path.adduction[k], path.anterior[k]);
  }
}

// A plateau that rises forward by a slope [deg], tangent to its condyle as before.
void turn_plateau(double slope, KneeOptions* options, size_t k) {
  biomechanics::Plateau& plateau = options->plateaus[k];
  const biomechanics::Condyle& condyle = options->condyles[k];
  const Vec3d n(0, -std::sin(slope * kDegree), std::cos(slope * kDegree));
  plateau.point += condyle.radii.x() * (plateau.normal - n);
  plateau.normal = n;
}

// Passive paths with other slopes of the plateaus: what of them the slopes make.
TEST(KneeStrands, SlopesAndPressure) {
  if (!has_strands()) GTEST_SKIP() << "no " << strand_file();
  for (const double slope : {8.0, 4.4, 3.0, 0.5}) {
    KneeOptions options = biomechanics::make_strand_options(strand_file());
    turn_plateau(slope, &options, 1);
    const PassivePath path = follow(options);
    fmt::print(
        "lateral slope {:.1f} deg: internal rotation {:.1f}, {:.1f}, {:.1f} deg at 30, 60, "
        "90 deg\n",
        slope, path.internal[3], path.internal[6], path.internal[9]);
    EXPECT_LT(path.internal[9], 0);
  }
  for (const double press : {5.0, 50.0, 100.0, 300.0}) {
    const KneeOptions options = biomechanics::make_strand_options(strand_file());
    const PassivePath path = follow(options, press);
    fmt::print(
        "pressed by {:.0f} N: internal rotation {:.1f}, {:.1f}, {:.1f} deg at 30, 60, 90 "
        "deg\n",
        press, path.internal[3], path.internal[6], path.internal[9]);
    EXPECT_LT(path.internal[9], 2);  // counted from the straight knee under the same force
  }
}

// The same strands in another program with the cartilage of that knee, its patella and its surfaces
// to wrap over (OpenSim-JAM's passive flexion of lenhart2015, from which its constraint functions
// are made): rotation and adduction of the joint knee_r, whose axes are those of Grood and Suntay,
// at 0, 7.97, ... deg, against the straight knee [deg].
TEST(KneeStrands, PassiveFlexionBesideOpenSimJam) {
  if (!has_strands()) GTEST_SKIP() << "no " << strand_file();
  const PassivePath path = follow(biomechanics::make_strand_options(strand_file()));
  print("strands", path);
  // At 32, 64 and 88 deg there: rotation -1.0, -5.1, -4.0; adduction 1.9, 3.5, 4.8.
  const auto at = [&](const std::vector<double>& y, double flexion) {
    const auto k = static_cast<size_t>(flexion / 10);
    return y[k] + (flexion / 10 - static_cast<double>(k)) * (y[k + 1] - y[k]);
  };
  // Both turn outward beyond 40 deg, by degrees that differ, and both go into adduction.
  EXPECT_LT(at(path.internal, 88) - at(path.internal, 32), 0);
  EXPECT_NEAR(at(path.adduction, 32), 1.9, 1.5);
  EXPECT_NEAR(at(path.adduction, 64), 3.5, 1.5);
  EXPECT_NEAR(at(path.adduction, 88), 4.8, 1.5);
}

// The same with the surfaces that 23 of the strands wrap over: the model of OpenSim-JAM but for its
// cartilage and its patella. What turns outward beyond 40 deg is not that strands ran straight.
TEST(KneeStrands, PassiveFlexionOverSurfacesBesideOpenSimJam) {
  if (!has_strands()) GTEST_SKIP() << "no " << strand_file();
  const PassivePath path = follow(
      biomechanics::make_strand_options(strand_file(), nullptr, test::save_lenhart_surfaces()));
  print("strands over surfaces", path);
  EXPECT_LT(path.internal[9] - path.internal[3], -5);  // -12.5
  EXPECT_NEAR(path.adduction[3], 1.9, 1.5);
  EXPECT_NEAR(path.adduction[6], 3.4, 1.5);
  EXPECT_NEAR(path.adduction[9], 4.8, 1.5);
}

// The twelve elements beside Walker et al. (1988, J Biomech 21:965), whose polynomials are the mean
// of cadaver knees; docs/theory/knee.md has all figures.
TEST(KneePassive, TwelveElementsBesideWalker) {
  const PassivePath path = follow({});
  print("twelve", path);
  // In the end inward, as there (14.9 deg) and in each of Wilson's fifteen knees.
  EXPECT_GT(path.internal.back(), 5);
}

// A squat carries the weight: at rest, contact and quadriceps hold what is above the ankle.
TEST(KneeLoaded, SquatGoesDownAndUp) {
  const RunResult run = simulate(biomechanics::make_squat());
  ASSERT_TRUE(run.failure.empty()) << run.failure;
  const auto column = [&](const char* name) {
    return run.recording.column(run.recording.find(name));
  };
  const auto flexion = column("knee.flexion"), medial = column("medial.normal_force");
  const auto lateral = column("lateral.normal_force"), muscle = column("quadriceps.force");
  const double deepest = *std::max_element(flexion.begin(), flexion.end());
  EXPECT_GT(deepest, flexion.front() + 20 * kDegree);
  EXPECT_NEAR(flexion.back(), flexion.front(), 5 * kDegree);
  // Half of the body and the thigh press on the knee, and the muscle with them.
  const double weight = (31 + 8) * kStandardGravity;
  EXPECT_GT(medial.front() + lateral.front(), weight);
  EXPECT_LT(medial.front() + lateral.front(), weight + muscle.front() * 1.2);
  EXPECT_LT(std::abs(run.residual), 1e-3 * run.energy_scale);
}

TEST(KneeLoaded, StepLifts) {
  const RunResult run = simulate(biomechanics::make_step());
  ASSERT_TRUE(run.failure.empty()) << run.failure;
  const auto height = run.recording.column(run.recording.find("pelvis.position.z"));
  EXPECT_GT(height.back(), height.front() + 0.03);
  EXPECT_LT(std::abs(run.residual), 1e-3 * run.energy_scale);
}

}  // namespace
}  // namespace vesica::knee_passive_test
