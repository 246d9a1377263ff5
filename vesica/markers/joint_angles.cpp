#include "vesica/markers/joint_angles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "vesica/markers/joint_coordinates.h"
#include "vesica/motion/marker_names.h"

namespace vesica::markers {
namespace {

// The order of a Cardan triple: about Z, X, Y.
constexpr std::array<int, 3> kCardanAxes{2, 0, 1};

std::array<double, 3> calc_cardan(const Mat3d& R) {
  return {std::atan2(-R(0, 1), R(1, 1)), std::asin(std::clamp(R(2, 1), -1.0, 1.0)),
          std::atan2(-R(2, 0), R(2, 2))};
}

double turn_near(double angle, double near) {
  return angle - 2 * kPi * std::round((angle - near) / (2 * kPi));
}

double wrap_turn(double angle) { return turn_near(angle, 0); }

using Triple = std::array<double, 3>;
// The other triple of the same rotation.
Triple calc_other(const Triple& t) { return {t[0] + kPi, kPi - t[1], t[2] + kPi}; }

// Beyond this from one frame to the next a frame is wild, and how wild does not count.
constexpr double kWildStep = kPi / 4;
// What the other triple costs a frame, for each rad of its middle angle beyond 90 deg.
constexpr double kBeyond = 1e-3;

// A rotation has two triples; beyond 90 deg about the middle axis the second one goes on where the
// first one jumps. Which one a frame has follows from the cheapest path through all frames: from
// the frame before alone, one wild frame would leave all that follow on the second.
void choose_triples(std::vector<double>& table, size_t width, size_t column) {
  const size_t frames = table.size() / width;
  if (frames == 0) return;
  const auto read = [&](size_t f, int which) {
    const double* q = table.data() + f * width + column;
    const Triple first{q[0], q[1], q[2]};
    return which == 0 ? first : calc_other(first);
  };
  const auto calc_step = [](const Triple& a, const Triple& b) {
    double sum = 0;
    for (int k = 0; k < 3; ++k) sum += std::abs(wrap_turn(b[k] - a[k]));
    return std::min(sum, kWildStep);
  };
  std::vector<std::array<char, 2>> from(frames);
  std::array<double, 2> cost{0, 0};
  for (size_t f = 0; f < frames; ++f) {
    std::array<double, 2> next{};
    for (int b = 0; b < 2; ++b) {
      const Triple t = read(f, b);
      const std::array<double, 2> way =
          f == 0 ? cost
                 : std::array<double, 2>{cost[0] + calc_step(read(f - 1, 0), t),
                                         cost[1] + calc_step(read(f - 1, 1), t)};
      from[f][b] = way[1] < way[0] ? 1 : 0;
      next[b] =
          std::min(way[0], way[1]) + kBeyond * std::max(0.0, std::abs(wrap_turn(t[1])) - kPi / 2);
    }
    cost = next;
  }
  int which = cost[1] < cost[0] ? 1 : 0;
  for (size_t f = frames; f-- > 0;) {
    const int before = from[f][which];
    const Triple t = read(f, which);
    std::copy(t.begin(), t.end(), table.begin() + static_cast<std::ptrdiff_t>(f * width + column));
    which = before;
  }
}

// Angles go on from frame to frame without full turns. Over a wild step they go on from the last
// frame that has calm ones on both sides; those of a joint return to within 270 deg of `neutral`
// there, as no joint of a body goes round.
void unwrap_angle(std::vector<double>& table, size_t width, size_t column, double neutral,
                  bool joint) {
  constexpr double kCalm = kPi / 3;
  const size_t frames = table.size() / width;
  const auto at = [&](size_t f) -> double& { return table[f * width + column]; };
  double calm = neutral;
  bool step_is_calm = false;  // into this frame
  for (size_t f = 0; f < frames; ++f) {
    // The frame after is not unwrapped yet, but only its distance counts.
    const bool next_is_calm = f + 1 < frames && std::abs(wrap_turn(at(f + 1) - at(f))) < kCalm;
    at(f) = turn_near(at(f), step_is_calm ? at(f - 1) : calm);
    if (!step_is_calm && joint && std::abs(at(f) - neutral) > 1.5 * kPi) {
      at(f) = turn_near(at(f), neutral);
    }
    if (step_is_calm && next_is_calm) calm = at(f);
    step_is_calm = next_is_calm;
  }
}

// Markers that all read as of one side say where their segment is.
Side read_side_of_markers(const Model& model, int segment) {
  bool left = true, right = true;
  int count = 0;
  for (const Marker& marker : model.markers) {
    if (marker.segment != segment) continue;
    ++count;
    const auto names = as_sided_names(marker.label.empty() ? marker.name : marker.label);
    const auto reads = [&](char side) {
      return std::any_of(names.begin(), names.end(),
                         [&](const SidedName& name) { return name.side == side; });
    };
    left = left && reads('l');
    right = right && reads('r');
  }
  if (count == 0 || left == right) return Side::kNone;
  return left ? Side::kLeft : Side::kRight;
}

Mat3d rotation_of(int segment, const SegmentPose* poses) {
  return segment == kGround ? Mat3d(Mat3d::Identity()) : as_rotation(poses[segment].q_WS);
}

// The mean of rotations that are near each other.
Quaternion<double> calc_mean(const std::vector<Quaternion<double>>& all) {
  Quaternion<double> sum{0, 0, 0, 0};
  for (const auto& q : all) {
    const auto& f = all.front();
    const double sign = q.w * f.w + q.x * f.x + q.y * f.y + q.z * f.z < 0 ? -1 : 1;
    sum = {sum.w + sign * q.w, sum.x + sign * q.x, sum.y + sign * q.y, sum.z + sign * q.z};
  }
  const double n = std::sqrt(sum.squared_norm());
  return {sum.w / n, sum.x / n, sum.y / n, sum.z / n};
}

}  // namespace

Mat3d make_walking_frame(const Vec3d& up, const Vec3d& forward) {
  Mat3d R;
  R.col(1) = up.normalized();
  R.col(2) = forward.cross(up).normalized();
  R.col(0) = R.col(1).cross(R.col(2));
  return R;
}

JointIdentity identify_joint(const Model& model, int j) {
  const Joint& joint = model.joints[j];
  const ReadName read = read_side(joint.name);
  JointIdentity identity;
  identity.stem = read.stem;
  identity.meaning = joint.meaning.value_or(find_meaning(read.stem).value_or(JointMeaning::kOther));
  if (joint.side) {
    identity.side = *joint.side;
  } else if (read.side != Side::kNone) {
    identity.side = read.side;
  } else if (row_of(identity.meaning).has_side) {
    identity.side = read_side(model.segments[joint.child].name).side;
    // Of joints that are known to be of one side: LUMB1 and LUMB2 are on a trunk.
    if (identity.side == Side::kNone && identity.meaning != JointMeaning::kOther) {
      identity.side = read_side_of_markers(model, joint.child);
    }
  }
  return identity;
}

JointAngles::JointAngles(const Model& model, const Eigen::VectorXd& d)
    : model_(&model), d_(d), R_SA_(model.segments.size(), Mat3d::Identity()) {
  name_columns();
}

void JointAngles::name_columns() {
  const Model& model = *model_;
  columns_.clear();
  signs_.assign(model.joints.size(), {1, 1, 1});
  hinge_axis_.assign(model.joints.size(), 0);
  hinge_sign_.assign(model.joints.size(), 1);
  std::set<std::string> taken;
  const auto add = [&](std::string name, const std::string& fallback, bool angle, int segment) {
    if (!taken.insert(name).second) taken.insert(name = fallback);
    columns_.push_back({std::move(name), angle, segment});
  };
  for (int s : model.order) {
    const int j = model.tree_joint[s];
    if (j < 0) {
      const std::string& n = model.segments[s].name;
      for (const char* c : {"_tx", "_ty", "_tz"}) add(n + c, n + c, false, s);
      for (const char* c : {"_tilt", "_list", "_rotation"}) add(n + c, n + c, true, s);
      continue;
    }
    const Joint& joint = model.joints[j];
    const JointIdentity identity = identify_joint(model, j);
    signs_[j] = calc_angle_signs(identity.meaning, identity.side);
    const auto fallback = [&](int k) {
      return fmt::format("{}_{}", joint.name, row_of(identity.meaning).angle[k]);
    };
    if (joint.type == JointType::kRevolute) {
      const Mat3d R_PA = joint.parent == kGround ? Mat3d(Mat3d::Identity()) : R_SA_[joint.parent];
      const Vec3d axis =
          calc_axis_column(joint.parent_axis, joint.parent_axis.sequence[2], d_).value;
      const Vec3d a = R_PA.transpose() * axis;
      int best = 0;
      for (int k = 1; k < 3; ++k) {
        if (std::abs(a[kCardanAxes[k]]) > std::abs(a[kCardanAxes[best]])) best = k;
      }
      hinge_axis_[j] = best;
      hinge_sign_[j] = (a[kCardanAxes[best]] < 0 ? -1 : 1) * signs_[j][best];
      // A file that names the angle also says which way it turns: about the axis.
      if (joint.named_angles.size() == 1) {
        hinge_sign_[j] = joint.named_angles[0].axis.z() < 0 ? -1 : 1;
      }
      add(name_directions(j)[best], fallback(best), true, s);
    } else if (joint.type == JointType::kUniversal || joint.type == JointType::kSpherical) {
      for (size_t k = 0; k < joint.named_angles.size() && joint.named_angles.size() == 3; ++k) {
        signs_[j][k] = joint.named_angles[k].axis[kCardanAxes[k]] < 0 ? -1 : 1;
      }
      const auto directions = name_directions(j);
      for (int k = 0; k < 3; ++k) add(directions[k], fallback(k), true, s);
    }
  }
  offset_.assign(columns_.size(), 0.0);
}

std::array<std::string, 3> JointAngles::name_directions(int j) const {
  const Joint& joint = model_->joints[j];
  const JointIdentity identity = identify_joint(*model_, j);
  std::array<std::string, 3> names;
  for (int k = 0; k < 3; ++k) {
    names[k] = fmt::format("{}_{}{}", identity.stem, row_of(identity.meaning).angle[k],
                           suffix_of(identity.side));
    if (joint.named_angles.size() == 3) names[k] = joint.named_angles[k].name;
  }
  if (joint.named_angles.size() == 1) names[hinge_axis_[j]] = joint.named_angles[0].name;
  return names;
}

JointAngles::JointFrames JointAngles::calc_frames(int j, const SegmentPose* poses) const {
  const Joint& joint = model_->joints[j];
  JointFrames frames;
  frames.parent = rotation_of(joint.parent, poses);
  frames.child = rotation_of(joint.child, poses);
  if (joint.parent != kGround) frames.parent *= R_SA_[joint.parent];
  frames.child *= R_SA_[joint.child];
  if (joint.type == JointType::kSpherical) {
    frames.parent *= calc_axis_triad(joint.parent_axis, d_);
    frames.child *= calc_axis_triad(joint.child_axis, d_);
  }
  return frames;
}

Mat3d JointAngles::calc_axes(int j, const SegmentPose* poses, Axes axes) const {
  const JointFrames frames = calc_frames(j, poses);
  const Mat3d& at = axes == Axes::kDistal ? frames.child : frames.parent;
  Mat3d out;
  for (int k = 0; k < 3; ++k) out.col(k) = at.col(kCardanAxes[k]);
  if (axes == Axes::kJoint) {
    out.col(2) = frames.child.col(1);
    out.col(1) = out.col(2).cross(out.col(0)).normalized();
  }
  for (int k = 0; k < 3; ++k) out.col(k) *= signs_[j][k];
  return out;
}

void JointAngles::calc_row(const SegmentPose* poses, const Mat3d& R_WB, double* q) const {
  for (int s : model_->order) {
    const int j = model_->tree_joint[s];
    if (j < 0) {
      for (int k = 0; k < 3; ++k) *q++ = poses[s].p_WS[k];
      const Mat3d R = as_rotation(poses[s].q_WS) * R_SA_[s];
      for (const double angle : calc_cardan(R_WB.transpose() * R)) *q++ = angle;
      continue;
    }
    const Joint& joint = model_->joints[j];
    if (joint.type == JointType::kRevolute) {
      const Mat3d P = rotation_of(joint.parent, poses) * calc_axis_triad(joint.parent_axis, d_);
      const Mat3d C = as_rotation(poses[s].q_WS) * calc_axis_triad(joint.child_axis, d_);
      const Mat3d R_PC = P.transpose() * C;
      *q++ = hinge_sign_[j] * std::atan2(R_PC(1, 0), R_PC(0, 0));
    } else if (joint.type == JointType::kUniversal || joint.type == JointType::kSpherical) {
      const JointFrames frames = calc_frames(j, poses);
      const auto cardan = calc_cardan(frames.parent.transpose() * frames.child);
      for (int k = 0; k < 3; ++k) *q++ = signs_[j][k] * cardan[k];
    }
  }
}

std::vector<double> JointAngles::calc_table(const SegmentPose* poses, int frames,
                                            const Mat3d& R_WB) const {
  const size_t n = columns_.size();
  std::vector<double> table(n * static_cast<size_t>(frames));
  for (int f = 0; f < frames; ++f) {
    calc_row(poses + static_cast<size_t>(f) * model_->segments.size(), R_WB,
             table.data() + n * static_cast<size_t>(f));
  }
  for (size_t c = 0; c + 2 < n; ++c) {
    const bool triple =
        columns_[c].angle && columns_[c + 2].angle &&
        columns_[c].segment == columns_[c + 2].segment &&
        (c == 0 || !columns_[c - 1].angle || columns_[c - 1].segment != columns_[c].segment);
    if (triple) choose_triples(table, n, c);
  }
  for (size_t c = 0; c < n; ++c) {
    if (columns_[c].angle) {
      unwrap_angle(table, n, c, offset_[c], model_->tree_joint[columns_[c].segment] >= 0);
    }
    for (size_t k = c; k < table.size(); k += n) table[k] -= offset_[c];
  }
  return table;
}

void JointAngles::set_reference(const SegmentPose* poses, const Mat3d& R_WB) {
  const Model& model = *model_;
  for (size_t s = 0; s < model.segments.size(); ++s) {
    if (model.segments[s].technical) R_SA_[s] = as_rotation(poses[s].q_WS).transpose() * R_WB;
  }
  name_columns();
  std::vector<double> q(columns_.size());
  calc_row(poses, R_WB, q.data());
  for (size_t c = 0; c < columns_.size(); ++c) {
    const int j = model.tree_joint[columns_[c].segment];
    if (j < 0 || model.joints[j].type != JointType::kRevolute) continue;
    const int parent = model.joints[j].parent;
    const bool technical = model.segments[columns_[c].segment].technical ||
                           (parent != kGround && model.segments[parent].technical);
    if (technical) offset_[c] = q[c];
  }
}

void JointAngles::set_neutral(const SegmentPose* poses, int frames, const Mat3d& R_WB) {
  const Model& model = *model_;
  const size_t n = model.segments.size();
  std::vector<SegmentPose> mean(n);
  for (size_t s = 0; s < n; ++s) {
    std::vector<Quaternion<double>> all;
    for (int f = 0; f < frames; ++f) all.push_back(poses[static_cast<size_t>(f) * n + s].q_WS);
    mean[s] = {poses[s].p_WS, calc_mean(all)};
  }
  set_reference(mean.data(), R_WB);
  offset_.assign(columns_.size(), 0.0);
  const std::vector<double> q = calc_table(poses, frames, R_WB);
  for (size_t c = 0; c < columns_.size(); ++c) {
    if (model.tree_joint[columns_[c].segment] < 0) continue;
    double sum = 0;
    for (int f = 0; f < frames; ++f) sum += q[static_cast<size_t>(f) * columns_.size() + c];
    offset_[c] = sum / frames;
  }
}

}  // namespace vesica::markers
