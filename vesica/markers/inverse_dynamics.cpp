#include "vesica/markers/inverse_dynamics.h"

#include <fmt/format.h>

#include <cmath>

#include "vesica/error.h"
#include "vesica/markers/joint_coordinates.h"
#include "vesica/math/spline.h"
#include "vesica/motion/butterworth.h"

namespace vesica::markers {
namespace {

// A curve with its first two derivatives at every frame.
struct Curve {
  std::vector<double> value, first, second;
};

Curve make_curve(std::vector<double> samples, double rate, double cutoff) {
  if (cutoff > 0) {
    filter_signal(make_low_pass(cutoff, rate, 4), samples);
  }
  std::vector<double> times(samples.size());
  for (size_t k = 0; k < times.size(); ++k) times[k] = static_cast<double>(k) / rate;
  const CubicSpline spline(times, samples);
  Curve curve;
  for (const double t : times) {
    curve.value.push_back(spline.value(t));
    curve.first.push_back(spline.derivative(t));
    curve.second.push_back(spline.second_derivative(t));
  }
  return curve;
}

// How a frame turns in another: rotation, spin and its rate in the other's axes.
struct Turning {
  Mat3d R = Mat3d::Identity();
  Vec3d w = Vec3d::Zero(), w_rate = Vec3d::Zero();
};

Vec3d vector_of(const Quaternion<double>& q) { return {q.x, q.y, q.z}; }

class QuaternionCurve {
 public:
  QuaternionCurve(std::vector<Quaternion<double>> samples, double rate, double cutoff) {
    std::vector<double> parts[4];
    for (size_t k = 0; k < samples.size(); ++k) {
      Quaternion<double>& q = samples[k];
      if (k > 0) {
        const Quaternion<double>& b = samples[k - 1];
        if (q.w * b.w + q.x * b.x + q.y * b.y + q.z * b.z < 0) q = {-q.w, -q.x, -q.y, -q.z};
      }
      const double components[] = {q.w, q.x, q.y, q.z};
      for (int c = 0; c < 4; ++c) parts[c].push_back(components[c]);
    }
    for (int c = 0; c < 4; ++c) curves_[c] = make_curve(std::move(parts[c]), rate, cutoff);
  }
  Turning at(size_t f) const {
    const auto pick = [&](std::vector<double> Curve::*order) {
      return Quaternion<double>{(curves_[0].*order)[f], (curves_[1].*order)[f],
                                (curves_[2].*order)[f], (curves_[3].*order)[f]};
    };
    const Quaternion<double> q = pick(&Curve::value), q1 = pick(&Curve::first),
                             q2 = pick(&Curve::second);
    const Quaternion<double> conjugate{q.w, -q.x, -q.y, -q.z};
    const double s = q.squared_norm();
    const double s_rate = 2 * (q.w * q1.w + q.x * q1.x + q.y * q1.y + q.z * q1.z);
    Turning turning;
    turning.R = as_rotation(q);
    turning.w = 2 / s * vector_of(q1 * conjugate);
    turning.w_rate = 2 / s * vector_of(q2 * conjugate) - s_rate / s * turning.w;
    return turning;
  }

