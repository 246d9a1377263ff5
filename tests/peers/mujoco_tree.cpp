#include <fmt/format.h>
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/peers/tree_case.h"

namespace vesica::test {
namespace {

using Mat3 = Eigen::Matrix3d;
using Vec3 = Eigen::Vector3d;

Mat3 rotation_of(const CaseFrame& X) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(X.R.data());
}
Vec3 vec(const std::array<double, 3>& v) { return Vec3(v[0], v[1], v[2]); }
std::string text(const Vec3& v) { return fmt::format("{:.17g} {:.17g} {:.17g}", v[0], v[1], v[2]); }

// MuJoCo places joints in the body's frame; with all coordinates zero M lies on F.
std::string describe(const TreeCase& c, int b) {
  const CaseBody& body = c.bodies[static_cast<size_t>(b)];
  const Mat3 R_BM = rotation_of(body.X_BM);
  const Vec3 p_BM = vec(body.X_BM.p);
  const Mat3 R_PB = rotation_of(body.X_PF) * R_BM.transpose();
  const Vec3 p_PB = vec(body.X_PF.p) - R_PB * p_BM;
  const Eigen::Quaterniond q(R_PB);
  // MuJoCo's own diagonalisation of a full tensor stops at 1e-6 rad: it gets principal axes.
  const Mat3 I = Eigen::Map<const Mat3>(body.inertia.data());
  const Eigen::SelfAdjointEigenSolver<Mat3> principal(I);
  Mat3 axes = principal.eigenvectors();
  if (axes.determinant() < 0) axes.col(0) = -axes.col(0);
  const Eigen::Quaterniond a(axes);
  std::string xml = fmt::format(
      "<body pos='{}' quat='{:.17g} {:.17g} {:.17g} {:.17g}'><inertial pos='0 0 0' "
      "quat='{:.17g} {:.17g} {:.17g} {:.17g}' mass='{:.17g}' diaginertia='{}'/>",
      text(p_PB), q.w(), q.x(), q.y(), q.z(), a.w(), a.x(), a.y(), a.z(), body.mass,
      text(principal.eigenvalues()));
  auto joint = [&](const char* type, const Vec3& axis_F) {
    xml +=
        fmt::format("<joint type='{}' pos='{}' axis='{}'/>", type, text(p_BM), text(R_BM * axis_F));
  };
  switch (body.joint) {
    case CaseJoint::kFree:
      xml += "<freejoint/>";
      break;
    case CaseJoint::kRevolute:
      joint("hinge", vec(body.axis));
      break;
    case CaseJoint::kPrismatic:
      joint("slide", vec(body.axis));
      break;
    case CaseJoint::kUniversal:
      joint("hinge", vec(body.axis));
      joint("hinge", vec(body.axis2));
      break;
    case CaseJoint::kSpherical:
      xml += fmt::format("<joint type='ball' pos='{}'/>", text(p_BM));
      break;
    case CaseJoint::kPlanar:
      joint("slide", Vec3::UnitX());
      joint("slide", Vec3::UnitY());
      joint("hinge", Vec3::UnitZ());
      break;
    case CaseJoint::kWeld:
      break;
    case CaseJoint::kCylindrical:
      joint("hinge", vec(body.axis));
      joint("slide", vec(body.axis));
      break;
  }
  for (size_t child = 0; child < c.bodies.size(); ++child) {
    if (c.bodies[child].parent == b) xml += describe(c, static_cast<int>(child));
  }
  return xml + "</body>";
}

// Our body b is MuJoCo's body order[b]: it numbers depth first.
void number_depth_first(const TreeCase& c, int b, int* next, std::vector<int>* order) {
  (*order)[static_cast<size_t>(b)] = (*next)++;
  for (size_t child = 0; child < c.bodies.size(); ++child) {
    if (c.bodies[child].parent == b) {
      number_depth_first(c, static_cast<int>(child), next, order);
    }
  }
}

// The rotation from MuJoCo's axes of a quaternion joint's spin (its body's) to ours (F's).
Mat3 calc_spin_axes(const CaseBody& body) {
  const size_t at = body.joint == CaseJoint::kFree ? 3 : 0;
  const Eigen::Quaterniond q(body.q[at], body.q[at + 1], body.q[at + 2], body.q[at + 3]);
  return q.normalized().toRotationMatrix() * rotation_of(body.X_BM).transpose();
}

}  // namespace

