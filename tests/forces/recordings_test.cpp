// The whole path on thirteen people, who live beside the repository (shared/data).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "tests/support/support.h"
#include "vesica/forces/compare.h"
#include "vesica/forces/evaluate.h"
#include "vesica/forces/files.h"
#include "vesica/forces/recordings.h"

namespace vesica::forces_recordings_test {

using namespace forces;

#define NEEDS_RECORDINGS                                        \
  if (!std::filesystem::exists(test::shared_data() / "wbds")) { \
    GTEST_SKIP() << "no recordings at " << test::shared_data(); \
  }

const std::vector<Person>& get_people() {
  static const std::vector<Person> people = [] {
    std::vector<Person> all;
    for (const char* root : {"wbds", "wbds07"}) {
      for (const std::string& folder : list_person_folders((test::shared_data() / root).string())) {
        const FolderFiles files = list_folder(folder);
        PersonOptions options;
        options.skip_bad = true;
        all.push_back(load_person(std::filesystem::path(folder).filename().string(), files.standing,
                                  files.walks, options));
      }
    }
    return all;
  }();
  return people;
}

const Person& get_person(const std::string& name) {
  for (const Person& p : get_people()) {
    if (p.name == name) return p;
  }
  throw std::runtime_error("no " + name);
}

TEST(ForcesRecordings, FrontEndFindsWhatIsWrong) {
  NEEDS_RECORDINGS
  size_t stances = 0;
  for (const Person& p : get_people()) {
    EXPECT_TRUE(p.notes.empty()) << p.name;
    stances += p.stances();
    for (const MeasuredWalk& m : p.walks) {
      EXPECT_EQ(m.walk.sides_exchanged, m.walk.name == "WBDS16walkO01C") << m.walk.name;
      for (const RejectedLoad& r : m.rejected) EXPECT_FALSE(r.why.empty());
    }
    // Plates 3 and 4 of one recording day read twice what the others do.
    ASSERT_EQ(p.scales.size(), p.name == "WBDS18" ? 2u : 0u) << p.name;
    for (const PlateScale& s : p.scales) EXPECT_EQ(s.factor, 2.0);
  }
  EXPECT_EQ(stances, 268u);  // one hung over an edge
  // One foot stood over the edge of its plate: only its lateral force tells, as a MOT has no edges.
  for (const MeasuredWalk& m : get_person("WBDS01").walks) {
    size_t lateral = 0;
    for (const RejectedLoad& r : m.rejected) lateral += r.why.find("lateral") != r.why.npos ? 1 : 0;
    EXPECT_EQ(lateral, m.walk.name == "WBDS01walkO01S" ? 1u : 0u);
  }
  EXPECT_NEAR(get_person("WBDS18").weight, 581, 10);            // 578 measured
  EXPECT_NEAR(get_person("wbds07").weight, 697, 5);             // 695 measured
  EXPECT_NEAR(get_person("WBDS01").slope_W.x(), 5.6e-3, 1e-3);  // mm/m of FORCES
  EXPECT_NEAR(get_person("WBDS24").slope_W.x(), -3.5e-3, 1e-3);
}

TEST(ForcesRecordings, LeftOutPeopleAreInTheTargets) {
  NEEDS_RECORDINGS
  std::vector<const Person*> people;
  for (const Person& p : get_people()) people.push_back(&p);
  const Population shipped =
      load_population(test::source_dir() + "/studies/forces/population.yaml");
  EvaluationOptions options;
  options.bands = &shipped;
  const std::vector<PersonScore> scores = leave_one_out(people, options);
  const Errors own = average(scores, &StanceScore::own);
  const Errors stranger = average(scores, &StanceScore::stranger);
  EXPECT_LT(own.force, 3.2);  // 2.93 measured, and so on
  EXPECT_LT(own.pressure, 4.8);
  EXPECT_LT(own.ahead, 1.25);
  EXPECT_LT(own.lateral, 0.79);
  EXPECT_LT(stranger.force, 4.0);
  EXPECT_LT(stranger.pressure, 6.3);
  EXPECT_LT(stranger.ahead, 1.68);
  EXPECT_LT(stranger.lateral, 1.08);
  for (const PersonScore& p : scores) {
    for (const StanceScore& stance : p.stances) {  // 2.6 times the mean measured
      EXPECT_LT(stance.own.force, 3 * own.force);
      EXPECT_LT(stance.own.pressure, 3 * own.pressure);
      EXPECT_LT(stance.own.ahead, 3 * own.ahead);
      EXPECT_LT(stance.own.lateral, 3 * own.lateral);
    }
    EXPECT_LT(average({p}, &StanceScore::own).force, average({p}, &StanceScore::own_fair).force);
    EXPECT_LT(average({p}, &StanceScore::stranger).force,
              average({p}, &StanceScore::stranger_fair).force);
  }
  for (const auto member : {&StanceScore::own_coverage, &StanceScore::stranger_coverage}) {
    for (size_t o = 0; o < kOutputs; ++o) {
      double sum = 0, n = 0;
      for (const PersonScore& p : scores) {
        for (const StanceScore& s : p.stances) {
          if (!std::isfinite((s.*member)[o])) continue;
          sum += (s.*member)[o];
          n += 1;
        }
      }
      EXPECT_GT(sum / n, 0.90) << name_of_output(static_cast<int>(o));
      EXPECT_LT(sum / n, 0.97) << name_of_output(static_cast<int>(o));
    }
  }
  // The file that comes along is what these people teach.
  EXPECT_NEAR(shipped.figures.own.force, own.force, 0.02);
  EXPECT_NEAR(shipped.figures.stranger.pressure, stranger.pressure, 0.02);
}

// The mean centre of pressure against the table of an independent prototype.
TEST(ForcesRecordings, MeanCentreOfPressureIsThatOfThePrototype) {
  NEEDS_RECORDINGS
  std::ifstream file(test::shared_data() / "forces_population" / "M0.csv");
  ASSERT_TRUE(file.good());
  std::string line;
  std::getline(file, line);
  const Population shipped =
      load_population(test::source_dir() + "/studies/forces/population.yaml");
  size_t i = 0;
  while (std::getline(file, line) && i < kPhases) {
    double phase = 0, x = 0, z = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "%lf,%lf,%lf", &phase, &x, &z), 3);
    EXPECT_NEAR(shipped.signals.pressure[0][i], x, 0.003) << phase;  // 1 mm measured
    EXPECT_NEAR(shipped.signals.pressure[1][i], z, 0.003) << phase;
    ++i;
  }
  EXPECT_EQ(i, static_cast<size_t>(kPhases));
}

