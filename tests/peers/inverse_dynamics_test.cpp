// Joint moments of a marker model in motion against Simbody's inverse dynamics: the same segments
// and joints (free, ball, hinge, universal), its own kinematics from coordinates, speeds and their
// rates.
#include "vesica/markers/inverse_dynamics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "tests/peers/tree_case.h"
#include "tests/support/support.h"
#include "vesica/io/load_motion.h"
#include "vesica/markers/dynamics.h"
#include "vesica/markers/joint_coordinates.h"
#include "vesica/markers/model_file.h"
#include "vesica/markers/run.h"
#include "vesica/markers/standing.h"
#include "vesica/motion/trial_edit.h"

namespace vesica::test::inverse_dynamics_test {
namespace {

using namespace vesica::markers;

CaseFrame make_frame(const Mat3d& R, const Vec3d& p) {
  CaseFrame f{};
  for (int r = 0; r < 3; ++r) {
    f.p[static_cast<size_t>(r)] = p[r];
    for (int c = 0; c < 3; ++c) f.R[static_cast<size_t>(3 * r + c)] = R(r, c);
  }
  return f;
}
std::array<double, 3> list(const Vec3d& v) { return {v.x(), v.y(), v.z()}; }

// A walk-like motion of all coordinates, with large angles.
std::vector<SegmentPose> make_motion(const Model& model, const Eigen::VectorXd& d, int frames,
                                     double rate) {
  const auto coordinates = list_joint_coordinates(model);
  std::vector<SegmentPose> poses(model.segments.size() * static_cast<size_t>(frames));
  for (int f = 0; f < frames; ++f) {
    std::vector<double> q;
    for (size_t c = 0; c < coordinates.size(); ++c) {
      const double phase = 2 * kPi * (1 + 0.3 * static_cast<double>(c % 4)) * f / rate;
      q.push_back((coordinates[c].angle ? 0.5 : 0.1) * std::sin(phase + static_cast<double>(c)));
    }
    q[0] += 1.3 * f / rate;
    place_segments(model, d, q, &poses[static_cast<size_t>(f) * model.segments.size()]);
  }
  return poses;
}

struct Expected {
  TreeCase tree;
  std::vector<std::vector<double>> tau;  // ours, on Simbody's speeds
};

// Coordinates and speeds of one frame from the segments' motions alone; bodies' origins are their
// centres of mass.
Expected make_case(const Model& model, const Eigen::VectorXd& d, const SegmentMotion* motions,
                   const BodySegments& body, const std::vector<Wrench<double>>& external,
                   const FrameLoads& loads, const Vec3d& gravity) {
  const Geometry geometry = calc_geometry(model, d);
  Expected out;
  std::vector<int> body_of(model.segments.size(), -1);
  for (const int s : model.order) {
    const SegmentMotion& m = motions[s];
    const SegmentInertia& inertia = body.inertia[static_cast<size_t>(s)];
    body_of[static_cast<size_t>(s)] = static_cast<int>(out.tree.bodies.size());
    CaseBody b{};
    b.mass = inertia.mass;
    for (int k = 0; k < 9; ++k) b.inertia[static_cast<size_t>(k)] = inertia.I_center(k / 3, k % 3);
    const Vec3d r = m.R_WS * inertia.center;
    // Weight and what acts from outside, at the centre of mass.
    const Wrench<double> at = shift_wrench(external[static_cast<size_t>(s)], Vec3d(m.p_WS + r));
    b.force = list(at.f_W + inertia.mass * gravity);
    b.torque = list(at.tau_W);
    const int j = model.tree_joint[s];
    std::vector<double> tau;
    if (j < 0) {
      b.joint = CaseJoint::kFree;
      b.parent = -1;
      b.X_PF = make_frame(Mat3d::Identity(), Vec3d::Zero());
      b.X_BM = b.X_PF;
      const Vec3d p = m.p_WS + r, v = m.v + m.w.cross(r),
                  a = m.a + m.w_rate.cross(r) + m.w.cross(m.w.cross(r));
      const auto q = as_quaternion(m.R_WS);
      b.q = {p.x(), p.y(), p.z(), q.w, q.x, q.y, q.z};
      b.u = {v.x(), v.y(), v.z(), m.w.x(), m.w.y(), m.w.z()};
      b.u_rates = {a.x(), a.y(), a.z(), m.w_rate.x(), m.w_rate.y(), m.w_rate.z()};
      const Wrench<double>& root = loads.root[static_cast<size_t>(s)];
      for (int k = 0; k < 3; ++k) tau.push_back(root.f_W[k]);
      for (int k = 0; k < 3; ++k) tau.push_back(root.tau_W[k]);
    } else {
      const Joint& joint = model.joints[static_cast<size_t>(j)];
      const SegmentMotion& parent = motions[joint.parent];
      const SegmentInertia& above = body.inertia[static_cast<size_t>(joint.parent)];
      const auto& g = geometry.joints[static_cast<size_t>(j)];
      b.parent = body_of[static_cast<size_t>(joint.parent)];
      const Vec3d moment = loads.joints[static_cast<size_t>(j)].moment;
      const Vec3d w = m.w - parent.w;                                     // in the world
      const Vec3d w_rate = m.w_rate - parent.w_rate - parent.w.cross(w);  // seen by the parent
      const Vec3d p_P = g.parent_center.value - above.center,
                  p_C = g.child_center.value - inertia.center;
      const Vec3d axis1 =
          calc_axis_column(joint.parent_axis, joint.parent_axis.sequence[2], d).value;
      const Vec3d axis2 = calc_axis_column(joint.child_axis, joint.child_axis.sequence[2], d).value;
      if (joint.type == JointType::kSpherical) {
        b.joint = CaseJoint::kSpherical;
        b.X_PF = make_frame(Mat3d::Identity(), p_P);
        b.X_BM = make_frame(Mat3d::Identity(), p_C);
        const auto q = as_quaternion(Mat3d(parent.R_WS.transpose() * m.R_WS));
        const Vec3d u = parent.R_WS.transpose() * w, u_rate = parent.R_WS.transpose() * w_rate;
        const Vec3d t = parent.R_WS.transpose() * moment;
        b.q = {q.w, q.x, q.y, q.z};
        b.u = {u.x(), u.y(), u.z()};
        b.u_rates = {u_rate.x(), u_rate.y(), u_rate.z()};
        tau = {t.x(), t.y(), t.z()};
      } else if (joint.type == JointType::kRevolute) {
        // The frames coincide now; the angle is zero.
        b.joint = CaseJoint::kRevolute;
        b.axis = list(axis1);
        b.X_PF = make_frame(Mat3d::Identity(), p_P);
        b.X_BM = make_frame(m.R_WS.transpose() * parent.R_WS, p_C);
        const Vec3d a = parent.R_WS * axis1;
        b.q = {0};
        b.u = {w.dot(a)};
        b.u_rates = {w_rate.dot(a)};
        tau = {moment.dot(a)};
      } else {
        b.joint = CaseJoint::kUniversal;
        const Vec3d second = parent.R_WS.transpose() * m.R_WS * axis2;  // now, in the parent
        b.axis = list(axis1);
        b.axis2 = list(second);
        b.X_PF = make_frame(Mat3d::Identity(), p_P);
        b.X_BM = make_frame(m.R_WS.transpose() * parent.R_WS, p_C);
        const Vec3d a1 = parent.R_WS * axis1, a2 = m.R_WS * axis2;
        // w = u1 a1 + u2 a2 and w' = u1' a1 + u2' a2 + u1 u2 a1 x a2, a1 square to a2.
        b.q = {0, 0};
        b.u = {w.dot(a1), w.dot(a2)};
        b.u_rates = {w_rate.dot(a1), w_rate.dot(a2)};
        tau = {moment.dot(a1), moment.dot(a2)};
      }
    }
    b.tau.assign(b.u.size(), 0.0);
    out.tau.push_back(tau);
    out.tree.bodies.push_back(b);
  }
  return out;
}

TEST(InverseDynamics, AgreesWithSimbody) {
  const Model model = load_model(source_dir() + "/studies/markers/gait_wbds.yaml", nullptr);
  const Eigen::VectorXd d = model.start_values();
  const int frames = 200;
  const double rate = 150;
  const auto poses = make_motion(model, d, frames, rate);
  const auto motions = calc_segment_motions(model, d, poses.data(), frames, rate, 6);
  const BodySegments body = make_body_segments(model, d, 70, Sex::kFemale);
  const Geometry geometry = calc_geometry(model, d);
  const Vec3d gravity(0, -9.80665, 0);
  std::mt19937_64 random(4);
  double worst = 0, largest = 0;
  for (int f = 5; f < frames; f += 13) {
    std::vector<Wrench<double>> external(model.segments.size(), {Vec3d::Zero(), Vec3d::Zero()});
    for (const char* foot : {"foot_l", "foot_r"}) {
      auto& at = external[static_cast<size_t>(model.find_segment(foot))];
      at.f_W = random_vector(random, 800);
      at.tau_W = random_vector(random, 500);
    }
    const SegmentMotion* now = &motions[static_cast<size_t>(f) * model.segments.size()];
    const FrameLoads loads =
        calc_frame_loads(model, geometry, now, body.inertia, external, gravity);
    const Expected expected = make_case(model, d, now, body, external, loads, gravity);
    const TreeAnswer answer = solve_with_simbody(expected.tree);
    ASSERT_EQ(answer.tau.size(), expected.tau.size());
    for (size_t b = 0; b < answer.tau.size(); ++b) {
      ASSERT_EQ(answer.tau[b].size(), expected.tau[b].size());
      for (size_t k = 0; k < answer.tau[b].size(); ++k) {
        worst = std::max(worst, std::abs(answer.tau[b][k] - expected.tau[b][k]));
        largest = std::max(largest, std::abs(answer.tau[b][k]));
      }
    }
  }
  fmt::print("Simbody: joint moments and root forces within {:.1e} N m of up to {:.0f}\n", worst,
             largest);
  EXPECT_GT(largest, 100);
  EXPECT_LT(worst, 1e-6);
}

// What the plates did to a foot at a time, about the laboratory's origin: linear between samples,
// as recorded. Written once more here, so that the whole way from files to moments is compared.
Wrench<double> calc_foot_load(const TrialAnalysis& forces, Foot foot, double time) {
  Wrench<double> sum{Vec3d::Zero(), Vec3d::Zero()};
  for (const PlateContact& contact : forces.contacts) {
    if (contact.foot != foot) continue;
    const PlateForces& plate = forces.plates[static_cast<size_t>(contact.plate)];
    const auto at = [&](size_t k) {
      Wrench<double> w{Vec3d::Zero(), Vec3d::Zero()};
      if (plate.times[k] < contact.start || plate.times[k] > contact.end || !plate.is_loaded(k)) {
        return w;
      }
      w.f_W = plate.forces[k];
      w.tau_W = plate.centers_of_pressure[k].cross(w.f_W) + plate.free_moments[k] * plate.normal;
      return w;
    };
    const size_t after = plate.find_sample(time);
    if (after == 0 || after == plate.size()) continue;
    const double part =
        (time - plate.times[after - 1]) / (plate.times[after] - plate.times[after - 1]);
    const Wrench<double> a = at(after - 1), b = at(after);
    sum.f_W += (1 - part) * a.f_W + part * b.f_W;
    sum.tau_W += (1 - part) * a.tau_W + part * b.tau_W;
  }
  return sum;
}

struct RealWalk {
  markers::Run run;
  TrialAnalysis forces;
};
RealWalk load_walk(const std::filesystem::path& folder, const std::string& name) {
  RealWalk walk;
  walk.run.model = load_model(source_dir() + "/studies/markers/gait_wbds_standing.yaml", nullptr);
  calibrate(load_motion((folder / "WBDS07static1.trc").string()), walk.run.model);
  const MotionTrial motion = load_motion((folder / (name + ".trc")).string());
  walk.run.trials.push_back(make_trial(walk.run.model, motion, name, {}, nullptr));
  run_identification(walk.run, {});
  walk.forces = analyse(join(motion, load_motion((folder / (name + ".mot")).string())), {});
  return walk;
}

// The moments that `vesica markers --forces` writes, of five walks of one person with what five
// plates measured: hips, knees and ankles are balls, whose speeds in Simbody are the spin in the
// parent's axes, so that its forces are the components along X, Y and Z of the parent.
TEST(InverseDynamics, RealWalksAgreeWithSimbody) {
  const std::filesystem::path folder = shared_data() / "wbds07";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no recordings at " << folder;
  const Vec3d gravity(0, -9.80665, 0);
  double worst = 0, worst_root = 0, largest = 0;
  int compared = 0;
  for (const char* name :
       {"WBDS07walkO01F", "WBDS07walkO04C", "WBDS07walkO04S", "WBDS07walkO05C", "WBDS07walkO06C"}) {
    const RealWalk walk = load_walk(folder, name);
    const Model& model = walk.run.model;
    DynamicsOptions options;
    options.mass = 71;  // 697 N
    options.sex = Sex::kFemale;
    options.force_cutoff = 0;
    const Dynamics d = calc_dynamics(walk.run, 0, walk.forces, options);
    const Trial& trial = walk.run.trials[0];
    const auto motions =
        calc_segment_motions(model, walk.run.id->d, walk.run.id->frames.poses(0),
                             trial.frame_count(), trial.rate, options.motion_cutoff);
    const Geometry geometry = calc_geometry(model, walk.run.id->d);
    for (int f = 0; f < trial.frame_count(); f += 5) {
      std::vector<Wrench<double>> external(model.segments.size(), {Vec3d::Zero(), Vec3d::Zero()});
      external[static_cast<size_t>(model.find_segment("foot_l"))] =
          calc_foot_load(walk.forces, Foot::kLeft, trial.time_of(f));
      external[static_cast<size_t>(model.find_segment("foot_r"))] =
          calc_foot_load(walk.forces, Foot::kRight, trial.time_of(f));
      const SegmentMotion* now = &motions[static_cast<size_t>(f) * model.segments.size()];
      const FrameLoads loads =
          calc_frame_loads(model, geometry, now, d.body.inertia, external, gravity);
      const Expected expected =
          make_case(model, walk.run.id->d, now, d.body, external, loads, gravity);
      const TreeAnswer answer = solve_with_simbody(expected.tree);
      const auto row = static_cast<size_t>(f);
      for (size_t b = 0; b < answer.tau.size(); ++b) {
        const int s = model.order[b], j = model.tree_joint[s];
        const std::vector<double>& tau = answer.tau[b];
        if (j < 0) {
          for (size_t k = 0; k < 6; ++k) {
            const double ours = d.residual.at(row, k);
            if (std::isfinite(ours)) worst_root = std::max(worst_root, std::abs(ours - tau[k]));
          }
          continue;
        }
        const std::string joint = model.joints[static_cast<size_t>(j)].name;
        const std::string stem = joint.substr(0, joint.size() - 2),
                          side = joint.substr(stem.size());
        const double mirror = side == "_l" ? -1 : 1;
        const bool ankle = stem == "ankle";
        const std::pair<std::string, double> parts[] = {
            {ankle ? "dorsiflexion" : "flexion", (stem == "knee" ? -1 : 1) * tau[2]},
            {ankle ? "inversion" : "adduction", mirror * tau[0]},
            {"rotation", mirror * tau[1]}};
        for (const auto& [part, theirs] : parts) {
          const size_t column = d.moments.find(stem + "_" + part + "_moment" + side);
          ASSERT_LT(column, d.moments.columns.size()) << stem << part << side;
          const double ours = d.moments.at(row, column);
          if (!std::isfinite(ours)) continue;
          worst = std::max(worst, std::abs(ours - theirs));
          largest = std::max(largest, std::abs(ours));
          ++compared;
        }
      }
    }
  }
  fmt::print(
      "Simbody, five walks of wbds07: {} joint moments of up to {:.0f} N m within {:.1e} N m; root "
      "within {:.1e}\n",
      compared, largest, worst, worst_root);
  EXPECT_GT(compared, 2000);
  EXPECT_GT(largest, 80);
  EXPECT_LT(worst, 1e-6);
  EXPECT_LT(worst_root, 1e-6);
}

// Speeds and accelerations are the derivatives of the poses that come with them.
TEST(InverseDynamics, MotionsAreDerivativesOfEachOther) {
  const Model model = load_model(source_dir() + "/studies/markers/gait_wbds.yaml", nullptr);
  const Eigen::VectorXd d = model.start_values();
  double last = 0;
  for (const double rate : {200.0, 400.0}) {
    const int frames = static_cast<int>(rate);
    const auto poses = make_motion(model, d, frames, rate);
    const auto motions = calc_segment_motions(model, d, poses.data(), frames, rate, 0);
    const size_t n = model.segments.size();
    double worst = 0;
    for (size_t f = 40; f + 40 < static_cast<size_t>(frames); ++f) {
      for (size_t s = 0; s < n; ++s) {
        const auto &before = motions[(f - 1) * n + s], &now = motions[f * n + s],
                   &after = motions[(f + 1) * n + s];
        const Vec3d a = (after.p_WS - 2 * now.p_WS + before.p_WS) * rate * rate;
        const Vec3d w_rate = (after.w - before.w) * 0.5 * rate;
        worst = std::max({worst, (a - now.a).norm(), (w_rate - now.w_rate).norm()});
      }
    }
    fmt::print("differences at {:g} Hz: {:.2e} m/s^2 or rad/s^2\n", rate, worst);
    // Central differences: a quarter at twice the rate.
    if (last > 0) {
      EXPECT_LT(worst, 0.3 * last);
    }
    last = worst;
  }
}

}  // namespace
}  // namespace vesica::test::inverse_dynamics_test
