#include "vesica/biomechanics/foot_forces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/contact/contact_forces.h"
#include "vesica/contact/volumetric_normal.h"
#include "vesica/error.h"
#include "vesica/interference/closed_form/half_space_ellipsoid.h"

namespace vesica {
namespace {

// Friction that is not there.
struct Frictionless {
  template <class T>
  FrictionForce<T> operator()(const FrictionInput<T>&, const T*, T*) const {
    return no_friction<T>();
  }
};

// Friction that only looks at what it is given.
struct FrictionWitness {
  FrictionInput<double>* seen;
  FrictionForce<double> operator()(const FrictionInput<double>& in, const double*, double*) const {
    *seen = in;
    return no_friction<double>();
  }
};

// Directions of the dual numbers: position of the ellipsoid's centre, rotation vector, velocity of
// the centre, spin, radii, damping. The load is linear in the stiffness.
constexpr int kPosition = 0, kRotation = 3, kVelocity = 6, kSpin = 9, kRadii = 12, kDamping = 15;
using Directions = Dual<16>;

Vec3<Directions> vary(const Vec3d& value, int first) {
  return {Directions::variable(value.x(), first), Directions::variable(value.y(), first + 1),
          Directions::variable(value.z(), first + 2)};
}

template <class T>
using Load = Eigen::Matrix<T, 3, 1>;

// Per unit of stiffness.
template <class T>
Load<T> calc_load(const Vec3<T>& radii, const Motion<T>& motion, const T& damping) {
  const Overlap<T> o = calc_overlap(Ellipsoid<T>{radii}, motion.X_WB, HalfSpace{}, Pose<double>{});
  if (!is_touching(o)) return Load<T>(T(0), T(0), T(0));
  VolumetricNormal<T> law;
  law.stiffness = T(1);
  law.damping = damping;
  const ContactForces<T> f = calc_contact_forces(o, motion, Motion<double>{}, law, Frictionless{},
                                                 ContactOptions{}, ContactMemory<T>{});
  const T& n = f.normal.force;
  return Load<T>(n, n * f.p_WP.x(), n * f.p_WP.y());
}

Motion<double> calc_segment(const FootModel& foot, const FootFrame& frame, int segment) {
  if (segment == 0) return frame.foot;
  const FootJoint& joint = foot.joints[segment - 1];
  const Motion<double> parent = calc_segment(foot, frame, joint.parent);
  const double q = frame.angles[segment - 1], c = std::cos(q), s = std::sin(q);
  Mat3d turn;
  turn << 1, 0, 0, 0, c, -s, 0, s, c;
  Motion<double> m;
  const Mat3d R_WF = parent.X_WB.R_WB * joint.X_PF.R_WB;
  m.X_WB = {R_WF * turn, parent.X_WB * joint.X_PF.p_WB};
  m.V_WB.w_WB = parent.V_WB.w_WB + R_WF.col(0) * frame.rates[segment - 1];
  m.V_WB.v_WB = parent.V_WB.v_WB + parent.V_WB.w_WB.cross(m.X_WB.p_WB - parent.X_WB.p_WB);
  return m;
}

// The ellipsoid as a body whose origin is its centre.
Motion<double> calc_ellipsoid_motion(const FootEllipsoid& e, const Motion<double>& segment) {
  Motion<double> m;
  const Vec3d arm = segment.X_WB.R_WB * e.position;
  m.X_WB = {segment.X_WB.R_WB * as_rotation_123(e.angles), segment.X_WB.p_WB + arm};
  m.V_WB.w_WB = segment.V_WB.w_WB;
  m.V_WB.v_WB = segment.V_WB.v_WB + segment.V_WB.w_WB.cross(arm);
  return m;
}

// Axes of the three turns, in the segment's frame.
Mat3d calc_turn_axes(const Vec3d& angles) {
  const Mat3d X = as_rotation_123({angles.x(), 0, 0});
  Mat3d axes;
  axes << Vec3d::UnitX(), X.col(1), as_rotation_123({angles.x(), angles.y(), 0}).col(2);
  return axes;
}

// From derivatives by the ellipsoid's own motion to those by the motion of what carries it.
struct ColumnsOfCarrier {
  const Eigen::Matrix<double, 3, 16>& J;
  const Motion<double>& at;  // the ellipsoid