// A curve of one stance, judged on this stance, misses nothing: it is made where it is judged.
TEST(ForcesRecordings, BaselinesAreMadeWhereTheyAreJudged) {
  NEEDS_RECORDINGS
  const Population shipped =
      load_population(test::source_dir() + "/studies/forces/population.yaml");
  Errors sum;
  double n = 0;
  for (const char* name : {"WBDS01", "wbds07"}) {
    const Person& person = get_person(name);
    for (const Sample& s : make_samples(person, shipped.signals)) {
      Calibration own;
      own.means = calc_means({&s});
      const Predictor predictor{&shipped, &own, person.weight};
      const MeasuredWalk& m = person.walks[s.walk];
      const Errors e = calc_curve_errors(m.walk, person.body, m.stances[s.stance], person.weight,
                                         make_baseline(predictor, s.side, s.speed, true));
      sum.force += e.force;
      sum.pressure += e.pressure;
      n += 1;
    }
  }
  EXPECT_LT(sum.force / n, 1.0);  // of the first milliseconds, between 101 points
  EXPECT_LT(sum.pressure / n, 0.5);
}

TEST(ForcesRecordings, BandsNeedSomebodyWithTwoWalks) {
  NEEDS_RECORDINGS
  std::vector<Person> people(get_people().begin(), get_people().begin() + 3);
  for (Person& p : people) p.walks.resize(1);
  EXPECT_NE(test::input_error_of([&] { train(people); }).find("two walks"), std::string::npos);
}

// One step in which half of the foot was missed is no plate that reads half.
TEST(ForcesRecordings, AHalfMissedStepIsNotTheTruth) {
  NEEDS_RECORDINGS
  const auto folder = test::shared_data() / "wbds" / "WBDS26";
  const Person& whole = get_person("WBDS26");
  PersonOptions options;
  options.mass = whole.weight / kGravity;  // the level that plates are held against
  const Person alone = load_person("alone", (folder / "WBDS26static1.trc").string(),
                                   {{(folder / "WBDS26walkO03F.trc").string(), {}}}, options);
  EXPECT_TRUE(alone.scales.empty());
  EXPECT_NEAR(alone.weight_found.weight, whole.weight, 0.05 * whole.weight);
  const auto full = std::find_if(whole.walks.begin(), whole.walks.end(), [](const MeasuredWalk& m) {
    return m.walk.name == "WBDS26walkO03F";
  });
  EXPECT_EQ(alone.stances(), full->stances.size());
}

// A walk of which all plates but one read twice is known by its mass, or not used.
TEST(ForcesRecordings, PlatesThatAllReadTwiceAreSeen) {
  NEEDS_RECORDINGS
  const auto folder = test::shared_data() / "wbds" / "WBDS18";
  const auto load = [&](double mass) {
    PersonOptions options;
    options.mass = mass;
    return load_person("alone", (folder / "WBDS18static1.trc").string(),
                       {{(folder / "WBDS18walkO09S.trc").string(), {}}}, options);
  };
  EXPECT_EQ(load(0).stances(), 0u);
  const Person told = load(59);
  EXPECT_GT(told.stances(), 0u);
  EXPECT_NEAR(told.weight_found.weight, 59 * kGravity, 30);
}

