#include "vesica/markers/dense.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/markers/joint_terms.h"

namespace vesica::markers {
namespace {

using detail::JointTerms;

// Rows whose part outside the others is below this are redundant; true rows are of order one.
constexpr double kConstraintRank = 1e-8;
constexpr double kNoCurvature = 1e-9;  // as in the tree sweep

struct JointPlace {
  int joint = 0, parent = kGround, child = 0;  // bodies of the plan
};
std::vector<JointPlace> list_joints(const Plan& plan) {
  const Model& model = plan.model();
  std::vector<JointPlace> list;
  const auto add = [&](int j) {
    const Joint& joint = model.joints[j];
    const int parent = joint.parent == kGround ? kGround : plan.body_of(joint.parent);
    list.push_back({j, parent, plan.body_of(joint.child)});
  };
  for (const Plan::Body& body : plan.bodies()) {
    if (body.joint >= 0) add(body.joint);
  }
  for (int j : model.loop_joints) add(j);
  return list;
}

JointTerms calc_terms(const Plan& plan, const Geometry& geometry, const JointPlace& place,
                      const SegmentPose* poses) {
  const SegmentPose ground;
  const SegmentPose& P =
      place.parent == kGround ? ground : poses[plan.bodies()[place.parent].segment];
  const SegmentPose& C = poses[plan.bodies()[place.child].segment];
  return detail::calc_joint_terms(geometry.joints[place.joint], as_rotation(P.q_WS), P.p_WS,
                                  as_rotation(C.q_WS), C.p_WS);
}

// Constraints and their Jacobian by dq; J_d where wanted.
void calc_constraints(const Plan& plan, const Geometry& geometry, const SegmentPose* poses,
                      Eigen::MatrixXd* J, Eigen::MatrixXd* J_d, Eigen::VectorXd* c) {
  const auto joints = list_joints(plan);
  int rows = 0;
  for (const auto& place : joints) {
    rows += calc_constraint_count(plan.model().joints[place.joint].type);
  }
  J->setZero(rows, 6 * static_cast<Eigen::Index>(plan.bodies().size()));
  if (J_d) J_d->setZero(rows, plan.parameter_count());
  c->setZero(rows);
  int row = 0;
  for (const auto& place : joints) {
    const JointTerms t = calc_terms(plan, geometry, place, poses);
    c->segment<3>(row) = t.position_error;
    if (place.parent != kGround) {
      J->block<3, 3>(row, 6 * place.parent).setIdentity();
      J->block<3, 3>(row, 6 * place.parent + 3) = -skew<double>(t.a_P);
    }
    J->block<3, 3>(row, 6 * place.child) = -Mat3d::Identity();
    J->block<3, 3>(row, 6 * place.child + 3) = skew<double>(t.a_C);
    for (int i = 0; i < t.row_count; ++i) {
      (*c)[row + 3 + i] = t.error[i];
      J->block<1, 3>(row + 3 + i, 6 * place.child + 3) = t.j[i].transpose();
      if (place.parent != kGround) {
        J->block<1, 3>(row + 3 + i, 6 * place.parent + 3) = -t.j[i].transpose();
      }
    }
    for (int k = 0; J_d && k < t.parameter_count; ++k) {
      J_d->block<3, 1>(row, t.parameter[k]) += t.d_position[k];
      for (int i = 0; i < t.row_count; ++i) (*J_d)(row + 3 + i, t.parameter[k]) += t.d_row[k][i];
    }
    row += 3 + t.row_count;
  }
}

void add_marker_terms(const Plan& plan, const Geometry& geometry, const Frame& frame,
                      const SegmentPose* poses, bool newton, DenseFrame& out) {
  const Model& model = plan.model();
  const int p = plan.parameter_count();
  for (size_t m = 0; m < model.markers.size(); ++m) {
    if (frame.weights[m] <= 0) continue;
    const int s = model.markers[m].segment, at = 6 * plan.body_of(s);
    const Mat3d R = as_rotation(poses[s].q_WS);
    const LocalVector& u = geometry.markers[m];
    const Vec3d a = R * u.value;
    const Vec3d psi = poses[s].p_WS + a - frame.positions[m];
    const LossValue rho = calc_loss(model.loss, psi.squaredNorm());
    out.objective += 0.5 * frame.weights[m] * rho.rho;
    const Vec3d f = frame.weights[m] * rho.first * psi;
    Mat3d M = frame.weights[m] * rho.first * Mat3d::Identity();
    if (newton) M += 2 * frame.weights[m] * rho.second * psi * psi.transpose();
    // Psi's Jacobian by (dp, theta, d's of this marker).
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3, 6 + u.count);
    A.leftCols<3>().setIdentity();
    A.middleCols<3>(3) = -skew<double>(a);
    for (int k = 0; k < u.count; ++k) {
      const Vec3d t = R * u.first[k];
      for (int i = 0; i < 3; ++i) A(i, 6 + k) = t[i];
    }
    Eigen::MatrixXd B = A.transpose() * M * A;
    if (newton) {
      B.block<3, 3>(3, 3) += detail::calc_turn_curvature(a, f);
      for (int k = 0; k < u.count; ++k) {
        const Vec3d turn = (R * u.first[k]).cross(f);
        B.block<3, 1>(3, 6 + k) += turn;
        B.block<1, 3>(6 + k, 3) += turn.transpose();
      }
      for (int k = 0; k < u.second_count; ++k) {
        const auto& second = u.second[k];
        const double value = f.dot(R * second.value);
        B(6 + second.a, 6 + second.b) += value;
        if (second.a != second.b) B(6 + second.b, 6 + second.a) += value;
      }
    }
    const Eigen::VectorXd g = A.transpose() * f;
    out.H.block<6, 6>(at, at) += B.topLeftCorner<6, 6>();
    out.G.block<6, 1>(at, p) += g.head<6>();
    for (int k = 0; k < u.count; ++k) {
      out.G.block<6, 1>(at, u.parameter[k]) += B.block<6, 1>(0, 6 + k);
      out.D(u.parameter[k], p) += g[6 + k];
      for (int l = 0; l < u.count; ++l) out.D(u.parameter[k], u.parameter[l]) += B(6 + k, 6 + l);
    }
  }
}

}  // namespace

