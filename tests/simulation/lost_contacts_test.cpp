// Contacts whose shared volume is a ring, several lumps, or lies beside its own centroid carry what
// lies on them, with every method and solver; and laws by depth act where the depth is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/simulation/loaded_scene.h"
#include "vesica/simulation/simulate.h"

namespace vesica::lost_contacts_test {
namespace {

double last_of(const TimeTable& table, const std::string& name) {
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].name == name)
      return table.values[table.values.size() - table.columns.size() + c];
  }
  ADD_FAILURE() << "no column " << name;
  return 0;
}

constexpr char kTube[] =
    "{type: solid, cells: [{intersect: [{type: box, size: [1, 1, 0.1]}, {type: cylinder, radius: "
    "0.2}, {type: cylinder, radius: 0.15, complement: true}]}]}";
constexpr char kFloor[] = "{type: box, size: [2, 2, 0.2], pose: {position: [0, 0, -0.1]}}";
constexpr char kHole[] =
    "{type: solid, cells: [{intersect: [{type: box, size: [1, 1, 0.2], pose: {position: [0, 0, "
    "-0.1]}}, {type: cylinder, radius: 0.06, complement: true}]}]}";
constexpr char kPiers[] =
    "{type: solid, cells: [{intersect: [{type: box, size: [0.1, 0.3, 0.2]}], pose: {position: "
    "[-0.3, 0, -0.1]}}, {intersect: [{type: box, size: [0.1, 0.3, 0.2]}], pose: {position: [0.3, "
    "0, -0.1]}}]}";
constexpr char kTwoBalls[] =
    "{type: solid, cells: [{intersect: [{type: sphere, radius: 0.05, pose: {position: [-0.1, 0, "
    "0]}}]}, {intersect: [{type: sphere, radius: 0.05, pose: {position: [0.1, 0, 0]}}]}]}";

// A seat on legs that end 0.1 below the origin.
std::string make_stool(int legs) {
  std::string cells =
      "{intersect: [{type: box, size: [1, 1, 0.02]}, {type: cylinder, radius: 0.2}], pose: "
      "{position: [0, 0, 0.01]}}";
  for (int k = 0; k < legs; ++k) {
    cells += fmt::format(
        ", {{intersect: [{{type: box, size: [0.04, 0.04, 0.1]}}], pose: {{position: [{}, {}, "
        "-0.05]}}}}",
        0.15 * std::cos(2 * kPi * k / legs), 0.15 * std::sin(2 * kPi * k / legs));
  }
  return fmt::format("{{type: solid, cells: [{}]}}", cells);
}

struct Rest {
  const char* name;
  std::string top, under;
  double height;  // of the origin when they touch
};

std::vector<Rest> make_rests() {
  std::vector<Rest> rests = {{"tube on a floor", kTube, kFloor, 0.05},
                             {"tube on the ground", kTube, "{type: half_space}", 0.05},
                             {"ball on a hole", "{type: sphere, radius: 0.1}", kHole, 0.08},
                             {"beam on piers", "{type: box, size: [1, 0.1, 0.05]}", kPiers, 0.025},
                             {"two balls on a floor", kTwoBalls, kFloor, 0.05},
                             {"two balls on the ground", kTwoBalls, "{type: half_space}", 0.05}};
  for (const int legs : {3, 4, 5, 6}) rests.push_back({"stool", make_stool(legs), kFloor, 0.1});
  return rests;
}

std::string make_scene_text(const Rest& rest, const std::string& contact, const std::string& solver,
                            double start, double duration) {
  return fmt::format(
      "vesica: 1\nbodies:\n"
      "  top: {{mass: 2, inertia: [0.02, 0.02, 0.02], shape: {}, pose: {{position: [0, 0, {}]}}}}\n"
      "  under: {{fixed: true, shape: {}}}\n"
      "contacts:\n  - {{between: [top, under], {}}}\n"
      "duration: {}\nsolver: {}\noutput: {{interval: {}}}\n",
      rest.top, start, rest.under, contact, duration, solver, duration);
}

