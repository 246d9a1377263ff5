#include "vesica/markers/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <span>

#include "vesica/error.h"
#include "vesica/markers/joint_coordinates.h"
#include "vesica/markers/start.h"
#include "vesica/math/median.h"
#include "vesica/math/parallel.h"
#include "vesica/motion/exchanged_labels.h"
#include "vesica/motion/marker_names.h"
#include "vesica/motion/trial_tidy.h"

namespace vesica::markers {
namespace {

// Far beyond any laboratory, also one whose millimetres were taken for metres.
constexpr double kFarthest = 1e5;  // m
// Between the sizes of people, at most 3 for an infant and an adult's model, and the 10 between
// centimetres and millimetres.
constexpr double kWrongUnit = 5;
// Stretches of suspect frames that are this close count as one.
constexpr int kBridge = 3;
// Of poses that only tell how well labels fit.
constexpr double kLabelAccuracy = 1e-3;  // rad

std::vector<Vec3d> take_track(const MotionTrial& motion, size_t column,
                              std::vector<std::string>* warnings) {
  const MarkerTracks& tracks = motion.markers;
  std::vector<Vec3d> track = tracks.track(column);
  const size_t zeros = drop_origin(track);
  if (zeros > 0 && warnings) {
    warnings->push_back(fmt::format(
        "{}: marker '{}' is exactly at the origin in {} frames; taken as not seen there",
        motion.file, tracks.labels[column], zeros));
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

// Positions that are seen and have less than their marker's weight.
long count_lowered(const Model& model, const Trial& trial) {
  long count = 0;
  for (size_t i = 0; i < trial.weights.size(); ++i) {
    const double full = model.markers[i % model.markers.size()].weight;
    if (trial.weights[i] > 0 && trial.weights[i] < full * (1 - 1e-12)) ++count;
  }
  return count;
}

std::vector<std::string> list_names(const Model& model) {
  std::vector<std::string> names;
  for (const Marker& marker : model.markers) names.push_back(marker.name);
  return names;
}

MarkerTracks as_tracks(const Model& model, const Trial& trial) {
  MarkerTracks tracks;
  tracks.labels = list_names(model);
  tracks.rate = trial.rate;
  tracks.positions = trial.positions;
  for (size_t i = 0; i < trial.positions.size(); ++i) {
    if (trial.weights[i] <= 0) tracks.positions[i].setConstant(kMissing);
  }
  for (int f = 0; f < trial.frame_count(); ++f) {
    tracks.times.push_back(trial.time_of(f));
  }
  return tracks;
}

// Of each frame the last one before it, else the first one after it, that fits as usual; itself if
// there is none.
std::vector<int> find_usual_frames(const std::vector<double>& objective, double limit) {
  const int count = static_cast<int>(objective.size());
  std::vector<int> usual(count);
  for (int k = 0; k < count; ++k) {
    usual[k] = objective[k] <= limit ? k : k > 0 ? usual[k - 1] : -1;
  }
  for (int k = count - 1; k >= 0; --k) {
    if (usual[k] < 0 && k + 1 < count) usual[k] = usual[k + 1];
  }
  for (int k = 0; k < count; ++k) {
    if (usual[k] < 0) usual[k] = k;
  }
  return usual;
}

// Markers that carry each other's labels lie the other way round than in the frame beside, however
// far the segment has gone since. Solving the frame with every pair exchanged would take a hundred
// times as long.
bool may_be_exchanged(const FrameSolver& solver, const Frame& frame, const SegmentPose* beside,
                      std::span<const int> order) {
  const Model& model = solver.plan().model();
  const auto place = [&](int m) { return calc_marker(solver.geometry(), model, m, beside); };
  for (int a = 0; a < static_cast<int>(order.size()); ++a) {
    const int b = order[static_cast<size_t>(a)];
    if (b == a) continue;
    if (frame.weights[a] <= 0 || frame.weights[b] <= 0) return false;
    if ((place(a) - place(b)).dot(frame.positions[a] - frame.positions[b]) >= 0) return false;
  }
  return true;
}

// The objective of a frame with other labels, solved from given poses.
double solve_relabelled(FrameSolver& solver, const Frame& frame, const SegmentPose* start,
                        std::span<const int> order) {
  std::vector<Vec3d> positions(order.size());
  for (size_t m = 0; m < order.size(); ++m) {
    if (order[m] != static_cast<int>(m) && frame.weights[m] <= 0) return kInfinity;
    positions[m] = frame.positions[order[m]];
  }
  std::vector<SegmentPose> poses(start, start + solver.plan().model().segments.size());
  return solver.solve({positions.data(), frame.weights}, poses.data(), 15, kLabelAccuracy)
      .objective;
}

bool is_same_exchange(const MarkerFault& a, const MarkerFault& b) {
  return a.markers == b.markers && a.first_frame < b.first_frame + b.frames &&
         b.first_frame < a.first_frame + a.frames;
}

}  // namespace

std::string name_trial(const std::vector<Trial>& before, const std::string& path) {
  const std::string stem = std::filesystem::path(path).stem().string();
  const auto is_taken = [&](const std::string& name) {
    return std::any_of(before.begin(), before.end(),
                       [&](const Trial& trial) { return trial.name == name; });
  };
  std::string name = stem;
  for (int k = 2; is_taken(name); ++k) name = fmt::format("{}_{}", stem, k);
  return name;
}

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
  trial.times = tracks.times;
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
  trial.positions.assign(tracks.frames() * n, Vec3d::Constant(kMissing));
  trial.weights.assign(tracks.frames() * n, 0.0);
  for (size_t m = 0; m < n; ++m) {
    if (column[m] == tracks.markers()) continue;
    const std::vector<Vec3d> track = take_track(motion, column[m], warnings);
    for (size_t f = 0; f < tracks.frames(); ++f) trial.positions[f * n + m] = track[f];
  }
  const int ramp = static_cast<int>(options.ramp_seconds * trial.rate);
  set_weights(model, ramp, trial);
  if (const long lowered = count_lowered(model, trial); lowered > 0 && warnings) {
    warnings->push_back(fmt::format(
        "{}: {} positions of markers within {:g} s of a gap count less than others, so that poses "
        "do not jump there; --ramp 0 lets them count fully",
        motion.file, lowered, options.ramp_seconds));
  }
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
  const double ratio = calc_median(ratios);
  if (ratio > kWrongUnit || ratio < 1 / kWrongUnit) {
    throw InputError(fmt::format(
        "{}: markers are {:.3g} times as far apart as the model's; the recording's or the model's "
        "unit is wrong (millimetres taken for centimetres or metres?)",
        trial.name, ratio));
  }
}

void check_sides(const Model& model, const Trial& trial, int threads) {
  const int n = trial.marker_count;
  const std::vector<SidedPair> pairs = find_sided_pairs(list_names(model));
  if (pairs.size() < 2) return;
  const int stride = std::max(1, trial.frame_count() / 5);
  const int count = (trial.frame_count() + stride - 1) / stride;
  std::vector<double> objective(2 * static_cast<size_t>(count));  // as it is, exchanged, ...
  for_each_index(2 * count, threads, [&](int i, int) {
    const Frame frame = trial.frame(i / 2 * stride);
    std::vector<Vec3d> positions(frame.positions, frame.positions + n);
    std::vector<double> weights(frame.weights, frame.weights + n);
    for (const SidedPair& pair : pairs) {
      if (i % 2 == 0) break;
      std::swap(positions[pair.left], positions[pair.right]);
      std::swap(weights[pair.left], weights[pair.right]);
    }
    FrameSolver solver(model, model.start_values());
    std::vector<SegmentPose> poses(model.segments.size());
    objective[i] = solve_frame_from_scratch(solver, {positions.data(), weights.data()},
                                            poses.data(), kLabelAccuracy)
                       .objective;
  });
  double as_is = 0, exchanged = 0;
  for (int k = 0; k < count; ++k) {
    as_is += objective[2 * k];
    exchanged += objective[2 * k + 1];
  }
  if (exchanged < 0.25 * as_is) {
    throw InputError(fmt::format(
        "{}: left and right look exchanged: with the labels swapped the markers fit {:.1f} times "
        "better; correct the labels",
        trial.name, std::sqrt(as_is / exchanged)));
  }
}

TrialFaults find_exchanged_markers(const AllFrames& frames, const std::vector<Trial>& trials,
                                   const Eigen::VectorXd& d) {
  const Model& model = frames.model();
  const int count = frames.frame_count();
  std::vector<std::unique_ptr<FrameSolver>> solvers;
  for (int k = 0; k < frames.threads(); ++k) {
    solvers.push_back(std::make_unique<FrameSolver>(model, d));
  }
  std::vector<double> objective(count);
  for (int k = 0; k < count; ++k) {
    objective[k] = calc_objective(solvers[0]->plan(), solvers[0]->geometry(), frames.frame(k),
                                  frames.poses(k));
  }
  ExchangeOptions options;
  options.threads = frames.threads();
  // Frames far worse than usual, also in absolute terms: two markers 2 cm off. A quarter of the
  // objective is half of the error.
  options.limit = std::max(6 * calc_median(objective), 4e-4);
  options.share = 0.25;
  // A search may take some 50 ms.
  options.most_searches = std::max(5, 60 / static_cast<int>(trials.size()));
  const auto orders = list_exchanges(static_cast<int>(model.markers.size()));
  const std::vector<int> usual = find_usual_frames(objective, options.limit);
  TrialFaults faults;
  int begin = 0;  // the trial's first frame among all
  for (const Trial& trial : trials) {
    std::vector<MarkerFault>& found = faults.emplace_back();
    LabelFit fit;
    fit.frames = trial.frame_count();
    fit.as_labelled = [&](int f) { return objective[begin + f]; };
    fit.relabelled = [&](int f, std::span<const int> order, int worker) {
      const Frame frame = frames.frame(begin + f);
      const SegmentPose* poses = frames.poses(usual[begin + f]);
      if (!may_be_exchanged(*solvers[worker], frame, poses, order)) return kInfinity;
      return solve_relabelled(*solvers[worker], frame, poses, order);
    };
    if (!model.has_loops()) found = find_exchanged_labels(fit, orders, options);
    for (const MarkerFault& fault : find_marker_faults(as_tracks(model, trial))) {
      const bool is_exchange = fault.kind != MarkerFaultKind::kJump;
      const bool is_known = std::any_of(found.begin(), found.end(), [&](const MarkerFault& other) {
        return is_same_exchange(fault, other);
      });
      if (is_exchange && !is_known) found.push_back(fault);
    }
    begin += trial.frame_count();
  }
  return faults;
}

TrialFaults find_strays(const AllFrames& frames, const std::vector<Trial>& trials,
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
    limit[m] = std::max(0.03, 6 * calc_median(seen));
  }
  TrialFaults faults;
  int k = 0;
  for (const Trial& trial : trials) {
    std::vector<MarkerFault>& strays = faults.emplace_back();
    for (int f = 0; f < trial.frame_count(); ++f, ++k) {
      const double* e = &errors[static_cast<size_t>(k) * n];
      const int worst = static_cast<int>(std::max_element(e, e + n) - e);
      if (e[worst] <= limit[worst]) continue;
      auto open = std::find_if(strays.begin(), strays.end(), [&](const MarkerFault& s) {
        return s.markers[0] == worst && s.first_frame + s.frames > f - kBridge;
      });
      if (open == strays.end()) {
        open = strays.insert(open, {MarkerFaultKind::kStray, {worst}, f, 0, false, 0.0});
      }
      open->frames = f + 1 - open->first_frame;
      open->comes_back = f + 1 < trial.frame_count();
      open->size = std::max(open->size, e[worst]);
    }
  }
  return faults;
}

std::vector<UndeterminedFrames> find_undetermined_frames(AllFrames& frames,
                                                         const std::vector<Trial>& trials,
                                                         const Eigen::VectorXd& d) {
  const auto results = frames.inspect(d, Curvature::kGaussNewton);
  std::vector<UndeterminedFrames> gaps;
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
    out.frame_mean.push_back(seen > 0 ? total / seen : kMissing);
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
