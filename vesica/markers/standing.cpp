#include "vesica/markers/standing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "vesica/error.h"
#include "vesica/motion/marker_names.h"

namespace vesica::markers {
namespace {

class StandingPoints {
 public:
  StandingPoints(const MotionTrial& standing, const Model& model)
      : file_(standing.file), model_(model) {
    const MarkerTracks& tracks = standing.markers;
    for (size_t m = 0; m < tracks.markers(); ++m) {
      Vec3d sum = Vec3d::Zero();
      double count = 0;
      for (size_t f = 0; f < tracks.frames(); ++f) {
        if (!tracks.has(f, m) || tracks.at(f, m).isZero()) continue;
        sum += tracks.at(f, m);
        count += 1;
      }
      if (count > 0) markers_[without_prefix(tracks.labels[m])] = sum / count;
    }
  }

  // A point of the model's list, or a marker by its name in the model or in the file.
  Vec3d at(const std::string& name) const {
    for (const StandingPoint& point : model_.points) {
      if (point.name == name) return calc(point);
    }
    const int m = model_.find_marker(name);
    const bool labelled = m >= 0 && !model_.markers[m].label.empty();
    const auto found = markers_.find(labelled ? model_.markers[m].label : name);
    if (found == markers_.end()) {
      throw InputError(fmt::format(
          "{}: the standing trial does not show '{}', which the model's frames are made of", file_,
          name));
    }
    return found->second;
  }
  bool has(const std::string& label) const { return markers_.count(label) > 0; }

 private:
  Vec3d calc(const StandingPoint& point) const {
    if (point.hip != Side::kNone) return calc_hip(point);
    Vec3d sum = Vec3d::Zero();
    for (const std::string& name : point.markers) {
      sum += at(name) / static_cast<double>(point.markers.size());
    }
    return sum;
  }

  // Harrington et al. 2007, their equations of one variable each: pelvic depth and width. Markers:
  // left and right ASIS, left and right PSIS. In the pelvis' frame, from the middle of the ASIS.
  Vec3d calc_hip(const StandingPoint& point) const {
    const Vec3d left = at(point.markers[0]), right = at(point.markers[1]);
    const Vec3d front = 0.5 * (left + right);
    const Vec3d depth = front - 0.5 * (at(point.markers[2]) + at(point.markers[3]));
    const double width = (right - left).norm();
    const Vec3d z = (right - left).normalized(), y = z.cross(depth).normalized(), x = y.cross(z);
    const double side = point.hip == Side::kRight ? 1 : -1;
    return front + x * (-0.24 * depth.norm() - 9.9e-3) + y * (-0.30 * width - 10.9e-3) +
           z * side * (0.33 * width + 7.3e-3);
  }

  std::string file_;
  const Model& model_;
  std::map<std::string, Vec3d> markers_;
};

// The first direction is kept, the second lies in the plane of both.
Mat3d make_axes(const Segment& segment, const StandingPoints& points) {
  const auto& [first, second] = segment.standing_axes;
  const Vec3d a = (points.at(first.to) - points.at(first.from)).normalized();
  const Vec3d b = points.at(second.to) - points.at(second.from);
  const Vec3d across = a.cross(b);
  if (!(across.norm() > 0.02 * b.norm())) {
    throw InputError(fmt::format(
        "segment '{}': the two directions of its frame are parallel in the standing trial",
        segment.name));
  }
  Mat3d R;
  const int i = first.axis, j = second.axis, k = 3 - i - j;
  const bool cyclic = j == (i + 1) % 3;
  R.col(i) = a;
  R.col(k) = (cyclic ? 1.0 : -1.0) * across.normalized();
  R.col(j) = cyclic ? R.col(k).cross(a) : Vec3d(a.cross(R.col(k)));
  return R;
}

Point make_fixed_point(const Vec3d& x) {
  Point p;
  for (int k = 0; k < 3; ++k) p.coordinate[k] = Affine{x[k]};
  p.scaled = {false, false, false};
  return p;
}

}  // namespace

bool needs_standing(const Model& model) {
  return std::any_of(model.segments.begin(), model.segments.end(),
                     [](const Segment& s) { return s.standing; });
}

void calibrate(const MotionTrial& standing, Model& model) {
  const StandingPoints points(standing, model);
  std::vector<Mat3d> R_WS(model.segments.size(), Mat3d::Identity());
  std::vector<Vec3d> p_WS(model.segments.size(), Vec3d::Zero());
  for (size_t s = 0; s < model.segments.size(); ++s) {
    if (!model.segments[s].standing) continue;
    R_WS[s] = make_axes(model.segments[s], points);
    p_WS[s] = points.at(model.segments[s].standing_origin);
  }
  const auto is_standing = [&](int s) { return s >= 0 && model.segments[s].standing; };
  const auto in_segment = [&](int s, const Vec3d& p) {
    return make_fixed_point(R_WS[s].transpose() * (p - p_WS[s]));
  };
  for (Joint& joint : model.joints) {
    if (joint.center.empty()) continue;
    const Vec3d at = points.at(joint.center);
    if (is_standing(joint.parent)) joint.parent_center = in_segment(joint.parent, at);
    if (is_standing(joint.child)) joint.child_center = in_segment(joint.child, at);
  }
  for (Marker& marker : model.markers) {
    if (is_standing(marker.segment)) {
      marker.position = in_segment(marker.segment, points.at(marker.name));
    }
  }
  for (Segment& segment : model.segments) segment.calibrated = segment.standing;
}

}  // namespace vesica::markers