TEST(LostContacts, CarryWhatLiesOnThemWithEverySolver) {
  const double weight = 2 * 9.80665, k = 1e7;
  for (const Rest& rest : make_rests()) {
    for (const char* solver :
         {"{method: cvode, tolerance: 1.0e-8}", "{method: arkode, tolerance: 1.0e-7}",
          "{method: dopri5, tolerance: 1.0e-7}", "{method: rodas5p, tolerance: 1.0e-7}",
          "{method: rk4, step: 2.0e-4}"}) {
      const auto scene = test::load_scene(make_scene_text(
          rest, "normal: {law: volumetric, stiffness: 1.0e7, damping: 20}, friction: {law: none}",
          solver, rest.height + 1e-4, 0.4));
      const RunResult run = simulate(scene.system, scene.options);
      ASSERT_TRUE(run.failure.empty()) << run.failure << rest.name << solver;
      // What still moves after this time is below a hundredth of the weight.
      const double volume = last_of(run.recording, "top-under.volume");
      EXPECT_NEAR(k * volume / weight, 1, 0.02) << rest.name << " " << solver;
      EXPECT_NEAR(last_of(run.recording, "top-under.normal_force") / weight, 1, 0.02)
          << rest.name << " " << solver;
      EXPECT_NEAR(last_of(run.recording, "top.position.z"), rest.height, 0.004)
          << rest.name << " " << solver;
    }
  }
}

TEST(LostContacts, CarryWhatLiesOnThemByVoxels) {
  for (const Rest& rest : make_rests()) {
    const auto scene = test::load_scene(make_scene_text(
        rest,
        "interference: {method: voxels, voxel_size: 5 mm}, normal: {law: volumetric, "
        "stiffness: 3.0e5, damping: 5}, friction: {law: none}",
        "{method: rk4, step: 2.0e-3}", rest.height + 1e-4, 0.3));
    const RunResult run = simulate(scene.system, scene.options);
    ASSERT_TRUE(run.failure.empty()) << run.failure << rest.name;
    // It sinks in by some voxels, and no further.
    EXPECT_NEAR(last_of(run.recording, "top.position.z"), rest.height, 0.03) << rest.name;
  }
}

// Cells that do not touch each other and have one normal: one contact or several, the same force.
TEST(LostContacts, CellsTogetherAndSeparateAgree) {
  for (const int legs : {3, 4, 5, 6}) {
    std::vector<double> force;
    for (const char* cells : {"together", "separate"}) {
      const Rest rest = {"", make_stool(legs), kFloor, 0.1};
      const auto scene = test::load_scene(make_scene_text(
          rest,
          fmt::format("cells: {}, normal: {{law: volumetric, stiffness: 1.0e7}}, friction: {{law: "
                      "none}}",
                      cells),
          "{method: rk4, step: 1.0e-5}", 0.0995, 1e-5));
      const RunResult run = simulate(scene.system, scene.options);
      ASSERT_TRUE(run.failure.empty()) << run.failure;
      force.push_back(last_of(run.recording, "top-under.normal_force"));
    }
    EXPECT_NEAR(force[0] / force[1], 1, 1e-9) << legs;
    EXPECT_NEAR(force[0] / (1e7 * legs * 0.04 * 0.04 * 5e-4), 1, 1e-4) << legs;
  }
}