  ColumnsOfCarrier(const Eigen::Matrix<double, 3, 16>& jacobian, const Motion<double>& ellipsoid)
      : J(jacobian), at(ellipsoid) {}

  // A rotation vector of the carrier about its origin, whose velocity and spin stay: what moves
  // against the carrier turns along.
  Mat3d turn(const Motion<double>& carrier) const {
    const Vec3d arm = at.X_WB.p_WB - carrier.X_WB.p_WB, w = carrier.V_WB.w_WB;
    const Vec3d w_rel = at.V_WB.w_WB - w, v_rel = at.V_WB.v_WB - carrier.V_WB.v_WB - w.cross(arm);
    return J.middleCols<3>(kRotation) - J.middleCols<3>(kPosition) * skew(arm) -
           J.middleCols<3>(kSpin) * skew(w_rel) -
           J.middleCols<3>(kVelocity) * (skew(w) * skew(arm) + skew(v_rel));
  }
  // The carrier's spin.
  Mat3d spin(const Motion<double>& carrier) const {
    const Vec3d arm = at.X_WB.p_WB - carrier.X_WB.p_WB;
    return J.middleCols<3>(kSpin) - J.middleCols<3>(kVelocity) * skew(arm);
  }
};

}  // namespace

FootLoad calc_ellipsoid_load(const FootModel& foot, int ellipsoid, const FootFrame& frame) {
  const FootEllipsoid& e = foot.ellipsoids[ellipsoid];
  const Motion<double> m = calc_ellipsoid_motion(e, calc_segment(foot, frame, e.segment));
  return foot.stiffness * calc_load(e.radii, m, foot.damping);
}

FootLoad calc_foot_load(const FootModel& foot, const FootFrame& frame) {
  FootLoad load = FootLoad::Zero();
  for (size_t k = 0; k < foot.ellipsoids.size(); ++k) {
    load += calc_ellipsoid_load(foot, static_cast<int>(k), frame);
  }
  return load;
}

Motion<double> calc_foot_segment(const FootModel& foot, const FootFrame& frame, int segment) {
  return calc_segment(foot, frame, segment);
}

FrictionInput<double> calc_friction_input(const FootModel& foot, int ellipsoid,
                                          const FootFrame& frame) {
  const FootEllipsoid& e = foot.ellipsoids[ellipsoid];
  const Motion<double> m = calc_ellipsoid_motion(e, calc_segment(foot, frame, e.segment));
  FrictionInput<double> seen{0, Vec3d::UnitZ(), Vec3d::Zero(), 0, 0, 0};
  const Overlap<double> o =
      calc_overlap(Ellipsoid<double>{e.radii}, m.X_WB, HalfSpace{}, Pose<double>{});
  if (!is_touching(o)) return seen;
  VolumetricNormal<double> law;
  law.stiffness = foot.stiffness;
  law.damping = foot.damping;
  calc_contact_forces(o, m, Motion<double>{}, law, FrictionWitness{&seen}, ContactOptions{},
                      ContactMemory<double>{});
  return seen;
}

double find_lift(const FootModel& foot, const FootFrame& frame, double force) {
  if (!(force > 0)) throw InputError(fmt::format("foot: cannot carry a force of {} N", force));
  FootFrame at = frame;
  at.foot.V_WB = {};
  std::fill(at.rates.begin(), at.rates.end(), 0.0);
  const double z = frame.foot.X_WB.p_WB.z();
  // Highest and lowest points of all ellipsoids: no load above, all of it below.
  double lowest = kInfinity, highest = -kInfinity;
  for (const FootEllipsoid& e : foot.ellipsoids) {
    const Pose<double> X = calc_ellipsoid_motion(e, calc_segment(foot, at, e.segment)).X_WB;
    const double half = X.R_WB.row(2).transpose().cwiseProduct(e.radii).norm();
    lowest = std::min(lowest, X.p_WB.z() - half);
    highest = std::max(highest, X.p_WB.z() + half);
  }
  double low = -highest, high = -lowest;  // lifts
  const auto load_at = [&](double lift) {
    at.foot.X_WB.p_WB.z() = z + lift;
    return calc_foot_load(foot, at)[0];
  };
  if (load_at(low) < force) {
    throw InputError(
        fmt::format("foot: {:.0f} N is more than it carries when wholly immersed", force));
  }
  // The load falls with the lift, steadily: regula falsi (Illinois) on its square root, which a cap
  // makes nearly straight.
  const double target = std::sqrt(force);
  double f_low = std::sqrt(load_at(low)) - target, f_high = -target;
  for (int k = 0; k < 100 && high - low > 1e-15 * (highest - lowest); ++k) {
    const double lift = (low * f_high - high * f_low) / (f_high - f_low);
    const double f = std::sqrt(load_at(lift)) - target;
    if (std::abs(f) <= 1e-14 * target) return lift;
    if (f > 0) {
      low = lift;
      f_low = f;
      f_high *= 0.5;
    } else {
      high = lift;
      f_high = f;
      f_low *= 0.5;
    }
  }
  return 0.5 * (low + high);
}

FootColumns::FootColumns(const FootModel& foot)
    : by_ellipsoids(3, kPerEllipsoid * foot.ellipsoids.size()),
      by_angles(3, foot.joints.size()),
      by_rates(3, foot.joints.size()) {}

FootLoad calc_foot_load(const FootModel& foot, const FootFrame& frame, FootColumns* columns) {
  FootLoad load = FootLoad::Zero();
  columns->by_stiffness.setZero();
  columns->by_damping.setZero();
  columns->by_ellipsoids.setZero();
  columns->by_motion.setZero();
  columns->by_angles.setZero();
  columns->by_rates.setZero();
  for (size_t k = 0; k < foot.ellipsoids.size(); ++k) {
    const FootEllipsoid& e = foot.ellipsoids[k];
    const Motion<double> segment = calc_segment(foot, frame, e.segment);
    const Motion<double> at = calc_ellipsoid_motion(e, segment);
    // A rotation vector theta about the centre turns R to (1 + skew(theta)) R.
    Motion<Directions> m;
    m.X_WB.p_WB = vary(at.X_WB.p_WB, kPosition);
    const Vec3<Directions> theta = vary(Vec3d::Zero(), kRotation);
    m.X_WB.R_WB = at.X_WB.R_WB.cast<Directions>() + skew(theta) * at.X_WB.R_WB.cast<Directions>();
    m.V_WB.v_WB = vary(at.V_WB.v_WB, kVelocity);
    m.V_WB.w_WB = vary(at.V_WB.w_WB, kSpin);
    const Load<Directions> unit =
        calc_load(vary(e.radii, kRadii), m, Directions::variable(foot.damping, kDamping));
    if (unit[0].a == 0) continue;

    Eigen::Matrix<double, 3, 16> J;
    for (int row = 0; row < 3; ++row) {
      columns->by_stiffness[row] += unit[row].a;
      load[row] += foot.stiffness * unit[row].a;
      for (int d = 0; d < 16; ++d) J(row, d) = foot.stiffness * unit[row].v[d];
    }
    columns->by_damping += J.col(kDamping);
    const Mat3d& R = segment.X_WB.R_WB;
    auto own = columns->by_ellipsoids.middleCols<9>(static_cast<Eigen::Index>(9 * k));
    own.leftCols<3>() = J.middleCols<3>(kRadii);
    own.middleCols<3>(3) =
        (J.middleCols<3>(kPosition) + J.middleCols<3>(kVelocity) * skew(at.V_WB.w_WB)) * R;
    own.rightCols<3>() = J.middleCols<3>(kRotation) * (R * calc_turn_axes(e.angles));

    // What carries the ellipsoid, from its segment back to the foot.
    const ColumnsOfCarrier by(J, at);
    for (int s = e.segment; s > 0; s = foot.joints[s - 1].parent) {
      const Motion<double> carrier = calc_segment(foot, frame, s);
      const Vec3d axis = carrier.X_WB.R_WB.col(0);
      columns->by_angles.col(s - 1) += by.turn(carrier) * axis;
      columns->by_rates.col(s - 1) += by.spin(carrier) * axis;
    }
    columns->by_motion.leftCols<3>() += J.middleCols<3>(kPosition);
    columns->by_motion.middleCols<3>(3) += by.turn(frame.foot);
    columns->by_motion.middleCols<3>(6) += J.middleCols<3>(kVelocity);
    columns->by_motion.rightCols<3>() += by.spin(frame.foot);
  }
  return load;
}

}  // namespace vesica
