// Trunk, head and arms against mechanics that is known.
#include <gtest/gtest.h>

#include <numbers>

#include "tests/forces/synthetic_walker.h"
#include "tests/support/support.h"
#include "vesica/forces/evaluate.h"
#include "vesica/forces/files.h"
#include "vesica/forces/recordings.h"
#include "vesica/forces/signals.h"
#include "vesica/io/yaml.h"
#include "vesica/motion/butterworth.h"

namespace vesica::forces_upper_body_test {

using namespace forces;
using test::SyntheticWalker;

constexpr double kFrequency = 1.5;  // Hz
const double kOmega = 2 * std::numbers::pi * kFrequency;

// What is added to a walker: markers that go with the pelvis, each with a motion of its own, m.
struct Upper {
  double top = 0;    // up, of neck and head
  double wrist = 0;  // ahead, of both wrists
  bool head = true, arms = true;
};

MotionTrial add_upper(const MotionTrial& legs, const Upper& upper) {
  MotionTrial trial = legs;
  MarkerTracks& m = trial.markers;
  m.positions.clear();
  m.labels = legs.markers.labels;
  const size_t old = legs.markers.markers();
  for (size_t k = 0; k < m.times.size(); ++k) {
    Vec3d pelvis = Vec3d::Zero();
    for (const char* name : {"R.ASIS", "L.ASIS", "R.PSIS", "L.PSIS"}) {
      pelvis += 0.25 * legs.markers.at(k, legs.markers.find(name));
    }
    for (size_t i = 0; i < old; ++i) m.positions.push_back(legs.markers.at(k, i));
    const double c = std::cos(kOmega * m.times[k]);
    const auto add = [&](const std::string& name, const Vec3d& p) {
      if (k == 0) m.labels.push_back(name);
      m.positions.push_back(pelvis + p);
    };
    const Vec3d rise(0, upper.top * c, 0);
    add("C7", Vec3d(-0.06, 0.5, 0) + rise);
    add("CLAV", Vec3d(0.06, 0.48, 0) + rise);
    for (const double side : {1.0, -1.0}) {
      const std::string letter = side > 0 ? "R" : "L";
      if (upper.head) {
        add(letter + "FHD", Vec3d(0.1, 0.7, 0.07 * side) + rise);
        add(letter + "BHD", Vec3d(-0.1, 0.7, 0.07 * side) + rise);
      }
      if (!upper.arms) continue;
      add(letter + "SHO", Vec3d(0, 0.45, 0.18 * side) + rise);
      add(letter + "ELB", Vec3d(0, 0.15, 0.25 * side) + rise);
      const Vec3d wrist = Vec3d(0.05 + upper.wrist * c, -0.1, 0.25 * side) + rise;
      add(letter + "WRA", wrist + Vec3d(0.02, 0, 0));
      add(letter + "WRB", wrist - Vec3d(0.02, 0, 0));
    }
  }
  return trial;
}

// The total, with a model that gives the pelvis no weight: what is seen needs no training.
Track calc_seen_total(const Upper& upper, double bounce = 0) {
  SyntheticWalker walker;
  walker.bounce = bounce;
  walker.bounce_frequency = kFrequency;
  const Body body = make_body(SyntheticWalker().make_trial(true));
  const Walk walk = make_walk(add_upper(walker.make_trial(false), upper), "walk", body);
  EXPECT_EQ(walk.upper.parts.size(), 1u + (upper.head ? 1 : 0) + (upper.arms ? 1 : 0));
  SignalModel model;
  model.upper_body = true;
  return calc_total(walk, model);
}

// Amplitude of the acceleration over g of 1 m at the frequency, as filters and differences have it.
double calc_unit() {
  const double rate = SyntheticWalk().rate;
  const double w = 2 * rate * std::sin(std::numbers::pi * kFrequency / rate);
  return make_low_pass(12.0, rate).gain(kFrequency) * w * w / kGravity;
}

void expect_difference(const Track& moved, const Track& still, int axis, double amplitude) {
  const double rate = SyntheticWalk().rate;
  for (size_t k = 100; k + 100 < still.size(); ++k) {
    const double c = std::cos(kOmega * static_cast<double>(k) / rate);
    ASSERT_NEAR(moved[k][axis] - still[k][axis], -amplitude * c, 1e-6) << k;  // of body weight
  }
}

// De Leva's fractions: what is not the trunk goes with its top.
TEST(ForcesUpperBody, MassTimesAccelerationOfEachPart) {
  constexpr double arms = 2 * (0.0271 + 0.0162 + 0.0061);
  for (const bool seen : {true, false}) {
    Upper upper;
    upper.head = upper.arms = seen;
    const Track still = calc_seen_total(upper);
    upper.top = 0.02;
    const double trunk = 0.4346 * (1 - 0.5 * (0.5138 + 0.4486));
    expect_difference(calc_seen_total(upper), still, 1,
                      (trunk + 0.0694 + arms) * upper.top * calc_unit());
  }
  Upper swing;
  const Track still = calc_seen_total(swing);
  swing.wrist = 0.1;
  expect_difference(calc_seen_total(swing), still, 0,
                    2 * (0.0162 * 0.4574 + 0.0061 * 1.25) * swing.wrist * calc_unit());
}

// Newton's second law: the whole body's mass is one.
TEST(ForcesUpperBody, AllOfTheBodyAcceleratedIsItsWholeMass) {
  constexpr double bounce = 0.02;
  expect_difference(calc_seen_total({}, bounce), calc_seen_total({}), 1, bounce * calc_unit());
}

TEST(ForcesUpperBody, AnArmThatIsNotSeenThroughoutRidesOnTheTrunk) {
  SyntheticWalker walker;
  const Body body = make_body(walker.make_trial(true));
  MotionTrial trial = add_upper(walker.make_trial(false), {});
  const size_t elbow = trial.markers.find("LELB");
  for (size_t k = 200; k < 240; ++k) {
    trial.markers.positions[k * trial.markers.markers() + elbow].setConstant(kMissing);
  }
  const Walk walk = make_walk(trial, "walk", body);
  EXPECT_EQ(walk.upper.parts, (std::vector<std::string>{"trunk", "head"}));
  bool told = false;
  for (const std::string& note : walk.notes) told = told || note.find("L.Elbow") != note.npos;
  EXPECT_TRUE(told);
}

TEST(ForcesUpperBody, LegsAloneHaveNone) {
  SyntheticWalker walker;
  const Body body = make_body(walker.make_trial(true));
  const Walk walk = make_walk(walker.make_trial(false), "walk", body);
  EXPECT_FALSE(walk.upper.is_seen());
  Population population = load_population(test::source_dir() + "/studies/forces/population.yaml");
  EXPECT_FALSE(population.signals.upper_body);
  population.signals.upper_body = true;
  EXPECT_NE(test::input_error_of([&] {
              predict(walk, body, {&population, nullptr, 700});
            }).find("no trunk"),
            std::string::npos);
  const Population again =
      read_population(InputFile::parse(make_population_yaml(population), "population"));
  EXPECT_TRUE(again.signals.upper_body);
}

// What Newton's law asks of the mass that is no leg, where plates saw both feet; elsewhere it rides
// on the pelvis.
void see_true_upper_body(const Person& person, MeasuredWalk* m) {
  Walk& w = m->walk;
  w.upper.parts = {"trunk"};
  w.upper.moment.assign(w.frames(), Vec3d::Zero());
  w.upper.acceleration.assign(w.frames(), Vec3d::Zero());
  const Track untrained = calc_untrained_total(w);
  for (size_t k = 0; k < w.frames(); ++k) {
    int needed = 0, had = 0;
    const auto is_on = [&](const Contact& c) {
      return w.times[k] > c.strike - 0.02 && w.times[k] < c.off + 0.03;
    };
    Vec3d force = Vec3d::Zero();
    for (const Contact& c : w.contacts) needed += is_on(c) ? 1 : 0;
    for (const MeasuredStance& s : m->stances) {
      had += is_on(w.contacts[s.contact]) ? 1 : 0;
      force += s.force[k] / person.weight;
    }
    const Vec3d total = needed == had && had > 0 ? force : untrained[k];
    w.upper.acceleration[k] = total - Vec3d::UnitY() - w.legs_acceleration[k];
  }
}

// People who are seen whole teach a population that makes use of it.
TEST(ForcesUpperBody, APopulationThatSeesTrunksUsesThem) {
  const auto root = test::shared_data() / "wbds";
  if (!std::filesystem::exists(root)) GTEST_SKIP() << "no recordings at " << root;
  std::vector<Person> people;
  for (const char* name : {"WBDS01", "WBDS03", "WBDS05", "WBDS08", "WBDS16"}) {
    const FolderFiles files = list_folder((root / name).string());
    people.push_back(load_person(name, files.standing, files.walks, {}));
  }
  const auto judge = [&] {
    std::vector<const Person*> all;
    for (const Person& p : people) all.push_back(&p);
    EXPECT_EQ(fit_population(all).signals.upper_body, people[0].walks[0].walk.upper.is_seen());
    return average(leave_one_out(all, {}), &StanceScore::stranger);
  };
  const Errors without = judge();
  for (Person& p : people) {
    for (MeasuredWalk& m : p.walks) see_true_upper_body(p, &m);
  }
  const Errors with = judge();
  EXPECT_LT(with.force, 0.9 * without.force);  // 3.56 and 4.12, 1.30 and 1.67, 0.87 and 1.07
  EXPECT_LT(with.ahead, 0.9 * without.ahead);
  EXPECT_LT(with.lateral, 0.9 * without.lateral);
}

}  // namespace vesica::forces_upper_body_test