// Parts that are carried by a given motion are found on either side of a switching time: a block on
// a belt of five boxes, and a force that ends while it rides on the second.
TEST(LostContacts, PartsOnABeltAreFoundAfterASwitch) {
  for (const char* solver :
       {"{method: cvode, tolerance: 1.0e-8}", "{method: arkode, tolerance: 1.0e-8}",
        "{method: dopri5, tolerance: 1.0e-8}", "{method: rodas5p, tolerance: 1.0e-8}",
        "{method: rk4, step: 1.0e-4, events: located}", "{method: rk4, step: 1.0e-4}"}) {
    for (const double until : {0.05, 0.15, 0.4}) {
      const auto scene = test::load_scene(fmt::format(
          "vesica: 1\nbodies:\n  belt:\n    prescribed: {{velocity: [-1, 0, 0]}}\n    shapes:\n"
          "      - {{type: box, size: [0.2, 0.4, 0.1], pose: {{position: [0, 0, -0.05]}}}}\n"
          "      - {{type: box, size: [0.2, 0.4, 0.1], pose: {{position: [0.2, 0, -0.05]}}}}\n"
          "      - {{type: box, size: [0.2, 0.4, 0.1], pose: {{position: [0.4, 0, -0.05]}}}}\n"
          "      - {{type: box, size: [0.2, 0.4, 0.1], pose: {{position: [0.6, 0, -0.05]}}}}\n"
          "      - {{type: box, size: [0.2, 0.4, 0.1], pose: {{position: [0.8, 0, -0.05]}}}}\n"
          "  block: {{mass: 1, inertia: [1.0e-3, 1.0e-3, 1.0e-3], shape: {{type: box, size: [0.05, "
          "0.05, 0.05]}}, joint: {{type: prismatic, parent: world, axis: [0, 0, 1], start: "
          "0.0249}}}}\n"
          "contacts:\n  - {{between: [block, belt], normal: {{law: volumetric, stiffness: 1.0e7, "
          "damping: 60}}, friction: {{law: none}}}}\n"
          "forces:\n  - {{type: force, body: block, force: [0, 0, -1], from: 0, until: {}}}\n"
          "duration: 0.7\nsolver: {}\noutput: {{interval: 0.7}}\n",
          until, solver));
      const RunResult run = simulate(scene.system, scene.options);
      ASSERT_TRUE(run.failure.empty()) << run.failure << solver;
      // It sinks in by m g/(k A) = 0.39 mm, less while it crosses to the next box.
      EXPECT_NEAR(last_of(run.recording, "block.position.z"), 0.0246, 3e-4) << solver << until;
      EXPECT_GE(run.monitors[0].touchdowns, 4) << solver << until;
    }
  }
}

// Two free bodies push each other: momentum and moment of momentum stay.
TEST(LostContacts, KeepMomentum) {
  struct Pair {
    const char *a, *b;
    double height;  // of a when they touch
  };
  const Pair pairs[] = {{"{type: sphere, radius: 0.1}", kHole, 0.08},
                        {kTube, "{type: box, size: [0.5, 0.5, 0.1]}", 0.1},
                        {kTwoBalls, "{type: box, size: [0.5, 0.5, 0.1]}", 0.1},
                        {"{type: box, size: [1, 0.1, 0.05]}", kPiers, 0.025}};
  for (const Pair& pair : pairs) {
    for (const char* law : {"volumetric, stiffness: 1.0e7, damping: 0.3",
                            "hunt_crossley, stiffness: 1.0e5, damping: 0.3"}) {
      for (const char* solver :
           {"{method: rk4, step: 2.0e-5}", "{method: cvode, tolerance: 1.0e-9}"}) {
        const auto scene = test::load_scene(fmt::format(
            "vesica: 1\ngravity: [0, 0, 0]\nbodies:\n"
            "  a: {{mass: 2, inertia: [0.02, 0.02, 0.02], shape: {}, pose: {{position: [0.01, "
            "0.02, {}]}}, velocity: {{linear: [0.1, 0, -1], angular: [0.3, 0.2, 0.1]}}}}\n"
            "  b: {{mass: 3, inertia: [0.05, 0.05, 0.05], shape: {}}}\n"
            "contacts:\n  - {{between: [a, b], normal: {{law: {}}}, friction: {{law: "
            "brown_mcphee, mu_s: 0.4, mu_d: 0.3, v_t: 0.05}}}}\n"
            "duration: 0.02\nsolver: {}\n",
            pair.a, pair.height + 2e-3, pair.b, law, solver));
        const RunResult run = simulate(scene.system, scene.options);
        ASSERT_TRUE(run.failure.empty()) << run.failure << pair.a << law << solver;
        EXPECT_GE(run.monitors[0].touchdowns, 1) << pair.a << pair.b;
        const auto calc_momentum = [&](const std::vector<double>& y, Vec3d* spin) {
          const auto& layout = scene.system.layout();
          Vec3d p = Vec3d::Zero();
          *spin = p;
          const double mass[] = {2, 3}, inertia[] = {0.02, 0.05};
          for (const size_t b : {size_t{0}, size_t{1}}) {
            const double* x = y.data() + layout.position(b);
            const double* v = y.data() + layout.velocity(b);
            const Vec3d place(x[0], x[1], x[2]), speed(v[0], v[1], v[2]), w(v[3], v[4], v[5]);
            p += mass[b] * speed;
            *spin += mass[b] * place.cross(speed) + inertia[b] * w;
          }
          return p;
        };
        Vec3d spin, spin_then;
        const Vec3d now = calc_momentum(run.state, &spin);
        const Vec3d then = calc_momentum(scene.system.make_initial_state().y, &spin_then);
        EXPECT_LT((now - then).norm(), 1e-10) << pair.a << law << solver;
        EXPECT_LT((spin - spin_then).norm(), 1e-6) << pair.a << law << solver;
      }
    }
  }
}

