#include "vesica/markers/letting_go.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "vesica/markers/branches.h"
#include "vesica/markers/pose_spread.h"
#include "vesica/math/median.h"
#include "vesica/math/parallel.h"

namespace vesica::markers {
namespace {

// A marker stands out, and is wild in the end, beyond a distance, so many standard deviations of
// the noise and so many times its own median error: skin that slides by centimetres is not wild.
struct Limits {
  double distance, noise, own;
};
constexpr Limits kStandsOut{0.01, 5, 4}, kWildLimits{0.03, 6, 6};
constexpr double kLeastWidth = 0.02, kMostWidth = 0.1, kHuberWidth = 0.01;  // m
constexpr double kMedianOfLengths = 1.538;  // of vectors of three normal coordinates, in sigma
constexpr double kWidthNoise = 6;           // sigma
constexpr double kWidthOwn = 4.5;           // times the largest median error of a marker
// Fewer wild positions than this share move the constants too little to turn other frames.
constexpr double kMovesConstants = 0.003;
constexpr int kFitsWithout = 2;

struct Errors {
  size_t markers = 0;
  std::vector<double> of_frames;  // m, frame * markers + marker; 0: not seen
  std::vector<double> median;     // m, of each marker
  long seen = 0;
};

Errors calc_errors(const AllFrames& frames, const Eigen::VectorXd& d) {
  const Model& model = frames.model();
  const Geometry geometry = calc_geometry(model, d);
  Errors out;
  out.markers = model.markers.size();
  out.of_frames.assign(out.markers * frames.frame_count(), 0);
  for (size_t m = 0; m < out.markers; ++m) {
    std::vector<double> seen;
    for (int k = 0; k < frames.frame_count(); ++k) {
      const Frame frame = frames.frame(k);
      if (frame.weights[m] <= 0) continue;
      seen.push_back(
          (calc_marker(geometry, model, static_cast<int>(m), frames.poses(k)) - frame.positions[m])
              .norm());
      out.of_frames[k * out.markers + m] = seen.back();
    }
    out.seen += static_cast<long>(seen.size());
    out.median.push_back(seen.empty() ? 0 : calc_median(std::move(seen)));
  }
  return out;
}

// How many markers of each frame are beyond the limits.
std::vector<int> count_beyond(const Errors& errors, double sigma, const Limits& limits) {
  std::vector<int> count(errors.of_frames.size() / errors.markers, 0);
  for (size_t i = 0; i < errors.of_frames.size(); ++i) {
    const double own = limits.own * errors.median[i % errors.markers];
    const double limit = std::max({limits.distance, limits.noise * sigma, own});
    count[i / errors.markers] += errors.of_frames[i] > limit;
  }
  return count;
}

// The same frames for another model's loss.
std::vector<Trial> copy_trials(const AllFrames& frames) {
  std::vector<Trial> trials;
  const auto markers = static_cast<int>(frames.model().markers.size());
  for (int k = 0; k < frames.frame_count(); ++k) {
    if (frames.begins_trial(k)) trials.emplace_back().marker_count = markers;
    const Frame f = frames.frame(k);
    trials.back().positions.insert(trials.back().positions.end(), f.positions,
                                   f.positions + markers);
    trials.back().weights.insert(trials.back().weights.end(), f.weights, f.weights + markers);
  }
  return trials;
}

// What good markers do must stay inside.
double calc_width(const Errors& errors, double sigma) {
  const double slides = *std::max_element(errors.median.begin(), errors.median.end());
  return std::max({kLeastWidth, kWidthNoise * sigma, kWidthOwn * slides});
}

}  // namespace

double choose_tukey_width(const Model& model, const std::vector<Trial>& trials, Options options) {
  Model huber = model;
  huber.loss = {LossType::kHuber, kHuberWidth};
  options.tolerance = 1e-4;
  options.progress = nullptr;
  const Identification id = identify(huber, trials, options);
  const Errors errors = calc_errors(id.frames, id.d);
  std::vector<double> seen;
  std::copy_if(errors.of_frames.begin(), errors.of_frames.end(), std::back_inserter(seen),
               [](double e) { return e > 0; });
  const double sigma = seen.empty() ? 0 : calc_median(std::move(seen)) / kMedianOfLengths;
  return std::min(calc_width(errors, sigma), kMostWidth);
}

std::optional<LettingGo> try_letting_go(const AllFrames& frames, const Eigen::VectorXd& d,
                                        double sigma) {
  Model model = frames.model();
  if (model.loss.type == LossType::kTukey) return {};
  const auto add = [](const std::vector<int>& counts) {
    return std::accumulate(counts.begin(), counts.end(), 0L);
  };
  const Errors held = calc_errors(frames, d);
  if (add(count_beyond(held, sigma, kStandsOut)) == 0) return {};
  LettingGo out;
  out.width = calc_width(held, sigma);
  model.loss = {LossType::kTukey, out.width};
  const std::vector<Trial> trials = copy_trials(frames);
  AllFrames without(model, trials, frames.threads());
  const size_t n = model.segments.size();
  std::copy_n(frames.poses(0), n * frames.frame_count(), without.poses(0));
  Eigen::VectorXd constants = d;
  Options options;
  options.threads = frames.threads();
  options.tolerance = 1e-4;
  options.max_iterations = 10;
  for (int round = 0; round < kFitsWithout; ++round) {
    const Branches branches = choose_branches(without, constants);
    out.sigma = branches.sigma;
    if (round > 0 && branches.moved == 0) break;
    solve_all_frames(without, constants, options);
  }
  const Errors let_go = calc_errors(without, constants);
  const std::vector<int> wild = count_beyond(let_go, out.sigma, kWildLimits);
  out.wild = add(wild);
  if (out.wild == 0) return {};
  const bool moves_constants =
      static_cast<double>(out.wild) > kMovesConstants * static_cast<double>(let_go.seen);
  const int count = frames.frame_count();
  out.turn.assign(count, 0);
  out.turns.assign(n, std::vector<double>(count, 0.0));
  out.spreads = out.turns;
  const Plan plan(model, false);
  const Geometry geometry = plan.calc_geometry(constants);
  for_each_index(count, frames.threads(), [&](int k, int) {
    if (!moves_constants && wild[k] == 0) return;
    const PoseSpread spread = calc_pose_spread(plan, geometry, without.frame(k), without.poses(k));
    for (size_t s = 0; s < n; ++s) {
      out.spreads[s][k] = out.sigma * spread.turn[s];
      out.turns[s][k] = calc_turn(frames.poses(k)[s], without.poses(k)[s]);
      out.turn[k] = std::max(out.turn[k], out.turns[s][k]);
    }
  });
  return out;
}

}  // namespace vesica::markers