TEST(ForcesRecordings, MotionKnowsNothingOfForcesThatRunBackwards) {
  NEEDS_RECORDINGS
  std::vector<const Person*> people;
  for (size_t i = 0; i < 7; ++i) people.push_back(&get_people()[i]);
  const PhysicsGain truth = calc_physics_gain(people, Placebo::kNone);
  const PhysicsGain placebo = calc_physics_gain(people, Placebo::kReversed);
  EXPECT_GT(truth.own, 25);
  EXPECT_GT(truth.stranger, 25);
  // How long double supports last is known of forces that run backwards, too: 12 and 8 measured.
  EXPECT_LT(placebo.own, 15);
  EXPECT_LT(placebo.stranger, 15);
  const PhysicsGain exchanged = calc_physics_gain(people, Placebo::kExchanged);
  EXPECT_LT(exchanged.own, 6);
  EXPECT_LT(exchanged.stranger, 6);
}

TEST(ForcesRecordings, JointMomentsAreThoseFromPlates) {
  NEEDS_RECORDINGS
  std::array<double, kJoints> sum{};
  double n = 0;
  // Two people, calibrated; models of the others.
  for (const char* name : {"WBDS03", "WBDS30"}) {
    const Person& person = get_person(name);
    std::vector<const Person*> others;
    for (const Person& p : get_people()) {
      if (p.name != name) others.push_back(&p);
    }
    const Population population = fit_population(others);
    const std::vector<size_t> usual = choose_calibration(person, 2);
    const Calibration calibration = calibrate(person, usual, population);
    const Predictor predictor{&population, &calibration, person.weight};
    for (size_t w = 0; w < person.walks.size(); ++w) {
      if (std::find(usual.begin(), usual.end(), w) != usual.end()) continue;
      const MeasuredWalk& m = person.walks[w];
      const Prediction prediction = predict(m.walk, person.body, predictor);
      for (const MeasuredStance& s : m.stances) {
        const auto side = static_cast<size_t>(m.walk.contacts[s.contact].side);
        const auto e = calc_moment_errors(m.walk, s, person.weight / kGravity,
                                          prediction.feet[side], m.pressure_height);
        for (size_t j = 0; j < kJoints; ++j) sum[j] += e[j];
        n += 1;
      }
    }
  }
  EXPECT_LT(sum[kAnkle] / n, 10);
  EXPECT_LT(sum[kKnee] / n, 15);  // 10.5 over all thirteen
  EXPECT_LT(sum[kHip] / n, 20);
}

TEST(ForcesRecordings, AnotherLaboratoryRunsThroughIt) {
  NEEDS_RECORDINGS
  const auto folder = test::shared_data() / "oxford_foot";
  PersonOptions options;
  const Person person = load_person("oxford", (folder / "HC038A01.c3d").string(),
                                    {{(folder / "HC038A11.c3d").string(), {}}}, options);
  EXPECT_EQ(person.stances(), 2u);
  EXPECT_NEAR(person.weight, 56.8 * kGravity, 10);  // 555 measured, 557 stated
  // Its plates are late: 14 ms measured by events.
  const LoadDelay delay = find_load_delay(person.walks);
  EXPECT_NEAR(delay.clock, 0.014, 0.005);
  ASSERT_EQ(person.notes.size(), 3u);  // two knees without a medial marker
  EXPECT_NE(person.notes[2].find("clock"), std::string::npos);
}

TEST(ForcesRecordings, ClockOfThePlatesIsFoundAndUndone) {
  NEEDS_RECORDINGS
  const auto folder = test::shared_data() / "wbds07";
  const Population shipped =
      load_population(test::source_dir() + "/studies/forces/population.yaml");
  const Person& person = get_person("wbds07");
  const MeasuredWalk& m = person.walks[0];
  const MotionTrial trial = load_walk({(folder / (m.walk.name + ".trc")).string(), {}}, true, {});
  std::vector<PlateForces> plates = calc_all_plate_forces(trial, m.walk.up_W, {});
  const Predictor predictor{&shipped, nullptr, person.weight};
  const Prediction prediction = predict(m.walk, person.body, predictor);
  const Comparison right = compare(m.walk, person.body, plates, predictor, prediction);
  EXPECT_EQ(right.delay.clock, 0.0);
  for (PlateForces& plate : plates) {
    for (double& t : plate.times) t += 0.020;
  }
  const Comparison late = compare(m.walk, person.body, plates, predictor, prediction);
  EXPECT_NEAR(late.delay.clock, 0.020, 0.008);
  EXPECT_GT(late.errors.force, 1.2 * right.errors.force);
  EXPECT_LT(late.aligned.force, 1.1 * right.errors.force);
  EXPECT_NE(late.verdict.find("one clock"), std::string::npos);
}

}  // namespace vesica::forces_recordings_test
