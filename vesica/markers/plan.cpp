#include <algorithm>
#include <set>

#include "vesica/markers/frame.h"

namespace vesica::markers {
namespace {

void collect(const LocalVector& u, std::set<int>& parameters) {
  parameters.insert(u.parameter.begin(), u.parameter.begin() + u.count);
}
void collect(const JointGeometry& joint, std::set<int>& parameters) {
  collect(joint.parent_center, parameters);
  collect(joint.child_center, parameters);
  for (const DotRow& row : joint.rows) {
    collect(row.on_parent, parameters);
    collect(row.on_child, parameters);
  }
}
int place_of(const std::vector<int>& sorted, int value) {
  return static_cast<int>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
}
void forget_derivatives(LocalVector& u) { u.count = u.second_count = 0; }

}  // namespace

Plan::Plan(const Model& model, bool with_parameters, bool dense)
    : model_(&model),
      parameter_count_(with_parameters ? model.parameter_count() : 0),
      dense_(dense || model.has_loops()) {
  const Geometry geometry = calc_geometry(model.start_values());
  const int n = static_cast<int>(model.segments.size());
  body_of_.assign(n, -1);
  bodies_.resize(n);
  std::vector<std::set<int>> used(n);
  for (int k = 0; k < n; ++k) {
    Body& body = bodies_[k];
    body.segment = model.order[k];
    body_of_[body.segment] = k;
    body.joint = model.tree_joint[body.segment];
    body.dof = 6;
    if (body.joint >= 0) {
      const Joint& joint = model.joints[body.joint];
      body.parent = joint.parent == kGround ? kGround : body_of_[joint.parent];
      body.dof -= calc_constraint_count(joint.type);
      collect(geometry.joints[body.joint], used[k]);
    }
    dof_ += body.dof;
  }
  for (size_t m = 0; m < model.markers.size(); ++m) {
    const int k = body_of_[model.markers[m].segment];
    bodies_[k].markers.push_back(static_cast<int>(m));
    collect(geometry.markers[m], used[k]);
  }
  for (int k = n - 1; k >= 0; --k) {
    if (bodies_[k].parent != kGround) {
      used[bodies_[k].parent].insert(used[k].begin(), used[k].end());
    }
    bodies_[k].parameters.assign(used[k].begin(), used[k].end());
  }
  for (Body& body : bodies_) {
    if (body.parent != kGround) {
      for (int p : body.parameters) {
        body.in_parent.push_back(place_of(bodies_[body.parent].parameters, p));
      }
    }
    for (int m : body.markers) {
      std::vector<int> slots;
      const LocalVector& u = geometry.markers[m];
      for (int s = 0; s < u.count; ++s) slots.push_back(place_of(body.parameters, u.parameter[s]));
      body.marker_slots.push_back(std::move(slots));
    }
    body.gain_offset = gain_count_;
    gain_count_ += body.dof * (body.dof + 6 + body.parameters.size() + 1);
  }
  if (dense_) gain_count_ = 6 * bodies_.size() * (static_cast<size_t>(parameter_count_) + 1);
}

Geometry Plan::calc_geometry(const Eigen::VectorXd& d) const {
  Geometry geometry = markers::calc_geometry(*model_, d);
  if (parameter_count_ > 0) return geometry;
  for (LocalVector& u : geometry.markers) forget_derivatives(u);
  for (JointGeometry& joint : geometry.joints) {
    forget_derivatives(joint.parent_center);
    forget_derivatives(joint.child_center);
    for (DotRow& row : joint.rows) {
      forget_derivatives(row.on_parent);
      forget_derivatives(row.on_child);
    }
  }
  return geometry;
}

Sums::Sums(const Plan& plan)
    : L_d(Eigen::VectorXd::Zero(plan.parameter_count())),
      L_d_size(Eigen::VectorXd::Zero(plan.parameter_count())) {
  if (plan.dense()) {
    D.push_back(Eigen::MatrixXd::Zero(plan.parameter_count() + 1, plan.parameter_count() + 1));
    return;
  }
  for (const Plan::Body& body : plan.bodies()) {
    const auto n = static_cast<Eigen::Index>(body.parameters.size()) + 1;
    D.push_back(Eigen::MatrixXd::Zero(n, n));
  }
}

void Sums::add(const Sums& other) {
  objective += other.objective;
  kkt_frames = std::max(kkt_frames, other.kkt_frames);
  constraint = std::max(constraint, other.constraint);
  L_d += other.L_d;
  L_d_size += other.L_d_size;
  for (size_t k = 0; k < D.size(); ++k) D[k] += other.D[k];
  indefinite_frames += other.indefinite_frames;
  undetermined_frames += other.undetermined_frames;
}

Eigen::MatrixXd Sums::calc_schur(const Plan& plan) const {
  const Eigen::Index p = plan.parameter_count();
  if (plan.dense()) return D[0].topLeftCorner(p, p).selfadjointView<Eigen::Upper>();
  Eigen::MatrixXd S = Eigen::MatrixXd::Zero(plan.parameter_count(), plan.parameter_count());
  for (size_t k = 0; k < D.size(); ++k) {
    const auto& list = plan.bodies()[k].parameters;
    for (size_t c = 0; c < list.size(); ++c) {
      for (size_t r = 0; r <= c; ++r) S(list[r], list[c]) += D[k](r, c);
    }
  }
  return S.selfadjointView<Eigen::Upper>();
}

Eigen::VectorXd Sums::calc_gradient(const Plan& plan) const {
  if (plan.dense()) return D[0].topRightCorner(plan.parameter_count(), 1);
  Eigen::VectorXd g = Eigen::VectorXd::Zero(plan.parameter_count());
  for (size_t k = 0; k < D.size(); ++k) {
    const auto& list = plan.bodies()[k].parameters;
    for (size_t c = 0; c < list.size(); ++c) g[list[c]] += D[k](c, list.size());
  }
  return g;
}

Workspace::Workspace(const Plan& plan) {
  size_t widest = 0;
  for (const Plan::Body& body : plan.bodies()) {
    Body scratch;
    scratch.G.setZero(6, static_cast<Eigen::Index>(body.parameters.size()) + 1);
    bodies.push_back(std::move(scratch));
    widest = std::max(widest, body.parameters.size() + 1);
  }
  row.resize(static_cast<Eigen::Index>(widest));
  scratch_gains.resize(plan.gain_count());
}

}  // namespace vesica::markers
