#include <Simbody.h>

#include <cmath>

#include "tests/peers/tree_case.h"

namespace vesica::test {
namespace {

using SimTK::MobilizedBody;
using SimTK::Rotation;
using SimTK::Transform;
using SimTK::Vec3;

Vec3 as_vec(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }

Transform as_transform(const CaseFrame& X, const Rotation& then) {
  SimTK::Mat33 R;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) R(r, c) = X.R[static_cast<size_t>(3 * r + c)];
  }
  return Transform(Rotation(R) * then, as_vec(X.p));
}

// Simbody's joints have fixed axes: frames are turned so that they fall on ours.
Rotation calc_joint_axes(const CaseBody& body) {
  using SimTK::CoordinateAxis;
  using SimTK::UnitVec3;
  const UnitVec3 axis(as_vec(body.axis));
  switch (body.joint) {
    case CaseJoint::kRevolute:
    case CaseJoint::kCylindrical:
      return Rotation(axis, SimTK::ZAxis);
    case CaseJoint::kPrismatic:
      return Rotation(axis, SimTK::XAxis);
    case CaseJoint::kUniversal:
      return Rotation(axis, SimTK::XAxis, as_vec(body.axis2), SimTK::YAxis);
    default:
      return Rotation();
  }
}

// Where our coordinate k, speed k stand in Simbody's.
std::vector<int> coordinate_places(CaseJoint joint) {
  if (joint == CaseJoint::kFree) return {4, 5, 6, 0, 1, 2, 3};
  if (joint == CaseJoint::kPlanar) return {1, 2, 0};
  return {0, 1, 2, 3};
}
std::vector<int> speed_places(CaseJoint joint) {
  if (joint == CaseJoint::kFree) return {3, 4, 5, 0, 1, 2};
  if (joint == CaseJoint::kPlanar) return {1, 2, 0};
  return {0, 1, 2};
}

struct Model {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  std::vector<MobilizedBody> bodies;

  MobilizedBody& at(int b) { return b < 0 ? matter.updGround() : bodies[static_cast<size_t>(b)]; }

  explicit Model(const TreeCase& c) {
    for (const CaseBody& body : c.bodies) {
      const auto& I = body.inertia;
      const SimTK::Inertia inertia(I[0], I[4], I[8], I[1], I[2], I[5]);
      const SimTK::Body::Rigid rigid(SimTK::MassProperties(body.mass, Vec3(0), inertia));
      const Rotation axes = calc_joint_axes(body);
      const Transform F = as_transform(body.X_PF, axes), M = as_transform(body.X_BM, axes);
      MobilizedBody& parent = at(body.parent);
      switch (body.joint) {
        case CaseJoint::kFree:
          bodies.push_back(MobilizedBody::Free(parent, F, rigid, M));
          break;
        case CaseJoint::kRevolute:
          bodies.push_back(MobilizedBody::Pin(parent, F, rigid, M));
          break;
        case CaseJoint::kPrismatic:
          bodies.push_back(MobilizedBody::Slider(parent, F, rigid, M));
          break;
        case CaseJoint::kUniversal:
          bodies.push_back(MobilizedBody::Universal(parent, F, rigid, M));
          break;
        case CaseJoint::kSpherical:
          bodies.push_back(MobilizedBody::Ball(parent, F, rigid, M));
          break;
        case CaseJoint::kPlanar:
          bodies.push_back(MobilizedBody::Planar(parent, F, rigid, M));
          break;
        case CaseJoint::kWeld:
          bodies.push_back(MobilizedBody::Weld(parent, F, rigid, M));
          break;
        case CaseJoint::kCylindrical:
          bodies.push_back(MobilizedBody::Cylinder(parent, F, rigid, M));
          break;
      }
    }
    for (const CasePoint& p : c.points) {
      SimTK::Constraint::Ball(at(p.body_i), as_vec(p.p_i), at(p.body_j), as_vec(p.p_j));
    }
  }

  SimTK::State make_state(const TreeCase& c) {
    SimTK::State state = system.realizeTopology();
    for (size_t b = 0; b < bodies.size(); ++b) {
      const CaseBody& body = c.bodies[b];
      const auto q = coordinate_places(body.joint);
      const auto u = speed_places(body.joint);
      for (size_t k = 0; k < body.q.size(); ++k) bodies[b].setOneQ(state, q[k], body.q[k]);
      for (size_t k = 0; k < body.u.size(); ++k) bodies[b].setOneU(state, u[k], body.u[k]);
    }
    return state;
  }
};

TreeAnswer solve(const TreeCase& c, bool constrained) {
  Model model(c);
  SimTK::Force::DiscreteForces loads(model.forces, model.matter);
  SimTK::State state = model.make_state(c);
  SimTK::Vector tau(state.getNU()), known(state.getNU());
  SimTK::Vector_<SimTK::SpatialVec> wrenches(static_cast<int>(model.bodies.size()) + 1);
  wrenches.setToZero();
  model.system.realize(state, SimTK::Stage::Velocity);
  for (size_t b = 0; b < model.bodies.size(); ++b) {
    const CaseBody& body = c.bodies[b];
    wrenches[model.bodies[b].getMobilizedBodyIndex()] =
        SimTK::SpatialVec(as_vec(body.torque), as_vec(body.force));
    const int first = model.bodies[b].getFirstUIndex(state);
    const auto places = speed_places(body.joint);
    for (size_t k = 0; k < body.u.size(); ++k) {
      tau[first + places[k]] = body.tau[k];
      known[first + places[k]] = body.u_rates[k];
    }
  }
  loads.setAllMobilityForces(state, tau);
  loads.setAllBodyForces(state, wrenches);
  model.system.realize(state, SimTK::Stage::Acceleration);
  TreeAnswer answer;
  for (size_t b = 0; b < model.bodies.size(); ++b) {
    const auto places = speed_places(c.bodies[b].joint);
    std::vector<double> rates;
    for (size_t k = 0; k < c.bodies[b].u.size(); ++k) {
      rates.push_back(model.bodies[b].getOneUDot(state, places[k]));
    }
    answer.u_rates.push_back(rates);
  }
  if (constrained) return answer;

  SimTK::Vector residual;
  model.matter.calcResidualForceIgnoringConstraints(state, SimTK::Vector(), wrenches, known,
                                                    residual);
  for (size_t b = 0; b < model.bodies.size(); ++b) {
    const int first = model.bodies[b].getFirstUIndex(state);
    const auto places = speed_places(c.bodies[b].joint);
    std::vector<double> needed;
    for (size_t k = 0; k < c.bodies[b].u.size(); ++k) needed.push_back(residual[first + places[k]]);
    answer.tau.push_back(needed);
  }
  return answer;
}

}  // namespace

TreeAnswer solve_with_simbody(const TreeCase& c) { return solve(c, false); }
TreeAnswer solve_loops_with_simbody(const TreeCase& c) { return solve(c, true); }

}  // namespace vesica::test
