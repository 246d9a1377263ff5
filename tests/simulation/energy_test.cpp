// The ledger and the monitor: what is judged, by what, and which contact is named.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/simulation/loaded_scene.h"
#include "tests/support/support.h"

namespace vesica::energy_test {
namespace {

struct Outcome {
  test::LoadedScene scene;
  RunResult result;
  std::vector<std::string> warnings;
  std::string all() const { return fmt::format("{}", fmt::join(warnings, "\n")); }
};

Outcome run(const std::string& text) {
  auto scene = test::load_scene(text);
  RunResult result = simulate(scene.system, scene.options);
  EXPECT_TRUE(result.failure.empty()) << result.failure;
  auto warnings = make_warnings(scene.system, scene.options, result);
  return {std::move(scene), std::move(result), std::move(warnings)};
}

std::string drop(const std::string& solver, const std::string& interval) {
  return fmt::format(
      "vesica: 1\nbodies:\n  ball: {{mass: 0.5, shape: {{type: sphere, radius: 0.05}}, pose: "
      "{{position: [0, 0, 0.1]}}}}\n  ground: {{fixed: true, shape: {{type: half_space}}}}\n"
      "contacts:\n  - {{between: [ball, ground], normal: {{law: volumetric, stiffness: 5.0e8}}}}\n"
      "duration: 0.5\nsolver: {}\noutput: {{interval: {}}}\n",
      solver, interval);
}

// Kinetic and elastic energy are greatest in the impact, which rows may miss; steps do not.
TEST(Energy, ItsScaleDoesNotHangOnTheRows) {
  for (const char* solver : {"{method: rk4, step: 2.0e-5}", "{method: cvode, tolerance: 1.0e-9}"}) {
    const auto fine = run(drop(solver, "0.1 ms")), none = run(drop(solver, "0"));
    EXPECT_EQ(fine.result.energy_scale, none.result.energy_scale) << solver;
    EXPECT_EQ(fine.warnings, none.warnings);
    // All of m g h, where nothing is lost, down to the deepest.
    const double all = 0.5 * 9.80665 * (0.05 + none.result.monitors[0].max_depth);
    EXPECT_NEAR(none.result.energy_scale, all, 1e-3 * all);
  }
  // A step that loses energy is warned of whatever is recorded.
  for (const char* interval : {"0", "1 ms", "0.5"}) {
    const auto coarse = run(drop("{method: euler, step: 1.0e-4}", interval));
    EXPECT_NE(coarse.all().find("energy does not add up"), std::string::npos) << coarse.all();
  }
}

// A block that is drawn over rough ground at constant speed: little kinetic energy, much work.
TEST(Energy, ItsScaleIsWhatWentThroughTheLedger) {
  const auto o = run(
      "vesica: 1\nbodies:\n  block: {mass: 2, shape: {type: box, size: [0.2, 0.2, 0.1]}, pose: "
      "{position: [0, 0, 0.04999]}}\n  belt: {prescribed: {velocity: [0.05, 0, 0]}, shape: {type: "
      "half_space}}\n  wall: {fixed: true}\ncontacts:\n  - {between: [block, belt], normal: {law: "
      "volumetric, stiffness: 1.0e8, damping: 5}, friction: {law: brown_mcphee, mu_s: 0.5, mu_d: "
      "0.5, v_t: 0.01}}\nforces:\n  - {type: spring, between: [block, wall], points: [[0, 0, 0], "
      "[-0.5, 0, 0]], stiffness: 2000, damping: 200, length: 0.5}\nduration: 2\n");
  const double work = 0.5 * 2 * 9.80665 * 0.05 * 2;      // of the belt: mu m g v t
  EXPECT_NEAR(o.result.energy_scale, work, 0.1 * work);  // 0.05 measured: the belt starts at once
  EXPECT_LT(o.result.largest_energy, 0.1 * work);
}

// U = k/2 int f^2 dS for shapes pressed on a face, against the store that is taken from moments.
TEST(Energy, StoreOfAContactIsKnownWithinItsError) {
  const double d = 0.002, k = 1e9;
  struct Shape {
    const char* name;
    std::string shape;
    double height;  // of the origin above the lowest point
    double energy;
  };
  const double R = 0.03, r = 0.02, slope = std::tan(0.6);
  const std::vector<Shape> shapes = {
      {"ball", fmt::format("{{type: sphere, radius: {}}}", R), R,
       k * kPi * (R * d * d * d / 3 - d * d * d * d / 12)},
      {"cylinder on its end", fmt::format("{{type: cylinder, radius: {}, length: 0.04}}", r), 0.02,
       0.5 * k * kPi * r * r * d * d},
      // Points downward: int of (d - rho/slope)^2/2 over the disc.
      {"cone on its tip", "{type: cone, angle: 1.2, height: 0.05}", 0,
       k * kPi * slope * slope * d * d * d * d / 12},
  };
  for (const Shape& s : shapes) {
    const auto scene = test::load_scene(fmt::format(
        "vesica: 1\nbodies:\n  a: {{mass: 1, inertia: [1, 1, 1], shape: {{{}, pose: {{position: "
        "[0, "
        "0, 0]}}}}, pose: {{position: [0, 0, {}]}}}}\n  b: {{fixed: true, shape: {{type: solid, "
        "cells: [{{intersect: [{{type: box, size: [1, 1, 0.2]}}, {{type: cylinder, radius: "
        "0.3}}]}}]"
        "}}, pose: {{position: [0, 0, -0.1]}}}}\ncontacts:\n  - {{between: [a, b], normal: {{law: "
        "volumetric, stiffness: {}}}}}\nduration: 1\n",
        s.shape.substr(1, s.shape.size() - 2), s.height - d, k));
    auto data = scene.system.make_evaluation<double>();
    const auto state = scene.system.make_initial_state();
    std::vector<double> rates(state.y.size());
    scene.system.calc_rates(0, state.y.data(), state.memory, rates.data(), &data);
    ASSERT_FALSE(scene.system.contact_has_potential(0));
    const double stored = calc_energies(scene.system, state.y.data(), data).unbound;
    // Measured 1.057, 0.866 and 1.162 of it.
    EXPECT_NEAR(stored, s.energy, 1.02 * kStoreError * s.energy) << s.name;
  }
}

std::string cube(double stiffness, const std::string& pose) {
  return fmt::format(
      "vesica: 1\nbodies:\n  cube: {{mass: 1, shape: {{type: box, size: [0.1, 0.1, 0.1]}}, pose: "
      "{{{}}}, velocity: {{linear: [0, 0, -1]}}}}\n  ground: {{fixed: true, shape: {{type: "
      "half_space}}}}\ncontacts:\n  - {{between: [cube, ground], normal: {{law: volumetric, "
      "stiffness: {}}}}}\nduration: 0.02\nsolver: {{method: cvode, tolerance: 1.0e-8}}\n",
      pose, stiffness);
}

TEST(Monitor, PatchesThatAreNotFlatAreCounted) {
  const auto corner = run(
      cube(3e9, "position: [0, 0, 0.087], axis: [1, -1, 0], angle: 0.9553166"));  // on its diagonal
  const auto face = run(cube(1e9, "position: [0, 0, 0.051]"));
  const ContactMonitor& m = corner.result.monitors[0];
  EXPECT_GT(m.impulse, 0.5);
  EXPECT_EQ(m.impulse, m.impulse_not_flat);
  EXPECT_NE(corner.all().find("no thin layer"), std::string::npos) << corner.all();
  EXPECT_EQ(face.result.monitors[0].impulse_not_flat, 0);
  EXPECT_EQ(face.all().find("no thin layer"), std::string::npos) << face.all();
}

TEST(Monitor, FlatnessOfALayerABallAndACorner) {
  Overlap<double> o = far_apart<double>();
  // A disc of radius a, t thick: M_nn = V t^2/12, M_t = V a^2/4 each way.
  const double a = 0.3, t = 0.05, V = kPi * a * a * t;
  o.volume = V;
  o.M_W = {V * a * a / 4, V * a * a / 4, V * t * t / 12, 0, 0, 0};
  EXPECT_NEAR(calc_flatness(o), t / a, 1e-12);
  const Sphere<double> ball{0.1};
  for (const double depth : {1e-3, 1e-2}) {
    Pose<double> X;
    X.p_WB = Vec3d(0, 0, 0.1 - depth);
    const double flatness = calc_flatness(calc_overlap(ball, X, HalfSpace{}, Pose<double>{}));
    EXPECT_NEAR(flatness, std::sqrt(depth / 0.2), 0.03 * flatness) << depth;  // shallow: 0.024
  }
}

// Slices that are asked for more digits than doubles have say that they miss them.
TEST(Monitor, AMissedToleranceIsCounted) {
  const std::string text =
      "vesica: 1\nbodies:\n  a: {{mass: 1, shape: {{type: ellipsoid, radii: [0.05, 0.04, 0.03]}}, "
      "pose: {{position: [0, 0, 0.03], axis: [1, 2, 3], angle: 0.7}}}}\n  b: {{fixed: true, "
      "shape: "
      "{{type: cylinder, radius: 0.1, length: 0.2}}, pose: {{position: [0, 0.03, -0.1]}}}}\n"
      "contacts:\n  - {{between: [a, b], normal: {{law: volumetric, stiffness: 1.0e7}}, "
      "interference: {{tolerance: {}}}}}\nduration: 2 ms\nsolver: {{method: rk4, step: 0.2 ms}}\n";
  const auto good = run(fmt::format(fmt::runtime(text), 1e-8));
  const auto bad = run(fmt::format(fmt::runtime(text), 1e-30));
  EXPECT_GT(good.result.monitors[0].steps_in_contact, 5);
  EXPECT_EQ(good.result.monitors[0].impulse_inaccurate, 0);
  EXPECT_GT(bad.result.monitors[0].impulse, 0);
  EXPECT_EQ(bad.result.monitors[0].impulse_inaccurate, bad.result.monitors[0].impulse);
  EXPECT_GT(bad.result.monitors[0].max_method_error, 0);
  EXPECT_NE(bad.all().find("missed interference.tolerance"), std::string::npos) << bad.all();
}

// Two equal balls: one lands near the edge of a soft box and leaves over it, its normal turns; the
// other bounces on the ground, whose does not. The first makes energy and is named; the ledger's
// total is theirs.
TEST(Energy, TheContactThatMakesEnergyIsNamed) {
  const auto scene = [](const char* normal) {
    return fmt::format(
        "vesica: 1\ngravity: [0, 0, 0]\nbodies:\n"
        "  good: {{mass: 0.2, shape: {{type: sphere, radius: 0.03}}, pose: {{position: [1, 0, "
        "0.03]}}, "
        "velocity: {{linear: [0, 0, -1]}}}}\n"
        "  bad: {{mass: 0.2, shape: {{type: sphere, radius: 0.03}}, pose: {{position: [0.085, 0, "
        "0.0301]}}, velocity: {{linear: [1, 0, -1]}}}}\n"
        "  ground: {{fixed: true, shape: {{type: half_space}}}}\n"
        "  table: {{fixed: true, shape: {{type: box, size: [0.2, 0.2, 0.1]}}, pose: {{position: "
        "[0, 0, "
        "-0.05]}}}}\ncontacts:\n"
        "  - {{between: [good, ground], normal: {{law: volumetric, stiffness: 2.0e7}}}}\n"
        "  - {{between: [bad, table], normal: {{law: volumetric, stiffness: 2.0e7}}, interference: "
        "{{normal: {}}}}}\nduration: 0.1\nsolver: {{method: cvode, tolerance: 1.0e-9}}\n",
        normal);
  };
  const auto area = run(scene("area_vector")), conservative = run(scene("conservative"));
  const auto& m = area.result.monitors;
  EXPECT_EQ(m[0].non_potential_work, 0);
  EXPECT_EQ(m[1].non_potential_work, area.result.non_potential_work);
  EXPECT_EQ(m[1].uncertain_work, 0);  // apart at both ends
  // Kinetic energy alone is left: what was made is what it grew by.
  EXPECT_NEAR(m[1].non_potential_work, area.result.end.kinetic - area.result.start.kinetic,
              1e-6 * area.result.energy_scale);
  EXPECT_GT(m[1].non_potential_work, kMadeBound * area.result.energy_scale);
  EXPECT_NE(area.all().find("bad-table: the contact made"), std::string::npos) << area.all();
  EXPECT_EQ(area.all().find("good-ground: the contact made"), std::string::npos) << area.all();
  EXPECT_LT(std::abs(conservative.result.non_potential_work),
            1e-6 * conservative.result.energy_scale);
  EXPECT_EQ(conservative.all().find("made"), std::string::npos) << conservative.all();
}

// Bristles of a slow slip that bend faster than they are bent (docs/theory/laws/bristle.md) make
// energy: it is non-potential work, not negative dissipation.
TEST(Energy, BristlesThatBendThemselvesMakeEnergy) {
  const auto slide = [](double sigma_1) {
    return run(
        fmt::format("vesica: 1\nbodies:\n  ball: {{mass: 1, inertia: [1, 1, 1], shape: {{type: "
                    "sphere, radius: 0.05}}, joint: {{type: prismatic, parent: world, axis: [0, 0, "
                    "1], start: 0.0499}}}}\n  belt: {{prescribed: {{velocity: [0.004, 0, 0]}}, "
                    "shape: {{type: half_space}}}}\ncontacts:\n  - {{between: [ball, belt], "
                    "normal: {{law: kelvin_voigt, stiffness: 98066.5}}, friction: {{law: bristle, "
                    "mu_C: 0.5, sigma_0: 1.0e4, sigma_1: {}, v_S: 0.01, dwell: "
                    "false}}}}\nduration: 0.05\nsolver: {{method: cvode, tolerance: 1.0e-10}}\n",
                    sigma_1));
  };
  const double limit = 0.5 / (2 * 0.01);  // mu_C/(2 v_S)
  const auto little = slide(0.1 * limit), enough = slide(1.1 * limit);
  const auto sliding = [](const Outcome& o) {
    return o.result.state[static_cast<size_t>(o.scene.system.layout().ledger_start()) + kSliding];
  };
  EXPECT_GE(sliding(little), 0);
  EXPECT_GE(sliding(enough), 0);
  EXPECT_GT(little.result.non_potential_work, 0.05 * little.result.end.bristles);
  EXPECT_LT(std::abs(enough.result.non_potential_work), 1e-6 * enough.result.end.bristles);
  EXPECT_LT(std::abs(little.result.residual), 1e-6 * little.result.energy_scale);
}

}  // namespace
}  // namespace vesica::energy_test
