#include "vesica/markers/open_poses.h"

#include <algorithm>
#include <cmath>

#include "vesica/markers/pose_spread.h"

namespace vesica::markers {
namespace {

// Of a marker that is only expected, beside one that is seen: being 3 cm off it pulls like one that
// is off by 30 um.
constexpr double kWeight = 1e-3;

using Rotation = Quaternion<double>;

Rotation invert(const Rotation& q) { return {q.w, -q.x, -q.y, -q.z}; }

// From a to b by the shorter way; `part` is 0 at a and 1 at b.
Rotation interpolate(const Rotation& a, const Rotation& b, double part) {
  double cosine = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
  const double sign = cosine < 0 ? -1 : 1;
  cosine = std::min(1.0, std::abs(cosine));
  const double angle = std::acos(cosine);
  // Below this the sines have lost their digits, and the chord is the arc.
  const bool tiny = angle < 1e-6;
  const double of_a = tiny ? 1 - part : std::sin((1 - part) * angle) / std::sin(angle);
  const double of_b = sign * (tiny ? part : std::sin(part * angle) / std::sin(angle));
  Rotation q{of_a * a.w + of_b * b.w, of_a * a.x + of_b * b.x, of_a * a.y + of_b * b.y,
             of_a * a.z + of_b * b.z};
  const double n = std::sqrt(q.squared_norm());
  return {q.w / n, q.x / n, q.y / n, q.z / n};
}

int parent_of(const Model& model, int segment) {
  const int j = model.tree_joint[segment];
  return j < 0 ? kGround : model.joints[j].parent;
}

// A segment in its parent.
SegmentPose calc_relative(const Model& model, int segment, const SegmentPose* poses) {
  const int parent = parent_of(model, segment);
  if (parent == kGround) return poses[segment];
  const Rotation back = invert(poses[parent].q_WS);
  return {as_rotation(back) * (poses[segment].p_WS - poses[parent].p_WS),
          back * poses[segment].q_WS};
}

void place_in_parent(const Model& model, int segment, const SegmentPose& relative,
                     SegmentPose* poses) {
  const int parent = parent_of(model, segment);
  if (parent == kGround) {
    poses[segment] = relative;
    return;
  }
  const SegmentPose& P = poses[parent];
  poses[segment] = {P.p_WS + as_rotation(P.q_WS) * relative.p_WS, P.q_WS * relative.q_WS};
}

class OpenPoseFiller {
 public:
  OpenPoseFiller(AllFrames& frames, const Eigen::VectorXd& d, const FrameMarks& marks)
      : frames_(frames), model_(frames.model()), marks_(marks), solver_(model_, d) {}

  void run() {
    for (int begin = 0, end = 0; begin < frames_.frame_count(); begin = end) {
      for (end = begin + 1; end < frames_.frame_count() && !frames_.begins_trial(end);) ++end;
      for (int k = begin; k < end; ++k) {
        if (!marks_.open[k].empty()) fill(k, begin, end);
      }
    }
  }

 private:
  bool is_open(int k, int segment) const {
    const auto& open = marks_.open[k];
    return std::find(open.begin(), open.end(), segment) != open.end();
  }

  // Its own pose where the segment is held nowhere in the trial.
  SegmentPose calc_between(int k, int segment, int begin, int end) const {
    int before = k, after = k;
    while (before >= begin && is_open(before, segment)) --before;
    while (after < end && is_open(after, segment)) ++after;
    const bool has_before = before >= begin, has_after = after < end;
    if (!has_before && !has_after) return calc_relative(model_, segment, frames_.poses(k));
    if (!has_before) before = after;
    if (!has_after) after = before;
    const SegmentPose a = calc_relative(model_, segment, frames_.poses(before));
    const SegmentPose b = calc_relative(model_, segment, frames_.poses(after));
    const double part =
        after == before ? 0 : static_cast<double>(k - before) / static_cast<double>(after - before);
    return {(1 - part) * a.p_WS + part * b.p_WS, interpolate(a.q_WS, b.q_WS, part)};
  }

  // A point that the axis of an open turn goes through: a joint of the segment.
  Vec3d find_pivot(int segment, const SegmentPose* poses) const {
    for (size_t j = 0; j < model_.joints.size(); ++j) {
      const Joint& joint = model_.joints[j];
      if (joint.type == JointType::kFree) continue;
      if (joint.child != segment && joint.parent != segment) continue;
      const SegmentPose& child = poses[joint.child];
      return child.p_WS + as_rotation(child.q_WS) * solver_.geometry().joints[j].child_center.value;
    }
    return poses[segment].p_WS;
  }

  // Where one turn of one segment is all that is open, the fit knows the rest: the segment is
  // turned about that axis until it is nearest to its place between the frames beside.
  // Interpolating all of its orientation would not do: a knee that bends and stretches within the
  // gap is nowhere near.
  bool turn_about_open_axis(int k, int begin, int end, SegmentPose* poses) {
    if (marks_.open[k].size() != 1) return false;
    const int s = marks_.open[k].front();
    std::vector<SegmentPose> copy(poses, poses + model_.segments.size());
    if (solver_.solve(frames_.frame(k), copy.data(), 1).undetermined != 1) return false;
    const PoseSpread spread =
        calc_pose_spread(solver_.plan(), solver_.geometry(), frames_.frame(k), poses);
    if (spread.worst != s) return false;
    const auto row = 6 * static_cast<Eigen::Index>(solver_.plan().body_of(s)) + 3;
    const Vec3d axis = Vec3d(spread.softest.segment<3>(row)).normalized();
    copy.assign(poses, poses + model_.segments.size());
    place_in_parent(model_, s, calc_between(k, s, begin, end), copy.data());
    // The twist about the axis of the rotation that is left (swing and twist).
    const Rotation left = copy[s].q_WS * invert(poses[s].q_WS);
    const double angle = 2 * std::atan2(axis.dot(Vec3d(left.x, left.y, left.z)), left.w);
    const Rotation turn = quaternion_from_rotation_vector(Vec3d(angle * axis));
    const Vec3d pivot = find_pivot(s, poses);
    poses[s] = {pivot + as_rotation(turn) * (poses[s].p_WS - pivot), turn * poses[s].q_WS};
    return true;
  }

  void fill(int k, int begin, int end) {
    SegmentPose* poses = frames_.poses(k);
    const bool turned = turn_about_open_axis(k, begin, end, poses);
    for (const int s : model_.order) {  // parents first
      if (turned || !is_open(k, s)) continue;
      place_in_parent(model_, s, calc_between(k, s, begin, end), poses);
    }
    const Frame seen = frames_.frame(k);
    const size_t n = model_.markers.size();
    std::vector<Vec3d> positions(seen.positions, seen.positions + n);
    std::vector<double> weights(seen.weights, seen.weights + n);
    for (size_t m = 0; m < n; ++m) {
      if (weights[m] > 0 || !is_open(k, model_.markers[m].segment)) continue;
      positions[m] = calc_marker(solver_.geometry(), model_, static_cast<int>(m), poses);
      weights[m] = kWeight;
    }
    solver_.project(poses);
    // Not once more without them: what is open would turn by round-off over round-off.
    solver_.solve({positions.data(), weights.data()}, poses);
  }

  AllFrames& frames_;
  const Model& model_;
  const FrameMarks& marks_;
  FrameSolver solver_;
};

}  // namespace

void fill_open_poses(AllFrames& frames, const Eigen::VectorXd& d, const FrameMarks& marks) {
  if (frames.model().has_loops()) return;
  OpenPoseFiller(frames, d, marks).run();
}

}  // namespace vesica::markers
