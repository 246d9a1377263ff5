#include "vesica/markers/joint_terms.h"

namespace vesica::markers::detail {
namespace {

int slot_of(JointTerms& t, int parameter) {
  for (int k = 0; k < t.parameter_count; ++k) {
    if (t.parameter[k] == parameter) return k;
  }
  const int k = t.parameter_count++;
  t.parameter[k] = parameter;
  t.d_position[k].setZero();
  for (double& d : t.d_row[k]) d = 0;
  return k;
}

// N and K of up to three rows j_i. Rows of a joint are perpendicular unit vectors where it is
// satisfied, so the small inverses are well conditioned near there; a joint far from satisfied
// (parallel rows) yields large K, which project_poses reports.
void calc_null_space(JointTerms& t) {
  switch (t.row_count) {
    case 0:
      for (int k = 0; k < 3; ++k) t.N[k] = Vec3d::Unit(k);
      t.free_count = 3;
      return;
    case 1: {
      const double norm = t.j[0].norm();
      make_basis<double>(t.j[0] / norm, &t.N[0], &t.N[1]);
      t.K[0] = t.j[0] / (norm * norm);
      t.free_count = 2;
      return;
    }
    case 2: {
      const Vec3d n = t.j[0].cross(t.j[1]);
      const double size = n.squaredNorm();
      t.N[0] = n / std::sqrt(size);
      t.K[0] = t.j[1].cross(n) / size;
      t.K[1] = n.cross(t.j[0]) / size;
      t.free_count = 1;
      return;
    }
    default: {
      const double det = t.j[0].dot(t.j[1].cross(t.j[2]));
      t.K[0] = t.j[1].cross(t.j[2]) / det;
      t.K[1] = t.j[2].cross(t.j[0]) / det;
      t.K[2] = t.j[0].cross(t.j[1]) / det;
      t.free_count = 0;
    }
  }
}

}  // namespace

JointTerms calc_joint_terms(const JointGeometry& g, const Mat3d& R_P, const Vec3d& p_P,
                            const Mat3d& R_C, const Vec3d& p_C) {
  JointTerms t;
  t.a_P = R_P * g.parent_center.value;
  t.a_C = R_C * g.child_center.value;
  t.position_error = p_P + t.a_P - p_C - t.a_C;
  t.row_count = static_cast<int>(g.rows.size());
  for (int k = 0; k < g.parent_center.count; ++k) {
    t.d_position[slot_of(t, g.parent_center.parameter[k])] += R_P * g.parent_center.first[k];
  }
  for (int k = 0; k < g.child_center.count; ++k) {
    t.d_position[slot_of(t, g.child_center.parameter[k])] -= R_C * g.child_center.first[k];
  }
  for (int i = 0; i < t.row_count; ++i) {
    const LocalVector &u = g.rows[i].on_parent, &w = g.rows[i].on_child;
    t.a[i] = R_P * u.value;
    t.b[i] = R_C * w.value;
    t.error[i] = t.a[i].dot(t.b[i]);
    t.j[i] = t.b[i].cross(t.a[i]);
    for (int k = 0; k < u.count; ++k) {
      t.d_row[slot_of(t, u.parameter[k])][i] += (R_P * u.first[k]).dot(t.b[i]);
    }
    for (int k = 0; k < w.count; ++k) {
      t.d_row[slot_of(t, w.parameter[k])][i] += t.a[i].dot(R_C * w.first[k]);
    }
  }
  calc_null_space(t);
  return t;
}

}  // namespace vesica::markers::detail
