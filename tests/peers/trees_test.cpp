// Trees of up to 30 joints of all types against Simbody and MuJoCo: accelerations and inverse
// dynamics; closed loops against Simbody.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/peers/tree_case.h"
#include "tests/support/random_tree.h"
#include "vesica/multibody/loops.h"

namespace vesica::test::trees_test {
namespace {

CaseFrame as_frame(const Pose<double>& X) {
  CaseFrame f{};
  for (int r = 0; r < 3; ++r) {
    f.p[static_cast<size_t>(r)] = X.p_WB[r];
    for (int c = 0; c < 3; ++c) f.R[static_cast<size_t>(3 * r + c)] = X.R_WB(r, c);
  }
  return f;
}
std::array<double, 3> as_array(const Vec3d& v) { return {v.x(), v.y(), v.z()}; }

TreeCase as_case(const RandomTree& r) {
  TreeCase c;
  for (size_t b = 0; b < r.tree.bodies().size(); ++b) {
    const auto& body = r.tree.bodies()[b];
    CaseBody out{};
    out.joint = static_cast<CaseJoint>(static_cast<int>(body.joint.type) - 1);
    out.parent = body.joint.parent;
    out.X_PF = as_frame(body.joint.X_PF);
    out.X_BM = as_frame(body.joint.X_BM);
    out.axis = as_array(body.joint.axis);
    out.axis2 = as_array(body.joint.axis2);
    out.mass = body.inertia.mass;
    for (int k = 0; k < 9; ++k) {
      out.inertia[static_cast<size_t>(k)] = body.inertia.I_B(k / 3, k % 3);
    }
    auto part = [](const std::vector<double>& all, int first, int count) {
      return std::vector<double>(all.begin() + first, all.begin() + first + count);
    };
    out.q = part(r.q, body.q_start, body.nq);
    out.u = part(r.u, body.u_start, body.nu);
    out.tau = part(r.tau, body.u_start, body.nu);
    out.u_rates = part(r.u_rates, body.u_start, body.nu);
    out.force = as_array(r.wrenches[b].f_W);
    out.torque = as_array(r.wrenches[b].tau_W);
    c.bodies.push_back(out);
  }
  return c;
}

// Largest difference over the largest value: one scale for a whole tree.
double calc_difference(const std::vector<double>& ours,
                       const std::vector<std::vector<double>>& theirs) {
  double difference = 0, scale = 0;
  size_t k = 0;
  for (const auto& body : theirs) {
    for (double x : body) {
      difference = std::max(difference, std::abs(x - ours[k++]));
      scale = std::max(scale, std::abs(x));
    }
  }
  EXPECT_EQ(k, ours.size());
  return scale > 0 ? difference / scale : difference;
}

struct Differences {
  double forward, inverse;
};

Differences compare(const RandomTree& r, const TreeAnswer& answer) {
  auto data = make_tree_data<double>(r.tree);
  calc_tree_motions(r.tree, 0, r.q.data(), r.u.data(), &data);
  factor_tree(r.tree, &data);
  std::vector<double> rates(r.u.size()), tau(r.u.size());
  calc_forward_dynamics(r.tree, r.wrenches, r.tau.data(), rates.data(), &data);
  calc_inverse_dynamics(r.tree, r.wrenches, r.u_rates.data(), tau.data(), &data);
  return {calc_difference(rates, answer.u_rates), calc_difference(tau, answer.tau)};
}

constexpr double kTolerance = 1e-9;  // the peers solve the same equations in another order

TEST(Trees, AgreeWithSimbody) {
  std::mt19937_64 random(1);
  double worst_forward = 0, worst_inverse = 0;
  for (int k = 0; k < 60; ++k) {
    RandomTreeOptions options;
    options.bodies = 1 + k / 2;
    const auto r = make_random_tree(random, options);
    const auto d = compare(r, solve_with_simbody(as_case(r)));
    EXPECT_LT(d.forward, kTolerance) << k;
    EXPECT_LT(d.inverse, kTolerance) << k;
    worst_forward = std::max(worst_forward, d.forward);
    worst_inverse = std::max(worst_inverse, d.inverse);
  }
  RecordProperty("worst",
                 fmt::format("{:.1e} forward, {:.1e} inverse", worst_forward, worst_inverse));
  fmt::print("Simbody: {:.1e} forward, {:.1e} inverse\n", worst_forward, worst_inverse);
}

TEST(Trees, AgreeWithMujoco) {
  std::mt19937_64 random(2);
  double worst_forward = 0, worst_inverse = 0;
  for (int k = 0; k < 60; ++k) {
    RandomTreeOptions options;
    options.bodies = 1 + k / 2;
    options.free_only_on_world = true;
    options.perpendicular_universal = false;
    const auto r = make_random_tree(random, options);
    const auto d = compare(r, solve_with_mujoco(as_case(r)));
    EXPECT_LT(d.forward, kTolerance) << k;
    EXPECT_LT(d.inverse, kTolerance) << k;
    worst_forward = std::max(worst_forward, d.forward);
    worst_inverse = std::max(worst_inverse, d.inverse);
  }
  fmt::print("MuJoCo: {:.1e} forward, {:.1e} inverse\n", worst_forward, worst_inverse);
}

// Points of two bodies of a random tree are held together, having been brought together.
TEST(Trees, LoopsAgreeWithSimbody) {
  std::mt19937_64 random(3);
  int closed = 0;
  double worst = 0;
  for (int k = 0; k < 60; ++k) {
    RandomTreeOptions options;
    options.bodies = 4 + k / 4;
    auto r = make_random_tree(random, options);
    std::vector<Loop<double>> loops;
    Loop<double> loop;
    loop.body_i = options.bodies - 1;
    loop.body_j = static_cast<int>(std::floor(random_between(random, -1, options.bodies - 1)));
    loop.X_IF.p_WB = random_vector(random, 0.3);
    loop.X_JF.p_WB = random_vector(random, 0.3);
    loops.push_back(loop);
    auto data = make_tree_data<double>(r.tree);
    auto l = make_loop_data<double>(r.tree, loops);
    double left = 0;
    if (!assemble(r.tree, loops, 0, r.q.data(), r.u.data(), &data, &l, &left)) continue;
    // Closing a loop may throw bodies far out, a kilometre in tree 11: the mass matrix's condition
    // is then 1e14, and 5e-8 is all that two solvers agree to.
    const bool near = std::all_of(data.motions.begin(), data.motions.end(),
                                  [](const auto& m) { return m.X_WB.p_WB.norm() < 100; });
    if (!near) continue;
    TreeCase c = as_case(r);
    c.points.push_back(
        {loop.body_i, loop.body_j, as_array(loop.X_IF.p_WB), as_array(loop.X_JF.p_WB)});
    const auto answer = solve_loops_with_simbody(c);
    factor_tree(r.tree, &data);
    std::vector<double> rates(r.u.size());
    auto wrenches = r.wrenches;
    calc_constrained_dynamics(r.tree, loops, &wrenches, r.tau.data(), rates.data(), &data, &l);
    if (l.rank < 3) continue;  // locked or redundant: Simbody's pseudo-inverse differs
    const double difference = calc_difference(rates, answer.u_rates);
    EXPECT_LT(difference, kTolerance) << k << " bodies " << options.bodies;
    worst = std::max(worst, difference);
    ++closed;
  }
  EXPECT_GT(closed, 30);
  fmt::print("loops: {:.1e} over {} trees\n", worst, closed);
}

}  // namespace
}  // namespace vesica::test::trees_test
