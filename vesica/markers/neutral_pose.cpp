// Which way is up and forwards in a recording, and the pose that angles are counted from.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/error.h"
#include "vesica/io/motion_checks.h"
#include "vesica/markers/outputs.h"
#include "vesica/markers/start.h"
#include "vesica/motion/gait_events.h"
#include "vesica/motion/marker_names.h"

namespace vesica::markers {
namespace {

// Less than this between the first and the last frame is no way that was gone.
constexpr double kLeastWay = 0.5;  // m

struct RootMotion {
  Vec3d way, mean_x, mean_y;
  bool technical;
};

RootMotion calc_root_motion(const Model& model, const SegmentPose* poses, int frames) {
  int root = model.order.front();
  for (int s : model.order) {
    if (model.tree_joint[s] < 0) {
      root = s;
      break;
    }
  }
  const size_t n = model.segments.size();
  RootMotion motion{Vec3d::Zero(), Vec3d::Zero(), Vec3d::Zero(), model.segments[root].technical};
  for (int f = 0; f < frames; ++f) {
    const Mat3d R = as_rotation(poses[static_cast<size_t>(f) * n + root].q_WS);
    motion.mean_x += R.col(0) / frames;
    motion.mean_y += R.col(1) / frames;
  }
  motion.way = poses[static_cast<size_t>(frames - 1) * n + root].p_WS - poses[root].p_WS;
  return motion;
}

Vec3d find_nearest_axis(const Vec3d& v) {
  Eigen::Index k = 0;
  v.cwiseAbs().maxCoeff(&k);
  return (v[k] < 0 ? -1.0 : 1.0) * Vec3d::Unit(k);
}

MarkerTracks as_tracks_of_model(const Model& model, const Trial& trial) {
  MarkerTracks tracks;
  for (const Marker& m : model.markers) {
    tracks.labels.push_back(m.label.empty() ? m.name : m.label);
  }
  tracks.rate = trial.rate;
  tracks.positions = trial.positions;
  for (int f = 0; f < trial.frame_count(); ++f) tracks.times.push_back(f / trial.rate);
  return tracks;
}

Vec3d find_up(const Model& model, const RootMotion& motion, const Trial& trial) {
  if (!motion.technical) return find_nearest_axis(motion.mean_y);
  const MarkerTracks tracks = as_tracks_of_model(model, trial);
  const std::string axis = find_up_axis(tracks);
  if (axis.empty()) return Vec3d::UnitY();
  return (axis[0] == '-' ? -1.0 : 1.0) * Vec3d::Unit(axis[1] - 'x');
}

Vec3d sum_way(const MarkerTracks& tracks, int from, int to) {
  Vec3d sum = Vec3d::Zero();
  for (size_t f = 0; f < tracks.frames(); ++f) {
    const Vec3d way =
        tracks.at(f, static_cast<size_t>(to)) - tracks.at(f, static_cast<size_t>(from));
    if (way.allFinite()) sum += way;
  }
  return sum;
}

// Which way the subject faces: across the line from left to right, along the feet otherwise; zero
// where no marker tells.
Vec3d find_facing(const MarkerTracks& tracks, const Vec3d& told_right, const Vec3d& up) {
  const Vec3d right = told_right.isZero() ? find_right(tracks) : told_right;
  const Vec3d across = up.cross(right);
  if (across.norm() > 0) return across.normalized();
  Vec3d along = Vec3d::Zero();
  const GaitMarkers gait = find_gait_markers(tracks.labels);
  for (const FootMarkers& foot : {gait.left, gait.right}) {
    const int toe = foot.toe >= 0 ? foot.toe : foot.inner;
    if (foot.heel >= 0 && toe >= 0) along += sum_way(tracks, foot.heel, toe);
  }
  return along - along.dot(up) * up;
}

Mat3d calc_frame(const Model& model, const SegmentPose* poses, const Trial& trial,
                 const LabAxes& lab) {
  const RootMotion motion = calc_root_motion(model, poses, trial.frame_count());
  const Vec3d up = lab.up.isZero() ? find_up(model, motion, trial) : lab.up;
  const auto flatten = [&](const Vec3d& v) { return Vec3d(v - v.dot(up) * up); };
  if (!lab.forward.isZero()) {
    if (flatten(lab.forward).norm() < 0.1 * lab.forward.norm()) {
      throw InputError(
          fmt::format("{}: the axis that points forwards is the one that points up; name a "
                      "horizontal one",
                      trial.name));
    }
    return make_walking_frame(up, flatten(lab.forward));
  }
  Vec3d forward = flatten(motion.way);
  const Vec3d facing = motion.technical
                           ? find_facing(as_tracks_of_model(model, trial), lab.right, up)
                           : flatten(motion.mean_x);
  if (forward.norm() > kLeastWay) {
    if (forward.dot(facing) < 0) forward = -forward;
  } else if (facing.norm() > 0.1) {
    forward = facing;
  } else {
    forward = std::abs(up.x()) > 0.5 ? Vec3d::UnitY() : Vec3d::UnitX();
  }
  return make_walking_frame(up, forward);
}

int find_first_frame(const Run& run, size_t trial) {
  int k = 0;
  for (size_t t = 0; t < trial; ++t) k += run.trials[t].frame_count();
  return k;
}

}  // namespace

Vec3d find_right(const MarkerTracks& tracks) {
  Vec3d right = Vec3d::Zero();
  for (const SidedPair& pair : find_sided_pairs(tracks.labels)) {
    right += sum_way(tracks, pair.left, pair.right);
  }
  return right;
}

Mat3d find_walking_frame(const Run& run, size_t trial) {
  return calc_frame(run.model, run.id->frames.poses(find_first_frame(run, trial)),
                    run.trials[trial], trial < run.lab.size() ? run.lab[trial] : LabAxes{});
}

NeutralPose find_neutral_pose(const Run& run, const Trial& standing, const LabAxes& lab,
                              int threads) {
  const std::vector<Trial> trials{standing};
  AllFrames frames(run.model, trials, threads);
  solve_frames(frames, run.id->d);
  NeutralPose neutral;
  neutral.name = standing.name;
  const size_t n = run.model.segments.size();
  for (int f = 0; f < frames.frame_count(); ++f) {
    const SegmentPose* poses = frames.poses(f);
    neutral.poses.insert(neutral.poses.end(), poses, poses + n);
  }
  neutral.R_WB = calc_frame(run.model, neutral.poses.data(), standing, lab);
  return neutral;
}

JointAngles make_joint_angles(const Run& run) {
  JointAngles angles(run.model, run.id->d);
  if (run.neutral) {
    angles.set_neutral(run.neutral->poses.data(),
                       static_cast<int>(run.neutral->poses.size() / run.model.segments.size()),
                       run.neutral->R_WB);
  } else {
    angles.set_reference(run.id->frames.poses(0), find_walking_frame(run, 0));
  }
  return angles;
}

}  // namespace vesica::markers
