// The knee: its numbers, its statics, its swing, against plain formulas and a second integrator.
#include "vesica/biomechanics/knee.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "tests/biomechanics/knee_peer.h"
#include "tests/support/support.h"
#include "vesica/io/yaml.h"
#include "vesica/model/model_file.h"
#include "vesica/model/seeds.h"
#include "vesica/simulation/make_scene.h"
#include "vesica/simulation/sensitivity.h"
#include "vesica/simulation/simulate_model.h"

namespace vesica::knee_test {
namespace {

using biomechanics::KneeOptions;
using biomechanics::make_knee;

constexpr double kDegree = kPi / 180;

std::vector<double> column(const RunResult& run, const std::string& name) {
  const size_t index = run.recording.find(name);
  EXPECT_LT(index, run.recording.columns.size()) << name;
  return run.recording.column(index);
}

std::string scene_path() { return test::source_dir() + "/scenes/knee.yaml"; }
Model load_scene() { return load_model(scene_path()); }

// Where the tibia starts, as the peer has it.
knee_peer::State start_of(const Scene<double>& scene) {
  knee_peer::State s;
  s.p = Vec3d(scene.q0[0], scene.q0[1], scene.q0[2]);
  s.R = as_rotation(Quaternion<double>{scene.q0[3], scene.q0[4], scene.q0[5], scene.q0[6]});
  s.v.setZero();
  s.w.setZero();
  return s;
}

// The file and the function are the same knee.
TEST(Knee, FileAndFunctionAgree) {
  const auto file = list_numbers(load_scene()), code = list_numbers(make_knee());
  ASSERT_EQ(file.size(), code.size());
  for (size_t k = 0; k < file.size(); ++k) {
    EXPECT_EQ(file[k].path, code[k].path);
    EXPECT_NEAR(file[k].value, code[k].value, 1e-15 + 1e-14 * std::abs(code[k].value))
        << file[k].path;
  }
}

// L0 = K2/(4 K1 eps1) (Brown 3.2) for all twelve, with K1 and K2 of the table; and the attachments.
TEST(Knee, SlackLengthsMeetTheIdentity) {
  const Scene<double> scene = make_scene<double>(load_scene());
  const auto table = knee_peer::table();
  ASSERT_EQ(scene.lines.size(), table.size());
  for (size_t k = 0; k < table.size(); ++k) {
    const auto& law = std::get<LigamentLaw<double>>(scene.lines[k].action);
    EXPECT_EQ(scene.lines[k].name, table[k].name);
    EXPECT_NEAR(law.slack_length * 1e3, table[k].slack(), 1e-12);
    EXPECT_NEAR(law.toe_stiffness() * 1e-6, table[k].K1, 1e-12 * table[k].K1);
    EXPECT_NEAR(law.stiffness * 1e-3, table[k].K2, 1e-12 * table[k].K2);
    EXPECT_LT((scene.lines[k].path.points[0].p_B * 1e3 - table[k].femur).norm(), 1e-12);
    EXPECT_LT((scene.lines[k].path.points[1].p_B * 1e3 - table[k].tibia).norm(), 1e-12);
  }
}

// The pose of rest balances by the peer's formulas too; only the moment that holds the flexion is
// left. The peer's own search ends at the same pose.
TEST(Knee, StartsInEquilibrium) {
  const Scene<double> scene = make_scene<double>(load_scene());
  const knee_peer::Knee knee = knee_peer::read_knee(YAML::LoadFile(scene_path()));
  const knee_peer::State s = start_of(scene), found = knee_peer::find_rest(knee);
  const knee_peer::Load load = knee_peer::calc_load(knee, s, 1);
  const Vec3d e3 = s.R.col(2), e2 = e3.cross(Vec3d::UnitX()).normalized();
  EXPECT_LT(load.force.cwiseAbs().maxCoeff(), 1e-9);    // 1e-11
  EXPECT_LT(std::abs(load.moment.dot(e2)), 1e-9);       // 1e-12
  EXPECT_LT(std::abs(load.moment.dot(e3)), 1e-9);       // 1e-12
  EXPECT_NEAR(knee_peer::calc_angles(s)[0], 0, 1e-12);  // flexion
  EXPECT_LT((s.p - found.p).norm(), 1e-12);
  EXPECT_LT((s.R - found.R).norm(), 1e-11);
  EXPECT_GT(load.contacts.at("medial"), 50);
  EXPECT_GT(load.contacts.at("lateral"), 50);
}

// Nothing but the text of a scene: another program finds the pose of rest, integrates with steps of
// 10 us, and comes to the same motion, to nanometres, and forces, to millinewtons.
void expect_same_swing(const std::string& text, double duration) {
  Model m = read_model(InputFile::parse(text, "knee.yaml"));
  m.run.tolerance = 1e-10;
  m.run.duration = duration;
  const RunResult run = simulate(m);
  ASSERT_TRUE(run.failure.empty()) << run.failure;
  const knee_peer::Knee knee = knee_peer::read_knee(YAML::Load(text));
  knee_peer::State s = knee_peer::find_rest(knee);
  constexpr double kStep = 1e-5;
  std::map<std::string, std::vector<double>> columns;
  const auto value = [&](const std::string& name, size_t row) {
    if (!columns.contains(name)) columns[name] = column(run, name);
    return columns[name][row];
  };
  double place = 0, angle = 0, force = 0;
  const auto rows = static_cast<size_t>(std::lround(duration / 1e-3)) + 1;
  for (size_t r = 0; r < rows; ++r) {
    const double time = 1e-3 * static_cast<double>(r);
    const knee_peer::Load load = knee_peer::calc_load(knee, s, time);
    const Vec3d p(value("tibia.position.x", r), value("tibia.position.y", r),
                  value("tibia.position.z", r));
    const Vec3d angles(value("knee.flexion", r), value("knee.adduction", r),
                       value("knee.internal_rotation", r));
    place = std::max(place, (p - s.p).norm());
    angle = std::max(angle, (angles - knee_peer::calc_angles(s)).cwiseAbs().maxCoeff());
    for (const auto& [name, there] : load.contacts) {
      force = std::max(force, std::abs(value(name + ".normal_force", r) - there));
    }
    for (const auto& [name, there] : load.ligaments) {
      force = std::max(force, std::abs(value(name + ".force", r) - there));
    }
    for (int k = 0; k < 100; ++k) s = knee_peer::step(knee, s, time + k * kStep, kStep);
  }
  fmt::print("another program: {:.1e} m, {:.1e} rad, {:.1e} N\n", place, angle, force);
  EXPECT_LT(place, 1e-8);  // 9e-10
  EXPECT_LT(angle, 1e-7);  // 1.5e-8
  EXPECT_LT(force, 1e-3);  // 2e-5
}

TEST(Knee, AnotherProgramReadsTheSceneAndSwingsAsWell) {
  std::ostringstream text;
  text << std::ifstream(scene_path()).rdbuf();
  expect_same_swing(text.str(), 0.2);
}

// Also where other numbers stand in it.
TEST(Knee, AnotherProgramReadsAKneeThatWasWritten) {
  KneeOptions options;
  options.condyles[0].radii.setConstant(0.021);
  options.condyles[0].center.z() = 0.021;
  options.plateaus[1].normal = Vec3d(0.02, -0.08, 1).normalized();
  options.ligaments.erase(options.ligaments.begin() + 6);
  options.ligaments[2].slack_length *= 0.99;
  options.ligaments[7].toe_strain = 0.02;
  options.ligament_damping = 300;
  options.contact_stiffness = 3e9;
  options.shank_mass = 3.5;
  options.impulse = 5;
  expect_same_swing(write_model(make_knee(options)), 0.1);
}

// Passes 90 deg; the lateral force falls to zero, the medial one persists; the ledger closes.
TEST(Knee, LateralLetsGoWhileMedialPersists) {
  const RunResult run = simulate(load_scene());
  ASSERT_TRUE(run.failure.empty()) << run.failure;
  const auto flexion = column(run, "knee.flexion");
  const auto medial = column(run, "medial.normal_force");
  const auto lateral = column(run, "lateral.normal_force");
  EXPECT_GT(flexion.back(), 90 * kDegree);
  double zero = -1;
  for (size_t k = 0; k < flexion.size(); ++k) {
    EXPECT_GT(medial[k], 0) << flexion[k] / kDegree;
    if (zero < 0 && flexion[k] > 10 * kDegree && lateral[k] == 0) zero = flexion[k] / kDegree;
  }
  EXPECT_GT(zero, 45);  // 51.5; the source has 65
  EXPECT_LT(zero, 60);
  EXPECT_LT(std::abs(run.residual), 1e-4 * run.energy_scale);
}

// How deep the femoral end of each ligament goes into the tibia in a swing up to 90 deg: below its
// plateau, seen from the tibia [mm].
struct Burial {
  std::map<std::string, double> depth;
  std::map<std::string, double> nearest;  // of the line to the middle of a condyle [mm]
  double largest_flexion = 0;             // [deg]
  double deepest() const {
    double most = -1e9;
    for (const auto& [name, d] : depth) most = std::max(most, d);
    return most;
  }
};
Burial bury(const KneeOptions& options) {
  const RunResult run = simulate(make_knee(options));
  Burial burial;
  std::array<std::vector<double>, 8> at;
  const char* names[] = {"tibia.position.x",   "tibia.position.y",   "tibia.position.z",
                         "tibia.quaternion.w", "tibia.quaternion.x", "tibia.quaternion.y",
                         "tibia.quaternion.z", "knee.flexion"};
  for (size_t c = 0; c < at.size(); ++c) at[c] = column(run, names[c]);
  for (size_t k = 0; k < at[7].size(); ++k) {
    burial.largest_flexion = std::max(burial.largest_flexion, at[7][k] / kDegree);
    if (burial.largest_flexion > 90) break;
    const Vec3d origin(at[0][k], at[1][k], at[2][k]);
    const Mat3d R = as_rotation(Quaternion<double>{at[3][k], at[4][k], at[5][k], at[6][k]});
    for (const auto& ligament : options.ligaments) {
      const Vec3d p = R.transpose() * (ligament.femur - origin);
      const auto& plateau = options.plateaus[p.x() < 0 ? 0 : 1];
      const double depth = 1e3 * plateau.normal.normalized().dot(plateau.point - p);
      auto [place, is_new] = burial.depth.try_emplace(ligament.name, depth);
      place->second = std::max(place->second, depth);
      const Vec3d line = origin + R * ligament.tibia - ligament.femur;
      auto& nearest = burial.nearest.try_emplace(ligament.name, 1e9).first->second;
      for (const auto& condyle : options.condyles) {
        const Vec3d to = condyle.center - ligament.femur;
        const double part = std::clamp(to.dot(line) / line.squaredNorm(), 0.0, 1.0);
        nearest = std::min(nearest, 1e3 * (to - part * line).norm());
      }
    }
  }
  return burial;
}

// All but the two points at which the four lines of the posterior capsule begin stay out of the
// tibia: the spheres are small for these. What depends on it says so (vesica reproduce knee).
TEST(Knee, AttachmentsBesideThePlateaus) {
  const Burial burial = bury({});
  EXPECT_GT(burial.largest_flexion, 90);
  for (const auto& [name, depth] : burial.depth) {
    fmt::print("{:<18} {:6.1f} mm below the plateau, the line {:4.1f} mm from a condyle's middle\n",
               name, depth, burial.nearest.at(name));
    const bool is_capsule = name.starts_with("capsule") || name.ends_with("popliteal");
    EXPECT_LT(depth, is_capsule ? 12 : 0) << name;
  }
}

// And no spheres keep them out in a knee that bends to 90 deg, unless their plateaus lie so low
// that the cruciate ligaments (211.25 mm) would end above them.
TEST(Knee, NoSpheresKeepTheCapsuleOut) {
  constexpr double kCruciates = 2.65;  // below the plateaus of the scene [mm]
  int tried = 0, bent = 0;
  double least = 1e9, least_low = 1e9;
  for (const double radius : {18.0, 20.0, 22.0, 24.0, 30.0}) {
    for (const double back : {8.0, 11.0, 14.0, 17.0, 20.0}) {
      for (const double low : {0.0, 1.3, kCruciates, 5.0, 7.0, 9.0, 11.0}) {
        KneeOptions options;
        options.tolerance = 1e-5;
        for (size_t k = 0; k < 2; ++k) {
          auto& condyle = options.condyles[k];
          condyle.radii.setConstant(1e-3 * radius);
          condyle.center.y() = -1e-3 * (back + static_cast<double>(k));
          condyle.center.z() = 1e-3 * (radius - low);
          options.plateaus[k].point.z() = 0.2139 - 1e-3 * low;
        }
        const Burial burial = bury(options);
        const bool bends = burial.largest_flexion > 90;
        if (bends && burial.deepest() < 0) least_low = std::min(least_low, low);
        if (low > kCruciates) continue;
        ++tried;
        if (!bends) continue;
        ++bent;
        least = std::min(least, burial.deepest());
      }
    }
  }
  fmt::print(
      "of {} spheres on planes that are not below the cruciate ligaments' ends {} pass 90 deg; the "
      "capsule goes {:.1f} mm or more into the tibia; it stays out on plateaus {:g} mm lower\n",
      tried, bent, least, least_low);
  EXPECT_GT(bent, 20);
  EXPECT_GT(least, 3);
  EXPECT_GT(least_low, kCruciates + 3);
}

// A left knee is the right one in a mirror.
TEST(Knee, LeftMirrorsRight) {
  KneeOptions options;
  options.tolerance = 1e-10;
  options.duration = 0.1;
  const RunResult right = simulate(make_knee(options));
  options.side = biomechanics::Side::kLeft;
  const RunResult left = simulate(make_knee(options));
  for (const char* name :
       {"knee.flexion", "knee.adduction", "knee.internal_rotation", "knee.lateral", "knee.anterior",
        "knee.distraction", "tibia.position.y", "tibia.position.z"}) {
    EXPECT_NEAR(column(left, name).back(), column(right, name).back(), 1e-7) << name;
  }
  EXPECT_NEAR(column(left, "tibia.position.x").back(), -column(right, "tibia.position.x").back(),
              1e-8);
  for (const char* name : {"medial.normal_force", "lateral.normal_force", "ACL_anterior.force",
                           "MCL_deep.force", "LCL.force"}) {
    EXPECT_NEAR(column(left, name).back(), column(right, name).back(), 1e-3) << name;
  }
}

// Ellipsoids of equal radii would be spheres: nearly equal ones swing nearly the same.
TEST(Knee, EllipsoidsTendToSpheres) {
  KneeOptions options;
  options.duration = 0.1;
  options.tolerance = 1e-9;
  const RunResult spheres = simulate(make_knee(options));
  for (auto& c : options.condyles) c.radii = Vec3d(0.02, 0.02 + 1e-9, 0.02);
  const RunResult ellipsoids = simulate(make_knee(options));
  ASSERT_TRUE(ellipsoids.failure.empty()) << ellipsoids.failure;
  EXPECT_NEAR(column(ellipsoids, "knee.flexion").back(), column(spheres, "knee.flexion").back(),
              1e-5);
}

// Ellipsoids 1.2 times as long as high: the statics balance, forces are those of the cut-off caps
// in closed form (an ellipsoid is a unit sphere, stretched), the ledger closes, and a left knee is
// the right one in a mirror.
TEST(Knee, EllipsoidsPressAsTheirCaps) {
  KneeOptions options;
  for (auto& c : options.condyles) c.radii.y() *= 1.2;
  const Scene<double> scene = make_scene<double>(make_knee(options));
  const RunResult run = simulate(make_knee(options));
  ASSERT_TRUE(run.failure.empty()) << run.failure;
  const knee_peer::State s = start_of(scene);
  const Vec3d n = s.R.col(2);
  const char* names[] = {"medial", "lateral"};
  for (size_t k = 0; k < 2; ++k) {
    const Vec3d& r = options.condyles[k].radii;
    const Vec3d on_plane = s.p + s.R * options.plateaus[k].point;
    const double height = r.cwiseProduct(n).norm();  // of the ellipsoid along the normal
    const double depth = (height - n.dot(options.condyles[k].center - on_plane)) / height;
    const double volume = r.prod() * kPi * depth * depth * (3 - depth) / 3;
    const double force = column(run, std::string(names[k]) + ".normal_force").front();
    EXPECT_GT(force, 20);
    EXPECT_NEAR(force, options.contact_stiffness * volume, 1e-6 * force) << names[k];
  }
  EXPECT_LT(std::abs(run.residual), 1e-4 * run.energy_scale);
  EXPECT_GT(column(run, "knee.flexion").back(), 60 * kDegree);
  options.side = biomechanics::Side::kLeft;
  const RunResult left = simulate(make_knee(options));
  EXPECT_NEAR(column(left, "knee.internal_rotation").back(),
              column(run, "knee.internal_rotation").back(), 1e-4);
}

// One ligament in every way that its numbers may be given: the same law.
TEST(Knee, LigamentsInEveryWay) {
  const Scene<double> scene = make_scene<double>(load_scene());
  constexpr size_t kLigament = 7;
  const auto& law = std::get<LigamentLaw<double>>(scene.lines[kLigament].action);
  const auto law_of = [&](const std::function<void(model::Ligament<>*)>& change) {
    Model m = load_scene();
    change(&std::get<model::Ligament<>>(m.forces[kLigament].force));
    return std::get<LigamentLaw<double>>(make_scene<double>(m).lines[kLigament].action);
  };
  // Its length where the file puts the tibia, before statics move it.
  const auto table = knee_peer::table();
  const Vec3d tibia = table[kLigament].tibia * 1e-3 + Vec3d(-0.0015, -0.0077, -0.213);
  const double length = (tibia - table[kLigament].femur * 1e-3).norm();
  const LigamentLaw<double> ways[] = {law_of([&](model::Ligament<>* l) {
                                        l->slack_length.reset();
                                        l->reference_strain = length / law.slack_length - 1;
                                      }),
                                      law_of([&](model::Ligament<>* l) {
                                        l->stiffness.reset();
                                        l->stiffness_per_strain = law.stiffness * law.slack_length;
                                      }),
                                      law_of([&](model::Ligament<>* l) {
                                        l->slack_length.reset();
                                        l->toe_stiffness = table[kLigament].K1 * 1e6;
                                      }),
                                      law_of([&](model::Ligament<>* l) {
                                        l->slack_length.reset();
                                        l->reference_strain = length / law.slack_length - 1;
                                        l->stiffness.reset();
                                        l->stiffness_per_strain = law.stiffness * law.slack_length;
                                      })};
  for (const auto& way : ways) {
    EXPECT_NEAR(way.slack_length, law.slack_length, 1e-14);
    EXPECT_NEAR(way.stiffness, law.stiffness, 1e-9 * law.stiffness);
    EXPECT_NEAR(way.toe_stiffness(), law.toe_stiffness(), 1e-9 * law.toe_stiffness());
  }
}

// A length that can only be in another unit is told.
TEST(Knee, LengthsInAnotherUnitAreNoted) {
  Model m = load_scene();
  EXPECT_TRUE(make_scene<double>(m).notes.empty());
  *std::get<model::Ligament<>>(m.forces[7].force).slack_length *= 1000;
  const auto notes = make_scene<double>(m).notes;
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("'LCL' is 0.0"), std::string::npos) << notes[0];
}

// The scene with maps is the knee, and its maps are the forces of the recording.
TEST(Knee, MapsSceneIsTheKneeWithMaps) {
  Model maps = load_model(test::source_dir() + "/scenes/knee_maps.yaml");
  const auto with = list_numbers(maps), without = list_numbers(load_scene());
  ASSERT_EQ(with.size(), without.size());
  for (size_t k = 0; k < with.size(); ++k) {
    EXPECT_EQ(with[k].path, without[k].path);
    EXPECT_EQ(with[k].value, without[k].value) << with[k].path;
  }
  EXPECT_EQ(maps.run.duration, load_scene().run.duration);
  EXPECT_EQ(maps.run.tolerance, load_scene().run.tolerance);
  maps.run.duration = 0.1;
  const RunResult run = simulate(maps);
  ASSERT_TRUE(run.failure.empty()) << run.failure;
  ASSERT_EQ(run.map_sums.size(), 2u);
  for (size_t m = 0; m < 2; ++m) {
    const std::string name = m == 0 ? "medial" : "lateral";
    const TimeTable& sums = run.map_sums[m];
    ASSERT_EQ(sums.rows(), 11u);
    const auto force = column(run, name + ".normal_force");
    for (size_t k = 0; k < sums.rows(); ++k) {
      const double all = sums.at(k, sums.find(name + ".map.force"));
      EXPECT_NEAR(all, force[10 * k], 1e-9 * (1 + force[10 * k])) << name << k;
      // The two halves are the whole, all of which is on the map.
      EXPECT_NEAR(sums.at(k, sums.find(name + ".map.anterior.force")) +
                      sums.at(k, sums.find(name + ".map.posterior.force")),
                  all, 1e-9 * (1 + all));
    }
  }
}

// Derivatives of the swing by a slack length, an attachment and the stiffness, the change of the
// pose of rest included: against differences of runs.
TEST(Knee, DerivativesFromThePoseOfRestOn) {
  Model m = make_knee();
  m.run.solver = Solver::kRk4;
  m.run.step = 2e-5;
  m.run.duration = 0.03;
  const std::vector<std::string> paths = {"forces.2.slack_length", "forces.8.points.0.position.1",
                                          "contacts.0.normal.stiffness"};
  const SensitivityResult s = simulate_sensitivity(m, make_run_options(m), paths);
  const auto run_with = [&](size_t p, double change) {
    Model other = m;
    if (p == 0) *std::get<model::Ligament<>>(other.forces[2].force).slack_length += change;
    if (p == 1) {
      std::get<model::Ligament<>>(other.forces[8].force).line.points[0].position.y() += change;
    }
    if (p == 2) {
      std::get<VolumetricNormal<double>>(other.contacts[0].normal).stiffness += change;
    }
    return simulate(other);
  };
  const double steps[] = {1e-7, 1e-7, 1e3};
  for (size_t p = 0; p < paths.size(); ++p) {
    const RunResult more = run_with(p, steps[p]), less = run_with(p, -steps[p]);
    for (size_t k = 0; k < 13; ++k) {
      const double difference = (more.state[k] - less.state[k]) / (2 * steps[p]);
      const double scale = p == 2 ? 1e-12 : 1;
      EXPECT_NEAR(s.final_derivatives[p][k], difference, 2e-5 * (scale + std::abs(difference)))
          << paths[p] << " " << s.final_names[k];
    }
  }
}

// Numbers that move a held measure itself: the place and turn of the fixed femur, frames of the
// measure. The pose of rest answers to them; against differences.
TEST(Knee, PoseOfRestAnswersToWhatMovesTheHeldMeasure) {
  Model m = make_knee();
  // The femur turned about an oblique axis; gravity stays, so that more than the frame changes.
  m.bodies[0].pose =
      model::Frame<>::at(Vec3d(0.001, 0.002, -0.001)).turned(Vec3d(0.5, 0.8, -0.3), 0.04);
  const std::vector<std::string> paths = {
      "bodies.femur.pose.position.1",     "bodies.femur.pose.angle",
      "bodies.femur.pose.axis.1",         "measures.0.frames.0.angle",
      "measures.0.frames.0.position.1",   "forces.LCL.slack_length",
      "bodies.femur.shapes.medial.radius"};
  auto& frame = std::get<model::GroodSuntay<>>(m.measures[0].measure).frames[0];
  frame = frame.turned(Vec3d(0.7, -0.2, 0.4), 0.05);
  const Scene<Dual<12>> scene = make_scene<Dual<12>>(m, paths);
  const auto start_with = [&](size_t p, double change) {
    Model other = m;
    auto& femur = *other.bodies[0].pose;
    auto& upper = std::get<model::GroodSuntay<>>(other.measures[0].measure).frames[0];
    auto& ligament = std::get<model::Ligament<>>(other.forces[7].force);
    double* const numbers[] = {&femur.position.y(),
                               &femur.angle,
                               &femur.axis.y(),
                               &upper.angle,
                               &upper.position.y(),
                               &*ligament.slack_length,
                               &std::get<Sphere<double>>(other.bodies[0].shapes[0].shape).radius};
    *numbers[p] += change;
    return make_scene<double>(other).q0;
  };
  for (size_t p = 0; p < paths.size(); ++p) {
    const double step = 1e-6;
    const auto more = start_with(p, step), less = start_with(p, -step);
    for (size_t k = 0; k < 7; ++k) {
      const double slope = (more[k] - less[k]) / (2 * step);
      EXPECT_NEAR(scene.q0[k].v[static_cast<int>(p)], slope, 1e-5 * (1 + std::abs(slope)))
          << paths[p] << " " << k;
    }
  }
}

TEST(Knee, OneNumberHasOneDerivative) {
  const auto error = [](const std::vector<std::string>& paths) {
    return test::input_error_of([&] { make_scene<Dual<4>>(make_knee(), paths); });
  };
  EXPECT_NE(error({"forces.LCL.slack_length", "forces.7.slack_length"}).find("names too"),
            std::string::npos);
  EXPECT_NE(error({"forces.LCX.slack_length"}).find("no number at that path"), std::string::npos);
}

TEST(Knee, OptionsThatMakeNoKneeAreRefused) {
  KneeOptions options;
  options.ligaments.clear();
  EXPECT_NE(test::input_error_of([&] { make_knee(options); }).find("nothing holds the shank"),
            std::string::npos);
  const auto expect = [](const char* part, const std::function<void(KneeOptions*)>& change) {
    KneeOptions wrong;
    change(&wrong);
    const std::string error = test::input_error_of([&] { make_knee(wrong); });
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  for (const double x : {0.0, -1.0, std::nan("")}) {
    expect("radii", [&](KneeOptions* o) { o->condyles[0].radii.x() = x; });
    expect("stiffness of contact", [&](KneeOptions* o) { o->contact_stiffness = x; });
    expect("toe strain", [&](KneeOptions* o) { o->toe_strain = x; });
    expect("toe strain", [&](KneeOptions* o) { o->ligaments[3].toe_strain = x; });
    expect("slack length", [&](KneeOptions* o) { o->ligaments[3].slack_length = x; });
    expect("duration", [&](KneeOptions* o) { o->duration = x; });
    expect("tolerance", [&](KneeOptions* o) { o->tolerance = x; });
    if (x == 0) continue;
    expect("damping", [&](KneeOptions* o) { o->contact_damping = x; });
    expect("damping", [&](KneeOptions* o) { o->ligament_damping = x; });
    expect("damping", [&](KneeOptions* o) { o->ligaments[3].damping = x; });
  }
  // Degrees for radians, and what is no number.
  expect("rad", [](KneeOptions* o) { o->flexion = 90; });
  expect("rad", [](KneeOptions* o) { o->flexion = std::nan(""); });
  expect("places", [](KneeOptions* o) { o->ligaments[0].tibia.y() = std::nan(""); });
}

}  // namespace
}  // namespace vesica::knee_test
