#include "vesica/markers/frame_marks.h"

#include <algorithm>
#include <cmath>

#include "vesica/markers/pose_spread.h"
#include "vesica/math/median.h"
#include "vesica/math/parallel.h"

namespace vesica::markers {
namespace {

constexpr double kOff = 5 * kPi / 180;    // rad, what a user should hear about
constexpr double kOpen = 30 * kPi / 180;  // rad, standard deviation of what nothing holds
constexpr double kLooser = 1.5;           // times what is usual for the segment
constexpr double kClose = 12;             // twice the log of a likelihood ratio
constexpr double kFarOff = 0.03;          // m
constexpr double kFarOffNoise = 5;        // sigma

struct MarkerPull {
  int marker = -1;
  double off = 0;  // m
};
// The marker that pulls most.
MarkerPull find_pulling_marker(const Model& model, const Geometry& geometry, const Frame& frame,
                               const SegmentPose* poses, double sigma) {
  MarkerPull worst;
  double largest = std::max(kFarOff, kFarOffNoise * sigma);
  for (size_t m = 0; m < model.markers.size(); ++m) {
    if (frame.weights[m] <= 0) continue;
    const double error =
        (calc_marker(geometry, model, static_cast<int>(m), poses) - frame.positions[m]).norm();
    if (error <= largest || calc_loss(model.loss, error * error).first <= 0) continue;
    largest = error;
    worst = {static_cast<int>(m), error};
  }
  return worst;
}

// The segment that may be off most in this frame, of those that may be off by more than a user
// should hear about and more than is usual for them, or -1. A thigh that has lost its marker would
// hide behind a foot that is never known better. `spreads` are standard deviations, `pulls` how far
// wild markers turn it besides (none: by nothing).
int find_loosest(const std::vector<std::vector<double>>& spreads,
                 const std::vector<std::vector<double>>* pulls, const std::vector<double>& usual,
                 int frame) {
  int loosest = -1;
  double largest = kOff;
  for (size_t s = 0; s < spreads.size(); ++s) {
    const double off = 3 * spreads[s][frame] + (pulls ? (*pulls)[s][frame] : 0);
    if (off <= largest || off <= 3 * kLooser * usual[s]) continue;
    largest = off;
    loosest = static_cast<int>(s);
  }
  return loosest;
}

}  // namespace

const char* name_of(MarkReason reason) {
  switch (reason) {
    case MarkReason::kNone:
      return "none";
    case MarkReason::kLoose:
      return "loose";
    case MarkReason::kTwoWays:
      return "two_ways";
    case MarkReason::kPulled:
      return "pulled";
  }
  return "";
}

FrameMarks mark_frames(AllFrames& frames, const Eigen::VectorXd& d, const Branches* known) {
  const Model& model = frames.model();
  const int count = frames.frame_count();
  const Branches branches = known ? *known : inspect_branches(frames, d);
  const Plan plan(model, false);
  const Geometry geometry = plan.calc_geometry(d);
  FrameMarks out;
  out.sigma = branches.sigma;
  out.reason.assign(count, MarkReason::kNone);
  out.segment.assign(count, 0);
  out.turn.assign(count, 0.0);
  out.marker.assign(count, -1);
  out.off.assign(count, 0.0);
  out.open.resize(count);
  std::vector<std::vector<double>> turns(model.segments.size(), std::vector<double>(count));
  for_each_index(count, frames.threads(), [&](int k, int) {
    const PoseSpread spread = calc_pose_spread(plan, geometry, frames.frame(k), frames.poses(k));
    for (size_t s = 0; s < turns.size(); ++s) turns[s][k] = branches.sigma * spread.turn[s];
    out.segment[k] = spread.worst;
    out.turn[k] = branches.sigma * spread.largest();
  });
  out.usual_turn = calc_median(out.turn);
  for (const auto& of_segment : turns) out.usual_turns.push_back(calc_median(of_segment));
  out.letting_go = try_letting_go(frames, d, branches.sigma);
  const auto find_pulled = [&](int k) {
    if (!out.letting_go) return -1;
    const LettingGo& go = *out.letting_go;
    return find_loosest(go.spreads, &go.turns, out.usual_turns, k);
  };
  for (int k = 0; k < count; ++k) {
    for (size_t s = 0; s < turns.size(); ++s) {
      if (turns[s][k] > kOpen) out.open[k].push_back(static_cast<int>(s));
    }
    const MarkerPull pulling =
        find_pulling_marker(model, geometry, frames.frame(k), frames.poses(k), branches.sigma);
    const int loose = find_loosest(turns, nullptr, out.usual_turns, k);
    const int pulled = find_pulled(k);
    if (loose >= 0) {
      out.reason[k] = MarkReason::kLoose;
      out.segment[k] = loose;
      out.turn[k] = turns[loose][k];
    } else if (branches.margin[k] < kClose) {
      out.reason[k] = MarkReason::kTwoWays;
      out.turn[k] = branches.apart[k];
      out.segment[k] = branches.segment[k];
    } else if (pulling.marker >= 0 || pulled >= 0) {
      out.reason[k] = MarkReason::kPulled;
      out.segment[k] = pulling.marker >= 0 ? model.markers[pulling.marker].segment : pulled;
      out.turn[k] = out.letting_go ? out.letting_go->turns[out.segment[k]][k] : 0;
      out.marker[k] = pulling.marker;
      out.off[k] = pulling.off;
    }
    out.turn[k] = std::min(out.turn[k], kPi);  // more cannot be said of an orientation
  }
  return out;
}

std::vector<MarkedStretch> list_marked(const FrameMarks& marks, const AllFrames& frames) {
  std::vector<MarkedStretch> list;
  int trial = -1, frame = 0;
  for (int k = 0; k < frames.frame_count(); ++k, ++frame) {
    if (frames.begins_trial(k)) {
      ++trial;
      frame = 0;
    }
    if (marks.reason[k] == MarkReason::kNone) continue;
    const bool goes_on = !list.empty() && list.back().trial == trial &&
                         list.back().last_frame == frame - 1 &&
                         list.back().reason == marks.reason[k];
    if (!goes_on) list.push_back({trial, frame, frame, marks.reason[k], marks.segment[k], 0});
    MarkedStretch& stretch = list.back();
    stretch.last_frame = frame;
    if (marks.off[k] > stretch.off) {
      stretch.off = marks.off[k];
      stretch.marker = marks.marker[k];
    }
    if (marks.turn[k] > stretch.turn) {
      stretch.turn = marks.turn[k];
      stretch.segment = marks.segment[k];
    }
  }
  return list;
}

}  // namespace vesica::markers
