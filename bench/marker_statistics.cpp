// What the intervals of a fit are worth, and what weights and thinning do to them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/marker_parts.h"
#include "vesica/markers/confidence.h"
#include "vesica/markers/lower_extremity.h"
#include "vesica/markers/marker_weights.h"
#include "vesica/markers/thinning.h"

namespace vesica::markers {
namespace {

Options one_thread() {
  Options options;
  options.threads = 1;
  return options;
}

// Share of 95 % intervals that hold the truth, and what is behind it: the mean error over the
// scatter (bias), and the scatter over the mean standard error (1 is right).
void cover(const std::string& name, int repetitions, int frames, bool rom,
           const MarkerNoise& noise) {
  const Model model = make_lower_extremity(rom);
  const Eigen::VectorXd truth = make_subject(model, 1, 3);
  const Eigen::Index p = truth.size();
  Eigen::MatrixXd errors(repetitions, p), white(repetitions, p), robust(repetitions, p),
      robust_errors(repetitions, p);
  for_each_repetition(name, repetitions, [&](int r) {
    const std::vector<Trial> trials{
        make_synthetic_trial(model, truth, rom ? MotionKind::kRangeOfMotion : MotionKind::kGait,
                             frames, 100, noise, 1000 + r)
            .trial};
    Identification id = identify(model, trials, one_thread());
    const Confidence c = calc_confidence(id, trials);
    errors.row(r) = (id.d - truth).transpose();
    for (Eigen::Index k = 0; k < p; ++k) {
      white(r, k) = std::abs(errors(r, k)) < c.half_width[k];
      robust(r, k) = std::abs(errors(r, k)) < c.robust_half_width[k];
    }
    robust_errors.row(r) = c.robust_standard_error.transpose();
  });
  const Eigen::ArrayXd robust_error = robust_errors.colwise().mean();
  const Eigen::ArrayXd mean = errors.colwise().mean();
  const Eigen::ArrayXd scatter =
      (errors.rowwise() - mean.matrix().transpose()).colwise().norm().array() /
      std::sqrt(repetitions - 1.0);
  const Eigen::ArrayXd bias = (mean / scatter).abs(), ratio = scatter / robust_error;
  const auto print = [](const char* kind, const Eigen::MatrixXd& held) {
    const Eigen::ArrayXd share = 100 * held.colwise().mean().array();
    fmt::print("  {:<18} {:5.1f} %  (parameters {:.1f} to {:.1f})\n", kind, share.mean(),
               share.minCoeff(), share.maxCoeff());
  };
  fmt::print("{}, {} repetitions of {} frames\n", name, repetitions, frames);
  print("usual intervals", white);
  print("robust intervals", robust);
  fmt::print(
      "  bias over scatter: mean {:.2f}, largest {:.2f}; scatter over robust error: mean {:.2f}, "
      "largest {:.2f}\n",
      bias.mean(), bias.maxCoeff(), ratio.mean(), ratio.maxCoeff());
  std::fflush(stdout);
}

}  // namespace

void run_coverage(int repetitions, int long_repetitions) {
  fmt::print("\ncoverage of 95 % intervals\n");
  const auto run_soft = [&](double time, int count, int frames, bool rom) {
    cover(fmt::format("soft tissue 4 mm, {:g} s, and white noise 0.5 mm", time), count, frames, rom,
          {0.0005, 0.004, time, 0, {}});
  };
  cover("white noise 2 mm", repetitions, 255, false, {0.002, 0, 0.1, 0, {}});
  for (double time : {0.02, 0.1, 0.3, 0.5, 1.0}) run_soft(time, repetitions, 255, false);
  run_soft(0.1, long_repetitions, 4680, true);
}

// What weights from each marker's noise do: noise from a third to three times 2 mm.
void run_weights(int repetitions) {
  const Model model = make_lower_extremity(false);
  const Eigen::VectorXd truth = make_subject(model, 1, 3);
  fmt::print("\nweights from each marker's noise, 255 frames of gait, {} repetitions\n",
             repetitions);
  for (const bool slow : {false, true}) {
    MarkerNoise noise;
    noise.white_sd = slow ? 0.0005 : 0.002;
    noise.soft_tissue_sd = slow ? 0.003 : 0;
    const double common = std::hypot(noise.white_sd, noise.soft_tissue_sd);
    for (size_t m = 0; m < model.markers.size(); ++m) {
      noise.factor.push_back(std::pow(3.0, std::sin(2.4 * static_cast<double>(m) + 1)));
    }
    struct Outcome {
      double before = 0, after = 0, z = 0, held[2] = {0, 0}, seconds = 0;
      int rounds = 0;
      bool settled = false;
    };
    std::vector<Outcome> outcomes(repetitions);
    for_each_repetition(
        slow ? "weights, soft tissue" : "weights, white noise", repetitions, [&](int r) {
          Outcome& out = outcomes[r];
          std::vector<Trial> trials{
              make_synthetic_trial(model, truth, MotionKind::kGait, 255, 100, noise, 1000 + r)
                  .trial};
          Identification id = identify(model, trials, one_thread());
          const Confidence plain = calc_confidence(id, trials);
          const Eigen::VectorXd d = id.d;
          const double begin = thread_seconds();
          const MarkerNoiseEstimate estimate = fit_marker_weights(id, trials, one_thread());
          out.seconds = thread_seconds() - begin;
          out.rounds = estimate.rounds;
          out.settled = estimate.converged;
          const Confidence weighed = calc_confidence(id, trials);
          for (Eigen::Index k = 0; k < truth.size(); ++k) {
            out.before += std::pow((d[k] - truth[k]) / plain.standard_error[k], 2);
            out.after += std::pow((id.d[k] - truth[k]) / plain.standard_error[k], 2);
            out.held[0] += std::abs(d[k] - truth[k]) < plain.robust_half_width[k];
            out.held[1] += std::abs(id.d[k] - truth[k]) < weighed.robust_half_width[k];
          }
          for (size_t m = 0; m < model.markers.size(); ++m) {
            const MarkerSd& marker = estimate.markers[m];
            out.z += std::pow((marker.sd - common * noise.factor[m]) / marker.standard_error, 2);
          }
        });
    double before = 0, after = 0, z = 0, held[2] = {0, 0}, seconds = 0;
    int rounds = 0, settled = 0;
    for (const Outcome& out : outcomes) {
      before += out.before;
      after += out.after;
      z += out.z;
      for (int k = 0; k < 2; ++k) held[k] += out.held[k];
      seconds += out.seconds / repetitions;
      rounds = std::max(rounds, out.rounds);
      settled += out.settled;
    }
    const double intervals = repetitions * static_cast<double>(truth.size()) / 100;
    fmt::print(
        "  {}: errors of the noise over their standard errors {:.2f} rms; errors of the parameters "
        "{:.2f} of those without; robust intervals hold {:.1f} % (without {:.1f} %); {:.2f} s, at "
        "most {} rounds, {} of {} settled\n",
        slow ? "soft tissue 3 mm, 0.1 s" : "white noise 2 mm",
        std::sqrt(z / (repetitions * static_cast<double>(model.markers.size()))),
        std::sqrt(after / before), held[1] / intervals, held[0] / intervals, seconds, rounds,
        settled, repetitions);
  }
}

// Constants from every N-th frame: time, intervals over those of all frames as told and as the
// errors are.
void run_thinning(int repetitions, int frames) {
  const Model model = make_lower_extremity(true);
  const Eigen::VectorXd truth = make_subject(model, 1, 3);
  fmt::print(
      "\nconstants from every N-th of {} frames, range of motion, {} repetitions; intervals over "
      "those of all frames\n  noise         N   told (robust)  told (usual)  errors   fit s  poses "
      "s\n",
      frames, repetitions);
  for (const bool slow : {false, true}) {
    const MarkerNoise noise{slow ? 0.0005 : 0.003, slow ? 0.004 : 0, 0.1, 0, {}};
    std::vector<Eigen::VectorXd> squares(5, Eigen::VectorXd::Zero(truth.size()));
    const int every[5] = {1, 2, 5, 10, 20};
    for (int i = 0; i < 5; ++i) {
      double fit = 0, poses = 0, robust = 0, usual = 0;
      for (int r = 0; r < repetitions; ++r) {
        const std::vector<Trial> trials{make_synthetic_trial(model, truth,
                                                             MotionKind::kRangeOfMotion, frames,
                                                             100, noise, 1000 + r)
                                            .trial};
        const std::vector<Trial> some = thin_trials(trials, every[i]);
        double begin = processor_seconds();
        Identification thin = identify(model, some, {});
        fit += (processor_seconds() - begin) / repetitions;
        squares[i] += (thin.d - truth).cwiseAbs2();
        if (every[i] == 1) continue;
        Confidence c = calc_confidence(thin, some);
        begin = processor_seconds();
        Identification all = spread_over_frames(thin, trials, {});
        poses += (processor_seconds() - begin) / repetitions;
        const Thinning t = calc_thinning(every[i], thin, c, all, trials);
        robust += t.robust.mean() / repetitions;
        usual += t.usual.mean() / repetitions;
      }
      fmt::print("  {:<12} {:2d} {:14.2f} {:13.2f} {:8.2f} {:7.2f} {:8.2f}\n",
                 slow ? "soft tissue" : "white", every[i], every[i] == 1 ? 1 : robust,
                 every[i] == 1 ? 1 : usual,
                 std::sqrt((squares[i].cwiseQuotient(squares[0])).mean()), fit, poses);
    }
  }
}

}  // namespace vesica::markers
