#include "vesica/biomechanics/foot_forces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/biomechanics/foot_chain.h"
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

using foot_chain::kDirections;
using Directions = Dual<kDirections>;

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

}  // namespace

FootLoad calc_ellipsoid_load(const FootModel& foot, int ellipsoid, const FootFrame& frame) {
  const FootEllipsoid& e = foot.ellipsoids[ellipsoid];
  const Motion<double> m = calc_ellipsoid_motion(e, calc_segment_motion(foot, frame, e.segment));
  return foot.stiffness * calc_load(e.radii, m, foot.damping);
}

FootLoad calc_foot_load(const FootModel& foot, const FootFrame& frame) {
  FootLoad load = FootLoad::Zero();
  for (size_t k = 0; k < foot.ellipsoids.size(); ++k) {
    load += calc_ellipsoid_load(foot, static_cast<int>(k), frame);
  }
  return load;
}

FrictionInput<double> calc_friction_input(const FootModel& foot, int ellipsoid,
                                          const FootFrame& frame) {
  const FootEllipsoid& e = foot.ellipsoids[ellipsoid];
  const Motion<double> m = calc_ellipsoid_motion(e, calc_segment_motion(foot, frame, e.segment));
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
    const Pose<double> X = calc_ellipsoid_motion(e, calc_segment_motion(foot, at, e.segment)).X_WB;
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
    : order(foot), all(3, order.size()), chain(kDirections, order.size()) {}

FootLoad calc_foot_load(const FootModel& foot, const FootFrame& frame, FootColumns* columns) {
  FootLoad load = FootLoad::Zero();
  columns->all.setZero();
  for (size_t k = 0; k < foot.ellipsoids.size(); ++k) {
    const FootEllipsoid& e = foot.ellipsoids[k];
    const Motion<double> at = calc_ellipsoid_motion(e, calc_segment_motion(foot, frame, e.segment));
    // A rotation vector theta about the centre turns R to (1 + skew(theta)) R.
    Motion<Directions> m;
    m.X_WB.p_WB = vary(at.X_WB.p_WB, foot_chain::kPosition);
    const Vec3<Directions> theta = vary(Vec3d::Zero(), foot_chain::kRotation);
    m.X_WB.R_WB = at.X_WB.R_WB.cast<Directions>() + skew(theta) * at.X_WB.R_WB.cast<Directions>();
    m.V_WB.v_WB = vary(at.V_WB.v_WB, foot_chain::kVelocity);
    m.V_WB.w_WB = vary(at.V_WB.w_WB, foot_chain::kSpin);
    const Load<Directions> unit =
        calc_load(vary(e.radii, foot_chain::kRadii), m,
                  Directions::variable(foot.damping, foot_chain::kDamping));
    if (unit[0].a == 0) continue;

    Eigen::Matrix<double, 3, kDirections> J;
    for (int row = 0; row < 3; ++row) {
      columns->all(row, FootOrder::kStiffness) += unit[row].a;
      load[row] += foot.stiffness * unit[row].a;
      for (int d = 0; d < kDirections; ++d) J(row, d) = foot.stiffness * unit[row].v[d];
    }
    foot_chain::calc_chain(foot, frame, static_cast<int>(k), &columns->chain);
    columns->all.noalias() += J.lazyProduct(columns->chain);
  }
  return load;
}

}  // namespace vesica
