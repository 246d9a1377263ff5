// Joint angles from markers by plain geometry, as gait labs compute them: anatomical frames from
// the standing trial, each carried along by the markers of its segment (least squares, by itself),
// Grood and Suntay's angles between neighbours. Shares nothing with vesica/markers. Laboratories
// choose different markers to carry a segment; two such choices, whose difference shows how far
// plain geometry itself can be told from these markers.
#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "vesica/io/motion_data.h"

namespace vesica::markers::test {

using PointMap = std::map<std::string, Eigen::Vector3d>;

struct RigidMotion {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  Eigen::Vector3d t = Eigen::Vector3d::Zero();
  Eigen::Vector3d apply(const Eigen::Vector3d& p) const { return R * p + t; }
};

// Kabsch's rotation from points `a` to points `b`.
inline RigidMotion find_motion(const std::vector<Eigen::Vector3d>& a,
                               const std::vector<Eigen::Vector3d>& b) {
  Eigen::Vector3d mean_a = Eigen::Vector3d::Zero(), mean_b = Eigen::Vector3d::Zero();
  for (size_t k = 0; k < a.size(); ++k) {
    mean_a += a[k] / static_cast<double>(a.size());
    mean_b += b[k] / static_cast<double>(a.size());
  }
  Eigen::Matrix3d C = Eigen::Matrix3d::Zero();
  for (size_t k = 0; k < a.size(); ++k) C += (b[k] - mean_b) * (a[k] - mean_a).transpose();
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(C, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Vector3d d(1, 1, (svd.matrixU() * svd.matrixV().transpose()).determinant());
  RigidMotion m;
  m.R = svd.matrixU() * d.asDiagonal() * svd.matrixV().transpose();
  m.t = mean_b - m.R * mean_a;
  return m;
}

// Columns X forward, Y up, Z right. `y` is kept, `right` gives the plane.
inline Eigen::Matrix3d make_frame_about_y(const Eigen::Vector3d& y, const Eigen::Vector3d& right) {
  Eigen::Matrix3d A;
  A.col(1) = y.normalized();
  A.col(0) = A.col(1).cross(right).normalized();
  A.col(2) = A.col(0).cross(A.col(1));
  return A;
}
inline Eigen::Matrix3d make_frame_about_x(const Eigen::Vector3d& x, const Eigen::Vector3d& right) {
  Eigen::Matrix3d A;
  A.col(0) = x.normalized();
  A.col(1) = right.cross(A.col(0)).normalized();
  A.col(2) = A.col(0).cross(A.col(1));
  return A;
}

// Flexion, adduction, rotation by Grood and Suntay's vectors, deg, of a distal segment on the right
// side: the thigh forwards, medially, inwards is positive.
inline std::array<double, 3> calc_grood_suntay(const Eigen::Matrix3d& P, const Eigen::Matrix3d& C) {
  const Eigen::Vector3d e1 = P.col(2), e3 = C.col(1), e2 = e3.cross(e1).normalized();
  constexpr double kDegrees = 180 / 3.14159265358979323846;
  return {kDegrees * std::atan2(e2.dot(P.col(1)), e2.dot(P.col(0))),
          kDegrees * std::asin(std::clamp(e3.dot(e1), -1.0, 1.0)),
          kDegrees * std::atan2(e2.dot(C.col(2)), e2.dot(C.col(0)))};
}

// Hip centre after Harrington et al. 2007, in metres, from the spines of the pelvis.
inline Eigen::Vector3d find_hip(const PointMap& p, double side) {
  const Eigen::Vector3d front = 0.5 * (p.at("R.ASIS") + p.at("L.ASIS"));
  const Eigen::Vector3d back = 0.5 * (p.at("R.PSIS") + p.at("L.PSIS"));
  const double width = (p.at("R.ASIS") - p.at("L.ASIS")).norm(), depth = (front - back).norm();
  const Eigen::Vector3d z = (p.at("R.ASIS") - p.at("L.ASIS")).normalized();
  const Eigen::Vector3d y = z.cross(front - back).normalized(), x = y.cross(z);
  return front + x * (-0.24 * depth - 0.0099) + y * (-0.30 * width - 0.0109) +
         z * side * (0.33 * width + 0.0073);
}

enum class Carriers {
  kOwn,     // the shank by its three markers, the thigh by hip, knee and two markers
  kShared,  // the knee's marker carries shank and thigh, the ankle's shank and foot
};

// Names as vesica gives them, degrees, counted from the standing trial; pelvis as it is, with x
// forwards and y up in the laboratory.
class PlainGeometry {
 public:
  explicit PlainGeometry(const MarkerTracks& standing, Carriers carriers = Carriers::kOwn)
      : carriers_(carriers) {
    for (size_t m = 0; m < standing.markers(); ++m) {
      Eigen::Vector3d sum = Eigen::Vector3d::Zero();
      int count = 0;
      for (size_t f = 0; f < standing.frames(); ++f) {
        if (!standing.has(f, m)) continue;
        sum += standing.at(f, m);
        ++count;
      }
      if (count > 0) standing_[standing.labels[m]] = sum / count;
    }
    frames_["pelvis"] = make_frame_about_z(standing_);
    for (const auto& [s, side] :
         {std::pair{std::string("R"), 1.0}, std::pair{std::string("L"), -1.0}}) {
      const auto at = [&, s = s](const char* name) { return standing_.at(s + "." + name); };
      const Eigen::Vector3d hip = find_hip(standing_, side);
      standing_[s + ".hip"] = hip;
      const Eigen::Vector3d knee = 0.5 * (at("Knee") + at("Knee.Medial"));
      const Eigen::Vector3d ankle = 0.5 * (at("Ankle") + at("Ankle.Medial"));
      standing_[s + ".knee"] = knee;
      standing_[s + ".ankle"] = ankle;
      frames_[s + "thigh"] =
          make_frame_about_y(hip - knee, side * (at("Knee") - at("Knee.Medial")));
      frames_[s + "shank"] =
          make_frame_about_y(knee - ankle, side * (at("Ankle") - at("Ankle.Medial")));
      frames_[s + "foot"] =
          make_frame_about_x(at("MT2") - at("Heel"), side * (at("MT5") - at("MT1")));
    }
    zero_ = calc(standing_);
    for (const char* c : {"pelvis_tilt", "pelvis_list", "pelvis_rotation"}) zero_[c] = 0;
  }

  std::map<std::string, std::vector<double>> calc_curves(const MarkerTracks& walk) const {
    std::map<std::string, std::vector<double>> curves;
    for (size_t f = 0; f < walk.frames(); ++f) {
      PointMap now;
      for (size_t m = 0; m < walk.markers(); ++m) {
        if (walk.has(f, m)) now[walk.labels[m]] = walk.at(f, m);
      }
      std::map<std::string, double> angles;
      try {
        angles = calc(now);
      } catch (const std::out_of_range&) {  // a marker is missing
        for (const auto& [name, value] : zero_) angles[name] = kMissing;
      }
      for (const auto& [name, value] : angles) curves[name].push_back(value - zero_.at(name));
    }
    return curves;
  }

 private:
  static Eigen::Matrix3d make_frame_about_z(const PointMap& p) {
    const Eigen::Vector3d z = (p.at("R.ASIS") - p.at("L.ASIS")).normalized();
    const Eigen::Vector3d x = p.at("R.ASIS") + p.at("L.ASIS") - p.at("R.PSIS") - p.at("L.PSIS");
    Eigen::Matrix3d A;
    A.col(2) = z;
    A.col(1) = z.cross(x).normalized();
    A.col(0) = A.col(1).cross(z);
    return A;
  }
  RigidMotion move(const PointMap& now, const std::vector<std::string>& names) const {
    std::vector<Eigen::Vector3d> a, b;
    for (const std::string& name : names) {
      a.push_back(standing_.at(name));
      b.push_back(now.at(name));
    }
    return find_motion(a, b);
  }
  std::map<std::string, double> calc(PointMap now) const {
    std::map<std::string, double> out;
    const RigidMotion pelvis = move(now, {"R.ASIS", "L.ASIS", "R.PSIS", "L.PSIS"});
    const Eigen::Matrix3d P = pelvis.R * frames_.at("pelvis");
    const auto lab = calc_grood_suntay(Eigen::Matrix3d::Identity(), P);
    out["pelvis_tilt"] = lab[0];
    out["pelvis_list"] = lab[1];
    out["pelvis_rotation"] = lab[2];
    for (const auto& [s, side] :
         {std::pair{std::string("R"), 1.0}, std::pair{std::string("L"), -1.0}}) {
      now[s + ".hip"] = pelvis.apply(standing_.at(s + ".hip"));
      // Each segment reaches to the joint that it shares with the one before it, as in all clinical
      // models: the shank has three markers of its own and gives the knee and the ankle.
      const bool shared = carriers_ == Carriers::kShared;
      const RigidMotion shank = shared
                                    ? move(now, {s + ".Knee", s + ".HF", s + ".TT", s + ".Ankle"})
                                    : move(now, {s + ".HF", s + ".TT", s + ".Ankle"});
      now[s + ".knee"] = shank.apply(standing_.at(s + ".knee"));
      now[s + ".ankle"] = shank.apply(standing_.at(s + ".ankle"));
      const Eigen::Matrix3d S = shank.R * frames_.at(s + "shank");
      const Eigen::Matrix3d T =
          (shared ? move(now, {s + ".hip", s + ".GTR", s + ".Knee"})
                  : move(now, {s + ".hip", s + ".knee", s + ".GTR", s + ".Knee"}))
              .R *
          frames_.at(s + "thigh");
      const Eigen::Matrix3d F =
          move(now, {shared ? s + ".Ankle" : s + ".ankle", s + ".Heel", s + ".MT1", s + ".MT5"}).R *
          frames_.at(s + "foot");
      const std::string end = side > 0 ? "_r" : "_l";
      const auto hip = calc_grood_suntay(P, T), knee = calc_grood_suntay(T, S),
                 ankle = calc_grood_suntay(S, F);
      out["hip_flexion" + end] = hip[0];
      out["hip_adduction" + end] = side * hip[1];
      out["hip_rotation" + end] = side * hip[2];
      out["knee_flexion" + end] = -knee[0];
      out["knee_adduction" + end] = side * knee[1];
      out["knee_rotation" + end] = side * knee[2];
      out["ankle_dorsiflexion" + end] = ankle[0];
      out["ankle_inversion" + end] = side * ankle[1];
      out["ankle_rotation" + end] = side * ankle[2];
    }
    return out;
  }

  Carriers carriers_;
  PointMap standing_;
  std::map<std::string, Eigen::Matrix3d> frames_;
  std::map<std::string, double> zero_;
};

}  // namespace vesica::markers::test
