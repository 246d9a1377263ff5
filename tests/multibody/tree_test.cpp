// Trees against what must hold for them: forward and inverse dynamics and the mass matrix agree,
// Jacobians are derivatives, energy is kept, drives do what motors of the same torque do. Against
// other engines: tests/peers/trees_test.cpp.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <set>

#include "tests/support/random_tree.h"
#include "vesica/multibody/loops.h"
#include "vesica/multibody/shallow_dynamics.h"

namespace vesica::tree_test {
namespace {

using test::make_random_tree;
using test::RandomTree;

constexpr double kSameRates = 1e-13;  // 1.7e-14 measured

template <class T>
TreeData<T> evaluate(const RandomTree& r, const std::vector<T>& q, const std::vector<T>& u) {
  auto data = make_tree_data<T>(r.tree);
  calc_tree_motions(r.tree, 0, q.data(), u.data(), &data);
  factor_tree(r.tree, &data);
  return data;
}

TEST(Tree, ForwardInverseAndMassMatrixAgree) {
  std::mt19937_64 random(5);
  std::set<JointType> seen;
  for (int k = 0; k < 50; ++k) {
    const auto r = make_random_tree(random, {.bodies = 1 + k / 2});
    for (const auto& body : r.tree.bodies()) seen.insert(body.joint.type);
    auto data = evaluate(r, r.q, r.u);
    std::vector<double> rates(r.u.size()), tau(r.u.size()), bias(r.u.size());
    calc_forward_dynamics(r.tree, r.wrenches, r.tau.data(), rates.data(), &data);
    calc_inverse_dynamics(r.tree, r.wrenches, rates.data(), tau.data(), &data);
    double scale = 0;
    for (double x : rates) scale = std::max(scale, std::abs(x));
    for (size_t j = 0; j < tau.size(); ++j) {
      EXPECT_NEAR(tau[j], r.tau[j], 1e-12 * (1 + scale));  // 3e-13 measured
    }
    MatrixX<double> M(r.tree.nu(), r.tree.nu());
    calc_mass_matrix(r.tree, &data, &M);
    const std::vector<double> none(r.u.size(), 0.0);
    calc_inverse_dynamics(r.tree, r.wrenches, none.data(), bias.data(), &data);
    const Eigen::VectorXd right = Eigen::Map<const Eigen::VectorXd>(r.tau.data(), r.tree.nu()) -
                                  Eigen::Map<const Eigen::VectorXd>(bias.data(), r.tree.nu());
    const Eigen::VectorXd by_matrix = Eigen::LLT<MatrixX<double>>(M).solve(right);
    for (size_t j = 0; j < tau.size(); ++j) {
      EXPECT_NEAR(by_matrix[static_cast<int>(j)], rates[j], 1e-10 * scale);  // 2e-12 measured
    }
    // Kinetic energy is u^T M u / 2.
    const Eigen::Map<const Eigen::VectorXd> u(r.u.data(), r.tree.nu());
    const double kinetic = calc_kinetic_energy(r.tree, data);
    EXPECT_NEAR(0.5 * u.dot(M * u), kinetic, 1e-12 * kinetic);
  }
  EXPECT_EQ(seen.size(), joint_rows().size());
}

// Bodies that hang on the world by themselves, solved one by one: every joint, with the mass centre
// in it and off it, round and not, on plain and on dual numbers.
template <class T>
void compare_shallow(const RandomTree& r) {
  std::vector<T> q, u, tau;
  const auto seed = [](double x, size_t k) {
    T y(x);
    if constexpr (ScalarTraits<T>::kDerivatives > 0) y.v[static_cast<int>(k % 4)] = 1;
    return y;
  };
  for (size_t k = 0; k < r.q.size(); ++k) q.push_back(seed(r.q[k], k));
  for (size_t k = 0; k < r.u.size(); ++k) {
    u.push_back(seed(r.u[k], k + 1));
    tau.push_back(seed(r.tau[k], k + 2));
  }
  std::vector<Wrench<T>> wrenches;
  for (const auto& F : r.wrenches) wrenches.push_back({F.f_W.cast<T>(), F.tau_W.cast<T>()});
  auto data = evaluate<T>(r, q, u);
  std::vector<T> rates(u.size()), shallow(u.size());
  calc_forward_dynamics(r.tree, wrenches, tau.data(), rates.data(), &data);
  calc_shallow_dynamics(r.tree, wrenches, tau.data(), shallow.data(), &data);
  for (size_t k = 0; k < u.size(); ++k) {
    const double scale = 1 + std::abs(value_of(rates[k]));
    EXPECT_NEAR(value_of(shallow[k]), value_of(rates[k]), kSameRates * scale);
    for (int j = 0; j < ScalarTraits<T>::kDerivatives; ++j) {
      if constexpr (ScalarTraits<T>::kDerivatives > 0) {
        EXPECT_NEAR(shallow[k].v[j], rates[k].v[j], kSameRates * (1 + std::abs(rates[k].v[j])));
      }
    }
  }
}

TEST(Tree, ShallowTreesAreSolvedBodyByBody) {
  std::mt19937_64 random(8);
  for (const JointRow& row : joint_rows()) {
    for (const bool off : {false, true}) {
      for (const bool round : {false, true}) {
        // Its bodies have inertias, speeds and loads; the joints are set anew.
        const auto from = make_random_tree(random, {.bodies = 3});
        RandomTree r;
        for (int b = 0; b < 3; ++b) {
          FreeBody<double> inertia = from.tree.body(b).inertia;
          if (round) inertia = make_free_body<double>(inertia.mass, 0.1 * Mat3d::Identity());
          Joint<double> joint = from.tree.body(b).joint;
          joint.parent = -1;
          joint.type = b == 1 ? JointType::kPlanar : row.type;
          if (!off) joint.X_BM.p_WB.setZero();
          r.tree.add_body(inertia, joint);
          r.wrenches.push_back(from.wrenches[static_cast<size_t>(b)]);
        }
        for (int k = 0; k < r.tree.nq(); ++k) r.q.push_back(test::random_between(random, -1, 1));
        for (int k = 0; k < r.tree.nu(); ++k) {
          r.u.push_back(test::random_between(random, -2, 2));
          r.tau.push_back(test::random_between(random, -3, 3));
        }
        ASSERT_TRUE(is_shallow(r.tree));
        SCOPED_TRACE(row.name);
        compare_shallow<double>(r);
        compare_shallow<Dual<4>>(r);
      }
    }
  }
  EXPECT_FALSE(is_shallow(make_random_tree(random, {.bodies = 20}).tree));
}

TEST(Tree, JacobianTimesSpeedsIsTheVelocity) {
  std::mt19937_64 random(6);
  const auto r = make_random_tree(random, {.bodies = 20});
  const auto data = evaluate(r, r.q, r.u);
  MatrixX<double> J(6, r.tree.nu());
  const Eigen::Map<const Eigen::VectorXd> u(r.u.data(), r.tree.nu());
  for (int b = 0; b < 20; ++b) {
    const auto& m = data.motions[static_cast<size_t>(b)];
    const Vec3d p = m.X_WB.p_WB + test::random_vector(random, 1);
    calc_jacobian(r.tree, data, b, p, &J);
    const Eigen::VectorXd V = J * u;
    EXPECT_LT((V.head<3>() - m.V_WB.w_WB).norm(), 1e-12);
    EXPECT_LT((V.tail<3>() - m.V_WB.v_WB - m.V_WB.w_WB.cross(p - m.X_WB.p_WB)).norm(), 1e-11);
  }
}

// Velocities are derivatives of poses along q', accelerations those of velocities.
TEST(Tree, VelocitiesAndAccelerationsAreDerivativesInTime) {
  using D = Dual<4>;
  std::mt19937_64 random(7);
  const auto r = make_random_tree(random, {.bodies = 15});
  auto data = evaluate(r, r.q, r.u);
  std::vector<double> rates(r.u.size()), q_rates(r.q.size());
  calc_forward_dynamics(r.tree, r.wrenches, r.tau.data(), rates.data(), &data);
  calc_tree_coordinate_rates(r.tree, r.q.data(), r.u.data(), q_rates.data());
  auto along = [](double x, double dx) {
    D y(x);
    y.v[0] = dx;
    return y;
  };
  std::vector<D> q, u;
  for (size_t k = 0; k < r.q.size(); ++k) q.push_back(along(r.q[k], q_rates[k]));
  for (size_t k = 0; k < r.u.size(); ++k) u.push_back(along(r.u[k], rates[k]));
  const auto moving = evaluate<D>(r, q, u);
  auto slope = [](const Vec3<D>& v) { return Vec3d(v.x().v[0], v.y().v[0], v.z().v[0]); };
  for (size_t b = 0; b < data.motions.size(); ++b) {
    const auto& m = data.motions[b];
    EXPECT_LT((slope(moving.motions[b].X_WB.p_WB) - m.V_WB.v_WB).norm(), 1e-11);
    const auto& a = data.acceleration[b];
    const double scale = 1 + a.v.norm() + a.w.norm();
    EXPECT_LT((slope(moving.motions[b].V_WB.v_WB) - a.v).norm(), 1e-11 * scale) << b;
    EXPECT_LT((slope(moving.motions[b].V_WB.w_WB) - a.w).norm(), 1e-11 * scale) << b;
    for (int c = 0; c < 3; ++c) {
      const Vec3d column = m.X_WB.R_WB.col(c);
      EXPECT_LT((slope(moving.motions[b].X_WB.R_WB.col(c)) - m.V_WB.w_WB.cross(column)).norm(),
                1e-11);
    }
  }
}

TEST(Tree, DualsMatchDifferences) {
  constexpr int kDirections = 4;
  using D = Dual<kDirections>;
  std::mt19937_64 random(8);
  const auto r = make_random_tree(random, {.bodies = 10});
  std::vector<std::vector<double>> dq, du;
  for (int k = 0; k < kDirections; ++k) {
    dq.emplace_back();
    du.emplace_back();
    for (size_t j = 0; j < r.q.size(); ++j)
      dq.back().push_back(test::random_between(random, -1, 1));
    for (size_t j = 0; j < r.u.size(); ++j)
      du.back().push_back(test::random_between(random, -1, 1));
  }
  std::vector<D> q(r.q.begin(), r.q.end()), u(r.u.begin(), r.u.end());
  for (int k = 0; k < kDirections; ++k) {
    for (size_t j = 0; j < q.size(); ++j) q[j].v[k] = dq[static_cast<size_t>(k)][j];
    for (size_t j = 0; j < u.size(); ++j) u[j].v[k] = du[static_cast<size_t>(k)][j];
  }
  std::vector<Wrench<D>> wrenches;
  for (const auto& F : r.wrenches) {
    wrenches.push_back({F.f_W.cast<D>(), F.tau_W.cast<D>()});
  }
  const std::vector<D> tau(r.tau.begin(), r.tau.end());
  std::vector<D> rates(r.u.size());
  auto data = evaluate<D>(r, q, u);
  calc_forward_dynamics(r.tree, wrenches, tau.data(), rates.data(), &data);

  auto forward = [&](int k, double h) {
    auto x = r.q;
    auto v = r.u;
    for (size_t j = 0; j < x.size(); ++j) x[j] += h * dq[static_cast<size_t>(k)][j];
    for (size_t j = 0; j < v.size(); ++j) v[j] += h * du[static_cast<size_t>(k)][j];
    auto plain = evaluate<double>(r, x, v);
    std::vector<double> out(r.u.size());
    calc_forward_dynamics(r.tree, r.wrenches, r.tau.data(), out.data(), &plain);
    return out;
  };
  for (int k = 0; k < kDirections; ++k) {
    const double h = 1e-5;
    const auto more = forward(k, h), less = forward(k, -h);
    double scale = 1;
    for (size_t j = 0; j < rates.size(); ++j) scale = std::max(scale, std::abs(rates[j].v[k]));
    for (size_t j = 0; j < rates.size(); ++j) {
      EXPECT_NEAR(rates[j].v[k], (more[j] - less[j]) / (2 * h), 1e-7 * scale);
    }
  }
}

// Advances q and u by the classical fourth-order method; f fills u'.
template <class Rates>
void advance(const Tree<double>& tree, double h, std::vector<double>* q, std::vector<double>* u,
             double t, const Rates& f) {
  const double nodes[] = {0, 0.5, 0.5, 1};
  std::vector<std::vector<double>> kq(4, std::vector<double>(q->size())),
      ku(4, std::vector<double>(u->size()));
  for (size_t s = 0; s < 4; ++s) {
    auto x = *q;
    auto v = *u;
    if (s > 0) {
      for (size_t k = 0; k < x.size(); ++k) x[k] += h * nodes[s] * kq[s - 1][k];
      for (size_t k = 0; k < v.size(); ++k) v[k] += h * nodes[s] * ku[s - 1][k];
    }
    calc_tree_coordinate_rates(tree, x.data(), v.data(), kq[s].data());
    f(t + nodes[s] * h, x, v, &ku[s]);
  }
  for (size_t k = 0; k < q->size(); ++k) {
    (*q)[k] += h / 6 * (kq[0][k] + 2 * kq[1][k] + 2 * kq[2][k] + kq[3][k]);
  }
  for (size_t k = 0; k < u->size(); ++k) {
    (*u)[k] += h / 6 * (ku[0][k] + 2 * ku[1][k] + 2 * ku[2][k] + ku[3][k]);
  }
}

const Vec3d kGravity(0.3, -1, -9.81);

std::vector<Wrench<double>> calc_weights(const Tree<double>& tree) {
  std::vector<Wrench<double>> wrenches;
  for (const auto& body : tree.bodies()) {
    wrenches.push_back({kGravity * body.inertia.mass, Vec3d::Zero()});
  }
  return wrenches;
}

double calc_energy(const Tree<double>& tree, const TreeData<double>& data) {
  double energy = calc_kinetic_energy(tree, data);
  for (size_t b = 0; b < data.motions.size(); ++b) {
    energy -= tree.bodies()[b].inertia.mass * kGravity.dot(data.motions[b].X_WB.p_WB);
  }
  return energy;
}

// The error of the energy falls with the fourth power of the step or faster.
TEST(Tree, KeepsItsEnergy) {
  std::mt19937_64 random(9);
  const auto r = make_random_tree(random, {.bodies = 6});
  auto data = evaluate(r, r.q, r.u);
  const double start = calc_energy(r.tree, data);
  const auto wrenches = calc_weights(r.tree);
  const std::vector<double> none(r.u.size(), 0.0);
  double error[2];
  for (int level = 0; level < 2; ++level) {
    const int steps = 1000 << level;
    auto q = r.q;
    auto u = r.u;
    for (int k = 0; k < steps; ++k) {
      advance(r.tree, 1.0 / steps, &q, &u, 0, [&](double t, auto& x, auto& v, auto* rates) {
        calc_tree_motions(r.tree, t, x.data(), v.data(), &data);
        factor_tree(r.tree, &data);
        calc_forward_dynamics(r.tree, wrenches, none.data(), rates->data(), &data);
      });
    }
    calc_tree_motions(r.tree, 0, q.data(), u.data(), &data);
    error[level] = std::abs(calc_energy(r.tree, data) - start) / std::abs(start);
  }
  EXPECT_LT(error[1], 1e-6);
  EXPECT_LT(error[1], error[0] / 12) << error[0] << " " << error[1];
}

FreeBody<double> rod(double mass, double length) {
  const double i = mass * length * length / 12;
  return make_free_body<double>(mass, Vec3d(i, i, 1e-3 * i).asDiagonal());
}
Joint<double> hinge_at(int parent, const Vec3d& p_PF, const Vec3d& p_BM) {
  Joint<double> joint;
  joint.type = JointType::kRevolute;
  joint.parent = parent;
  joint.X_PF.p_WB = p_PF;
  joint.X_BM.p_WB = p_BM;
  joint.axis = Vec3d::UnitY();
  return joint;
}

// A four-bar linkage: three rods, closed on the ground by a point (which is one row too many for a
// planar loop) or a hinge. It keeps its energy, and the gap stays closed.
TEST(Loops, FourBarKeepsEnergyAndStaysClosed) {
  for (const LoopType type : {LoopType::kPoint, LoopType::kHinge}) {
    Tree<double> tree;
    tree.add_body(rod(1, 0.3), hinge_at(-1, Vec3d::Zero(), Vec3d(0, 0, -0.15)));
    tree.add_body(rod(2, 0.7), hinge_at(0, Vec3d(0, 0, 0.15), Vec3d(0, 0, -0.35)));
    tree.add_body(rod(1.5, 0.5), hinge_at(1, Vec3d(0, 0, 0.35), Vec3d(0, 0, -0.25)));
    Loop<double> loop;
    loop.type = type;
    loop.body_i = 2;
    loop.X_IF.p_WB = Vec3d(0, 0, 0.25);
    loop.X_JF.p_WB = Vec3d(0.6, 0, 0);
    // The axis of the hinge is z of its frames: along y of the world.
    loop.X_IF.R_WB << 1, 0, 0, 0, 0, 1, 0, -1, 0;
    loop.X_JF.R_WB = loop.X_IF.R_WB;
    const std::vector<Loop<double>> loops{loop};
    auto data = make_tree_data<double>(tree);
    auto l = make_loop_data<double>(tree, loops);
    std::vector<double> q{0.2, 1.2, 1.5}, u{1, 0, 0};
    double worst = 0;
    ASSERT_TRUE(assemble(tree, loops, 0, q.data(), u.data(), &data, &l, &worst)) << worst;
    const double start = calc_energy(tree, data);
    const double kinetic = calc_kinetic_energy(tree, data);
    EXPECT_GT(kinetic, 1e-3);
    const std::vector<double> none(3, 0.0);
    auto wrenches = calc_weights(tree);
    double gap = 0, drift = 0;
    for (int k = 0; k < 10000; ++k) {
      advance(tree, 1e-3, &q, &u, 0, [&](double t, auto& x, auto& v, auto* rates) {
        wrenches = calc_weights(tree);
        calc_tree_motions(tree, t, x.data(), v.data(), &data);
        factor_tree(tree, &data);
        calc_constrained_dynamics(tree, loops, &wrenches, none.data(), rates->data(), &data, &l);
      });
      calc_tree_motions(tree, 0, q.data(), u.data(), &data);
      calc_loop_rows(loops, data, &l);
      for (const auto& row : l.rows) gap = std::max(gap, std::abs(row.error));
      drift = std::max(drift, std::abs(calc_energy(tree, data) - start));
    }
    EXPECT_EQ(l.rank, 2);
    EXPECT_LT(gap, 1e-6) << gap;      // 2e-8 measured over 10 s
    EXPECT_LT(drift, 1e-4) << drift;  // of some 10 J exchanged
  }
}

// A driven joint makes the rest of the tree move as it does when a motor brings about that motion,
// and its torque is the motor's.
TEST(Tree, DriveActsLikeTheMotorThatWouldDoTheSame) {
  std::mt19937_64 random(10);
  const auto r = make_random_tree(random, {.bodies = 12});
  for (int b = 0; b < 12; ++b) {
    const auto& original = r.tree.body(b);
    if (quaternion_place(original.joint.type) >= 0 || original.nu == 0) continue;
    // Its motion at t = 0: the given q, u and an acceleration of amplitude times frequency.
    Tree<double> driven;
    std::vector<double> q, u, tau, wanted;
    for (int k = 0; k < 12; ++k) {
      auto joint = r.tree.body(k).joint;
      const auto& body = r.tree.body(k);
      if (k == b) {
        for (int j = 0; j < body.nu; ++j) {
          Signal<double> signal;
          signal.frequency = 1 / (2 * kPi);
          signal.phase = kPi / 2;  // A cos t: acceleration -A
          signal.amplitude = -r.u_rates[static_cast<size_t>(body.u_start + j)];
          signal.offset = r.q[static_cast<size_t>(body.q_start + j)] - signal.amplitude;
          signal.rate = r.u[static_cast<size_t>(body.u_start + j)];
          joint.drive.push_back(signal);
        }
      } else {
        q.insert(q.end(), r.q.begin() + body.q_start, r.q.begin() + body.q_start + body.nq);
        u.insert(u.end(), r.u.begin() + body.u_start, r.u.begin() + body.u_start + body.nu);
        tau.insert(tau.end(), r.tau.begin() + body.u_start, r.tau.begin() + body.u_start + body.nu);
      }
      driven.add_body(body.inertia, joint);
    }
    auto data = make_tree_data<double>(driven);
    calc_tree_motions(driven, 0, q.data(), u.data(), &data);
    factor_tree(driven, &data);
    std::vector<double> rates(u.size()), torques(u.size());
    calc_forward_dynamics(driven, r.wrenches, tau.data(), rates.data(), &data);
    calc_inverse_dynamics(driven, r.wrenches, rates.data(), torques.data(), &data);

    auto full_tau = r.tau;
    for (int j = 0; j < original.nu; ++j) {
      full_tau[static_cast<size_t>(original.u_start + j)] =
          data.drive_torque[static_cast<size_t>(b)][static_cast<size_t>(j)];
    }
    auto full = evaluate(r, r.q, r.u);
    std::vector<double> full_rates(r.u.size());
    calc_forward_dynamics(r.tree, r.wrenches, full_tau.data(), full_rates.data(), &full);
    size_t next = 0;
    for (int k = 0; k < 12; ++k) {
      const auto& body = r.tree.body(k);
      for (int j = 0; j < body.nu; ++j) {
        const auto at = static_cast<size_t>(body.u_start + j);
        const double expected = k == b ? r.u_rates[at] : rates[next++];
        EXPECT_NEAR(full_rates[at], expected, 1e-9 * (1 + std::abs(expected)));
      }
    }
  }
}

// A pendulum on a base that accelerates upward feels that much more gravity.
TEST(Tree, GivenBasesCarryTheirAcceleration) {
  auto period_acceleration = [](double base, double gravity) {
    Tree<double> tree;
    const int ground = tree.add_given_body();
    tree.add_body(rod(1, 0.5), hinge_at(ground, Vec3d(0.1, 0, 0), Vec3d(0, 0, 0.25)));
    auto data = make_tree_data<double>(tree);
    data.given_acceleration[0].v = Vec3d(0, 0, base);
    const double q = 0.4, u = 0.7, tau = 0;
    calc_tree_motions(tree, 0, &q, &u, &data);
    factor_tree(tree, &data);
    const std::vector<Wrench<double>> wrenches{{Vec3d::Zero(), Vec3d::Zero()},
                                               {Vec3d(0, 0, -gravity), Vec3d::Zero()}};
    double rate = 0;
    calc_forward_dynamics(tree, wrenches, &tau, &rate, &data);
    return rate;
  };
  EXPECT_NEAR(period_acceleration(3, 7), period_acceleration(0, 10), 1e-12);
}

TEST(Tree, SaysWhatIsWrong) {
  Tree<double> tree;
  EXPECT_NE(test::input_error_of([&] {
              tree.add_body(rod(1, 1), hinge_at(3, Vec3d::Zero(), Vec3d::Zero()));
            }).find("a parent is added before its children"),
            std::string::npos);
  Joint<double> ball;
  ball.type = JointType::kSpherical;
  ball.drive.resize(4);
  EXPECT_NE(test::input_error_of([&] { tree.add_body(rod(1, 1), ball); }).find("quaternion"),
            std::string::npos);
}

}  // namespace
}  // namespace vesica::tree_test
