// Loops: connections that a tree cannot hold, closed by constraints with multipliers.
//
//   point   a point of i and one of j coincide            3 rows
//   hinge   the same, and an axis of each stay parallel   5 rows
//   weld    the same, and the frames stay aligned         6 rows
//   rod     two points keep their distance                1 row
// Every row is a pair of wrenches on i and j whose power is the rate of the row's error. The
// multipliers solve
//   (G M^-1 G^T) lambda = -(error'' at lambda = 0 + 2 rate error' + rate^2 error)
// Baumgarte's stabilisation, critically damped: errors decay with exp(-rate t). `rate` adds a time
// constant of 1/rate to the system: explicit steps stay below about 1/rate.
// Redundant rows (a planar loop closed in space) are found by a pivoted factorisation and carry no
// load; the motion is right, how the redundant rows share the load is not determined.
// Limits: rotation errors are exact to first order, which the decay needs no more than; a rod of
// zero length has no direction. Where a mechanism passes a singular pose the rank changes, and so
// do the rates, by a jump.
#pragma once

#include <vector>

#include "vesica/multibody/dynamics.h"

namespace vesica {

enum class LoopType { kPoint, kHinge, kWeld, kRod };

constexpr int row_count(LoopType type) {
  constexpr int rows[] = {3, 5, 6, 1};
  return rows[static_cast<int>(type)];
}

template <class P>
struct Loop {
  LoopType type = LoopType::kPoint;
  int body_i = 0, body_j = -1;  // -1: the world
  Pose<P> X_IF, X_JF;           // where the connection sits; a hinge turns about z
  P length{0.0};                // rod
  double rate = 50;             // [1/s]
};

template <class T>
struct LoopRow {
  SpatialForce<T> on_i, on_j;  // at the bodies' origins
  int body_i = 0, body_j = 0;
  T error, rate, bias;  // of the row; bias: error'' where both bodies have no acceleration
  double stabilisation = 0;
};

template <class T>
struct LoopData {
  std::vector<LoopRow<T>> rows;
  MatrixX<T> G, X;  // [rows x nu], [nu x rows] = M^-1 G^T
  MatrixX<T> A;
  std::vector<T> lambda, right;
  std::vector<int> order;
  std::vector<double> scale;
  int rank = 0;
};

template <class T, class P>
LoopData<T> make_loop_data(const Tree<P>& tree, const std::vector<Loop<P>>& loops) {
  LoopData<T> data;
  int rows = 0;
  for (const auto& loop : loops) rows += row_count(loop.type);
  data.rows.resize(static_cast<size_t>(rows));
  data.G.resize(rows, tree.nu());
  data.X.resize(tree.nu(), rows);
  data.A.resize(rows, rows);
  data.lambda.resize(data.rows.size());
  data.right.resize(data.rows.size());
  data.order.resize(data.rows.size());
  data.scale.resize(data.rows.size());
  return data;
}

// Errors, rates and wrenches of all rows, from data filled by calc_tree_motions.
template <class P, class T>
void calc_loop_rows(const std::vector<Loop<P>>& loops, const TreeData<T>& data, LoopData<T>* l);

// G [rows x nu], from the rows.
template <class P, class T>
void calc_loop_jacobian(const Tree<P>& tree, const TreeData<T>& data, LoopData<T>* l);

// Forward dynamics with loops, after factor_tree: adds the connections' wrenches to `wrenches` and
// leaves u' and the accelerations as calc_forward_dynamics does.
template <class P, class T>
void calc_constrained_dynamics(const Tree<P>& tree, const std::vector<Loop<P>>& loops,
                               std::vector<Wrench<T>>* wrenches, const T* tau, T* u_rates,
                               TreeData<T>* data, LoopData<T>* l);

namespace detail {

// Solves A x = b for symmetric positive semi-definite A by L D L^T with pivoting; rows whose pivot
// falls below kRankTolerance of their own diagonal are redundant and get x = 0. A and b are used
// up; `scale` holds what each diagonal would be for free bodies. Returns the rank. The tolerances
// are far above rounding (1e-16 times the condition of a well scaled mechanism) and far below what
// an independent row leaves.
constexpr double kRankTolerance = 1e-9;
constexpr double kRigidTolerance = 1e-13;  // below it the tree itself holds the row
template <class T>
int solve_semi_definite(MatrixX<T>* matrix, T* b, int* order, double* scale, T* x) {
  MatrixX<T>& A = *matrix;
  const int n = static_cast<int>(A.rows());
  for (int k = 0; k < n; ++k) order[k] = k;
  for (int k = 0; k < n; ++k) {
    const double diagonal = value_of(A(k, k));
    scale[k] = diagonal > kRigidTolerance * scale[k] ? diagonal : 0;
  }
  int rank = 0;
  for (; rank < n; ++rank) {
    int best = rank;
    double ratio = -1;
    for (int k = rank; k < n; ++k) {
      const double d = value_of(A(order[k], order[k]));
      const double s = scale[order[k]];
      if (s > 0 && d / s > ratio) {
        ratio = d / s;
        best = k;
      }
    }
    if (ratio < kRankTolerance) break;
    std::swap(order[rank], order[best]);
    const int p = order[rank];
    const T inverse = T(1) / A(p, p);
    for (int i = rank + 1; i < n; ++i) {
      const int r = order[i];
      const T factor = A(r, p) * inverse;
      for (int j = rank + 1; j < n; ++j) A(r, order[j]) -= factor * A(p, order[j]);
      b[r] -= factor * b[p];
      A(r, p) = factor;
    }
  }
  for (int k = rank; k < n; ++k) x[order[k]] = T(0);
  for (int k = rank - 1; k >= 0; --k) {
    const int p = order[k];
    T sum = b[p];
    for (int j = k + 1; j < rank; ++j) sum -= A(p, order[j]) * x[order[j]];
    x[p] = sum / A(p, p);
  }
  return rank;
}

template <class P, class T>
Pose<T> calc_frame_pose(const TreeData<T>& data, int body, const Pose<P>& X_BF) {
  const auto& X = cast_pose<T>(X_BF);
  if (body < 0) return X;
  const Pose<T>& X_WB = data.motions[static_cast<size_t>(body)].X_WB;
  return {X_WB.R_WB * X.R_WB, X_WB * X.p_WB};
}

// Position and velocity of a body; the world rests.
template <class T>
Motion<T> calc_motion_of(const TreeData<T>& data, int body) {
  if (body >= 0) return data.motions[static_cast<size_t>(body)];
  Motion<T> rest;
  rest.X_WB.p_WB = rest.V_WB.w_WB = rest.V_WB.v_WB = Vec3<T>(T(0), T(0), T(0));
  return rest;
}

}  // namespace detail

template <class P, class T>
void calc_loop_rows(const std::vector<Loop<P>>& loops, const TreeData<T>& data, LoopData<T>* l) {
  using std::sqrt;
  const Vec3<T> none(T(0), T(0), T(0));
  size_t next = 0;
  for (const auto& loop : loops) {
    const Motion<T> i = detail::calc_motion_of(data, loop.body_i);
    const Motion<T> j = detail::calc_motion_of(data, loop.body_j);
    const Pose<T> X_WI = detail::calc_frame_pose(data, loop.body_i, loop.X_IF);
    const Pose<T> X_WJ = detail::calc_frame_pose(data, loop.body_j, loop.X_JF);
    const Vec3<T> r_I = X_WI.p_WB - i.X_WB.p_WB, r_J = X_WJ.p_WB - j.X_WB.p_WB;
    const Vec3<T> turn_I = i.V_WB.w_WB.cross(r_I), turn_J = j.V_WB.w_WB.cross(r_J);
    const Vec3<T> d = X_WI.p_WB - X_WJ.p_WB;
    const Vec3<T> v = i.V_WB.v_WB + turn_I - j.V_WB.v_WB - turn_J;
    // Acceleration of the points that the spins alone bring about.
    const Vec3<T> a = i.V_WB.w_WB.cross(turn_I) - j.V_WB.w_WB.cross(turn_J);
    const Vec3<T> w = i.V_WB.w_WB - j.V_WB.w_WB;

    auto add = [&](const Vec3<T>& force, const Vec3<T>& torque, const T& error, const T& bias) {
      LoopRow<T>& row = l->rows[next++];
      row.on_i = {r_I.cross(force) + torque, force};
      row.on_j = {-(r_J.cross(force) + torque), -force};
      row.body_i = loop.body_i;
      row.body_j = loop.body_j;
      row.error = error;
      row.rate = force.dot(v) + torque.dot(w);
      row.bias = bias;
      row.stabilisation = loop.rate;
    };
    auto unit = [&](int k) {
      Vec3<T> e = none;
      e[k] = T(1);
      return e;
    };
    if (loop.type == LoopType::kRod) {
      const T length = sqrt(d.squaredNorm());
      const Vec3<T> n = d / length;
      const T along = n.dot(v);
      add(n, none, length - loop.length, n.dot(a) + (v.squaredNorm() - along * along) / length);
      continue;
    }
    for (int k = 0; k < 3; ++k) add(unit(k), none, d[k], a[k]);
    if (loop.type == LoopType::kWeld) {
      Vec3<T> error = none;
      for (int k = 0; k < 3; ++k) {
        error += Vec3<T>(X_WJ.R_WB.col(k)).cross(Vec3<T>(X_WI.R_WB.col(k))) * T(0.5);
      }
      for (int k = 0; k < 3; ++k) add(none, unit(k), error[k], T(0));
    } else if (loop.type == LoopType::kHinge) {
      const Vec3<T> axis = X_WI.R_WB.col(2);  // of i; it stays across x and y of j
      const Vec3<T> axis_rate = i.V_WB.w_WB.cross(axis);
      for (int k = 0; k < 2; ++k) {
        const Vec3<T> across = X_WJ.R_WB.col(k);
        const Vec3<T> across_rate = j.V_WB.w_WB.cross(across);
        add(none, axis.cross(across), axis.dot(across),
            w.dot(axis_rate.cross(across) + axis.cross(across_rate)));
      }
    }
  }
}

template <class P, class T>
void calc_loop_jacobian(const Tree<P>& tree, const TreeData<T>& data, LoopData<T>* l) {
  l->G.setConstant(T(0));
  for (size_t row = 0; row < l->rows.size(); ++row) {
    const LoopRow<T>& r = l->rows[row];
    for (const bool first : {true, false}) {
      SpatialForce<T> F = first ? r.on_i : r.on_j;
      for (int b = first ? r.body_i : r.body_j; b >= 0; b = tree.body(b).joint.parent) {
        const auto& body = tree.body(b);
        if (body.joint.type == JointType::kGiven) break;
        const auto at = static_cast<size_t>(b);
        for (int k = 0; k < body.nu; ++k) {
          const T entry = !body.is_lone ? dot(data.H[at][k], F) : k < 3 ? F.f[k] : F.tau[k - 3];
          l->G(static_cast<int>(row), body.u_start + k) += entry;
        }
        if (!body.is_lone) F = shift_force(F, data.r[at]);
      }
    }
  }
}

namespace detail {

// A = G M^-1 G^T, after factor_tree and calc_loop_jacobian.
template <class P, class T>
void calc_loop_compliance(const Tree<P>& tree, TreeData<T>* data, LoopData<T>* l) {
  const int rows = static_cast<int>(l->rows.size());
  for (int r = 0; r < rows; ++r) {
    // A row of G is strided in memory: it goes through the column of X that it becomes.
    l->X.col(r) = l->G.row(r).transpose();
    calc_response(tree, l->X.col(r).data(), l->X.col(r).data(), data);
  }
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < rows; ++c) {
      T sum(0);
      for (int k = 0; k < tree.nu(); ++k) sum += l->G(r, k) * l->X(k, c);
      l->A(r, c) = sum;
    }
    auto free_compliance = [&](int b, const SpatialForce<T>& F) {
      if (b < 0 || tree.body(b).joint.type == JointType::kGiven) return 0.0;
      const auto& body = tree.body(b).inertia;
      const double moment = value_of(body.I_B.trace()) / 3;
      return value_of(F.f).squaredNorm() / value_of(body.mass) +
             value_of(F.tau).squaredNorm() / moment;
    };
    const LoopRow<T>& row = l->rows[static_cast<size_t>(r)];
    l->scale[static_cast<size_t>(r)] =
        free_compliance(row.body_i, row.on_i) + free_compliance(row.body_j, row.on_j);
  }
}

