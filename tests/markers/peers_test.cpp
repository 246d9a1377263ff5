// The same optimum as solvers by others: Ipopt on eq. 11 taken literally (Cartesian coordinates,
// hard constraints), Ceres in minimal coordinates (joint angles, no constraints).
#include <gtest/gtest.h>

#ifdef VESICA_HAS_CERES
#include <ceres/ceres.h>
#include <ceres/rotation.h>
#endif
#ifdef VESICA_HAS_IPOPT
#include <coin/IpStdCInterface.h>
#endif

#include "tests/markers/literal_chain.h"
#include "tests/markers/small_models.h"
#include "vesica/markers/identify.h"

namespace vesica::markers::peers_test {
namespace {

using namespace literal;

struct SmallProblem {
  Model model = test::make_chain();
  Eigen::VectorXd truth = model.start_values();
  std::vector<Trial> trials;

  explicit SmallProblem(int frames) {
    std::mt19937_64 random(3);
    trials.push_back(test::make_random_trial(model, truth, frames, 0.01, random).trial);
    for (double& w : trials[0].weights) w = 1;
    for (Parameter& p : model.parameters) p.start *= 1.05;
    model.finish();
  }
};

#ifdef VESICA_HAS_IPOPT
constexpr int kFrames = 6;
constexpr int kVariables = kFrames * 7 * kSegments + kParameters;

struct Literal {
  const Trial* trial;