 private:
  Curve curves_[4];
};

std::vector<double> unwrap(std::vector<double> angles) {
  for (size_t k = 1; k < angles.size(); ++k) {
    angles[k] -= 2 * kPi * std::round((angles[k] - angles[k - 1]) / (2 * kPi));
  }
  return angles;
}

// The child's axis triad in the parent's, over all frames.
std::vector<Turning> calc_joint_turning(const Joint& joint, const std::vector<Mat3d>& R_PC,
                                        double rate, double cutoff) {
  std::vector<Turning> out(R_PC.size());
  const auto curve_of = [&](auto angle) {
    std::vector<double> samples;
    for (const Mat3d& R : R_PC) samples.push_back(angle(R));
    return make_curve(unwrap(std::move(samples)), rate, cutoff);
  };
  const Vec3d z = Vec3d::UnitZ();
  switch (joint.type) {
    case JointType::kRevolute: {
      const Curve q = curve_of([](const Mat3d& R) { return std::atan2(R(1, 0), R(0, 0)); });
      for (size_t f = 0; f < out.size(); ++f) {
        out[f] = {detail::rotation_about(2, q.value[f]), q.first[f] * z, q.second[f] * z};
      }
      break;
    }
    case JointType::kUniversal: {
      // R = Rz(a) Rx(90 deg) Rz(b), as in joint_coordinates.cpp.
      const Curve a = curve_of([](const Mat3d& R) { return std::atan2(R(0, 2), -R(1, 2)); });
      const Curve b = curve_of([](const Mat3d& R) { return std::atan2(R(2, 0), R(2, 1)); });
      for (size_t f = 0; f < out.size(); ++f) {
        const Mat3d first =
            detail::rotation_about(2, a.value[f]) * detail::rotation_about(0, kPi / 2);
        const Vec3d axis = first * z;
        out[f].R = first * detail::rotation_about(2, b.value[f]);
        out[f].w = a.first[f] * z + b.first[f] * axis;
        out[f].w_rate =
            a.second[f] * z + b.second[f] * axis + a.first[f] * b.first[f] * z.cross(axis);
      }
      break;
    }
    case JointType::kSpherical: {
      std::vector<Quaternion<double>> samples;
      for (const Mat3d& R : R_PC) samples.push_back(as_quaternion(R));
      const QuaternionCurve curve(std::move(samples), rate, cutoff);
      for (size_t f = 0; f < out.size(); ++f) out[f] = curve.at(f);
      break;
    }
    default:  // a weld
      for (size_t f = 0; f < out.size(); ++f) out[f].R = R_PC[0];
      break;
  }
  return out;
}

Vec3d calc_acceleration(const SegmentMotion& m, const Vec3d& r) {
  return m.a + m.w_rate.cross(r) + m.w.cross(m.w.cross(r));
}

}  // namespace

std::vector<SegmentMotion> calc_segment_motions(const Model& model, const Eigen::VectorXd& d,
                                                const SegmentPose* poses, int frames, double rate,
                                                double cutoff) {
  if (model.has_loops()) {
    throw InputError("inverse dynamics needs a model without closed loops");
  }
  constexpr int kFewest = 8;
  if (frames < kFewest) {
    throw InputError(fmt::format("inverse dynamics needs {} frames or more; the recording has {}",
                                 kFewest, frames));
  }
  if (cutoff >= 0.5 * rate) {
    throw InputError(fmt::format(
        "a cut-off of {:g} Hz for the motion is not below half of the recording's rate, {:g} Hz",
        cutoff, rate));
  }
  const size_t n = model.segments.size(), count = static_cast<size_t>(frames);
  const Geometry geometry = calc_geometry(model, d);
  std::vector<SegmentMotion> motions(n * count);
  for (int s : model.order) {
    const int j = model.tree_joint[s];
    if (j < 0) {
      Curve position[3];
      for (int k = 0; k < 3; ++k) {
        std::vector<double> samples;
        for (size_t f = 0; f < count; ++f) samples.push_back(poses[f * n + s].p_WS[k]);
        position[k] = make_curve(std::move(samples), rate, cutoff);
      }
      std::vector<Quaternion<double>> samples;
      for (size_t f = 0; f < count; ++f) samples.push_back(poses[f * n + s].q_WS);
      const QuaternionCurve turning(std::move(samples), rate, cutoff);
      for (size_t f = 0; f < count; ++f) {
        SegmentMotion& m = motions[f * n + s];
        const Turning t = turning.at(f);
        m.R_WS = t.R;
        m.w = t.w;
        m.w_rate = t.w_rate;
        for (int k = 0; k < 3; ++k) {
          m.p_WS[k] = position[k].value[f];
          m.v[k] = position[k].first[f];
          m.a[k] = position[k].second[f];
        }
      }
      continue;
    }
    const Joint& joint = model.joints[j];
    const Mat3d P = calc_axis_triad(joint.parent_axis, d), C = calc_axis_triad(joint.child_axis, d);
    std::vector<Mat3d> R_PC;
    for (size_t f = 0; f < count; ++f) {
      const Mat3d R_WP = joint.parent == kGround ? Mat3d(Mat3d::Identity())
                                                 : as_rotation(poses[f * n + joint.parent].q_WS);
      R_PC.push_back((R_WP * P).transpose() * as_rotation(poses[f * n + s].q_WS) * C);
    }
    const std::vector<Turning> turning = calc_joint_turning(joint, R_PC, rate, cutoff);
    const Vec3d& u_P = geometry.joints[j].parent_center.value;
    const Vec3d& u_C = geometry.joints[j].child_center.value;
    for (size_t f = 0; f < count; ++f) {
      const SegmentMotion parent =
          joint.parent == kGround ? SegmentMotion{} : motions[f * n + joint.parent];
      SegmentMotion& m = motions[f * n + s];
      const Mat3d F = parent.R_WS * P;
      const Vec3d w = F * turning[f].w;
      m.R_WS = F * turning[f].R * C.transpose();
      m.w = parent.w + w;
      m.w_rate = parent.w_rate + F * turning[f].w_rate + parent.w.cross(w);
      const Vec3d r_P = parent.R_WS * u_P, r_C = m.R_WS * u_C;
      m.p_WS = parent.p_WS + r_P - r_C;
      m.v = parent.v + parent.w.cross(r_P) - m.w.cross(r_C);
      m.a = calc_acceleration(parent, r_P) - m.w_rate.cross(r_C) - m.w.cross(m.w.cross(r_C));
    }
  }
  return motions;
}

FrameLoads calc_frame_loads(const Model& model, const Geometry& geometry,
                            const SegmentMotion* motions,
                            const std::vector<SegmentInertia>& inertia,
                            const std::vector<Wrench<double>>& external, const Vec3d& gravity) {
  FrameLoads loads;
  loads.joints.resize(model.joints.size());
  loads.root.assign(model.segments.size(), {Vec3d::Zero(), Vec3d::Zero()});
  // What a segment needs from its parent, about the laboratory's origin.
  std::vector<Wrench<double>> needed(model.segments.size(), {Vec3d::Zero(), Vec3d::Zero()});
  for (size_t k = model.order.size(); k-- > 0;) {
    const int s = model.order[k];
    const SegmentMotion& m = motions[s];
    const Vec3d r = m.R_WS * inertia[s].center;
    const Vec3d center = m.p_WS + r;
    const Vec3d force = inertia[s].mass * (calc_acceleration(m, r) - gravity);
    const Mat3d I = m.R_WS * inertia[s].I_center * m.R_WS.transpose();
    needed[s].f_W += force - external[s].f_W;
    needed[s].tau_W += I * m.w_rate + m.w.cross(I * m.w) + center.cross(force) - external[s].tau_W;
    const int j = model.tree_joint[s];
    if (j < 0) {
      loads.root[s] = shift_wrench(needed[s], center);
      continue;
    }
    const int parent = model.joints[j].parent;
    JointLoad& load = loads.joints[j];
    load.center = m.p_WS + m.R_WS * geometry.joints[j].child_center.value;
    const Wrench<double> at = shift_wrench(needed[s], load.center);
    load.force = at.f_W;
    load.moment = at.tau_W;
    const Vec3d w_parent = parent == kGround ? Vec3d(Vec3d::Zero()) : motions[parent].w;
    load.power = load.moment.dot(m.w - w_parent);
    if (parent == kGround) continue;
    needed[parent].f_W += needed[s].f_W;
    needed[parent].tau_W += needed[s].tau_W;
  }
  return loads;
}

}  // namespace vesica::markers
