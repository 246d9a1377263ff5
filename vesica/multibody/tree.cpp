#include "vesica/multibody/tree.h"

#include <fmt/format.h>

#include "vesica/error.h"

namespace vesica {
namespace {

template <class P>
bool is_identity(const Pose<P>& X) {
  for (int r = 0; r < 3; ++r) {
    if (!is_exactly(X.p_WB[r], 0)) return false;
    for (int c = 0; c < 3; ++c) {
      if (!is_exactly(X.R_WB(r, c), r == c ? 1 : 0)) return false;
    }
  }
  return true;
}

}  // namespace

template <class P>
int Tree<P>::add_body(const FreeBody<P>& inertia, const Joint<P>& joint) {
  const int index = size();
  if (joint.parent >= index || joint.parent < -1) {
    throw InputError(
        fmt::format("tree: body {} hangs on body {}; a parent is added before its children", index,
                    joint.parent));
  }
  TreeBody<P> body;
  body.joint = joint;
  body.inertia = inertia;
  body.X_MB.R_WB = joint.X_BM.R_WB.transpose();
  body.X_MB.p_WB = -(body.X_MB.R_WB * joint.X_BM.p_WB);
  for (int k = 0; k < 3; ++k) {
    body.is_off_joint = body.is_off_joint || !is_exactly(joint.X_BM.p_WB[k], 0);
  }
  for (const JointSpeed& speed : speeds_of(joint.type)) body.slides = body.slides || !speed.turns;
  const int coordinates = coordinate_count(joint.type);
  if (joint.is_driven()) {
    if (quaternion_place(joint.type) >= 0 || static_cast<int>(joint.drive.size()) != coordinates) {
      throw InputError(fmt::format(
          "tree: the joint of body {} is driven by {} signals; it needs one for each of its {} "
          "coordinates, and joints with a quaternion cannot be driven",
          index, joint.drive.size(), coordinates));
    }
  } else {
    body.nq = coordinates;
    body.nu = speed_count(joint.type);
  }
  body.q_start = nq_;
  body.u_start = nu_;
  nq_ += body.nq;
  nu_ += body.nu;
  bodies_.push_back(std::move(body));
  refresh_flags();
  return index;
}

template <class P>
int Tree<P>::add_given_body() {
  TreeBody<P> body;
  body.joint.type = JointType::kGiven;
  body.q_start = nq_;
  body.u_start = nu_;
  bodies_.push_back(std::move(body));
  return size() - 1;
}

template <class P>
void Tree<P>::refresh_flags() {
  for (auto& body : bodies_) body.has_children = false;
  for (auto& body : bodies_) {
    body.on_moving_base = false;
    if (body.joint.type == JointType::kGiven || body.joint.parent < 0) continue;
    auto& parent = bodies_[static_cast<size_t>(body.joint.parent)];
    parent.has_children = true;
    body.on_moving_base = parent.joint.type == JointType::kGiven;
  }
  has_joints_ = false;
  for (auto& body : bodies_) {
    const Joint<P>& joint = body.joint;
    if (joint.type == JointType::kGiven) continue;
    body.is_lone = joint.type == JointType::kFree && joint.parent < 0 && !body.has_children &&
                   is_identity(joint.X_PF) && is_identity(joint.X_BM);
    has_joints_ = has_joints_ || !body.is_lone;
  }
}

template class Tree<double>;
template class Tree<Dual<4>>;
template class Tree<Dual<12>>;

}  // namespace vesica
