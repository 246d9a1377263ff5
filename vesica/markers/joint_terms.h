// The equations of one joint in one frame, with their derivatives. Internal to markers/.
//
//   position  Phi = p_P + a_P - p_C - a_C            a_P = R_P u_P(d), a_C = R_C u_C(d)
//   row i     Phi_i = a_i . b_i                      a_i = R_P u_i(d), b_i = R_C w_i(d)
//             derivative by theta_C: j_i = b_i x a_i, by theta_P: -j_i
#pragma once

#include "vesica/markers/frame.h"

namespace vesica::markers::detail {

constexpr int kMaxJointParameters = 24;

struct JointTerms {
  int row_count = 0;
  Vec3d a_P, a_C;  // centres from the segments' origins, world axes
  Vec3d position_error;
  Vec3d a[3], b[3], j[3];
  double error[3] = {0, 0, 0};

  // Null space N of the rows (columns) and their pseudo-inverse K, both in the space of
  // theta_C - theta_P.
  int free_count = 0;
  Vec3d N[3], K[3];

  // By parameter: u_P and u_C rotated, rows.
  int parameter_count = 0;
  int parameter[kMaxJointParameters];  // global index
  Vec3d d_position[kMaxJointParameters];
  double d_row[kMaxJointParameters][3];
};

JointTerms calc_joint_terms(const JointGeometry& geometry, const Mat3d& R_P, const Vec3d& p_P,
                            const Mat3d& R_C, const Vec3d& p_C);

// Column E of a parameter: how the child moves with it while parent and z rest.
inline Vec6 calc_parameter_motion(const JointTerms& t, const Vec3d& d_position,
                                  const double* d_row) {
  Vec3d theta = Vec3d::Zero();
  for (int i = 0; i < t.row_count; ++i) theta -= t.K[i] * d_row[i];
  return stack(d_position + t.a_C.cross(theta), theta);
}

// sym(a f^T) - (a.f) I: second derivative of f.(R u) along exp, a = R u.
inline Mat3d calc_turn_curvature(const Vec3d& a, const Vec3d& f) {
  Mat3d m = 0.5 * (a * f.transpose() + f * a.transpose());
  m.diagonal().array() -= a.dot(f);
  return m;
}

// Second derivatives of lambda.Phi. Calls back with blocks: the dense path and the tree sweep put
// them into different places.
//   parameters(p, q, value)      lambda Phi_dd, each unordered pair once with p <= q in list order
//                                (value is the second derivative, diagonal entries not doubled)
//   turn_parent(p, v), turn_child(p, v)   columns of lambda Phi_{theta d}
struct JointCurvature {
  Mat3d parent = Mat3d::Zero(), child = Mat3d::Zero();
  Mat3d parent_child = Mat3d::Zero();  // rows theta_P, columns theta_C
};
template <class PairSink, class ColumnSink, class ColumnSink2>
JointCurvature calc_joint_curvature(const JointGeometry& g, const JointTerms& t, const Mat3d& R_P,
                                    const Mat3d& R_C, const Vec3d& lambda_position,
                                    const double* lambda_row, PairSink parameters,
                                    ColumnSink turn_parent, ColumnSink2 turn_child) {
  JointCurvature h;
  const Vec3d& l = lambda_position;
  h.parent = calc_turn_curvature(t.a_P, l);
  h.child = -calc_turn_curvature(t.a_C, l);
  const auto each_second = [&](const LocalVector& u, const Mat3d& R, const Vec3d& f) {
    for (int s = 0; s < u.second_count; ++s) {
      const auto& second = u.second[s];
      parameters(u.parameter[second.a], u.parameter[second.b], f.dot(R * second.value));
    }
  };
  for (int k = 0; k < g.parent_center.count; ++k) {
    turn_parent(g.parent_center.parameter[k], Vec3d((R_P * g.parent_center.first[k]).cross(l)));
  }
  for (int k = 0; k < g.child_center.count; ++k) {
    turn_child(g.child_center.parameter[k], Vec3d(l.cross(R_C * g.child_center.first[k])));
  }
  each_second(g.parent_center, R_P, l);
  each_second(g.child_center, R_C, -l);
  for (int i = 0; i < t.row_count; ++i) {
    const double li = lambda_row[i];
    const Vec3d &a = t.a[i], &b = t.b[i];
    h.parent += li * calc_turn_curvature(a, b);
    h.child += li * calc_turn_curvature(b, a);
    h.parent_child -= li * (b * a.transpose());
    h.parent_child.diagonal().array() += li * a.dot(b);
    const LocalVector &u = g.rows[i].on_parent, &w = g.rows[i].on_child;
    for (int k = 0; k < u.count; ++k) {
      const Vec3d at = R_P * u.first[k];
      turn_parent(u.parameter[k], Vec3d(li * at.cross(b)));
      turn_child(u.parameter[k], Vec3d(li * b.cross(at)));
      for (int m = 0; m < w.count; ++m) {
        const double both = li * at.dot(R_C * w.first[m]);
        parameters(u.parameter[k], w.parameter[m],
                   u.parameter[k] == w.parameter[m] ? 2 * both : both);
      }
    }
    for (int k = 0; k < w.count; ++k) {
      const Vec3d bt = R_C * w.first[k];
      turn_parent(w.parameter[k], Vec3d(li * a.cross(bt)));
      turn_child(w.parameter[k], Vec3d(li * bt.cross(a)));
    }
    each_second(u, R_P, li * b);
    each_second(w, R_C, li * a);
  }
  return h;
}

}  // namespace vesica::markers::detail
