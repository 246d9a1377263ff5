// Noise of each marker against what it was made with; what its weights do to the constants.
#include "vesica/markers/marker_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/markers/small_models.h"
#include "tests/support/support.h"
#include "vesica/markers/confidence.h"
#include "vesica/markers/lower_extremity.h"
#include "vesica/markers/run.h"
#include "vesica/markers/thinning.h"

namespace vesica::markers::marker_weights_test {
namespace {

// From a third to three times, one marker like its neighbour nowhere.
std::vector<double> make_factors(size_t markers) {
  std::vector<double> factor(markers);
  for (size_t m = 0; m < markers; ++m) {
    factor[m] = std::pow(3.0, std::sin(2.4 * static_cast<double>(m) + 1));
  }
  return factor;
}

TEST(MarkerWeights, NoiseOfEachMarkerIsFoundWithinItsErrorAndParametersGain) {
  const Model model = make_lower_extremity(false);
  const Eigen::VectorXd truth = make_subject(model, 1, 3);
  MarkerNoise noise;
  noise.white_sd = 0.002;
  noise.factor = make_factors(model.markers.size());
  double z_squares = 0, count = 0, before = 0, after = 0;
  constexpr int kRepetitions = 6;
  for (int r = 0; r < kRepetitions; ++r) {
    std::vector<Trial> trials{
        make_synthetic_trial(model, truth, MotionKind::kGait, 150, 100, noise, 50 + r).trial};
    Identification id = identify(model, trials, {});
    const Confidence plain = calc_confidence(id, trials);
    const Eigen::VectorXd d = id.d;
    const MarkerNoiseEstimate estimate = fit_marker_weights(id, trials, {});
    EXPECT_TRUE(estimate.converged);
    EXPECT_TRUE(id.summary.converged);
    double weights = 0;
    for (size_t m = 0; m < model.markers.size(); ++m) {
      const MarkerSd& marker = estimate.markers[m];
      const double z = (marker.sd - noise.white_sd * noise.factor[m]) / marker.standard_error;
      EXPECT_LT(std::abs(z), 4)  // measured at most 2.8
          << model.markers[m].name;
      z_squares += z * z;
      ++count;
      weights += marker.weight;
    }
    EXPECT_NEAR(weights / static_cast<double>(model.markers.size()), 1, 1e-9);
    for (int k = 0; k < truth.size(); ++k) {
      before += std::pow((d[k] - truth[k]) / plain.standard_error[k], 2);
      after += std::pow((id.d[k] - truth[k]) / plain.standard_error[k], 2);
    }
  }
  // 108 estimates: 1 with a scatter of 0.07. Measured 0.92.
  EXPECT_NEAR(std::sqrt(z_squares / count), 1, 0.25);
  EXPECT_LT(std::sqrt(after / before), 0.95);  // measured 0.80
  RecordProperty("z", std::to_string(std::sqrt(z_squares / count)));
  RecordProperty("gain", std::to_string(std::sqrt(after / before)));
}

// Every equation is either used up by an unknown or left over: redundancies add up to what the
// noise of all markers is divided by.
TEST(MarkerWeights, RedundanciesAddUpToEquationsLessUnknowns) {
  for (const Model& model : {test::make_chain(), test::make_all_joints()}) {
    std::mt19937_64 random(4);
    auto made = test::make_random_trial(model, model.start_values(), 30, 0.001, random);
    for (double& w : made.trial.weights) w = 1;
    const std::vector<Trial> trials{made.trial};
    Options options;
    options.find_start = false;
    Identification id = identify(model, trials, options);
    const Confidence c = calc_confidence(id, trials);
    const MarkerNoiseEstimate estimate = calc_marker_noise(id, trials);
    double sum = 0;
    for (const MarkerSd& m : estimate.markers) sum += m.redundancy;
    // Exact but for the curvature that eq. 17's matrix has and the hat matrix has not. Measured:
    // off by 1.4e-7 and 1.8e-6 of it.
    EXPECT_NEAR(sum, c.equations - c.unknowns, 2e-5 * sum) << model.name;
  }
}

// One marker without any noise of its own among others of 2 mm: what the others' noise leaves in
// its residuals bounds what can be known of it, and its weight stays finite.
TEST(MarkerWeights, NoMarkerTakesAllTheWeight) {
  const Model model = make_lower_extremity(false);
  const Eigen::VectorXd truth = make_subject(model, 1, 3);
  MarkerNoise noise;
  noise.white_sd = 0.002;
  noise.factor.assign(model.markers.size(), 1.0);
  noise.factor[4] = 0;
  std::vector<Trial> trials{
      make_synthetic_trial(model, truth, MotionKind::kGait, 100, 100, noise, 1).trial};
  Identification id = identify(model, trials, {});
  const MarkerNoiseEstimate estimate = fit_marker_weights(id, trials, {});
  EXPECT_TRUE(id.summary.converged);
  EXPECT_TRUE(estimate.converged);
  double mean = 0;
  for (const MarkerSd& m : estimate.markers) mean += std::log(m.sd) / 18;
  // Measured 0.36 mm, with a weight of 11.7 out of 18.
  EXPECT_GE(estimate.markers[4].sd, 0.0999 * std::exp(mean));
  EXPECT_LT(estimate.markers[4].sd, 0.0005);
  for (int m = 0; m < 18; ++m) {
    if (m == 4) continue;
    // Measured at most 1.5 standard errors.
    EXPECT_NEAR(estimate.markers[m].sd, 0.002, 4 * estimate.markers[m].standard_error) << m;
  }
}

// A marker seen in one frame, whose place on the segment is unknown, says next to nothing about its
// noise: the prior gives it that of the others, with an error as large. One never seen has none.
TEST(MarkerWeights, AMarkerThatSaysNothingIsHeldByThePrior) {
  const Model model = make_lower_extremity(false);
  const Eigen::VectorXd truth = make_subject(model, 1, 3);
  MarkerNoise noise;
  noise.white_sd = 0.002;
  const size_t markers = model.markers.size();
  for (const int frames : {0, 1}) {
    std::vector<Trial> trials{
        make_synthetic_trial(model, truth, MotionKind::kGait, 100, 100, noise, 1).trial};
    for (size_t k = frames; k < 100; ++k) trials[0].weights[k * markers + 4] = 0;
    Identification id = identify(model, trials, {});
    const MarkerNoiseEstimate estimate = fit_marker_weights(id, trials, {});
    EXPECT_TRUE(estimate.converged);
    for (size_t m = 0; m < markers; ++m) {
      EXPECT_EQ(estimate.markers[m].held, m == 4 && frames == 1) << m;
    }
    const MarkerSd& marker = estimate.markers[4];
    if (frames == 0) {
      EXPECT_EQ(marker.sd, 0);
    } else {
      // Measured 2.5 mm, error 2.4 mm, redundancy 0.49 of 3 equations.
      EXPECT_LT(marker.redundancy, 1);
      EXPECT_GT(marker.standard_error, 0.001);
      EXPECT_NEAR(marker.sd, 0.002, marker.standard_error);
    }
  }
}

// Markers that are all alike get weights that differ by no more than their errors, and the
// constants stay where equal weights had them, within a fraction of their errors.
TEST(MarkerWeights, EqualMarkersKeepEqualWeights) {
  const Model model = make_lower_extremity(false);
  const Eigen::VectorXd truth = make_subject(model, 1, 3);
  MarkerNoise noise;
  noise.white_sd = 0.002;
  std::vector<Trial> trials{
      make_synthetic_trial(model, truth, MotionKind::kGait, 255, 100, noise, 8).trial};
  Identification id = identify(model, trials, {});
  const Confidence plain = calc_confidence(id, trials);
  const Eigen::VectorXd d = id.d;
  const MarkerNoiseEstimate estimate = fit_marker_weights(id, trials, {});
  EXPECT_TRUE(estimate.converged);
  double z_squares = 0;
  for (const MarkerSd& m : estimate.markers) {
    z_squares += std::pow((m.sd - 0.002) / m.standard_error, 2) / 18;
  }
  EXPECT_LT(std::sqrt(z_squares), 1.5);
  for (int k = 0; k < d.size(); ++k) {
    EXPECT_LT(std::abs(id.d[k] - d[k]), plain.standard_error[k]) << model.parameters[k].name;
  }
  // The starts are still told.
  EXPECT_GE(id.summary.starts, 2);
  EXPECT_GE(id.summary.starts_alike, 2);
}

// A handful of frames says little, but what it says is finite, and the weights have the mean one.
TEST(MarkerWeights, VeryShortRecordingsGiveFiniteWeights) {
  const Model model = make_lower_extremity(false);
  const Eigen::VectorXd truth = make_subject(model, 1, 3);
  MarkerNoise noise;
  noise.white_sd = 0.002;
  for (const int frames : {1, 2, 3, 5, 10}) {
    std::vector<Trial> trials{
        make_synthetic_trial(model, truth, MotionKind::kGait, frames, 100, noise, 8).trial};
    Identification id = identify(model, trials, {});
    const MarkerNoiseEstimate estimate = fit_marker_weights(id, trials, {});
    ASSERT_TRUE(id.d.allFinite()) << frames;
    double weights = 0;
    for (const MarkerSd& m : estimate.markers) {
      EXPECT_TRUE(std::isfinite(m.sd) && std::isfinite(m.standard_error)) << frames;
      weights += m.weight;
    }
    // One frame has 54 equations for 51 unknowns; nothing is then left over for most markers.
    if (estimate.rounds > 0) {
      EXPECT_NEAR(weights / 18, 1, 1e-9) << frames;
    }
  }
}

TEST(Thinning, MoreThanTheFramesIsRefused) {
  markers::Run run;
  run.model = make_lower_extremity(false);
  run.trials.push_back(make_synthetic_trial(run.model, make_subject(run.model, 1, 3),
                                            MotionKind::kGait, 40, 100, {0.001, 0, 0.1, 0, {}}, 1)
                           .trial);
  RunOptions options;
  options.every = 40;
  const std::string message =
      vesica::test::input_error_of([&] { run_identification(run, options); });
  EXPECT_NE(message.find("--every 40 leaves one of 40 frames"), std::string::npos) << message;
  EXPECT_NO_THROW(check_thinning(run.trials, 39));  // the first and the last remain
}

// A marker that the recording never shows, thinned or not: its own coordinates are not determined,
// the others are as without it.
TEST(Thinning, AMarkerThatIsNeverSeenIsSaidAndHarmsNobody) {
  markers::Run run;
  run.model = make_lower_extremity(false);
  run.trials.push_back(make_synthetic_trial(run.model, make_subject(run.model, 1, 3),
                                            MotionKind::kGait, 200, 100, {0.001, 0, 0.1, 0, {}}, 1)
                           .trial);
  const int toe = run.model.find_marker("RTOE");  // all of its coordinates are found
  for (int f = 0; f < 200; ++f) run.trials[0].weights[static_cast<size_t>(f) * 18 + toe] = 0;
  RunOptions options;
  options.every = 3;
  options.estimate_weights = true;
  run_identification(run, options);
  EXPECT_TRUE(run.id->summary.converged);
  EXPECT_TRUE(run.id->d.allFinite());
  EXPECT_EQ(run.noise->markers[toe].sd, 0);
  for (int k = 0; k < run.id->d.size(); ++k) {
    const bool of_toe = run.model.parameters[k].name.starts_with("RTOE.");
    EXPECT_EQ(std::isfinite(run.thinning->robust[k]), !of_toe) << run.model.parameters[k].name;
  }
}

TEST(Thinning, WhiteNoiseLosesARootAndSlowNoiseLess) {
  const Model model = make_lower_extremity(false);
  const Eigen::VectorXd truth = make_subject(model, 1, 3);
  constexpr int kEvery = 4;
  const auto median_of = [&](const MarkerNoise& noise, bool robust) {
    const std::vector<Trial> trials{
        make_synthetic_trial(model, truth, MotionKind::kGait, 400, 100, noise, 9).trial};
    const std::vector<Trial> some = thin_trials(trials, kEvery);
    EXPECT_EQ(some[0].frame_count(), 100);
    Identification thin = identify(model, some, {});
    Confidence c = calc_confidence(thin, some);
    Identification all = spread_over_frames(thin, trials, {});
    EXPECT_EQ(all.frames.frame_count(), 400);
    // Frames that were fitted keep the poses of the fit.
    for (int k = 0; k < 100; ++k) {
      const Vec3d off = all.frames.poses(kEvery * k)->p_WS - thin.frames.poses(k)->p_WS;
      EXPECT_LT(off.norm(), 1e-9);
    }
    const Thinning t = calc_thinning(kEvery, thin, c, all, trials);
    for (const double r : t.robust) EXPECT_GE(r, 1 - 1e-12);  // no more is known than by all
    // The information itself, without the noise's own scatter: by S of all frames over S of some.
    Eigen::VectorXd ratio = robust ? t.robust : t.usual;
    std::sort(ratio.begin(), ratio.end());
    return ratio[ratio.size() / 2];
  };
  MarkerNoise white, slow;
  white.white_sd = 0.002;
  slow.soft_tissue_sd = 0.003;
  slow.soft_tissue_time = 0.1;
  EXPECT_NEAR(median_of(white, false), 2, 0.1);  // measured 2.025
  // Noise of 0.1 s seen every 0.04 s: nearly all there is. Measured 1.05.
  EXPECT_NEAR(median_of(slow, true), 1.05, 0.15);
}

}  // namespace
}  // namespace vesica::markers::marker_weights_test
