// Walks and signals against mechanics that is known: closed forms, conservation, symmetry.
#include <gtest/gtest.h>

#include <numbers>

#include "tests/forces/synthetic_walker.h"
#include "tests/support/support.h"
#include "vesica/error.h"
#include "vesica/forces/files.h"
#include "vesica/forces/judge.h"
#include "vesica/forces/moments.h"
#include "vesica/forces/signals.h"
#include "vesica/forces/sole.h"
#include "vesica/io/yaml.h"
#include "vesica/motion/butterworth.h"

namespace vesica::forces_walk_test {

using namespace forces;
using test::SyntheticWalker;

Population load_shipped() {
  return load_population(test::source_dir() + "/studies/forces/population.yaml");
}

struct Made {
  Body body;
  Walk walk;
};
Made make(const SyntheticWalker& walker) {
  SyntheticWalker standing = walker;
  standing.offset = Vec3d::Zero();
  Made made;
  made.body = make_body(standing.make_trial(true));
  made.walk = make_walk(walker.make_trial(false), "walk", made.body);
  return made;
}

TEST(ForcesWalk, AccelerationIsThatOfAFilteredSine) {
  constexpr double rate = 150, frequency = 1.5;
  Track track(600);
  for (size_t k = 0; k < track.size(); ++k) {
    track[k] =
        Vec3d(std::sin(2 * std::numbers::pi * frequency * static_cast<double>(k) / rate), 0, 0);
  }
  const Track a = calc_acceleration(track, 6.0, rate);
  // Central differences of a sine: -(2 sin(w dt / 2) / dt)^2.
  const double w = 2 * rate * std::sin(std::numbers::pi * frequency / rate);
  const double gain = make_low_pass(6.0, rate).gain(frequency);
  for (size_t k = 150; k < 450; ++k) {
    EXPECT_NEAR(a[k].x(), -gain * w * w * track[k].x(), 1e-6 * w * w);  // 2e-9 measured
  }
}

TEST(ForcesWalk, BodyOfTheStandingTrial) {
  const Body body = make_body(SyntheticWalker().make_trial(true));
  EXPECT_NEAR(body.foot_length, 0.20, 1e-9);
  EXPECT_NEAR(body.foot_width, 0.075, 1e-9);
  // Harrington's regression by hand: depth 0.18111 (20 mm of it down), width 0.24.
  const double depth = std::hypot(0.18, 0.02);
  const Vec3d x = Vec3d(0.18, -0.02, 0) / depth, y(0.02 / depth, 0.18 / depth, 0);
  const Vec3d hip = Vec3d(0.09, 0.9, 0) - (0.24 * depth + 0.0099) * x - (0.30 * 0.24 + 0.0109) * y +
                    (0.33 * 0.24 + 0.0073) * Vec3d::UnitZ();
  EXPECT_LT((body.hip[kRight] - hip).norm(), 1e-9);
  EXPECT_NEAR(body.pelvis_height, 0.91, 1e-9);
}

TEST(ForcesWalk, ContactsAreThoseOfTheWalker) {
  const SyntheticWalker walker;
  const Made made = make(walker);
  int whole = 0;
  for (const Contact& c : made.walk.contacts) {
    if (!c.is_whole()) continue;
    ++whole;
    // The events' constants are those of real feet; here the foot stops at once: 40 ms.
    double nearest = 1;
    for (int n = 0; n < 6; ++n) {
      nearest = std::min(nearest, std::abs(c.strike - walker.steps.strike_of(c.side, n)));
    }
    EXPECT_LT(nearest, 0.04);
    EXPECT_NEAR(c.duration(), walker.steps.stance * walker.steps.stride, 0.08);
  }
  EXPECT_GE(whole, 8);
  EXPECT_NEAR(made.walk.speed, walker.steps.speed(), 1e-3);
}

// Newton's second law: all of the body accelerated by a adds a to force over mass.
TEST(ForcesWalk, TotalForceFollowsTheAccelerationOfTheWhole) {
  SyntheticWalker walker;
  const Made plain = make(walker);
  walker.bounce = 0.02;
  walker.sway = 0.03;
  const Made moved = make(walker);
  const Track a = calc_untrained_total(plain.walk), b = calc_untrained_total(moved.walk);
  const double w = 2 * std::numbers::pi * walker.bounce_frequency;
  for (size_t k = 100; k + 100 < plain.walk.frames(); ++k) {
    const double s = -w * w * std::cos(w * plain.walk.times[k]) / kGravity;
    EXPECT_NEAR(b[k].y() - a[k].y(), walker.bounce * s, 0.02 * walker.bounce * w * w / kGravity);
    EXPECT_NEAR(b[k].x() - a[k].x(), walker.sway * s, 0.02 * walker.sway * w * w / kGravity);
  }
}

// A body at rest: its force acts under its centre of mass.
TEST(ForcesWalk, TotalForceOfABodyAtRestActsUnderItsCentreOfMass) {
  Made made = make(SyntheticWalker());
  Walk& w = made.walk;
  SignalModel model;
  Track total(w.frames(), Vec3d(0, 1, 0));
  // Nothing accelerates: what is left of the moment is weight times distance.
  for (Track& t : w.pelvis_acceleration) t.assign(w.frames(), Vec3d::Zero());
  for (size_t k = 0; k < w.frames(); ++k) {
    w.slow_pelvis[k] = w.pelvis[k];
    w.legs_moment[k].setZero();
    for (const Leg& leg : w.legs) {
      for (size_t i = 0; i < 3; ++i) {
        w.legs_moment[k] += kSegments[i].fraction * (leg.mass_center[i][k] - w.pelvis[k]);
      }
    }
  }
  const std::vector<Vec2d> center = calc_center(w, made.body, model, total);
  double legs = 0;
  for (const SegmentMass& s : kSegments) legs += 2 * s.fraction;
  for (size_t k = 0; k < w.frames(); k += 50) {
    Vec3d mass = (1 - legs) * w.pelvis[k];
    for (const Leg& leg : w.legs) {
      for (size_t i = 0; i < 3; ++i) mass += kSegments[i].fraction * leg.mass_center[i][k];
    }
    EXPECT_NEAR(center[k][0], mass.x(), 1e-12);
    EXPECT_NEAR(center[k][1], mass.z(), 1e-12);
  }
}

// What physics gives to both feet in double support is the total.
TEST(ForcesWalk, FeetShareTheTotal) {
  const Made made = make(SyntheticWalker());
  const SignalModel model = load_shipped().signals;
  const Track total = calc_total(made.walk, model);
  const std::vector<ContactSignals> signals = calc_signals(made.walk, made.body, model);
  int checked = 0;
  for (size_t i = 0; i + 1 < signals.size(); ++i) {
    const Contact& a = made.walk.contacts[i];
    const Contact& b = made.walk.contacts[i + 1];
    if (a.side == b.side || !a.is_whole() || !b.is_whole()) continue;
    for (size_t k = signals[i + 1].first; k < signals[i].last; ++k) {
      const double t = made.walk.times[k];
      if (t <= b.strike || t >= a.off) continue;
      for (int axis = 0; axis < 3; ++axis) {
        const double one = signals[i].at(k, axis)[0] * (axis == 2 ? sign_of(a.side) : 1);
        const double two = signals[i + 1].at(k, axis)[0] * (axis == 2 ? sign_of(b.side) : 1);
        EXPECT_NEAR(one + two, total[k][axis], 1e-12);
      }
      ++checked;
    }
  }
  EXPECT_GT(checked, 30);
}

TEST(ForcesWalk, SoleCarriesItsForceWhereTheFootIsLowest) {
  Made made = make(SyntheticWalker());
  Walk& w = made.walk;
  const size_t k = 100;
  Leg& leg = w.legs[kRight];
  w.slope.setZero();
  const auto place = [&](double pitch) {
    leg.origin[k] = Vec3d::Zero();
    const double c = std::cos(pitch), s = std::sin(pitch);
    leg.R_HF[k] << c, -s, 0, s, c, 0, 0, 0, 1;
    leg.toward[k] = Vec2d(1, 0);
    leg.pitch[k] = pitch;
    return calc_sole_pressure(w, made.body, kRight, k, 1.0);
  };
  // On the heel: by bisection, in code of its own.
  const double points[7][2] = {
      {0.035, -0.015}, {0.035, 0.015},  {0.065, 0.005}, {0.05 + 0.55 * (0.16 - 0.05), 0.033},
      {0.16, 0.033},   {0.183, 0.0075}, {0.19, -0.018}};
  const double pitch = 0.03;
  const Vec2d found = place(pitch);
  const double toe_bend = 0.05 * std::log1p(std::exp((-pitch - 0.05) / 0.05));
  const double toe = 400.0 / 700.0 * toe_bend, k_s = 250.0 / 700.0 / 1.6e-5;
  double low = -1, high = 1;
  Vec2d sum = Vec2d::Zero();
  for (int i = 0; i < 100; ++i) {
    const double D = 0.5 * (low + high);
    double f = 0;
    sum.setZero();
    for (const auto& p : points) {
      const double y = std::sin(pitch) * p[0];
      const double one = k_s * std::pow(std::max(0.0, D - y), 2);
      f += one;
      sum += one * Vec2d(std::cos(pitch) * p[0], p[1]);
    }
    (f > 1 - toe ? high : low) = D;
  }
  sum += toe * Vec2d(std::cos(pitch) * 0.175 + 0.05, 0.0075 - 0.012);
  EXPECT_LT((found - sum).norm(), 1e-9);
  // Rolling forwards moves it forwards.
  EXPECT_LT(place(0.1)[0], place(0.0)[0]);
  EXPECT_LT(place(0.0)[0], place(-0.1)[0]);
}

// Heading, place and axes of the laboratory do not matter.
TEST(ForcesWalk, TurningTheLaboratoryTurnsTheForces) {
  const Population population = load_shipped();
  SyntheticWalker walker;
  const Made plain = make(walker);
  const Prediction one = predict(plain.walk, plain.body, {&population, nullptr, 700});
  Mat3d z_up;
  z_up << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  const double turn = 0.7;
  Mat3d heading;
  heading << std::cos(turn), -std::sin(turn), 0, std::sin(turn), std::cos(turn), 0, 0, 0, 1;
  walker.R = heading * z_up;
  walker.offset = Vec3d(1.3, -2.0, 0.0);
  const Made turned = make(walker);
  EXPECT_LT((turned.walk.up_W - Vec3d::UnitZ()).norm(), 1e-12);
  const Prediction two = predict(turned.walk, turned.body, {&population, nullptr, 700});
  ASSERT_EQ(plain.walk.frames(), turned.walk.frames());
  for (size_t side = 0; side < 2; ++side) {
    for (size_t k = 0; k < plain.walk.frames(); ++k) {
      const Vec3d f = walker.R * (plain.walk.R_HW.transpose() * one.feet[side].force[k]);
      const Vec3d g = turned.walk.R_HW.transpose() * two.feet[side].force[k];
      ASSERT_LT((f - g).norm(), 0.05) << k;  // N; floor levels see another place: 1e-3 measured
      if (!one.feet[side].on[k]) continue;
      const Vec2d& p = one.feet[side].pressure[k];
      const Vec2d& q = two.feet[side].pressure[k];
      const Vec3d p_W = walker.R * plain.walk.as_recorded(k, {p[0], 0, p[1]}) + walker.offset;
      ASSERT_LT((p_W - turned.walk.as_recorded(k, {q[0], 0, q[1]})).norm(), 1e-4) << k;
    }
  }
}

// Left and right exchange in a mirror; nothing else changes.
TEST(ForcesWalk, MirroredWalkerHasMirroredForces) {
  const Population population = load_shipped();
  SyntheticWalker walker;
  const Made plain = make(walker);
  walker.mirrored = true;
  const Made mirror = make(walker);
  ASSERT_EQ(plain.walk.contacts.size(), mirror.walk.contacts.size());
  for (size_t i = 0; i < plain.walk.contacts.size(); ++i) {
    EXPECT_NEAR(plain.walk.contacts[i].strike, mirror.walk.contacts[i].strike, 1e-9);
    EXPECT_EQ(plain.walk.contacts[i].side, 1 - mirror.walk.contacts[i].side);
  }
  const Prediction one = predict(plain.walk, plain.body, {&population, nullptr, 700});
  const Prediction two = predict(mirror.walk, mirror.body, {&population, nullptr, 700});
  for (size_t side = 0; side < 2; ++side) {
    for (size_t k = 0; k < plain.walk.frames(); ++k) {
      Vec3d f = one.feet[side].force[k];
      f.z() = -f.z();
      ASSERT_LT((f - two.feet[1 - side].force[k]).norm(), 1e-6) << k;  // N
      if (!one.feet[side].on[k]) continue;
      Vec2d p = one.feet[side].pressure[k];
      p[1] = -p[1];
      ASSERT_LT((p - two.feet[1 - side].pressure[k]).norm(), 1e-7) << k;  // 5e-9 measured
    }
  }
}

TEST(ForcesWalk, ExchangedSidesAreFoundAndUndone) {
  const SyntheticWalker walker;
  const Made plain = make(walker);
  MotionTrial trial = walker.make_trial(false);
  for (std::string& label : trial.markers.labels) label[0] = label[0] == 'R' ? 'L' : 'R';
  const Walk walk = make_walk(trial, "walk", plain.body);
  EXPECT_TRUE(walk.sides_exchanged);
  ASSERT_EQ(walk.contacts.size(), plain.walk.contacts.size());
  for (size_t i = 0; i < walk.contacts.size(); ++i) {
    EXPECT_EQ(walk.contacts[i].side, plain.walk.contacts[i].side);
    EXPECT_NEAR(walk.contacts[i].strike, plain.walk.contacts[i].strike, 1e-9);
  }
}

TEST(ForcesWalk, SlopeOfTheFloorIsFoundFromFeetThatStand) {
  SyntheticWalker walker;
  MotionTrial trial = walker.make_trial(false), standing = walker.make_trial(true);
  for (MotionTrial* t : {&trial, &standing}) {
    for (Vec3d& p : t->markers.positions) p.y() += 0.006 * p.x();
  }
  const Body body = make_body(standing);
  Walk walk = make_walk(trial, "walk", body);
  const Vec3d slope = level_floor(body, {&walk});
  EXPECT_NEAR(slope.x(), 0.006, 2e-4);  // prior 0 +- 0.005 against millimetres over metres
}

TEST(ForcesWalk, MomentsOfAStandingLegAreForceTimesArm) {
  Made made = make(SyntheticWalker());
  Walk& w = made.walk;
  Leg& leg = w.legs[kRight];
  // A leg at rest without mass to speak of.
  for (Track* t : {&leg.ankle, &leg.knee, &leg.hip, &leg.toe_tip, &leg.origin}) {
    const Vec3d p = (*t)[100];
    t->assign(w.frames(), p);
  }
  for (Track& t : leg.mass_center) t.assign(w.frames(), t[100]);
  const Vec3d f(-30, 500, 12);
  const Vec2d p(leg.ankle[0].x() + 0.1, leg.ankle[0].z());
  const LegMoments m = calc_leg_moments(w, kRight, 1e-9, Track(w.frames(), f),
                                        std::vector<Vec2d>(w.frames(), p), 0.0);
  const auto arm = [&](const Vec3d& c) { return -((p[0] - c.x()) * f.y() - (0 - c.y()) * f.x()); };
  EXPECT_NEAR(m[kAnkle][50], arm(leg.ankle[0]), 1e-6);
  EXPECT_NEAR(m[kKnee][50], -arm(leg.knee[0]), 1e-6);
  EXPECT_NEAR(m[kHip][50], arm(leg.hip[0]), 1e-6);
  EXPECT_LT(m[kAnkle][50], 0);  // load ahead of the ankle asks for plantarflexion
}

TEST(ForcesWalk, SaysWhichMarkersAreMissing) {
  const auto without = [](MotionTrial trial, const std::string& name) {
    for (std::string& label : trial.markers.labels) {
      if (label.ends_with(name)) label = "none" + label.substr(2);
    }
    return trial;
  };
  const SyntheticWalker walker;
  const MotionTrial standing = walker.make_trial(true), trial = walker.make_trial(false);
  const Body body = make_body(standing);
  EXPECT_NE(test::input_error_of([&] { make_body(without(standing, "ASIS")); }).find("R.ASIS"),
            std::string::npos);
  EXPECT_NE(test::input_error_of([&] { make_body(without(standing, "L.Heel")); }).find("L.Heel"),
            std::string::npos);
  EXPECT_NE(
      test::input_error_of([&] { make_walk(without(trial, "SIS"), "w", body); }).find("pelvis"),
      std::string::npos);
  const std::string foot = test::input_error_of(
      [&] { make_walk(without(without(trial, "L.MT1"), "L.MT5"), "w", body); });
  EXPECT_NE(foot.find("left foot"), std::string::npos) << foot;
  EXPECT_NE(foot.find("L.MT1"), std::string::npos) << foot;
  MotionTrial empty;
  empty.file = "empty";
  EXPECT_NE(test::input_error_of([&] { make_body(empty); }).find("no markers"), std::string::npos);
}

TEST(ForcesWalk, JudgesSpeedAndStarting) {
  const Population population = load_shipped();
  SyntheticWalker walker;
  Made made = make(walker);
  EXPECT_TRUE(judge(calc_figures(made.walk, made.body), made.walk, made.body, population, 600)
                  .refused.empty());
  made.walk.froude_speed = 1.4;
  EXPECT_FALSE(judge(calc_figures(made.walk, made.body), made.walk, made.body, population, 600)
                   .refused.empty());
  WalkFigures figures;
  figures.turn = 30;
  figures.speed_change = 0.4;
  figures.asymmetry = 0.4;
  // And it is another marker set.
  EXPECT_EQ(judge(figures, made.walk, made.body, population, 600).outside.size(), 4u);
}

TEST(ForcesWalk, FilesComeBackAsTheyWere) {
  const Population a = load_shipped();
  const Population b = read_population(InputFile::parse(make_population_yaml(a), "population"));
  EXPECT_EQ(make_population_yaml(a), make_population_yaml(b));
  Calibration c;
  c.title = "a \"name\"";
  c.trials = {"one"};
  c.stances = 3;
  c.weight = 700;
  c.means.speed = 0.4;
  c.body = make(SyntheticWalker()).body;
  c.curves[1][2][50] = 0.25;
  const std::string text = make_calibration_yaml(c);
  EXPECT_EQ(text, make_calibration_yaml(read_calibration(InputFile::parse(text, "c"))));
  std::string broken = text;
  broken.replace(broken.find("0.25 "), 5, "0.25x ");
  EXPECT_NE(test::input_error_of([&] {
              read_calibration(InputFile::parse(broken, "c"));
            }).find("left.force_outward.a"),
            std::string::npos);
}

}  // namespace vesica::forces_walk_test