DenseFrame calc_dense_frame(const Plan& plan, const Geometry& geometry, const Frame& frame,
                            const SegmentPose* poses, Curvature curvature) {
  const bool newton = curvature == Curvature::kNewton;
  const auto n = 6 * static_cast<Eigen::Index>(plan.bodies().size());
  const Eigen::Index p = plan.parameter_count();
  DenseFrame out;
  out.H.setZero(n, n);
  out.G.setZero(n, p + 1);
  out.D.setZero(p + 1, p + 1);
  add_marker_terms(plan, geometry, frame, poses, newton, out);
  calc_constraints(plan, geometry, poses, &out.J, &out.J_d, &out.c);
  out.rows = decompose_rows(out.J, kConstraintRank);
  out.lambda = -out.rows.pseudo_inverse.transpose() * out.G.col(p);
  if (!newton) return out;
  int row = 0;
  for (const auto& place : list_joints(plan)) {
    const JointTerms t = calc_terms(plan, geometry, place, poses);
    const SegmentPose ground;
    const bool grounded = place.parent == kGround;
    const SegmentPose& P = grounded ? ground : poses[plan.bodies()[place.parent].segment];
    const SegmentPose& C = poses[plan.bodies()[place.child].segment];
    const Eigen::Index at_p = grounded ? 0 : 6 * place.parent + 3, at_c = 6 * place.child + 3;
    const double lambda_row[3] = {t.row_count > 0 ? out.lambda[row + 3] : 0,
                                  t.row_count > 1 ? out.lambda[row + 4] : 0,
                                  t.row_count > 2 ? out.lambda[row + 5] : 0};
    const detail::JointCurvature h = detail::calc_joint_curvature(
        geometry.joints[place.joint], t, as_rotation(P.q_WS), as_rotation(C.q_WS),
        out.lambda.segment<3>(row), lambda_row,
        [&](int a, int b, double v) {
          out.D(a, b) += v;
          if (a != b) out.D(b, a) += v;
        },
        [&](int k, const Vec3d& v) {
          if (!grounded) out.G.block<3, 1>(at_p, k) += v;
        },
        [&](int k, const Vec3d& v) { out.G.block<3, 1>(at_c, k) += v; });
    out.H.block<3, 3>(at_c, at_c) += h.child;
    if (!grounded) {
      out.H.block<3, 3>(at_p, at_p) += h.parent;
      out.H.block<3, 3>(at_p, at_c) += h.parent_child;
      out.H.block<3, 3>(at_c, at_p) += h.parent_child.transpose();
    }
    row += 3 + t.row_count;
  }
  return out;
}