template <class T>
void solve_loop_multipliers(LoopData<T>* l) {
  l->rank = solve_semi_definite(&l->A, l->right.data(), l->order.data(), l->scale.data(),
                                l->lambda.data());
}

}  // namespace detail

template <class P, class T>
void calc_constrained_dynamics(const Tree<P>& tree, const std::vector<Loop<P>>& loops,
                               std::vector<Wrench<T>>* wrenches, const T* tau, T* u_rates,
                               TreeData<T>* data, LoopData<T>* l) {
  calc_loop_rows(loops, *data, l);
  calc_loop_jacobian(tree, *data, l);
  detail::calc_loop_compliance(tree, data, l);
  calc_forward_dynamics(tree, *wrenches, tau, u_rates, data);
  for (size_t k = 0; k < l->rows.size(); ++k) {
    const LoopRow<T>& row = l->rows[k];
    T acceleration = row.bias;
    if (row.body_i >= 0) {
      acceleration += dot(data->acceleration[static_cast<size_t>(row.body_i)], row.on_i);
    }
    if (row.body_j >= 0) {
      acceleration += dot(data->acceleration[static_cast<size_t>(row.body_j)], row.on_j);
    }
    const double s = row.stabilisation;
    l->right[k] = -(acceleration + (2 * s) * row.rate + (s * s) * row.error);
  }
  detail::solve_loop_multipliers(l);
  for (size_t k = 0; k < l->rows.size(); ++k) {
    const LoopRow<T>& row = l->rows[k];
    auto apply = [&](int body, const SpatialForce<T>& F) {
      if (body < 0) return;
      Wrench<T>& total = (*wrenches)[static_cast<size_t>(body)];
      total.f_W += F.f * l->lambda[k];
      total.tau_W += F.tau * l->lambda[k];
    };
    apply(row.body_i, row.on_i);
    apply(row.body_j, row.on_j);
  }
  calc_forward_dynamics(tree, *wrenches, tau, u_rates, data);
}

// Moves q and u onto the loops, by the smallest change as the mass matrix measures it. False: they
// do not close (worst error left in *worst). Given bodies' motions are those in `data`.
bool assemble(const Tree<double>& tree, const std::vector<Loop<double>>& loops, double t, double* q,
              double* u, TreeData<double>* data, LoopData<double>* l, double* worst);

}  // namespace vesica