TreeAnswer solve_with_mujoco(const TreeCase& c) {
  std::string xml =
      "<mujoco><compiler angle='radian' inertiafromgeom='false' balanceinertia='false'/>"
      "<option gravity='0 0 0'><flag constraint='disable'/></option><worldbody>";
  std::vector<int> order(c.bodies.size());
  int next = 1;
  for (size_t b = 0; b < c.bodies.size(); ++b) {
    if (c.bodies[b].parent >= 0) continue;
    xml += describe(c, static_cast<int>(b));
    number_depth_first(c, static_cast<int>(b), &next, &order);
  }
  xml += "</worldbody></mujoco>";
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("vesica_tree_{}.xml", getpid());
  std::ofstream(path) << xml;
  char error[1000] = "";
  mjModel* model = mj_loadXML(path.c_str(), nullptr, error, sizeof error);
  std::filesystem::remove(path);
  if (!model) throw std::runtime_error(error);
  mjData* data = mj_makeData(model);

  // Joints of a body follow each other, so its coordinates do too.
  auto q_of = [&](size_t b) { return model->jnt_qposadr[model->body_jntadr[order[b]]]; };
  auto u_of = [&](size_t b) { return model->body_dofadr[order[b]]; };
  // Where the three spins of a joint with a quaternion stand.
  auto spin_place = [&](const CaseBody& body) {
    return body.joint == CaseJoint::kFree ? 3 : body.joint == CaseJoint::kSpherical ? 0 : -1;
  };
  auto to_mujoco = [&](size_t b, const std::vector<double>& ours, double* theirs) {
    for (size_t k = 0; k < ours.size(); ++k) theirs[k] = ours[k];
    const int s = spin_place(c.bodies[b]);
    if (s >= 0) {
      Eigen::Map<Vec3>(theirs + s) =
          calc_spin_axes(c.bodies[b]).transpose() * Eigen::Map<const Vec3>(ours.data() + s);
    }
  };
  auto from_mujoco = [&](size_t b, const double* theirs) {
    std::vector<double> ours(theirs, theirs + c.bodies[b].u.size());
    const int s = spin_place(c.bodies[b]);
    if (s >= 0) {
      Eigen::Map<Vec3>(ours.data() + s) =
          calc_spin_axes(c.bodies[b]) * Eigen::Map<const Vec3>(theirs + s);
    }
    return ours;
  };
  for (size_t b = 0; b < c.bodies.size(); ++b) {
    const CaseBody& body = c.bodies[b];
    double* wrench = data->xfrc_applied + 6 * order[b];
    for (int k = 0; k < 3; ++k) {
      wrench[k] = body.force[static_cast<size_t>(k)];
      wrench[3 + k] = body.torque[static_cast<size_t>(k)];
    }
    if (body.u.empty()) continue;
    double* q = data->qpos + q_of(b);
    for (size_t k = 0; k < body.q.size(); ++k) q[k] = body.q[k];
    if (spin_place(body) >= 0) {
      // MuJoCo's quaternion is of B in P (with B = P at rest turned by R_PB).
      const size_t at = body.joint == CaseJoint::kFree ? 3 : 0;
      const Eigen::Quaterniond ours(body.q[at], body.q[at + 1], body.q[at + 2], body.q[at + 3]);
      const Mat3 R_BM = rotation_of(body.X_BM), R_PF = rotation_of(body.X_PF);
      const Mat3 R_FM = ours.normalized().toRotationMatrix();
      // A ball turns the body's frame by q after its rest orientation; a free joint gives the pose.
      const Mat3 R = body.joint == CaseJoint::kFree ? Mat3(R_PF * R_FM * R_BM.transpose())
                                                    : Mat3(R_BM * R_FM * R_BM.transpose());
      const Eigen::Quaterniond theirs(R);
      q[at] = theirs.w();
      q[at + 1] = theirs.x();
      q[at + 2] = theirs.y();
      q[at + 3] = theirs.z();
    }
    to_mujoco(b, body.u, data->qvel + u_of(b));
    to_mujoco(b, body.tau, data->qfrc_applied + u_of(b));
  }
  mj_forward(model, data);
  TreeAnswer answer;
  for (size_t b = 0; b < c.bodies.size(); ++b) {
    answer.u_rates.push_back(c.bodies[b].u.empty() ? std::vector<double>()
                                                   : from_mujoco(b, data->qacc + u_of(b)));
  }
  for (size_t b = 0; b < c.bodies.size(); ++b) {
    if (!c.bodies[b].u.empty()) to_mujoco(b, c.bodies[b].u_rates, data->qacc + u_of(b));
  }
  mj_inverse(model, data);
  // mj_inverse gives M u' + bias: the wrenches on the bodies are not in it.
  std::vector<double> wrench_part(static_cast<size_t>(model->nv), 0.0);
  for (size_t b = 0; b < c.bodies.size(); ++b) {
    const double* wrench = data->xfrc_applied + 6 * order[b];
    mj_applyFT(model, data, wrench, wrench + 3, data->xipos + 3 * order[b], order[b],
               wrench_part.data());
  }
  for (int k = 0; k < model->nv; ++k) {
    wrench_part[static_cast<size_t>(k)] =
        data->qfrc_inverse[k] - wrench_part[static_cast<size_t>(k)];
  }
  for (size_t b = 0; b < c.bodies.size(); ++b) {
    answer.tau.push_back(c.bodies[b].u.empty() ? std::vector<double>()
                                               : from_mujoco(b, wrench_part.data() + u_of(b)));
  }
  mj_deleteData(data);
  mj_deleteModel(model);
  return answer;
}

}  // namespace vesica::test
