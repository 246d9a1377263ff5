// Long-run covariances against closed forms, and the small matrices' decompositions.
#include "vesica/markers/confidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/markers/small_models.h"
#include "vesica/markers/long_run.h"
#include "vesica/math/linear_algebra.h"

namespace vesica::markers::confidence_test {
namespace {

// A first-order autoregression with innovations of variance 1 has the long-run variance
// 1/(1 - r)^2; white noise on top adds its own.
double mean_long_run_variance(double r, double white, int samples) {
  constexpr int kSeries = 60;
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd x(samples, kSeries);
  for (int c = 0; c < kSeries; ++c) {
    double slow = normal(random) / std::sqrt(1 - r * r);
    for (int k = 0; k < samples; ++k) {
      x(k, c) = slow + white * normal(random);
      slow = r * slow + normal(random);
    }
  }
  return calc_long_run_covariance(x, {samples / 2, samples - samples / 2}).M.diagonal().mean() /
         samples;
}

TEST(LongRun, VarianceOfASumIsThatOfTheProcess) {
  // 60 series of 4,000: scatter of the mean 2 to 4 %. Measured 1.00, 4.13, 100.3 and 101.2.
  EXPECT_NEAR(mean_long_run_variance(0, 0, 4000), 1, 0.05);
  EXPECT_NEAR(mean_long_run_variance(0.5, 0, 4000), 4, 0.3);
  EXPECT_NEAR(mean_long_run_variance(0.9, 0, 4000), 100, 10);
  EXPECT_NEAR(mean_long_run_variance(0.9, 1, 4000), 101, 10);
}

// What a record of 255 samples says of a sum with a correlation time of 20, 40 and 100 samples,
// after its mean was taken out as a fit does: a share of 1/(1 - r)^2. The mean takes part of the
// slow noise with it, so that less than all is left to see; with the persistence as the lags say,
// not corrected for the length of the record, it was 0.95, 0.83 and 0.40.
TEST(LongRun, AShortRecordOfSlowNoiseIsNotTakenForAQuietOne) {
  const auto mean_share = [](double r) {
    constexpr int kSeries = 30, kSamples = 255, kRepetitions = 40;
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    double sum = 0;
    for (int repetition = 0; repetition < kRepetitions; ++repetition) {
      Eigen::MatrixXd x(kSamples, kSeries);
      for (int c = 0; c < kSeries; ++c) {
        double slow = normal(random) / std::sqrt(1 - r * r);
        for (int k = 0; k < kSamples; ++k) {
          x(k, c) = slow;
          slow = r * slow + normal(random);
        }
        x.col(c).array() -= x.col(c).mean();
      }
      sum += calc_long_run_covariance(x, {kSamples}).M.diagonal().mean() / kSamples;
    }
    return sum / kRepetitions * (1 - r) * (1 - r);
  };
  EXPECT_NEAR(mean_share(0.9), 1, 0.1);     // measured 0.95
  EXPECT_NEAR(mean_share(0.95), 0.9, 0.1);  // 0.86
  EXPECT_NEAR(mean_share(0.98), 0.6, 0.1);  // 0.59
}

// Columns of unlike persistence keep their own: the spread is far beyond what chance makes.
TEST(LongRun, ColumnsOfUnlikePersistenceKeepTheirOwn) {
  constexpr int kSamples = 4000;
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd x(kSamples, 20);
  for (int c = 0; c < 20; ++c) {
    const double r = c < 10 ? 0.0 : 0.9;
    double slow = normal(random) / std::sqrt(1 - r * r);
    for (int k = 0; k < kSamples; ++k) {
      x(k, c) = slow;
      slow = r * slow + normal(random);
    }
  }
  const Eigen::VectorXd times = calc_correlation_times(x, {kSamples});
  EXPECT_NEAR(times.head(10).mean(), 1, 0.1);
  EXPECT_NEAR(times.tail(10).mean(), 19, 2);
}

// Slow noise on a smooth motion, a small problem; markers_bench coverage has the large ones.
TEST(Confidence, RobustIntervalsHoldTheTruthUnderSlowNoise) {
  const Model model = test::make_chain();
  const Eigen::VectorXd truth = model.start_values();
  const Geometry geometry = calc_geometry(model, truth);
  const size_t coordinates = list_joint_coordinates(model).size(), n = model.markers.size();
  constexpr int kRepetitions = 200, kFrames = 200;
  constexpr double kKeep = 0.9, kSd = 0.002;
  double usual = 0, robust = 0;
  for (int r = 0; r < kRepetitions; ++r) {
    std::mt19937_64 random(100 + r);
    std::normal_distribution<double> normal;
    const auto noise = [&] { return Vec3d(normal(random), normal(random), normal(random)); };
    Trial trial;
    trial.marker_count = static_cast<int>(n);
    trial.weights.assign(kFrames * n, 1.0);
    std::vector<Vec3d> slow(n);
    for (Vec3d& s : slow) s = kSd * noise();
    std::vector<SegmentPose> poses(model.segments.size());
    for (int f = 0; f < kFrames; ++f) {
      std::vector<double> q(coordinates);
      for (size_t k = 0; k < coordinates; ++k) {
        const auto w = static_cast<double>(k);
        q[k] = 0.6 * std::sin(0.05 * f * (1 + 0.13 * w) + w);
      }
      place_segments(model, truth, q, poses.data());
      for (size_t m = 0; m < n; ++m) {
        slow[m] = kKeep * slow[m] + std::sqrt(1 - kKeep * kKeep) * kSd * noise();
        const SegmentPose& pose = poses[model.markers[m].segment];
        trial.positions.push_back(pose.p_WS +
                                  as_rotation(pose.q_WS) * (geometry.markers[m].value + slow[m]));
      }
    }
    const std::vector<Trial> trials{trial};
    Options options;
    options.find_start = false;
    options.threads = 1;
    Identification id = identify(model, trials, options);
    const Confidence c = calc_confidence(id, trials);
    for (int k = 0; k < truth.size(); ++k) {
      const double error = std::abs(id.d[k] - truth[k]);
      usual += error < c.half_width[k];
      robust += error < c.robust_half_width[k];
      EXPECT_GE(c.robust_standard_error[k], c.standard_error[k]);
    }
  }
  // 1200 intervals. Measured: 35.9 % and 95.8 %.
  const double count = kRepetitions * static_cast<double>(truth.size());
  EXPECT_LT(usual / count, 0.6);
  EXPECT_GT(robust / count, 0.93);
  EXPECT_LT(robust / count, 0.97);
}

TEST(LinearAlgebra, RowsAreMetAndWhatTheyLeaveFreeIsOrthogonal) {
  Eigen::MatrixXd A(3, 5);
  A << 1, 2, 0, -1, 3,  //
      0, 1, 1, 0, -2,   //
      2, 5, 1, -2, 4;   // twice the first and the second
  EXPECT_EQ(find_dependent_rows(A, 1e-10), std::vector<int>{2});
  const RowSpace rows = decompose_rows(A, 1e-10);
  EXPECT_EQ(rows.rank, 2);
  ASSERT_EQ(rows.null_space.cols(), 3);
  EXPECT_LT((A * rows.null_space).norm(), 1e-14);
  EXPECT_LT((rows.null_space.transpose() * rows.null_space - Eigen::Matrix3d::Identity()).norm(),
            1e-14);
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(5, -1, 3);
  const Eigen::VectorXd shortest = rows.pseudo_inverse * (A * x);
  EXPECT_LT((A * shortest - A * x).norm(), 1e-13);
  EXPECT_LT((rows.null_space.transpose() * shortest).norm(), 1e-14);
}

}  // namespace
}  // namespace vesica::markers::confidence_test
