// Surfaces that strands wrap over, from an OpenSim model: where they are, how long the lines over
// them are, and what they change in the passive motion of a published knee.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/biomechanics/lenhart_surfaces.h"
#include "tests/support/support.h"
#include "vesica/biomechanics/knee_strands.h"
#include "vesica/io/osim.h"
#include "vesica/simulation/make_scene.h"
#include "vesica/simulation/simulate_model.h"

namespace vesica::knee_surfaces_test {
namespace {

using biomechanics::KneeOptions;
using biomechanics::KneeStrands;

constexpr double kTibiaOrigin = 0.2;

struct Wrap {
  std::string type, name, body;
  Vec3d turns = Vec3d::Zero(), center = Vec3d::Zero();
  Vec3d size = Vec3d::Zero();  // radii; radius and length of a cylinder
  std::string more{};
};

std::string write_osim(const std::vector<Wrap>& wraps) {
  std::string text = "<OpenSimDocument Version=\"40000\"><Model name=\"m\"><BodySet><objects>\n";
  for (const char* body :
       {"femur_distal_r", "tibia_proximal_r", "femur_distal_l", "tibia_proximal_l", "femur_r"}) {
    text += fmt::format("<Body name=\"{}\"><WrapObjectSet><objects>\n", body);
    const auto three = [](const Vec3d& v) {
      return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z());
    };
    for (const Wrap& w : wraps) {
      if (w.body != body) continue;
      text += fmt::format(
          "<{0} name=\"{1}\"><xyz_body_rotation>{2}</xyz_body_rotation>"
          "<translation>{3}</translation>",
          w.type, w.name, three(w.turns), three(w.center));
      text += w.type == "WrapEllipsoid"
                  ? fmt::format("<dimensions>{}</dimensions>", three(w.size))
                  : fmt::format("<radius>{}</radius><length>{}</length>", w.size.x(), w.size.y());
      text += fmt::format("{}</{}>\n", w.more, w.type);
    }
    text += "</objects></WrapObjectSet></Body>\n";
  }
  return text + "</objects></BodySet></Model></OpenSimDocument>\n";
}

std::string save(const std::string& name, const std::string& text) {
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("knee_surfaces_{}_{}", getpid(), name);
  std::ofstream(path) << text;
  return path.string();
}

struct Strand {
  std::string name, surface;
  Vec3d femur, tibia;  // in OpenSim's axes
};

std::string write_table(const std::vector<Strand>& strands, char side) {
  std::string text =
      "name,linear_stiffness_N_per_strain,slack_length_m,origin_frame,ox_m,oy_m,oz_m,"
      "insertion_frame,ix_m,iy_m,iz_m,wrap_objects\n";
  for (const Strand& s : strands) {
    text += fmt::format(
        "{0},1000,{1},femur_distal_{9},{2},{3},{4},tibia_proximal_{9},{5},{6},{7},{8}\n", s.name,
        (s.tibia - s.femur).norm(), s.femur.x(), s.femur.y(), s.femur.z(), s.tibia.x(), s.tibia.y(),
        s.tibia.z(), s.surface, side);
  }
  return text;
}

// Turns about the body's own x, y, z.
Mat3d turn(const Vec3d& t) {
  const auto about = [](double a, int i, int j) {
    Mat3d R = Mat3d::Identity();
    R(i, i) = R(j, j) = std::cos(a);
    R(i, j) = -std::sin(a);
    R(j, i) = std::sin(a);
    return R;
  };
  return about(t.x(), 1, 2) * about(t.y(), 2, 0) * about(t.z(), 0, 1);
}

// Over an endless cylinder about z: two tangents and an arc, unrolled.
double cylinder_length(double r, const Vec3d& p, const Vec3d& q) {
  const double pr = p.head<2>().norm(), qr = q.head<2>().norm();
  const double between = std::acos(p.head<2>().dot(q.head<2>()) / (pr * qr));
  const double arc = between - std::acos(r / pr) - std::acos(r / qr);
  const double flat = arc > 0 ? std::sqrt(pr * pr - r * r) + std::sqrt(qr * qr - r * r) + r * arc
                              : (p - q).head<2>().norm();
  return std::hypot(flat, p.z() - q.z());
}

// Lengths of the lines of a knee that stands as its table has it.
std::vector<double> lengths_of(KneeOptions options, double tibia_origin) {
  options.start = Vec3d(0, 0, -tibia_origin);
  Model m = make_knee(options);
  m.equilibrium.reset();
  m.run.duration = 1e-9;
  const RunResult run = simulate(m);
  EXPECT_TRUE(run.failure.empty()) << run.failure;
  std::vector<double> lengths;
  for (const auto& l : options.ligaments) {
    lengths.push_back(run.recording.column(run.recording.find(l.name + ".length")).front());
  }
  return lengths;
}

const Vec3d kTurns(-0.3, 0.2, 0.4), kCenter(-0.004, -0.003, 0.002);

// A left knee is the mirror image of a right one, across z of OpenSim's axes.
Vec3d at(char side, double x, double y, double z) { return {x, y, side == 'l' ? -z : z}; }

// A cylinder that crosses the knee, a ball and an ellipsoid, and whatever cannot be.
std::vector<Wrap> make_wraps(char side) {
  const auto turned = [&](double x, double y, double z) {
    return side == 'l' ? Vec3d(-x, -y, z) : Vec3d(x, y, z);
  };
  const std::string femur = std::string("femur_distal_") + side;
  const std::string tibia = std::string("tibia_proximal_") + side;
  Wrap roll{"WrapCylinder", "roll", femur};
  roll.turns = turned(-0.3, 0.2, 0.4);
  roll.center = at(side, -0.004, -0.003, 0.002);
  roll.size = Vec3d(0.018, 0.5, 0);
  Wrap ball{"WrapSphere", "ball", tibia};
  ball.center = at(side, 0, -0.035, -0.02);
  ball.size = Vec3d(0.012, 0, 0);
  Wrap egg{"WrapEllipsoid", "egg", tibia};
  egg.turns = turned(-0.1, 0.3, 0.2);
  egg.center = at(side, 0.001, -0.035, -0.02);
  egg.size = Vec3d(0.03, 0.018, 0.012);
  std::vector<Wrap> wraps = {roll, ball, egg};
  const auto add = [&](Wrap wrap, const char* name) -> Wrap& {
    wrap.name = name;
    wraps.push_back(wrap);
    return wraps.back();
  };
  add(roll, "half").more = "<quadrant>-y</quadrant>";
  add(ball, "off").more = "<active>false</active>";
  add(ball, "ring").type = "WrapTorus";
  add(roll, "short").size.y() = 0.001;
  add(ball, "elsewhere").body = "femur_r";
  return wraps;
}

std::vector<Strand> make_strands(char side) {
  std::vector<Strand> strands;
  const auto add = [&](const char* name, const char* surface, const Vec3d& femur,
                       const Vec3d& tibia) {
    strands.push_back({name, surface, femur, tibia});
  };
  const Vec3d back = at(side, -0.014, 0.016, 0.012), below = at(side, -0.016, -0.035, 0.004);
  const Vec3d beside = at(side, 0.002, -0.001, -0.03);
  add("square", "roll", back, below);
  add("oblique", "roll", at(side, -0.014, 0.016, 0.022), at(side, -0.016, -0.035, -0.014));
  add("MCL", "ball", at(side, 0, -0.001, -0.03), at(side, 0, -0.07, -0.02));
  add("egg1", "egg", beside, at(side, 0, -0.07, -0.02));
  add("inside", "egg", beside, at(side, 0.001, -0.036, -0.021));
  add("halved", "half", back, below);
  add("idle", "off", back, below);
  add("ringed", "ring", back, below);
  add("beyond", "short", back, below);
  add("other", "elsewhere", back, below);
  add("lost", "nothing", back, below);
  add("plain", "", back, below);
  return strands;
}

KneeStrands load(char side) {
  const std::string table = save("strands.csv", write_table(make_strands(side), side));
  KneeStrands strands = biomechanics::load_knee_strands(table, kTibiaOrigin);
  biomechanics::add_strand_surfaces(save("model.osim", write_osim(make_wraps(side))), kTibiaOrigin,
                                    &strands);
  return strands;
}

TEST(KneeSurfaces, LinesAreAsLongAsOverThem) {
  KneeOptions options;
  options.ligaments = load('r').ligaments;
  const auto lengths = lengths_of(options, kTibiaOrigin);
  const auto strands = make_strands('r');
  const auto over_roll = [&](const Strand& s) {
    const Mat3d R = turn(kTurns);
    return cylinder_length(0.018, R.transpose() * (s.femur - kCenter),
                           R.transpose() * (s.tibia - kCenter));
  };
  const auto straight = [&](size_t k) { return (strands[k].femur - strands[k].tibia).norm(); };
  EXPECT_NEAR(lengths[0], over_roll(strands[0]), 1e-12);
  EXPECT_NEAR(lengths[1], over_roll(strands[1]), 1e-12);
  EXPECT_GT(lengths[0], straight(0) + 5e-4);
  EXPECT_GT(lengths[1], straight(1) + 5e-4);
  // Over a ball: in the plane of its centre and the two ends.
  const Vec3d center(0, -0.035, -0.02), p = strands[2].femur - center,
                                        q = strands[2].tibia - center;
  const double arc = 0.012 * (std::acos(p.dot(q) / (p.norm() * q.norm())) -
                              std::acos(0.012 / p.norm()) - std::acos(0.012 / q.norm()));
  EXPECT_GT(arc, 1e-3);
  EXPECT_NEAR(lengths[2],
              std::sqrt(p.squaredNorm() - 1.44e-4) + std::sqrt(q.squaredNorm() - 1.44e-4) + arc,
              1e-12);
  EXPECT_GT(lengths[3], straight(3) + 1e-4);
  for (size_t k = 4; k < strands.size(); ++k) EXPECT_NEAR(lengths[k], straight(k), 1e-12) << k;
}

// Points of the ellipsoid of the file, by its own turns and axes, lie on the surface of the strand.
TEST(KneeSurfaces, LieWhereTheFileHasThem) {
  const KneeStrands strands = load('r');
  const auto& surface = strands.ligaments[3].over.value();
  EXPECT_TRUE(surface.on_tibia);
  const Mat3d R = turn({-0.1, 0.3, 0.2});
  for (const Vec3d& u : {Vec3d(1, 0, 0), Vec3d(0, -1, 0), Vec3d(0, 0, 1), Vec3d(0.6, 0, 0.8)}) {
    const Vec3d p = R * Vec3d(0.03, 0.018, 0.012).cwiseProduct(u) + Vec3d(0.001, -0.035, -0.02);
    const Vec3d in_tibia(p.z(), p.x(), p.y() + kTibiaOrigin);
    const Vec3d local = surface.place.R_WB.transpose() * (in_tibia - surface.place.p_WB);
    EXPECT_NEAR(local.cwiseQuotient(surface.radii).norm(), 1, 1e-12);
  }
}

TEST(KneeSurfaces, WhatRunsStraightIsTold) {
  const KneeStrands strands = load('r');
  EXPECT_EQ(strands.wrapped, 4u);
  ASSERT_EQ(strands.straightened.size(), 7u);
  const char* reasons[] = {"inside (ends inside egg)",
                           "halved (half holds lines on its half -y only)",
                           "idle (off is not active)",
                           "ringed (ring is a WrapTorus)",
                           "beyond (it runs beyond the ends of the cylinder short)",
                           "other (elsewhere is fixed to femur_r)",
                           "lost (no nothing in "};
  for (size_t k = 0; k < 7; ++k) {
    EXPECT_EQ(strands.straightened[k].rfind(reasons[k], 0), 0u) << strands.straightened[k];
  }
  const std::string table = save("strands.csv", write_table(make_strands('r'), 'r'));
  KneeStrands again = biomechanics::load_knee_strands(table, kTibiaOrigin);
  const auto error = [&](const std::string& text) {
    const std::string file = save("wrong.osim", text);
    return test::input_error_of([&] { biomechanics::add_strand_surfaces(file, 0, &again); });
  };
  EXPECT_NE(error(write_osim({})).find("has none of the surfaces"), std::string::npos);
  EXPECT_NE(error("<a/>").find("expected <OpenSimDocument>"), std::string::npos);
  Wrap flat = make_wraps('r')[2];
  flat.size.y() = 0;
  EXPECT_NE(error(write_osim({flat})).find("greater than zero"), std::string::npos);
}

// The mirror image of table and model, as a left knee: the same lines, in the scene of a left knee.
TEST(KneeSurfaces, LeftMirrorsRight) {
  KneeOptions right, left;
  right.ligaments = load('r').ligaments;
  const KneeStrands strands = load('l');
  EXPECT_EQ(strands.side, biomechanics::Side::kLeft);
  left.ligaments = strands.ligaments;
  left.side = strands.side;
  const auto a = lengths_of(right, kTibiaOrigin), b = lengths_of(left, kTibiaOrigin);
  for (size_t k = 0; k < 9; ++k) EXPECT_NEAR(a[k], b[k], 1e-12) << k;
}

// Lenhart's strands over the surfaces of the model lenhart2015 (published with OpenSim-JAM): two
// ellipsoids on the tibia and a cylinder on the femur.
TEST(KneeSurfaces, PublishedStrandsWrap) {
  const auto table = test::shared_data() / "knee" / "lenhart2015_ligaments.csv";
  if (!std::filesystem::exists(table)) GTEST_SKIP() << "no " << table;
  const std::string osim = test::save_lenhart_surfaces();
  KneeStrands strands;
  const KneeOptions straight = biomechanics::make_strand_options(table.string());
  const KneeOptions options = biomechanics::make_strand_options(table.string(), &strands, osim);
  EXPECT_EQ(strands.wrapped, 23u);
  EXPECT_EQ(strands.straightened, std::vector<std::string>{"MCLp1 (ends inside Med_LigP_r)"});
  const double origin = -options.start.z();
  const auto with = lengths_of(options, origin), without = lengths_of(straight, origin);
  const Mat3d R = turn({-0.0299066, 0.02, 0.331613});
  double worst = 0, least_more = 1, most_more = 0;
  double least_strain = 1, most_strain = 0;  // of the capsule over the cylinder
  for (size_t k = 0; k < with.size(); ++k) {
    EXPECT_GE(with[k], without[k] - 1e-12);
    const auto& strand = options.ligaments[k];
    if (!strand.name.starts_with("pCAP")) continue;
    // Back in OpenSim's axes: x forward, y up, z right.
    const auto local = [&](const Vec3d& p) {
      return Vec3d(R.transpose() * (Vec3d(p.y(), p.z(), p.x()) - Vec3d(-0.004, -0.003, 0)));
    };
    const double exact =
        cylinder_length(0.018, local(strand.femur), local(strand.tibia - Vec3d(0, 0, origin)));
    EXPECT_GT(exact, without[k] + 1e-3);
    worst = std::max(worst, std::abs(with[k] - exact));
    least_more = std::min(least_more, with[k] - without[k]);
    most_more = std::max(most_more, with[k] - without[k]);
    const double strain = with[k] / strand.slack_length - 1;
    least_strain = std::min(least_strain, strain);
    most_strain = std::max(most_strain, strain);
    EXPECT_LT(without[k], strand.slack_length) << strand.name;
  }
  fmt::print(
      "strands of the capsule beside a cylinder: {:.2e} m; {:.1f} to {:.1f} mm longer than "
      "straight, "
      "strained by {:.1f} to {:.1f} %\n",
      worst, 1e3 * least_more, 1e3 * most_more, 1e2 * least_strain, 1e2 * most_strain);
  EXPECT_LT(worst, 1e-12);
}

}  // namespace
}  // namespace vesica::knee_surfaces_test
