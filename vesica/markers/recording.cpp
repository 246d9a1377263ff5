#include "vesica/markers/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "vesica/error.h"
#include "vesica/markers/joint_coordinates.h"
#include "vesica/markers/start.h"

namespace vesica::markers {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// Far beyond any laboratory, also one whose millimetres were taken for metres.
constexpr double kFarthest = 1e5;  // m
// Between the sizes of people, at most 3 for an infant and an adult's model, and the 10 between
// centimetres and millimetres.
constexpr double kWrongUnit = 5;
// Stretches of suspect frames that are this close count as one.
constexpr int kBridge = 3;

std::string without_prefix(const std::string& label) {
  const auto colon = label.rfind(':');
  return colon == std::string::npos ? label : label.substr(colon + 1);
}

double median_of(std::vector<double>& values) {
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

// The marker on the other side: the same name with one l exchanged for an r, or the reverse.
int find_other_side(const Model& model, int marker) {
  const std::string& name = model.markers[marker].name;
  for (size_t k = 0; k < name.size(); ++k) {
    std::string other = name;
    switch (name[k]) {
      case 'l':
        other[k] = 'r';
        break;
      case 'L':
        other[k] = 'R';
        break;
      case 'r':
        other[k] = 'l';
        break;
      case 'R':
        other[k] = 'L';
        break;
      default:
        continue;
    }
    const int found = model.find_marker(other);
    if (found >= 0) return found;
  }
  return -1;
}

// Some systems write zeros where a marker was not seen; one that is always there is a position.
std::vector<Vec3d> take_track(const MotionTrial& motion, size_t column,
                              std::vector<std::string>* warnings) {
  const MarkerTracks& tracks = motion.markers;
  std::vector<Vec3d> track = tracks.track(column);
  const auto zeros = static_cast<size_t>(std::count(track.begin(), track.end(), Vec3d::Zero()));
  if (zeros > 0 && zeros < track.size()) {
    std::replace(track.begin(), track.end(), Vec3d(Vec3d::Zero()), Vec3d(Vec3d::Constant(kNaN)));
    if (warnings) {
      warnings->push_back(fmt::format(
          "{}: marker '{}' is exactly at the origin in {} frames; taken as not seen there",
          motion.file, tracks.labels[column], zeros));
    }
  }
  for (size_t f = 0; f < track.size(); ++f) {
    if (track[f].cwiseAbs().maxCoeff() > kFarthest) {
      throw InputError(fmt::format(
          "{}: marker '{}' is {:.3g} m away in frame {}; expected at most {:g} m; correct the file "
          "or leave the position empty",
          motion.file, tracks.labels[column], track[f].cwiseAbs().maxCoeff(), f + 1, kFarthest));
    }
  }
  return track;
}

struct MarkerPair {
  int a = -1, b = -1;  // markers
};
// The pair of markers whose exchange makes the frame fit best and better than `wanted`; -1 if none.
MarkerPair find_exchange(FrameSolver& solver, const Frame& frame, const SegmentPose* start,
                         double wanted, const std::vector<MarkerPair>& candidates) {
  const Model& model = solver.plan().model();
  std::vector<Vec3d> positions(frame.positions, frame.positions + model.markers.size());
  std::vector<SegmentPose> poses(model.segments.size());
  MarkerPair best;
  for (const MarkerPair& pair : candidates) {
    if (frame.weights[pair.a] <= 0 || frame.weights[pair.b] <= 0) continue;
    std::swap(positions[pair.a], positions[pair.b]);
    std::copy_n(start, poses.size(), poses.begin());
    const double fit = solver.solve({positions.data(), frame.weights}, poses.data(), 15).objective;
    std::swap(positions[pair.a], positions[pair.b]);
    if (fit < wanted) {
      wanted = fit;
      best = pair;
    }
  }
  return best;
}

}  // namespace

Trial make_trial(const Model& model, const MotionTrial& motion, const std::string& name,
                 const MatchOptions& options, std::vector<std::string>* warnings) {
  const MarkerTracks& tracks = motion.markers;
  if (tracks.frames() == 0) {
    throw InputError(fmt::format("{}: has no marker frames", motion.file));
  }
  Trial trial;
  trial.name = name;
  trial.rate = tracks.rate > 0 ? tracks.rate : 100;
  trial.start_time = tracks.start_time();
  trial.marker_count = static_cast<int>(model.markers.size());
  std::vector<size_t> column(model.markers.size(), tracks.markers());
  std::vector<std::string> missing;
  for (size_t m = 0; m < model.markers.size(); ++m) {
    const Marker& marker = model.markers[m];
    const std::string& wanted = marker.label.empty() ? marker.name : marker.label;
    column[m] = tracks.find(wanted);
    for (size_t k = 0; column[m] == tracks.markers() && k < tracks.markers(); ++k) {
      if (without_prefix(tracks.labels[k]) == wanted) column[m] = k;
    }
    if (column[m] == tracks.markers()) {
      missing.push_back(wanted);
      continue;
    }
    if (tracks.find(wanted + "_2") < tracks.markers() && warnings) {
      warnings->push_back(fmt::format("{}: the label '{}' occurs twice; the first one is used",
                                      motion.file, wanted));
    }
  }
  if (missing.size() == model.markers.size()) {
    std::string some;
    for (size_t k = 0; k < std::min<size_t>(8, tracks.markers()); ++k) {
      some += (k ? ", " : "") + tracks.labels[k];
    }
    throw InputError(fmt::format(
        "{}: none of the model's markers are in this file; it has {}{}; give the model's markers a "
        "`label` as in the file",
        motion.file, some, tracks.markers() > 8 ? ", ..." : ""));
  }
  if (!missing.empty() && warnings) {
    std::string list;
    for (const std::string& m : missing) list += (list.empty() ? "" : ", ") + m;
    warnings->push_back(fmt::format("{}: has no marker {}", motion.file, list));
  }
  const size_t n = model.markers.size();
  trial.positions.assign(tracks.frames() * n, Vec3d::Constant(kNaN));
  trial.weights.assign(tracks.frames() * n, 0.0);
  for (size_t m = 0; m < n; ++m) {
    if (column[m] == tracks.markers()) continue;
    const std::vector<Vec3d> track = take_track(motion, column[m], warnings);
    for (size_t f = 0; f < tracks.frames(); ++f) trial.positions[f * n + m] = track[f];
  }
  set_weights(model, static_cast<int>(options.ramp_seconds * trial.rate), trial);
  if (options.use_residuals && !tracks.residuals.empty()) {
    for (size_t f = 0; f < tracks.frames(); ++f) {
      for (size_t m = 0; m < n; ++m) {
        if (column[m] == tracks.markers()) continue;
        const double r = tracks.residuals[f * tracks.markers() + column[m]] / model.marker_sd;
        if (r > 0) trial.weights[f * n + m] /= 1 + r * r;
      }
    }
  }
  if (std::none_of(trial.weights.begin(), trial.weights.end(), [](double w) { return w > 0; })) {
    throw InputError(fmt::format("{}: no marker of the model is seen in any frame", motion.file));
  }
  return trial;
}

void check_scale(const Model& model, const Trial& trial) {
  const std::vector<double> zeros(list_joint_coordinates(model).size(), 0.0);
  std::vector<SegmentPose> poses(model.segments.size());
  const Eigen::VectorXd d = model.start_values();
  place_segments(model, d, zeros, poses.data());
  const Geometry geometry = calc_geometry(model, d);
  std::vector<double> ratios;
  const int n = trial.marker_count;
  const auto is_technical = [&](int m) {
    return model.segments[model.markers[m].segment].technical;
  };
  const int stride = std::max(1, trial.frame_count() / 20);
  for (int f = 0; f < trial.frame_count(); f += stride) {
    const Frame frame = trial.frame(f);
    for (int a = 0; a < n; ++a) {
      for (int b = 0; b < a; ++b) {
        if (frame.weights[a] <= 0 || frame.weights[b] <= 0) continue;
        // Clusters take their size from the recording, and where they sit is not known yet.
        if (is_technical(a) || is_technical(b)) continue;
        const double in_model = (calc_marker(geometry, model, a, poses.data()) -
                                 calc_marker(geometry, model, b, poses.data()))
                                    .norm();
        if (in_model > 0.02) {
          ratios.push_back((frame.positions[a] - frame.positions[b]).norm() / in_model);
        }
      }
    }
  }
  if (ratios.empty()) return;
  const double ratio = median_of(ratios);
  if (ratio > kWrongUnit || ratio < 1 / kWrongUnit) {
    throw InputError(fmt::format(
        "{}: markers are {:.3g} times as far apart as the model's; the recording's or the model's "
        "unit is wrong (millimetres taken for centimetres or metres?)",
        trial.name, ratio));
  }
}

void check_sides(const Model& model, const Trial& trial) {
  const int n = trial.marker_count;
  std::vector<int> other(n, -1);
  int pairs = 0;
  for (int m = 0; m < n; ++m) {
    other[m] = find_other_side(model, m);
    pairs += other[m] >= 0;
  }
  if (pairs < 4) return;
  FrameSolver solver(model, model.start_values());
  std::vector<SegmentPose> poses(model.segments.size());
  double as_is = 0, exchanged = 0;
  const int stride = std::max(1, trial.frame_count() / 5);
  for (int f = 0; f < trial.frame_count(); f += stride) {
    const Frame frame = trial.frame(f);
    std::vector<Vec3d> positions(frame.positions, frame.positions + n);
    std::vector<double> weights(frame.weights, frame.weights + n);
    for (int m = 0; m < n; ++m) {
      if (other[m] < 0) continue;
      positions[m] = frame.positions[other[m]];
      weights[m] = frame.weights[other[m]];
    }
    as_is += solve_frame_from_scratch(solver, frame, poses.data()).objective;
    exchanged += solve_frame_from_scratch(solver, {positions.data(), weights.data()}, poses.data())
                     .objective;
  }
  if (exchanged < 0.25 * as_is) {
    throw InputError(fmt::format(
        "{}: left and right look exchanged: with the labels swapped the markers fit {:.1f} times "
        "better; correct the labels",
        trial.name, std::sqrt(as_is / exchanged)));
  }
}

std::vector<Swap> find_swaps(const AllFrames& frames, const std::vector<Trial>& trials,
                             const Eigen::VectorXd& d) {
  const Model& model = frames.model();
  const int count = frames.frame_count();
  std::vector<Swap> swaps;
  if (model.has_loops()) return swaps;
  FrameSolver solver(model, d);
  std::vector<double> objective(count);
  for (int k = 0; k < count; ++k) {
    objective[k] =
        calc_objective(solver.plan(), solver.geometry(), frames.frame(k), frames.poses(k));
  }
  std::vector<double> sorted = objective;
  const double usual = median_of(sorted);
  // Frames far worse than usual, also in absolute terms: two markers 2 cm off.
  const auto is_bad = [&](int k) { return objective[k] > 6 * usual && objective[k] > 4e-4; };
  std::vector<MarkerPair> all;
  for (int a = 0; a < static_cast<int>(model.markers.size()); ++a) {
    for (int b = 0; b < a; ++b) all.push_back({b, a});
  }
  // A frame's search over all pairs takes some 50 ms; a pair once found is tried first.
  constexpr int kMaxSearches = 60;
  int searches = 0, k = 0, last_good = -1;
  for (int t = 0; t < static_cast<int>(trials.size()); ++t) {
    for (int f = 0; f < trials[t].frame_count(); ++f, ++k) {
      if (!is_bad(k)) {
        last_good = k;
        continue;
      }
      int near = last_good;
      for (int later = k; near < 0 && later < count; ++later) {
        if (!is_bad(later)) near = later;
      }
      const SegmentPose* start = frames.poses(near < 0 ? k : near);
      const double wanted = 0.25 * objective[k];
      const bool goes_on =
          !swaps.empty() && swaps.back().trial == t && swaps.back().last_frame >= f - kBridge;
      if (goes_on &&
          find_exchange(solver, frames.frame(k), start, wanted, {{swaps.back().a, swaps.back().b}})
                  .a >= 0) {
        swaps.back().last_frame = f;
        continue;
      }
      if (++searches > kMaxSearches) return swaps;
      const MarkerPair found = find_exchange(solver, frames.frame(k), start, wanted, all);
      if (found.a >= 0) swaps.push_back({found.a, found.b, t, f, f});
    }
  }
  return swaps;
}

std::vector<Stray> find_strays(const AllFrames& frames, const std::vector<Trial>& trials,
                               const Eigen::VectorXd& d) {
  const Model& model = frames.model();
  const Geometry geometry = calc_geometry(model, d);
  const int n = static_cast<int>(model.markers.size()), count = frames.frame_count();
  std::vector<double> errors(static_cast<size_t>(n) * count, 0.0), limit(n);
  for (int m = 0; m < n; ++m) {
    std::vector<double> seen;
    for (int k = 0; k < count; ++k) {
      const Frame frame = frames.frame(k);
      if (frame.weights[m] <= 0) continue;
      const double error =
          (calc_marker(geometry, model, m, frames.poses(k)) - frame.positions[m]).norm();
      errors[static_cast<size_t>(k) * n + m] = error;
      seen.push_back(error);
    }
    limit[m] = std::max(0.03, 6 * median_of(seen));
  }
  std::vector<Stray> strays;
  int k = 0;
  for (int t = 0; t < static_cast<int>(trials.size()); ++t) {
    for (int f = 0; f < trials[t].frame_count(); ++f, ++k) {
      const double* e = &errors[static_cast<size_t>(k) * n];
      const int worst = static_cast<int>(std::max_element(e, e + n) - e);
      if (e[worst] <= limit[worst]) continue;
      const auto open = std::find_if(strays.begin(), strays.end(), [&](const Stray& s) {
        return s.marker == worst && s.trial == t && s.last_frame >= f - kBridge;
      });
      if (open != strays.end()) {
        open->last_frame = f;
        open->error = std::max(open->error, e[worst]);
      } else {
        strays.push_back({worst, t, f, f, e[worst]});
      }
    }
  }
  return strays;
}

std::vector<Gap> find_undetermined_frames(AllFrames& frames, const std::vector<Trial>& trials,
                                          const Eigen::VectorXd& d) {
  const auto results = frames.inspect(d, Curvature::kGaussNewton);
  std::vector<Gap> gaps;
  size_t k = 0;
  for (size_t t = 0; t < trials.size(); ++t) {
    for (int f = 0; f < trials[t].frame_count(); ++f, ++k) {
      if (results[k].undetermined == 0) continue;
      if (!gaps.empty() && gaps.back().trial == static_cast<int>(t) &&
          gaps.back().last_frame == f - 1) {
        gaps.back().last_frame = f;
        gaps.back().undetermined = std::max(gaps.back().undetermined, results[k].undetermined);
      } else {
        gaps.push_back({static_cast<int>(t), f, f, results[k].undetermined});
      }
    }
  }
  return gaps;
}

MarkerErrors calc_marker_errors(const AllFrames& frames, const Eigen::VectorXd& d) {
  const Model& model = frames.model();
  const Geometry geometry = calc_geometry(model, d);
  const size_t n = model.markers.size();
  MarkerErrors out;
  out.markers.resize(n);
  std::vector<double> sum(n + 1, 0), squares(n + 1, 0);
  for (int k = 0; k < frames.frame_count(); ++k) {
    const Frame frame = frames.frame(k);
    double total = 0;
    int seen = 0;
    for (size_t m = 0; m < n; ++m) {
      MarkerError& e = out.markers[m];
      if (frame.weights[m] <= 0) {
        ++e.missing;
        continue;
      }
      const double error =
          (calc_marker(geometry, model, static_cast<int>(m), frames.poses(k)) - frame.positions[m])
              .norm();
      ++e.seen;
      e.max = std::max(e.max, error);
      sum[m] += error;
      squares[m] += error * error;
      total += error;
      ++seen;
    }
    out.frame_mean.push_back(seen > 0 ? total / seen : kNaN);
  }
  const auto finish = [](MarkerError& e, double s, double s2) {
    if (e.seen == 0) return;
    const auto count = static_cast<double>(e.seen);
    e.mean = s / count;
    e.rms = std::sqrt(s2 / count);
    e.sd = std::sqrt(std::max(0.0, s2 / count - e.mean * e.mean));
  };
  for (size_t m = 0; m < n; ++m) {
    finish(out.markers[m], sum[m], squares[m]);
    out.all.seen += out.markers[m].seen;
    out.all.missing += out.markers[m].missing;
    out.all.max = std::max(out.all.max, out.markers[m].max);
    sum[n] += sum[m];
    squares[n] += squares[m];
  }
  finish(out.all, sum[n], squares[n]);
  return out;
}

}  // namespace vesica::markers