// On a half-space a law by depth acts at the lowest point, and the energy of k d^(p+1)/(p+1) is
// kept: once a tetrahedron doubled its energy in 20 s.
TEST(DepthLaws, KeepEnergyOnAHalfSpace) {
  const char* const shapes[] = {
      "{type: convex, vertices: [[0.1, 0, -0.05], [-0.06, 0.08, -0.05], [-0.06, -0.08, -0.05], "
      "[0.01, 0, 0.1]]}",
      "{type: box, size: [0.1, 0.14, 0.2]}",
      "{type: ellipsoid, radii: [0.1, 0.07, 0.05]}",
      "{type: cylinder, radius: 0.05, length: 0.2}",
      "{type: cone, angle: 30 deg, height: 0.15}",
      "{type: capsule, radius: 0.04, length: 0.15}",
      "{type: torus, radius: 0.08, tube_radius: 0.03}",
      kTwoBalls};
  for (const char* shape : shapes) {
    for (const char* law : {"hunt_crossley, stiffness: 2.0e6", "kelvin_voigt, stiffness: 5.0e4"}) {
      const auto scene = test::load_scene(fmt::format(
          "vesica: 1\nbodies:\n"
          "  top: {{mass: 1, inertia: [2.0e-3, 3.0e-3, 4.0e-3], shape: {}, pose: {{position: [0, "
          "0, "
          "0.2], axis: [1, 0.4, 0.2], angle: 0.6}}, velocity: {{angular: [2, 3, 1]}}}}\n"
          "  ground: {{fixed: true, shape: {{type: half_space}}}}\n"
          "contacts:\n  - {{between: [top, ground], normal: {{law: {}}}, friction: {{law: "
          "none}}}}\n"
          "duration: 1.0\nsolver: {{method: cvode, tolerance: 1.0e-10}}\n",
          shape, law));
      const RunResult run = simulate(scene.system, scene.options);
      ASSERT_TRUE(run.failure.empty()) << run.failure << shape << law;
      EXPECT_GE(run.monitors[0].touchdowns, 2) << shape;
      EXPECT_EQ(run.non_potential_work, 0) << shape << law;
      // 1.04e-5 at the most, of the cone; the integrator's.
      EXPECT_NEAR(run.end_energy / run.start_energy, 1, 1e-4) << shape << law;
    }
  }
}

}  // namespace
}  // namespace vesica::lost_contacts_test
