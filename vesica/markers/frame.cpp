#include "vesica/markers/frame.h"

#include <algorithm>
#include <cmath>

#include "vesica/markers/dense.h"
#include "vesica/markers/joint_terms.h"

namespace vesica::markers {
namespace {

using detail::JointTerms;

// Below this a pivot counts as zero: the dof is held by no marker. In units of weight (1) for a
// translation and weight times m^2 for a rotation: a lever arm of 0.03 mm. Round-off in the sweep
// of a frame with metre-sized coordinates is near 1e-15.
constexpr double kNoPivot = 1e-9;

SegmentPose ground_pose() { return {}; }

// D.upper += value at an unordered pair.
void add_pair(Eigen::MatrixXd& D, int p, int q, double value) {
  if (p <= q) {
    D(p, q) += value;
  } else {
    D(q, p) += value;
  }
}

int local_of(const Plan::Body& body, int parameter) {
  const auto& list = body.parameters;
  return static_cast<int>(std::lower_bound(list.begin(), list.end(), parameter) - list.begin());
}

// Markers of one segment: gradient, Hessian and derivatives by d.
void add_markers(const Plan::Body& body, const Geometry& geometry, const Frame& frame,
                 const Loss& loss, const SegmentPose& pose, Curvature curvature,
                 Workspace::Body& work, Eigen::MatrixXd& D, Sums& sums, FrameResult& result) {
  const bool newton = curvature == Curvature::kNewton;
  const auto last = static_cast<Eigen::Index>(body.parameters.size());
  double sum_w = 0;
  Vec3d sum_wa = Vec3d::Zero(), g_p = Vec3d::Zero(), g_turn = Vec3d::Zero();
  Mat3d turn = Mat3d::Zero();
  for (size_t i = 0; i < body.markers.size(); ++i) {
    const int m = body.markers[i];
    const double weight = frame.weights[m];
    if (weight <= 0) continue;
    const LocalVector& u = geometry.markers[m];
    const Vec3d a = work.R * u.value;
    const Vec3d psi = pose.p_WS + a - frame.positions[m];
    const LossValue rho = calc_loss(loss, psi.squaredNorm());
    result.objective += 0.5 * weight * rho.rho;
    const double w = weight * rho.first;
    const Vec3d f = w * psi;
    g_p += f;
    g_turn += a.cross(f);
    sum_w += w;
    sum_wa += w * a;
    turn -= w * a * a.transpose();
    turn.diagonal().array() += w * a.squaredNorm();
    const double w2 = newton ? 2 * weight * rho.second : 0;
    if (newton) turn += detail::calc_turn_curvature(a, f);
    if (w2 != 0) {
      const Vec6 v = stack(psi, a.cross(psi));
      work.H += w2 * v * v.transpose();
    }
    Vec3d t[LocalVector::kMax], Mt[LocalVector::kMax];
    const auto& slots = body.marker_slots[i];
    for (int k = 0; k < u.count; ++k) {
      t[k] = work.R * u.first[k];
      Mt[k] = w * t[k];
      if (w2 != 0) Mt[k] += w2 * psi * psi.dot(t[k]);
      const int c = slots[k];
      work.G.col(c).head<3>() += Mt[k];
      work.G.col(c).tail<3>() += a.cross(Mt[k]);
      if (newton) work.G.col(c).tail<3>() += t[k].cross(f);
      const double slope = f.dot(t[k]);
      D(c, last) += slope;
      sums.L_d[u.parameter[k]] += slope;
      sums.L_d_size[u.parameter[k]] += std::abs(slope);
      for (int l = 0; l <= k; ++l) {
        add_pair(D, slots[l], c, Mt[k].dot(t[l]));
      }
    }
    if (newton) {
      for (int s = 0; s < u.second_count; ++s) {
        add_pair(D, slots[u.second[s].a], slots[u.second[s].b], f.dot(work.R * u.second[s].value));
      }
    }
  }
  work.H.topLeftCorner<3, 3>().diagonal().array() += sum_w;
  const Mat3d cross = skew<double>(sum_wa);
  work.H.topRightCorner<3, 3>() -= cross;
  work.H.bottomLeftCorner<3, 3>() += cross;
  work.H.bottomRightCorner<3, 3>() += turn;
  work.G.col(last).head<3>() += g_p;
  work.G.col(last).tail<3>() += g_turn;
  work.adjoint.head<3>() += g_p;
  work.adjoint.tail<3>() += g_turn;
}

// Takes z out of the quadratic form in (z, dq_P, dd): one pivot after the other. On entry `Hzz`,
// `HzP`, `Gz` hold its rows, on exit the parent's block and D have lost what z absorbed.
void eliminate_z(int dof, int columns, double damping, Mat6& Hzz, Mat6& HzP, double* Gz,
                 Mat6* parent_H, double* G, Eigen::MatrixXd& D, double* gains,
                 FrameResult& result) {
  const int stride = dof + 6 + columns;
  for (int k = 0; k < dof; ++k) {
    double pivot = Hzz(k, k) * (1 + damping);
    double* gain = gains + k * stride;
    double* row = Gz + k * columns;
    if (std::abs(pivot) <= kNoPivot) {
      std::fill(gain, gain + stride, 0.0);
      ++result.undetermined;
      continue;
    }
    if (pivot < 0) {
      pivot = -pivot;
      result.indefinite = true;
    }
    const double inverse = 1 / pivot;
    for (int l = 0; l < dof; ++l) gain[l] = l > k ? Hzz(k, l) * inverse : 0;
    for (int l = 0; l < 6; ++l) gain[dof + l] = HzP(k, l) * inverse;
    double* gain_d = gain + dof + 6;
    for (int c = 0; c < columns; ++c) gain_d[c] = row[c] * inverse;
    for (int l = k + 1; l < dof; ++l) {
      const double factor = Hzz(k, l);
      for (int i = k + 1; i <= l; ++i) {
        Hzz(i, l) -= gain[i] * factor;
        Hzz(l, i) = Hzz(i, l);
      }
      HzP.row(l) -= gain[l] * HzP.row(k);
      double* other = Gz + l * columns;
      for (int c = 0; c < columns; ++c) other[c] -= gain[l] * row[c];
    }
    if (parent_H) {
      const Vec6 hp = HzP.row(k).transpose();
      *parent_H -= (hp * inverse) * hp.transpose();
      for (int c = 0; c < columns; ++c) {
        for (int l = 0; l < 6; ++l) G[6 * c + l] -= hp[l] * gain_d[c];
      }
    }
    for (int c = 0; c < columns; ++c) {
      double* column = D.data() + static_cast<Eigen::Index>(c) * D.rows();
      const double factor = gain_d[c];
      for (int r = 0; r <= c; ++r) column[r] -= factor * row[r];
    }
  }
}

}  // namespace

LossValue calc_loss(const Loss& loss, double s) {
  const double w2 = loss.width * loss.width;
  switch (loss.type) {
    case LossType::kSquares:
      break;
    case LossType::kHuber:
      if (s > w2) {
        const double r = std::sqrt(s);
        return {2 * loss.width * r - w2, loss.width / r, -0.5 * loss.width / (s * r)};
      }
      break;
    case LossType::kTukey: {
      if (s >= w2) return {w2 / 3, 0, 0};
      const double v = 1 - s / w2;
      return {w2 / 3 * (1 - v * v * v), v * v, -2 * v / w2};
    }
  }
  return {s, 1, 0};
}

FrameResult eliminate_frame(const Plan& plan, const Geometry& geometry, const Frame& frame,
                            const SegmentPose* poses, Curvature curvature, double damping,
                            Workspace& work, Sums& sums, double* gains) {
  if (plan.dense()) {
    return eliminate_dense_frame(plan, geometry, frame, poses, curvature, damping, sums, gains);
  }
  FrameResult result;
  const Model& model = plan.model();
  const auto& bodies = plan.bodies();
  for (size_t k = 0; k < bodies.size(); ++k) {
    Workspace::Body& w = work.bodies[k];
    w.R = as_rotation(poses[bodies[k].segment].q_WS);
    w.H.setZero();
    w.G.setZero();
    w.adjoint.setZero();
  }
  double Gz_storage[6 * 128];
  std::vector<double> Gz_large;
  for (size_t index = bodies.size(); index-- > 0;) {
    const Plan::Body& body = bodies[index];
    Workspace::Body& w = work.bodies[index];
    const SegmentPose& pose = poses[body.segment];
    Eigen::MatrixXd& D = sums.D[index];
    add_markers(body, geometry, frame, model.loss, pose, curvature, w, D, sums, result);

    const int columns = static_cast<int>(body.parameters.size()) + 1;
    const int constant = columns - 1;
    double* Gz = Gz_storage;
    if (columns > 128) {
      Gz_large.resize(static_cast<size_t>(6) * columns);
      Gz = Gz_large.data();
    }
    if (body.joint < 0) {
      result.kkt = std::max(
          {result.kkt, w.adjoint.head<3>().cwiseAbs().maxCoeff(), 2 * w.adjoint.tail<3>().norm()});
      Mat6 HzP = Mat6::Zero();
      for (int c = 0; c < columns; ++c) {
        for (int k = 0; k < 6; ++k) Gz[k * columns + c] = w.G(k, c);
      }
      eliminate_z(6, columns, damping, w.H, HzP, Gz, nullptr, nullptr, D, gains + body.gain_offset,
                  result);
      continue;
    }

    const bool grounded = body.parent == kGround;
    Workspace::Body* parent = grounded ? nullptr : &work.bodies[body.parent];
    const Plan::Body* parent_plan = grounded ? nullptr : &bodies[body.parent];
    const Mat3d R_P = grounded ? Mat3d(Mat3d::Identity()) : parent->R;
    const Vec3d p_P = grounded ? Vec3d(Vec3d::Zero()) : poses[parent_plan->segment].p_WS;
    const JointGeometry& joint = geometry.joints[body.joint];
    const JointTerms t = detail::calc_joint_terms(joint, R_P, p_P, w.R, pose.p_WS);
    result.constraint = std::max(result.constraint, t.position_error.cwiseAbs().maxCoeff());

    // Multipliers: what the segment's gradient leaves outside the joint's own motion.
    const Vec3d lambda = w.adjoint.head<3>();
    const Vec3d moment = w.adjoint.tail<3>() - t.a_C.cross(lambda);
    double lambda_row[3] = {0, 0, 0};
    Vec3d constrained = Vec3d::Zero();
    for (int i = 0; i < t.row_count; ++i) {
      lambda_row[i] = -t.K[i].dot(moment);
      constrained += t.j[i] * lambda_row[i];
      result.constraint = std::max(result.constraint, std::abs(t.error[i]));
    }
    result.kkt = std::max(result.kkt, 2 * (moment + constrained).norm());
    if (parent) {
      parent->adjoint.head<3>() += lambda;
      parent->adjoint.tail<3>() += t.a_P.cross(lambda) - constrained;
    }
    for (int k = 0; k < t.parameter_count; ++k) {
      double slope = lambda.dot(t.d_position[k]);
      for (int i = 0; i < t.row_count; ++i) slope += lambda_row[i] * t.d_row[k][i];
      sums.L_d[t.parameter[k]] += slope;
      sums.L_d_size[t.parameter[k]] += std::abs(slope);
    }

    Mat3d H_PC = Mat3d::Zero();  // theta_P by theta_C
    if (curvature == Curvature::kNewton) {
      const detail::JointCurvature h = detail::calc_joint_curvature(
          joint, t, R_P, w.R, lambda, lambda_row,
          [&](int p, int q, double v) { add_pair(D, local_of(body, p), local_of(body, q), v); },
          [&](int p, const Vec3d& v) {
            if (parent) parent->G.col(local_of(*parent_plan, p)).tail<3>() += v;
          },
          [&](int p, const Vec3d& v) { w.G.col(local_of(body, p)).tail<3>() += v; });
      w.H.bottomRightCorner<3, 3>() += h.child;
      if (parent) parent->H.bottomRightCorner<3, 3>() += h.parent;
      H_PC = h.parent_child;
    }

    // Substitute E dd + e, one column after the other: each is a change of variables of the form.
    const auto substitute = [&](int column, const Vec6& motion) {
      for (int c = 0; c < columns; ++c) {
        const double change = motion.dot(w.G.col(c));
        add_pair(D, column, c, c == column ? 2 * change : change);
      }
      const Vec6 H_motion = w.H * motion;
      D(column, column) += motion.dot(H_motion);
      w.G.col(column) += H_motion;
      if (parent) {
        const int in_parent = column == constant ? static_cast<int>(parent_plan->parameters.size())
                                                 : body.in_parent[column];
        parent->G.col(in_parent).tail<3>() += H_PC * motion.tail<3>();
      }
    };
    for (int k = 0; k < t.parameter_count; ++k) {
      substitute(local_of(body, t.parameter[k]),
                 detail::calc_parameter_motion(t, t.d_position[k], t.d_row[k]));
    }
    substitute(constant, detail::calc_parameter_motion(t, t.position_error, t.error));

    // Rows of z and the parent's block.
    const int dof = t.free_count;
    Eigen::Matrix<double, 6, 3> V;
    for (int k = 0; k < dof; ++k) V.col(k) = stack(t.a_C.cross(t.N[k]), t.N[k]);
    const Vec3d rho = t.a_P - t.a_C;
    Mat6 X = Mat6::Identity();
    X.topRightCorner<3, 3>() = -skew<double>(rho);
    Mat6 Hzz, HzP;
    for (int k = 0; k < dof; ++k) {
      const Vec6 HV = w.H * V.col(k);
      for (int l = 0; l <= k; ++l) Hzz(k, l) = Hzz(l, k) = HV.dot(V.col(l));
      HzP.row(k) = HV.transpose() * X;
      HzP.row(k).tail<3>() += (H_PC * V.col(k).tail<3>()).transpose();
      for (int c = 0; c < columns; ++c) Gz[k * columns + c] = V.col(k).dot(w.G.col(c));
    }
    Mat6 H_P;
    if (parent) {
      H_P = X.transpose() * w.H * X;
      H_P.bottomRightCorner<3, 3>() += H_PC + H_PC.transpose();
      for (int c = 0; c < columns; ++c) {
        const Vec3d f = w.G.col(c).head<3>();
        w.G.col(c).tail<3>() += rho.cross(f);
      }
    }
    eliminate_z(dof, columns, damping, Hzz, HzP, Gz, parent ? &H_P : nullptr, w.G.data(), D,
                gains + body.gain_offset, result);
    if (parent) {
      parent->H += H_P;
      for (int c = 0; c < constant; ++c) parent->G.col(body.in_parent[c]) += w.G.col(c);
      parent->G.col(parent->G.cols() - 1) += w.G.col(constant);
    }
  }
  sums.objective += result.objective;
  sums.kkt_frames = std::max(sums.kkt_frames, result.kkt);
  sums.constraint = std::max(sums.constraint, result.constraint);
  if (result.indefinite) ++sums.indefinite_frames;
  if (result.undetermined > 0) ++sums.undetermined_frames;
  return result;
}

void back_substitute(const Plan& plan, const Geometry& geometry, const SegmentPose* poses,
                     const double* gains, const Eigen::VectorXd& dd, Workspace& work) {
  if (plan.dense()) return back_substitute_dense(plan, gains, dd, work);
  const auto& bodies = plan.bodies();
  for (size_t index = 0; index < bodies.size(); ++index) {
    const Plan::Body& body = bodies[index];
    Workspace::Body& w = work.bodies[index];
    w.R = as_rotation(poses[body.segment].q_WS);
    const bool has_parent = body.parent != kGround;
    Vec6 dq_P = Vec6::Zero();
    if (has_parent) dq_P = work.bodies[body.parent].dq;

    const int columns = static_cast<int>(body.parameters.size()) + 1;
    const int dof = body.dof, stride = dof + 6 + columns;
    double z[6];
    for (int k = dof; k-- > 0;) {
      const double* gain = gains + body.gain_offset + k * stride;
      double sum = gain[dof + 6 + columns - 1];
      for (int c = 0; c < columns - 1; ++c) sum += gain[dof + 6 + c] * dd[body.parameters[c]];
      for (int l = 0; l < 6; ++l) sum += gain[dof + l] * dq_P[l];
      for (int l = k + 1; l < dof; ++l) sum += gain[l] * z[l];
      z[k] = -sum;
    }
    if (body.joint < 0) {
      for (int k = 0; k < 6; ++k) w.dq[k] = z[k];
      continue;
    }
    const Mat3d R_P = has_parent ? work.bodies[body.parent].R : Mat3d(Mat3d::Identity());
    const Vec3d p_P = has_parent ? poses[bodies[body.parent].segment].p_WS : Vec3d(Vec3d::Zero());
    const JointTerms t = detail::calc_joint_terms(geometry.joints[body.joint], R_P, p_P, w.R,
                                                  poses[body.segment].p_WS);
    w.dq = detail::calc_parameter_motion(t, t.position_error, t.error);
    for (int k = 0; k < t.parameter_count; ++k) {
      w.dq += detail::calc_parameter_motion(t, t.d_position[k], t.d_row[k]) * dd[t.parameter[k]];
    }
    const Vec3d turn_P = dq_P.tail<3>();
    w.dq.head<3>() += dq_P.head<3>() + turn_P.cross(t.a_P - t.a_C);
    w.dq.tail<3>() += turn_P;
    for (int k = 0; k < dof; ++k) {
      w.dq.head<3>() += t.a_C.cross(t.N[k]) * z[k];
      w.dq.tail<3>() += t.N[k] * z[k];
    }
  }
}

SegmentPose as_segment_pose(const Pose<double>& X_WS) {
  const Eigen::Quaterniond q(X_WS.R_WB);
  return {X_WS.p_WB, {q.w(), q.x(), q.y(), q.z()}};
}

SegmentPose turn_pose(const SegmentPose& pose, const Vec3d& theta, const Vec3d& dp) {
  SegmentPose moved;
  moved.p_WS = pose.p_WS + dp;
  Quaternion<double> q = quaternion_from_rotation_vector(theta) * pose.q_WS;
  const double s = 1 / std::sqrt(q.squared_norm());
  moved.q_WS = {q.w * s, q.x * s, q.y * s, q.z * s};
  return moved;
}

void move_poses(const Plan& plan, const Geometry& geometry, const SegmentPose* from, double step,
                const Workspace& work, SegmentPose* to) {
  const auto& bodies = plan.bodies();
  for (size_t k = 0; k < bodies.size(); ++k) {
    const Vec6& dq = work.bodies[k].dq;
    to[bodies[k].segment] =
        turn_pose(from[bodies[k].segment], step * dq.tail<3>(), step * dq.head<3>());
  }
  project_poses(plan, geometry, to);
}

bool project_poses(const Plan& plan, const Geometry& geometry, SegmentPose* poses) {
  bool ok = true;
  for (const Plan::Body& body : plan.bodies()) {
    if (body.joint < 0) continue;
    const JointGeometry& joint = geometry.joints[body.joint];
    SegmentPose& child = poses[body.segment];
    const SegmentPose parent =
        body.parent == kGround ? ground_pose() : poses[plan.bodies()[body.parent].segment];
    const Mat3d R_P = as_rotation(parent.q_WS);
    if (joint.rows.size() == 3) {
      child.q_WS = as_segment_pose({R_P * joint.R_PC_weld, child.p_WS}).q_WS;
    } else if (!joint.rows.empty()) {
      // Newton on the rows; quadratic, so a handful of turns from anywhere that makes sense.
      constexpr int kMaxTurns = 20;
      int turns = 0;
      for (; turns < kMaxTurns; ++turns) {
        const JointTerms t =
            detail::calc_joint_terms(joint, R_P, parent.p_WS, as_rotation(child.q_WS), child.p_WS);
        double error = 0;
        for (int i = 0; i < t.row_count; ++i) error = std::max(error, std::abs(t.error[i]));
        if (error < 4e-16) break;
        Vec3d theta = Vec3d::Zero();
        for (int i = 0; i < t.row_count; ++i) theta -= t.K[i] * t.error[i];
        const double size = theta.norm();
        if (!std::isfinite(size)) return false;
        if (size > 0.5) theta *= 0.5 / size;
        child = turn_pose(child, theta, Vec3d::Zero());
        if (error < 1e-15 && turns > 2) break;
      }
      ok = ok && turns < kMaxTurns;
    }
    child.p_WS = parent.p_WS + R_P * joint.parent_center.value -
                 as_rotation(child.q_WS) * joint.child_center.value;
  }
  if (plan.model().has_loops()) return project_poses_dense(plan, geometry, poses) && ok;
  return ok;
}

double calc_objective(const Plan& plan, const Geometry& geometry, const Frame& frame,
                      const SegmentPose* poses) {
  const Model& model = plan.model();
  double sum = 0;
  for (const Plan::Body& body : plan.bodies()) {
    const SegmentPose& pose = poses[body.segment];
    const Mat3d R = as_rotation(pose.q_WS);
    for (int m : body.markers) {
      if (frame.weights[m] <= 0) continue;
      const Vec3d psi = pose.p_WS + R * geometry.markers[m].value - frame.positions[m];
      sum += 0.5 * frame.weights[m] * calc_loss(model.loss, psi.squaredNorm()).rho;
    }
  }
  return sum;
}

Vec3d calc_marker(const Geometry& geometry, const Model& model, int marker,
                  const SegmentPose* poses) {
  const SegmentPose& pose = poses[model.markers[marker].segment];
  return pose.p_WS + as_rotation(pose.q_WS) * geometry.markers[marker].value;
}

}  // namespace vesica::markers