  static Eigen::VectorXd frame_variables(const double* x, int f, Eigen::VectorXd* d) {
    *d = Eigen::Map<const Eigen::VectorXd>(x + kFrames * 7 * kSegments, kParameters);
    return Eigen::Map<const Eigen::VectorXd>(x + f * 7 * kSegments, 7 * kSegments);
  }
  static T evaluate(const double* x, int f, const Eigen::VectorXd& lambda, const Trial& trial) {
    Eigen::VectorXd d;
    const Eigen::VectorXd q = frame_variables(x, f, &d);
    std::vector<T> seeded(kN);
    for (int k = 0; k < kN; ++k) {
      seeded[k] = T(k < q.size() ? q[k] : d[k - q.size()]);
      seeded[k].v[k] = 1;
    }
    return calc_lagrangian(seeded.data(), seeded.data() + 7 * kSegments, lambda, trial.frame(f));
  }
  // Where variable k of frame f is among all.
  static int place(int f, int k) {
    return k < 7 * kSegments ? f * 7 * kSegments + k : (kFrames - 1) * 7 * kSegments + k;
  }
};
const Trial& trial_of(void* data) { return *static_cast<Literal*>(data)->trial; }

Bool eval_f(Index, Number* x, Bool, Number* value, UserDataPtr data) {
  *value = 0;
  for (int f = 0; f < kFrames; ++f) {
    *value += Literal::evaluate(x, f, Eigen::VectorXd::Zero(kLambda), trial_of(data)).a;
  }
  return TRUE;
}
Bool eval_grad_f(Index n, Number* x, Bool, Number* gradient, UserDataPtr data) {
  std::fill(gradient, gradient + n, 0.0);
  for (int f = 0; f < kFrames; ++f) {
    const T L = Literal::evaluate(x, f, Eigen::VectorXd::Zero(kLambda), trial_of(data));
    for (int k = 0; k < kN; ++k) gradient[Literal::place(f, k)] += L.v[k];
  }
  return TRUE;
}
Bool eval_g(Index, Number* x, Bool, Index, Number* g, UserDataPtr data) {
  for (int f = 0; f < kFrames; ++f) {
    const double zero = Literal::evaluate(x, f, Eigen::VectorXd::Zero(kLambda), trial_of(data)).a;
    for (int r = 0; r < kLambda; ++r) {
      g[f * kLambda + r] =
          Literal::evaluate(x, f, Eigen::VectorXd::Unit(kLambda, r), trial_of(data)).a - zero;
    }
  }
  return TRUE;
}
Bool eval_jac_g(Index, Number* x, Bool, Index, Index, Index* row, Index* column, Number* values,
                UserDataPtr data) {
  int at = 0;
  for (int f = 0; f < kFrames; ++f) {
    for (int r = 0; r < kLambda; ++r) {
      T zero, L;
      if (values) {
        zero = Literal::evaluate(x, f, Eigen::VectorXd::Zero(kLambda), trial_of(data));
        L = Literal::evaluate(x, f, Eigen::VectorXd::Unit(kLambda, r), trial_of(data));
      }
      for (int k = 0; k < kN; ++k, ++at) {
        if (values) {
          values[at] = L.v[k] - zero.v[k];
        } else {
          row[at] = f * kLambda + r;
          column[at] = Literal::place(f, k);
        }
      }
    }
  }
  return TRUE;
}
Bool eval_h(Index, Number* x, Bool, Number factor, Index, Number* lambda, Bool, Index, Index* row,
            Index* column, Number* values, UserDataPtr data) {
  int at = 0;
  for (int f = 0; f < kFrames; ++f) {
    Eigen::MatrixXd H;
    if (values) {
      Eigen::VectorXd d, g;
      const Eigen::VectorXd q = Literal::frame_variables(x, f, &d);
      const Eigen::Map<const Eigen::VectorXd> l(lambda + f * kLambda, kLambda);
      Eigen::MatrixXd H0;
      differentiate(q, d, Eigen::VectorXd::Zero(kLambda), trial_of(data).frame(f), &g, &H0);
      differentiate(q, d, l, trial_of(data).frame(f), &g, &H);
      H += (factor - 1) * H0;
    }
    for (int a = 0; a < kN; ++a) {
      for (int b = 0; b <= a; ++b, ++at) {
        if (values) {
          values[at] = H(a, b);
        } else {
          row[at] = Literal::place(f, a);
          column[at] = Literal::place(f, b);
        }
      }
    }
  }
  return TRUE;
}

TEST(Peers, SameOptimumAsIpopt) {
  const SmallProblem setup(kFrames);
  const Identification ours = identify(setup.model, setup.trials, {});
  ASSERT_TRUE(ours.summary.converged) << ours.summary.message;

  std::vector<Number> x(kVariables), low(kVariables, -2e19), high(kVariables, 2e19),
      zero(kFrames * kLambda, 0.0);
  // Ipopt starts near our poses but at the model's start values, 5 % off.
  for (int f = 0; f < kFrames; ++f) {
    for (int s = 0; s < kSegments; ++s) {
      const SegmentPose pose =
          turn_pose(ours.frames.poses(f)[s], Vec3d(0.05, -0.04, 0.03), Vec3d(0.01, 0.01, -0.01));
      Number* q = &x[(f * kSegments + s) * 7];
      for (int k = 0; k < 3; ++k) q[k] = pose.p_WS[k];
      q[3] = pose.q_WS.w;
      q[4] = pose.q_WS.x;
      q[5] = pose.q_WS.y;
      q[6] = pose.q_WS.z;
    }
  }
  for (int k = 0; k < kParameters; ++k) {
    x[kFrames * 7 * kSegments + k] = setup.model.parameters[k].start;
  }
  Literal data{&setup.trials[0]};
  IpoptProblem problem =
      CreateIpoptProblem(kVariables, low.data(), high.data(), kFrames * kLambda, zero.data(),
                         zero.data(), kFrames * kLambda * kN, kFrames * kN * (kN + 1) / 2, 0,
                         eval_f, eval_g, eval_grad_f, eval_jac_g, eval_h);
  AddIpoptIntOption(problem, const_cast<char*>("print_level"), 0);
  AddIpoptNumOption(problem, const_cast<char*>("tol"), 1e-12);
  Number objective = 0;
  const auto status =
      IpoptSolve(problem, x.data(), nullptr, &objective, nullptr, nullptr, nullptr, &data);
  FreeIpoptProblem(problem);
  ASSERT_TRUE(status == Solve_Succeeded || status == Solved_To_Acceptable_Level) << status;
  for (int k = 0; k < kParameters; ++k) {
    EXPECT_NEAR(x[kFrames * 7 * kSegments + k], ours.d[k], 1e-8) << setup.model.parameters[k].name;
  }
  EXPECT_NEAR(objective, ours.summary.objective, 1e-10 * objective);
}
#else
TEST(Peers, SameOptimumAsIpopt) { GTEST_SKIP() << "no Ipopt"; }
#endif

#ifdef VESICA_HAS_CERES
// Minimal coordinates: root position and rotation vector, hip rotation vector, knee angle.
struct MinimalCost {
  Frame frame;
  template <class S>
  bool operator()(const S* q, const S* d, S* r) const {
    using V = Eigen::Matrix<S, 3, 1>;
    using M = Eigen::Matrix<S, 3, 3>;
    const auto rotation = [](const S* w) {
      S R[9];
      ceres::AngleAxisToRotationMatrix(w, R);
      return M(Eigen::Map<const M>(R));
    };
    const V p(q[0], q[1], q[2]);
    const M A = rotation(q + 3), B = A * rotation(q + 6);
    const S sa = sin(d[2]), ca = cos(d[2]), sb = sin(d[3]), cb = cos(d[3]), sk = sin(q[9]),
            ck = cos(q[9]);
    M Rx = M::Identity(), Ry = M::Identity(), Rz = M::Identity();
    Rx(1, 1) = Rx(2, 2) = ca;
    Rx(2, 1) = sa;
    Rx(1, 2) = -sa;
    Ry(0, 0) = Ry(2, 2) = cb;
    Ry(0, 2) = sb;
    Ry(2, 0) = -sb;
    Rz(0, 0) = Rz(1, 1) = ck;
    Rz(1, 0) = sk;
    Rz(0, 1) = -sk;
    const M C = B * Rx * Ry * Rz;
    const auto vec = [](double x, double y, double z) { return V(S(x), S(y), S(z)); };
    const V hip = p + A * V(d[0] * vec(0, -0.05, 0.02));
    const V knee = hip + B * V(S(0), -d[1], S(0.01));
    const V at[7] = {p + A * V(d[0] * vec(0.1, 0, 0)),
                     p + A * V(d[0] * vec(0, 0.1, 0)),
                     p + A * V(d[4] * d[0], S(0.02), S(-0.1) * d[0]),
                     hip + B * vec(0.03, -0.2, 0.05),
                     hip + B * vec(-0.05, -0.1, 0),
                     knee + C * vec(0.05, -0.2, 0.02),
                     knee + C * V(S(-0.04), d[5], S(0.03))};
    for (int m = 0; m < 7; ++m) {
      for (int k = 0; k < 3; ++k) r[3 * m + k] = at[m][k] - frame.positions[m][k];
    }
    return true;
  }
};

TEST(Peers, SameOptimumAsMinimalCoordinatesWithCeres) {
  constexpr int frames = 12;
  const SmallProblem setup(frames);
  const Identification ours = identify(setup.model, setup.trials, {});
  ASSERT_TRUE(ours.summary.converged) << ours.summary.message;
  std::vector<std::array<double, 10>> q(frames);
  std::vector<double> d(kParameters);
  for (int k = 0; k < kParameters; ++k) d[k] = setup.model.parameters[k].start;
  ceres::Problem problem;
  for (int f = 0; f < frames; ++f) {
    const SegmentPose* poses = ours.frames.poses(f);
    const Mat3d A = as_rotation(poses[0].q_WS), B = as_rotation(poses[1].q_WS);
    const Eigen::AngleAxisd a(A), b(Mat3d(A.transpose() * B));
    for (int k = 0; k < 3; ++k) {
      q[f][k] = poses[0].p_WS[k];
      q[f][3 + k] = a.angle() * a.axis()[k];
      q[f][6 + k] = b.angle() * b.axis()[k];
    }
    q[f][9] = calc_joint_coordinates(setup.model, ours.d, poses)[9];
    problem.AddResidualBlock(new ceres::AutoDiffCostFunction<MinimalCost, 21, 10, kParameters>(
                                 new MinimalCost{setup.trials[0].frame(f)}),
                             nullptr, q[f].data(), d.data());
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.max_num_iterations = 500;
  options.function_tolerance = 1e-16;
  options.gradient_tolerance = 1e-14;
  options.parameter_tolerance = 1e-14;
  options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  EXPECT_NEAR(summary.final_cost, ours.summary.objective, 1e-9 * summary.final_cost);
  for (int k = 0; k < kParameters; ++k) {
    EXPECT_NEAR(d[k], ours.d[k], 1e-6) << setup.model.parameters[k].name;
  }
}
#else
TEST(Peers, SameOptimumAsMinimalCoordinatesWithCeres) { GTEST_SKIP() << "no Ceres"; }
#endif

}  // namespace
}  // namespace vesica::markers::peers_test
