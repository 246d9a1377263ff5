// A tree of bodies in plain numbers: what is handed to the other engines, whose headers do not
// share a language standard with ours. Conventions of vesica/multibody/joint_table.h.
#pragma once

#include <array>
#include <vector>

namespace vesica::test {

enum class CaseJoint {
  kFree,
  kRevolute,
  kPrismatic,
  kUniversal,
  kSpherical,
  kPlanar,
  kWeld,
  kCylindrical
};

struct CaseFrame {
  std::array<double, 9> R;  // row by row
  std::array<double, 3> p;
};

struct CaseBody {
  CaseJoint joint;
  int parent;  // -1: world
  CaseFrame X_PF, X_BM;
  std::array<double, 3> axis, axis2;  // in F
  double mass;
  std::array<double, 9> inertia;  // about the mass centre, which is the origin
  std::vector<double> q, u;
  std::array<double, 3> force, torque;  // on the body, at its origin, in world axes
  std::vector<double> tau;              // on its speeds
  std::vector<double> u_rates;          // for inverse dynamics
};

struct CasePoint {  // two points coincide
  int body_i, body_j;
  std::array<double, 3> p_i, p_j;
};

struct TreeCase {
  std::vector<CaseBody> bodies;
  std::vector<CasePoint> points;
};

struct TreeAnswer {
  std::vector<std::vector<double>> u_rates;  // forward dynamics, per body
  std::vector<std::vector<double>> tau;      // inverse dynamics, per body
};

TreeAnswer solve_with_simbody(const TreeCase& c);
TreeAnswer solve_with_mujoco(const TreeCase& c);

// Forward dynamics with the points held together.
TreeAnswer solve_loops_with_simbody(const TreeCase& c);

}  // namespace vesica::test
