#include "vesica/markers/thinning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "vesica/error.h"
#include "vesica/markers/branches.h"
#include "vesica/markers/start.h"
#include "vesica/math/median.h"

namespace vesica::markers {
namespace {

Eigen::VectorXd calc_ratio(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  Eigen::VectorXd out(a.size());
  for (Eigen::Index k = 0; k < a.size(); ++k) {
    const bool known = std::isfinite(a[k]) && std::isfinite(b[k]) && b[k] > 0;
    out[k] = known ? a[k] / b[k] : std::numeric_limits<double>::quiet_NaN();
  }
  return out;
}

std::vector<double> list_known(const Eigen::VectorXd& ratios) {
  std::vector<double> known;
  std::copy_if(ratios.begin(), ratios.end(), std::back_inserter(known),
               [](double r) { return std::isfinite(r); });
  return known;
}

// Some of the frames know no more than all of them.
void raise_robust(const Confidence& least, Confidence& out) {
  for (Eigen::Index k = 0; k < out.robust_half_width.size(); ++k) {
    if (!(out.robust_half_width[k] < least.robust_half_width[k])) continue;
    out.robust_half_width[k] = least.robust_half_width[k];
    if (!(out.robust_standard_error[k] < least.robust_standard_error[k])) continue;
    const double factor = least.robust_standard_error[k] / out.robust_standard_error[k];
    out.robust_standard_error[k] = least.robust_standard_error[k];
    if (std::isfinite(factor)) {
      out.robust_covariance.row(k) *= factor;
      out.robust_covariance.col(k) *= factor;
    }
  }
}

}  // namespace

void check_thinning(const std::vector<Trial>& trials, int every) {
  for (const Trial& trial : trials) {
    const int frames = trial.frame_count();
    if (frames < 2 || every < frames) continue;
    throw InputError(fmt::format(
        "{}: --every {} leaves one of {} frames, which says nothing about the motion; give at most "
        "{}, better a tenth of that",
        trial.name, every, frames, frames - 1));
  }
}

std::vector<Trial> thin_trials(const std::vector<Trial>& trials, int every) {
  std::vector<Trial> thin;
  for (const Trial& trial : trials) thin.push_back(thin_trial(trial, every));
  return thin;
}

Identification spread_over_frames(const Identification& thin, const std::vector<Trial>& trials,
                                  const Options& options) {
  Identification all{
      thin.d, AllFrames(thin.frames.model(), trials, options.threads), {}, {}, thin.summary};
  all.summary.branches.reset();  // of the frames that were fitted
  solve_frames(all.frames, all.d);
  if (options.choose_branches) choose_branches(all.frames, all.d);
  evaluate_solution(all);
  return all;
}

Thinning calc_thinning(int every, const Identification& thin, Confidence& of_thin,
                       Identification& all, const std::vector<Trial>& trials) {
  const Confidence of_all = calc_confidence(all, trials);
  raise_robust(of_all, of_thin);
  Thinning out;
  out.every = every;
  out.frames_fitted = thin.frames.frame_count();
  out.frames = all.frames.frame_count();
  out.usual = calc_ratio(of_thin.half_width, of_all.half_width);
  out.robust = calc_ratio(of_thin.robust_half_width, of_all.robust_half_width);
  return out;
}

std::string make_thinning_text(const Thinning& thinning) {
  std::string out = fmt::format("\n  constants from {} of {} frames (one in {}), poses of all",
                                thinning.frames_fitted, thinning.frames, thinning.every);
  const std::vector<double> usual = list_known(thinning.usual),
                            robust = list_known(thinning.robust);
  if (usual.empty() || robust.empty()) return out + "\n";
  return out + fmt::format(
                   "; intervals over those that all frames would give:\n    robust {:.2f} (median; "
                   "largest {:.2f}), usual {:.2f} (largest {:.2f}); independent frames would give "
                   "{:.2f}\n",
                   calc_median(robust), *std::max_element(robust.begin(), robust.end()),
                   calc_median(usual), *std::max_element(usual.begin(), usual.end()),
                   std::sqrt(static_cast<double>(thinning.frames) / thinning.frames_fitted));
}

}  // namespace vesica::markers
