// The search direction against eq. 15 taken literally (literal_chain.h), one dense solve.
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "tests/markers/literal_chain.h"
#include "tests/markers/small_models.h"
#include "tests/support/support.h"
#include "vesica/markers/dense.h"
#include "vesica/markers/identify.h"

namespace vesica::markers::kkt_test {
namespace {

using namespace literal;
constexpr int kFrames = 2;

TEST(Kkt, SearchDirectionIsThatOfTheWholeSystemOfEquation15) {
  const Model model = test::make_chain();
  ASSERT_EQ(model.parameter_count(), kParameters);
  std::mt19937_64 random(7);
  Eigen::VectorXd d = model.start_values();
  const auto made = test::make_random_trial(model, d, kFrames, 0.02, random);
  const std::vector<Trial> trials{made.trial};
  for (int k = 0; k < d.size(); ++k) d[k] += 0.01 * vesica::test::random_between(random, -1, 1);
  AllFrames frames(model, trials, 1);
  // At poses that solve eq. 4 the multipliers are unique, so both forms take the same ones.
  FrameSolver solver(model, d);
  for (int f = 0; f < kFrames; ++f) {
    std::copy_n(&made.poses[f * kSegments], kSegments, frames.poses(f));
    solver.project(frames.poses(f));
    solver.solve(frames.frame(f), frames.poses(f));
  }

  // Our step.
  const Evaluation e = frames.evaluate(d, Curvature::kNewton, 0);
  const Eigen::VectorXd dd = -e.schur.fullPivLu().solve(e.gradient);

  const int n = kFrames * (7 * kSegments + kLambda) + kParameters;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(n);
  const int at_d = kFrames * (7 * kSegments + kLambda);
  const Plan plan(model, true);
  const Geometry geometry = plan.calc_geometry(d);
  Workspace work(plan);
  for (int f = 0; f < kFrames; ++f) {
    Eigen::VectorXd q(7 * kSegments);
    for (int s = 0; s < kSegments; ++s) {
      const SegmentPose& pose = frames.poses(f)[s];
      q.segment<3>(7 * s) = pose.p_WS;
      q.segment<4>(7 * s + 3) << pose.q_WS.w, pose.q_WS.x, pose.q_WS.y, pose.q_WS.z;
    }
    // Rows of Phi: gradients with one multiplier at a time, less the objective's.
    Eigen::VectorXd g0, g;
    Eigen::MatrixXd H;
    differentiate(q, d, Eigen::VectorXd::Zero(kLambda), frames.frame(f), &g0, &H);
    Eigen::MatrixXd Phi_x(kLambda, kN);
    for (int r = 0; r < kLambda; ++r) {
      differentiate(q, d, Eigen::VectorXd::Unit(kLambda, r), frames.frame(f), &g, &H);
      Phi_x.row(r) = (g - g0).transpose();
    }
    const Eigen::MatrixXd Phi_q_transposed = Phi_x.leftCols(7 * kSegments).transpose();
    const Eigen::VectorXd lambda = Phi_q_transposed.fullPivLu().solve(-g0.head(7 * kSegments));
    differentiate(q, d, lambda, frames.frame(f), &g, &H);
    const int at = f * (7 * kSegments + kLambda);
    const int nq = 7 * kSegments;
    ASSERT_LT(g.head(nq).norm(), 1e-13);
    A.block(at, at, nq, nq) = H.topLeftCorner(nq, nq);
    A.block(at, at + nq, nq, kLambda) = Phi_x.leftCols(nq).transpose();
    A.block(at + nq, at, kLambda, nq) = Phi_x.leftCols(nq);
    A.block(at, at_d, nq, kParameters) = H.topRightCorner(nq, kParameters);
    A.block(at + nq, at_d, kLambda, kParameters) = Phi_x.rightCols(kParameters);
    A.block(at_d, at, kParameters, nq) = H.bottomLeftCorner(kParameters, nq);
    A.block(at_d, at + nq, kParameters, kLambda) = Phi_x.rightCols(kParameters).transpose();
    A.block(at_d, at_d, kParameters, kParameters) += H.bottomRightCorner(kParameters, kParameters);
    b.segment(at, nq) = -g.head(nq);
    b.segment(at_d, kParameters) -= g.tail(kParameters);
  }
  const Eigen::VectorXd x = A.fullPivLu().solve(b);
  const Eigen::VectorXd dd_reference = x.tail(kParameters);
  EXPECT_LT((dd - dd_reference).norm(), 1e-11 * dd_reference.norm());

  std::vector<double> gains(plan.gain_count());
  for (int f = 0; f < kFrames; ++f) {
    Sums sums(plan);
    eliminate_frame(plan, geometry, frames.frame(f), frames.poses(f), Curvature::kNewton, 0, work,
                    sums, gains.data());
    back_substitute(plan, geometry, frames.poses(f), gains.data(), dd, work);
    for (int s = 0; s < kSegments; ++s) {
      const int at = f * (7 * kSegments + kLambda) + 7 * s;
      const Vec6& dq = work.bodies[plan.body_of(s)].dq;
      EXPECT_LT((dq.head<3>() - x.segment<3>(at)).norm(), 1e-11);
      // dp = 1/2 (0, theta) p
      const SegmentPose& pose = frames.poses(f)[s];
      const Quaternion<double> half{0, dq[3] / 2, dq[4] / 2, dq[5] / 2};
      const Quaternion<double> dp = half * pose.q_WS;
      EXPECT_LT((Eigen::Vector4d(dp.w, dp.x, dp.y, dp.z) - x.segment<4>(at + 3)).norm(), 1e-11);
    }
  }
}

// Away from a solution the two take different multipliers, so the exact matrices are compared at
// poses that solve eq. 4; Gauss-Newton, which has none, anywhere.
TEST(Kkt, TreeSweepAndDenseEliminationAgree) {
  std::mt19937_64 random(11);
  for (const Model& model : {test::make_chain(), test::make_all_joints()}) {
    const Eigen::VectorXd d = model.start_values();
    const auto made = test::make_random_trial(model, d, 4, 0.01, random);
    const size_t n = model.segments.size();
    const Plan tree(model, true), dense(model, true, true);
    const Geometry geometry = tree.calc_geometry(d);
    FrameSolver solver(model, d);
    for (bool solved : {false, true}) {
      for (int f = 0; f < 4; ++f) {
        std::vector<SegmentPose> poses(&made.poses[f * n], &made.poses[f * n] + n);
        const Frame frame = made.trial.frame(f);
        if (solved) solver.solve(frame, poses.data());
        const Curvature curvature = solved ? Curvature::kNewton : Curvature::kGaussNewton;
        Workspace work(tree), work_dense(dense);
        Sums a(tree), b(dense);
        std::vector<double> gains(tree.gain_count()), gains_dense(dense.gain_count());
        const auto ra = eliminate_frame(tree, geometry, frame, poses.data(), curvature, 0, work, a,
                                        gains.data());
        const auto rb = eliminate_frame(dense, geometry, frame, poses.data(), curvature, 0,
                                        work_dense, b, gains_dense.data());
        EXPECT_FALSE(ra.indefinite);
        EXPECT_FALSE(rb.indefinite);
        EXPECT_NEAR(ra.objective, rb.objective, 1e-15);
        const Eigen::MatrixXd Sa = a.calc_schur(tree), Sb = b.calc_schur(dense);
        const Eigen::VectorXd ga = a.calc_gradient(tree), gb = b.calc_gradient(dense);
        // Measured: 3e-15 and 1e-15.
        EXPECT_LT((Sa - Sb).norm(), 1e-12 * Sb.norm()) << model.name << " solved " << solved;
        EXPECT_LT((ga - gb).norm(), 1e-12 * (1 + gb.norm()));
        // And the poses' answer to a change of d.
        const Eigen::VectorXd dd = Eigen::VectorXd::LinSpaced(d.size(), -0.01, 0.02);
        back_substitute(tree, geometry, poses.data(), gains.data(), dd, work);
        back_substitute(dense, geometry, poses.data(), gains_dense.data(), dd, work_dense);
        for (size_t s = 0; s < n; ++s) {
          EXPECT_LT((work.bodies[s].dq - work_dense.bodies[s].dq).norm(), 1e-12);
        }
      }
    }
  }
}

// The gradient of eq. 17 is the derivative of the best objective over the poses; its matrix the
// second derivative. Differences of solved frames, no formula shared.
TEST(Kkt, SchurComplementIsTheHessianOfTheProfileObjective) {
  std::mt19937_64 random(5);
  for (const Model& model : {test::make_chain(), test::make_all_joints()}) {
    const Eigen::VectorXd d0 = model.start_values();
    const auto made = test::make_random_trial(model, d0, 1, 0.005, random);
    const Frame frame = made.trial.frame(0);
    const auto solve = [&](const Eigen::VectorXd& d, std::vector<SegmentPose>* poses) {
      FrameSolver solver(model, d);
      *poses = made.poses;
      solver.project(poses->data());
      return solver.solve(frame, poses->data()).objective;
    };
    const Plan plan(model, true);
    const auto gradient = [&](const Eigen::VectorXd& d, Eigen::MatrixXd* S) {
      std::vector<SegmentPose> poses;
      solve(d, &poses);
      Workspace work(plan);
      Sums sums(plan);
      eliminate_frame(plan, plan.calc_geometry(d), frame, poses.data(), Curvature::kNewton, 0, work,
                      sums, work.scratch_gains.data());
      if (S) *S = sums.calc_schur(plan);
      return sums.calc_gradient(plan);
    };
    Eigen::MatrixXd S;
    const Eigen::VectorXd g = gradient(d0, &S);
    constexpr double kStep = 1e-5;
    for (int k = 0; k < d0.size(); ++k) {
      std::vector<SegmentPose> poses;
      const Eigen::VectorXd h = kStep * Eigen::VectorXd::Unit(d0.size(), k);
      EXPECT_NEAR((solve(d0 + h, &poses) - solve(d0 - h, &poses)) / (2 * kStep), g[k], 1e-9);
      const Eigen::VectorXd column =
          (gradient(d0 + h, nullptr) - gradient(d0 - h, nullptr)) / (2 * kStep);
      EXPECT_LT((column - S.col(k)).norm(), 1e-7 * (1 + S.norm())) << model.parameters[k].name;
    }
  }
}

}  // namespace
}  // namespace vesica::markers::kkt_test