FrameResult eliminate_dense_frame(const Plan& plan, const Geometry& geometry, const Frame& frame,
                                  const SegmentPose* poses, Curvature curvature, double damping,
                                  Sums& sums, double* gains) {
  const DenseFrame f = calc_dense_frame(plan, geometry, frame, poses, curvature);
  const Eigen::Index n = f.H.rows(), p = plan.parameter_count();
  // Particular solutions for every parameter and for the constraint error, and the null space.
  const Eigen::MatrixXd& Z = f.rows.null_space;
  Eigen::MatrixXd right(f.J.rows(), p + 1);
  right.leftCols(p) = -f.J_d;
  right.col(p) = -f.c;
  Eigen::MatrixXd Y = multiply(f.rows.pseudo_inverse, right);
  const Eigen::MatrixXd HY = multiply(f.H, Y), YG = multiply_transposed(Y, f.G);
  Eigen::MatrixXd D = f.D + YG + YG.transpose() + multiply_transposed(Y, HY);
  const Eigen::MatrixXd r = multiply_transposed(Z, f.G + HY);
  const SymmetricEigen eigen = calc_eigen(multiply_transposed(Z, multiply(f.H, Z)));
  FrameResult result;
  Eigen::VectorXd inverse(eigen.values.size());
  for (Eigen::Index k = 0; k < inverse.size(); ++k) {
    const double value = eigen.values[k] * (1 + damping);
    if (std::abs(value) <= kNoCurvature) {
      inverse[k] = 0;
      ++result.undetermined;
    } else {
      result.indefinite = result.indefinite || value < 0;
      inverse[k] = 1 / std::abs(value);
    }
  }
  const Eigen::MatrixXd rotated = multiply_transposed(eigen.vectors, r);
  const Eigen::MatrixXd answer = inverse.asDiagonal() * rotated;
  D -= multiply_transposed(rotated, answer);
  Y -= multiply(Z, multiply(eigen.vectors, answer));
  Eigen::Map<Eigen::MatrixXd>(gains, n, p + 1) = Y;

  const Eigen::VectorXd L_q = f.G.col(p) + f.J.transpose() * f.lambda;
  const Eigen::VectorXd L_d = f.D.topRightCorner(p, 1) + f.J_d.transpose() * f.lambda;
  for (Eigen::Index b = 0; b < n / 6; ++b) {
    result.kkt = std::max({result.kkt, L_q.segment<3>(6 * b).cwiseAbs().maxCoeff(),
                           2 * L_q.segment<3>(6 * b + 3).norm()});
  }
  result.objective = f.objective;
  result.constraint = f.c.size() > 0 ? f.c.cwiseAbs().maxCoeff() : 0;
  // sums keep the upper triangle in D[0] for dense plans.
  sums.D[0].triangularView<Eigen::Upper>() += D;
  sums.L_d += L_d;
  sums.L_d_size +=
      f.D.topRightCorner(p, 1).cwiseAbs() + (f.J_d.transpose().cwiseAbs() * f.lambda.cwiseAbs());
  sums.objective += result.objective;
  sums.kkt_frames = std::max(sums.kkt_frames, result.kkt);
  sums.constraint = std::max(sums.constraint, result.constraint);
  if (result.indefinite) ++sums.indefinite_frames;
  if (result.undetermined > 0) ++sums.undetermined_frames;
  return result;
}

void back_substitute_dense(const Plan& plan, const double* gains, const Eigen::VectorXd& dd,
                           Workspace& work) {
  const auto n = 6 * static_cast<Eigen::Index>(plan.bodies().size());
  const Eigen::Index p = plan.parameter_count();
  const Eigen::Map<const Eigen::MatrixXd> Y(gains, n, p + 1);
  Eigen::VectorXd dq = Y.col(p);
  if (p > 0) dq += Y.leftCols(p) * dd;
  for (size_t k = 0; k < plan.bodies().size(); ++k) {
    work.bodies[k].dq = dq.segment<6>(6 * static_cast<Eigen::Index>(k));
  }
}

bool project_poses_dense(const Plan& plan, const Geometry& geometry, SegmentPose* poses) {
  // Shortest correction, repeated: quadratic where the rows are consistent.
  constexpr int kRounds = 30;
  double last = 1e300;
  for (int round = 0; round < kRounds; ++round) {
    Eigen::MatrixXd J;
    Eigen::VectorXd c;
    calc_constraints(plan, geometry, poses, &J, nullptr, &c);
    const double error = c.size() == 0 ? 0 : c.cwiseAbs().maxCoeff();
    if (!std::isfinite(error)) return false;
    if (error < 1e-15 || (error < 1e-12 && error > 0.5 * last)) return true;
    last = error;
    Eigen::VectorXd dq = -decompose_rows(J, kConstraintRank).pseudo_inverse * c;
    const double size = dq.cwiseAbs().maxCoeff();
    if (size > 0.5) dq *= 0.5 / size;
    for (size_t k = 0; k < plan.bodies().size(); ++k) {
      const auto at = 6 * static_cast<Eigen::Index>(k);
      SegmentPose& pose = poses[plan.bodies()[k].segment];
      pose = turn_pose(pose, dq.segment<3>(at + 3), dq.segment<3>(at));
    }
  }
  return last < 1e-9;
}

std::vector<std::string> find_redundant_constraints(const Plan& plan, const Geometry& geometry,
                                                    const SegmentPose* poses) {
  Eigen::MatrixXd J;
  Eigen::VectorXd c;
  calc_constraints(plan, geometry, poses, &J, nullptr, &c);
  std::vector<std::string> names, redundant;
  for (const auto& place : list_joints(plan)) {
    const Joint& joint = plan.model().joints[place.joint];
    for (int i = 0; i < calc_constraint_count(joint.type); ++i) {
      names.push_back(i < 3 ? fmt::format("{}: position {}", joint.name, "xyz"[i])
                            : fmt::format("{}: axis condition {}", joint.name, i - 2));
    }
  }
  for (int row : find_dependent_rows(J, kConstraintRank)) redundant.push_back(names[row]);
  return redundant;
}

}  // namespace vesica::markers
