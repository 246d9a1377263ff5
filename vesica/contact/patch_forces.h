// The wrench as an integral over the patch, point by point, for contacts that need_patch().
//
// With rho from the centroid p_C to a point s of the contact plane, u = n x w:
//   c(s) = c - rho.u                         closing speed
//   f_n  = integral of p(f(s), c(s))         with the pressure of the normal law, clamped per point
//   tau  = integral of rho x n p             rolling resistance, and for a pressure that is not
//                                            linear in the depth an elastic part: its centre is not
//                                            the centroid's foot
//   friction: integrated with v(s), or a lumped law at the centre of pressure with the pressure's
//   own radius of gyration
// The rule is refined until force and torque settle to the law's tolerance.
#pragma once

#include <algorithm>

#include "vesica/contact/contact.h"
#include "vesica/interference/patch/patch.h"

namespace vesica {

template <class P, class T>
void calc_normal_force(const NormalLaw<P>& laws, const Overlap<T>& o, const T& relaxed,
                       const T& closing_speed, const ContactMemory<T>& memory,
                       NormalForce<T>* force) {
  std::visit(
      [&](const auto& law) {
        if constexpr (std::decay_t<decltype(law)>::kMeasure == Measure::kField) {
          *force = NormalForce<T>::none();  // is integrated
        } else {
          calc_normal_force(law, o, relaxed, closing_speed, memory, force);
        }
      },
      laws);
}
template <class P, class T>
void calc_friction_force(const FrictionLaw<P>& laws, const FrictionInput<T>& in, const T* states,
                         T* rates, FrictionForce<T>* force) {
  std::visit([&](const auto& law) { calc_friction_force(law, in, states, rates, force); }, laws);
}

namespace detail {

// Of a foundation with lumped friction; of columns that are found by quadrature (slices), where a
// digit costs four times as much.
inline constexpr double kFieldTolerance = 1e-6, kQuadratureTolerance = 1e-5;

template <class T>
struct PatchMoments {
  T force{0.0}, elastic{0.0}, energy{0.0};
  Vec3<T> first = Vec3<T>(T(0), T(0), T(0)), first_elastic = Vec3<T>(T(0), T(0), T(0));
  T second{0.0};  // of the pressure, about n through the centroid
  Vec3<T> f_t = Vec3<T>(T(0), T(0), T(0));
  T torque{0.0};  // of friction about n through the centroid
  double lowest_factor = 1;
};

// What stays the same over the patch.
template <class P, class T>
struct PatchProblem {
  const Contact<P>& contact;
  const Overlap<T>& o;
  ContactKinematics<T> motion;
  Vec3<T> u;
  Vec3<T> slip;  // at the centroid's foot on the plane
  T alpha;
};

// Pressures of a chunk by one law, and its normal sums.
template <class Law, class P, class T>
void add_pressure(const Law& law, const PatchProblem<P, T>& q, const PatchPoints<T>& points,
                  std::array<T, kPatchChunk>* pressure, PatchMoments<T>* m) {
  const T zero(0);
  for (size_t k = 0; k < static_cast<size_t>(points.count); ++k) {
    const Vec3<T> offset = points.p_W[k] - q.o.p_WC;
    const Vec3<T> rho = offset - q.o.n_W * q.o.n_W.dot(offset);
    const T c = q.motion.closing_speed - rho.dot(q.u);
    const T still = law.pressure(points.depth[k], zero, zero) * points.area[k];
    const T p = law.pressure(points.depth[k], c, q.alpha) * points.area[k];
    (*pressure)[k] = p;
    m->force += p;
    m->elastic += still;
    m->energy += law.energy_density(points.depth[k]) * points.area[k];
    m->first += rho * p;
    m->first_elastic += rho * still;
    m->second += rho.squaredNorm() * p;
    if (value_of(still) > 0) {
      m->lowest_factor = std::min(m->lowest_factor, 1 + value_of(q.alpha) * value_of(c));
    }
  }
}

// Friction of a chunk per normal force of the whole patch (a law's viscous part depends on it).
template <class Law, class P, class T>
void add_traction(const Law& law, const PatchProblem<P, T>& q, const T& f_n,
                  const PatchPoints<T>& points, const std::array<T, kPatchChunk>& pressure,
                  PatchMoments<T>* m) {
  const T inverse = T(1) / f_n;
  for (size_t k = 0; k < static_cast<size_t>(points.count); ++k) {
    const Vec3<T> offset = points.p_W[k] - q.o.p_WC;
    const Vec3<T> rho = offset - q.o.n_W * q.o.n_W.dot(offset);
    const Vec3<T> v = q.slip + q.o.n_W.cross(rho) * q.motion.w_n;
    const Vec3<T> df = v * (-pressure[k] * inverse * calc_drag(law, f_n, T(v.squaredNorm())));
    m->f_t += df;
    m->torque += q.o.n_W.dot(rho.cross(df));
  }
}

template <class P, class T>
void calc_pressures(const PatchProblem<P, T>& q, const PatchPoints<T>& points,
                    std::array<T, kPatchChunk>* pressure, PatchMoments<T>* m) {
  std::visit(
      [&](const auto& law) {
        if constexpr (requires { law.energy_density(T(0)); }) {
          add_pressure(law, q, points, pressure, m);
        }
      },
      q.contact.normal);
}

// All integrals with one rule. Friction comes second: a law may need the whole normal force.
template <class P, class T>
PatchMoments<T> integrate_patch(const PatchProblem<P, T>& q, const Patch<T>& patch,
                                const PatchRule& rule) {
  PatchMoments<T> m;
  std::array<T, kPatchChunk> pressure;
  std::visit(
      [&](const auto& p) {
        for_each_point(p, rule, [&](const PatchPoints<T>& points) {
          calc_pressures(q, points, &pressure, &m);
        });
      },
      patch);
  const auto* friction = std::get_if<PatchFriction<P>>(&q.contact.friction);
  if (!friction || !(m.force > T(0))) return m;
  PatchMoments<T> unused;
  std::visit(
      [&](const auto& p) {
        for_each_point(p, rule, [&](const PatchPoints<T>& points) {
          calc_pressures(q, points, &pressure, &unused);
          std::visit([&](const auto& law) { add_traction(law, q, m.force, points, pressure, &m); },
                     friction->law);
        });
      },
      patch);
  return m;
}

// Refined until values settle to the tolerance; derivatives ride along.
template <class P, class T>
PatchMoments<T> integrate_patch(const PatchProblem<P, T>& q, const Patch<T>& patch,
                                double tolerance, double speed, double* error) {
  const Vec3d n = value_of(q.o.n_W), slip = value_of(q.slip);
  const Vec3d foot = value_of(q.o.p_WC) + n * value_of(q.o.plane_offset);
  const double w = value_of(q.motion.w_n);
  const Vec3d still = w != 0 ? Vec3d(foot + n.cross(slip) / w) : foot;
  PatchRule rule = make_patch_rule(patch, 0, still, w, speed);
  rule.graded = q.contact.measure() == Measure::kField;
  PatchMoments<T> m = integrate_patch(q, patch, rule);
  while (true) {
    ++rule.level;
    const PatchMoments<T> finer = integrate_patch(q, patch, rule);
    const double force = std::max(value_of(finer.force), 1e-300);
    const double arm = std::sqrt(std::max(value_of(finer.second) / force, 1e-300));
    auto change = [&](const auto& a, const auto& b) {
      if constexpr (requires { a.norm(); }) {
        return (value_of(a) - value_of(b)).norm();
      } else {
        return std::abs(value_of(a) - value_of(b));
      }
    };
    *error = std::max({change(finer.force, m.force), change(finer.f_t, m.f_t),
                       change(finer.first, m.first) / arm, change(finer.torque, m.torque) / arm}) /
             force;
    m = finer;
    if (!(*error > tolerance) || rule.level + 1 == kPatchLevels) return m;
  }
}

}  // namespace detail

template <class P, class A, class B, class T>
ContactForces<T> calc_patch_forces(const Contact<P>& contact, const PlacedPair<P>& shapes,
                                   const Overlap<T>& o, const Motion<A>& i, const Motion<B>& j,
                                   const ContactMemory<T>& memory, const T* states, T* rates) {
  using std::sqrt;
  const Vec3<T>& n = o.n_W;
  const auto motion = calc_kinematics(i, j, o.p_WC, n);
  const Vec3<T> p_CS = n * o.plane_offset;
  auto slip_at = [&](const Vec3<T>& p_CQ) {
    const Vec3<T> v = motion.v_t + motion.w.cross(p_CQ);
    return Vec3<T>(v - n * n.dot(v));
  };
  const T alpha = std::visit(
      [&](const auto& law) {
        if constexpr (requires { law.damping.alpha(memory); }) {
          return law.damping.alpha(memory);
        } else {
          return T(0);
        }
      },
      contact.normal);
  const detail::PatchProblem<P, T> problem{contact,       o,    motion, n.cross(motion.w),
                                           slip_at(p_CS), alpha};
  auto pose_of = [&](const auto& X_WB, const Pose<P>& X_BS) {
    const Pose<T> X{X_WB.R_WB.template cast<T>(), X_WB.p_WB.template cast<T>()};
    return shapes.shapes_at_origin ? X : calc_shape_pose(X, X_BS);
  };
  const Pose<T> X_i = pose_of(i.X_WB, shapes.X_Ii), X_j = pose_of(j.X_WB, shapes.X_Jj);
  const Patch<T> patch = make_patch(shapes.pair, X_i, X_j, o);

  const auto* integrated = std::get_if<PatchFriction<P>>(&contact.friction);
  const double tolerance = integrated                  ? integrated->tolerance
                           : row_of(shapes.pair).exact ? detail::kFieldTolerance
                                                       : detail::kQuadratureTolerance;
  const double speed = integrated ? integrated->speed_scale() : 0;
  double error = 0;
  const detail::PatchMoments<T> m =
      detail::integrate_patch(problem, patch, tolerance, speed, &error);

  ContactForces<T> r = no_contact_forces(o, motion);
  r.patch_error = error;
  r.edge_factor = m.lowest_factor;
  r.normal.force = m.force;
  r.normal.elastic = m.elastic;
  r.normal.energy = m.energy;
  // Of a linear foundation the overlap knows it, where columns overhang too.
  if (const auto* linear = std::get_if<VolumetricNormal<P>>(&contact.normal)) {
    r.normal.energy = linear->stiffness * o.potential;
  }
  r.normal.alpha = alpha;
  r.normal.factor = T(1) + alpha * motion.closing_speed;
  r.tau_roll = (m.first - m.first_elastic).cross(n);
  const Vec3<T> tau_elastic = m.first_elastic.cross(n);
  r.turning_power = -tau_elastic.dot(motion.w);
  const bool pressing = m.force > T(0);
  const T inverse = pressing ? T(T(1) / m.force) : T(0);
  const Vec3<T> delta = m.first * inverse;
  r.p_WP = r.p_WP + delta;

  Vec3<T> p_CF = p_CS;
  if (integrated) {
    r.slip = problem.slip;
    r.friction = no_friction<T>();
    r.friction.f_t = m.f_t;
    r.friction.spin_torque = m.torque;
  } else {
    p_CF = p_CS + delta;
    r.slip = slip_at(p_CF);
    const T spread2 = m.second * inverse - delta.squaredNorm();
    calc_friction_force(
        contact.friction,
        FrictionInput<T>{m.force, n, r.slip, r.spin, select(spread2 > T(0), spread2, T(0)),
                         calc_carrier_spin(i, j, n)},
        states, rates, &r.friction);
  }
  r.F_Ic_W.f_W = n * m.force + r.friction.f_t;
  r.F_Ic_W.tau_W =
      r.tau_roll + tau_elastic + p_CF.cross(r.friction.f_t) + n * r.friction.spin_torque;
  return r;
}

}  // namespace vesica
