// The made-up stances of foot2d_trials.h.
#include <fmt/format.h>

#include <cmath>
#include <random>

#include "vesica/error.h"
#include "vesica/identification/foot2d_trials.h"

namespace vesica {
namespace {

constexpr double kCreep = 0.03;  // m/s
// Where the markers of the planar foot sit on the finer one, in the frames of foot and toes [m].
const Vec3d kAnkleOnFoot(0, 0.055, 0.06), kHeelOnFoot(0, -0.005, 0.005), kTipOnToes(0, 0.05, 0.0);

// Brown & McPhee's law without viscosity, per load.
double calc_friction_ratio(double v) {
  constexpr double mu_d = 0.5, mu_s = 0.6, v_t = 0.1;
  const double x = v / v_t, bend = 0.25 * x * x + 0.75;
  return mu_d * std::tanh(4 * x) + (mu_s - mu_d) * x / (bend * bend);
}

// Pose and motion of the toes.
Motion<double> calc_toes(const FootModel& foot, const FootFrame& frame) {
  const Pose<double>& X_PF = foot.joints.front().X_PF;
  const Motion<double>& F = frame.foot;
  const Mat3d R_WJ = F.X_WB.R_WB * X_PF.R_WB;
  Motion<double> toes;
  toes.X_WB = {R_WJ * as_rotation_123({frame.angles[0], 0, 0}), F.X_WB * X_PF.p_WB};
  toes.V_WB.w_WB = F.V_WB.w_WB + R_WJ.col(0) * frame.rates[0];
  toes.V_WB.v_WB = F.V_WB.v_WB + F.V_WB.w_WB.cross(toes.X_WB.p_WB - F.X_WB.p_WB);
  return toes;
}

double calc_forward_friction(const FootModel& foot, const FootFrame& frame) {
  const Motion<double> toes = calc_toes(foot, frame);
  double sum = 0;
  for (size_t e = 0; e < foot.ellipsoids.size(); ++e) {
    const FootLoad load = calc_ellipsoid_load(foot, static_cast<int>(e), frame);
    if (!(load[0] > 0)) continue;
    const Motion<double>& body = foot.ellipsoids[e].segment == 0 ? frame.foot : toes;
    const Vec3d p(load[1] / load[0], load[2] / load[0], 0);
    Vec3d v = body.V_WB.v_WB + body.V_WB.w_WB.cross(p - body.X_WB.p_WB);
    v.z() = 0;
    const double speed = v.norm();
    if (speed > 0) sum -= load[0] * calc_friction_ratio(speed) * v.y() / speed;
  }
  return sum;
}

// Forward as the foot creeps; the ground is the same everywhere, so that loads move along.
void creep(FootStance* stance) {
  const double duration = stance->frames.back().time - stance->frames.front().time;
  for (size_t f = 0; f < stance->frames.size(); ++f) {
    const double u = stance->phase(f);
    const double shift = kCreep * duration / kPi * std::sin(kPi * u);
    stance->frames[f].foot.X_WB.p_WB.y() += shift;
    stance->frames[f].foot.V_WB.v_WB.y() += kCreep * std::cos(kPi * u);
    stance->cop[f].y() += shift;
  }
}

Point2<double> side_view(const Vec3d& p) { return {p.y(), p.z()}; }

Foot2dStance make_side_view(const FootModel& foot, const FootStance& stance,
                            const std::vector<double>& friction) {
  Foot2dStance s;
  s.weight = stance.weight;
  std::vector<Point2<double>> A, P;
  for (const FootFrame& frame : stance.frames) {
    const Motion<double> toes = calc_toes(foot, frame);
    A.push_back(side_view(frame.foot.X_WB * kAnkleOnFoot));
    P.push_back(side_view(toes.X_WB.p_WB));
    s.H.push_back(side_view(frame.foot.X_WB * kHeelOnFoot));
    s.T.push_back(side_view(toes.X_WB * kTipOnToes));
    s.times.push_back(frame.time);
  }
  s.P = P;
  const size_t last = s.times.size() - 1;
  const auto direction = [&](size_t k) { return std::atan2(P[k].y - A[k].y, P[k].x - A[k].x); };
  for (size_t f = 0; f <= last; ++f) {
    const size_t a = f > 0 ? f - 1 : f, b = f < last ? f + 1 : f;
    const double h = s.times[b] - s.times[a];
    Foot2dPose q;
    q.x = A[f].x;
    q.y = A[f].y;
    q.theta = direction(f);
    q.vx = (A[b].x - A[a].x) / h;
    q.vy = (A[b].y - A[a].y) / h;
    q.spin = (direction(b) - direction(a)) / h;
    s.poses.push_back(q);
    s.normal.push_back(stance.force[f]);
    s.friction.push_back(friction[f]);
    s.cop.push_back(stance.cop[f].y());
  }
  s.begin = s.times.front();
  s.end = s.times.back();
  s.period = (s.end - s.begin) / 0.62;
  return s;
}

}  // namespace

FootModel make_finer_foot() {
  FootModel foot;
  foot.stiffness = 4e7;
  foot.damping = 0.6;
  foot.joints = make_brown_foot().joints;
  const auto add = [&](const char* name, int segment, const Vec3d& radii, const Vec3d& position) {
    foot.ellipsoids.push_back({name, segment, radii, position, Vec3d::Zero()});
  };
  add("heel_inner", 0, {0.020, 0.028, 0.020}, {-0.012, 0.025, -0.004});
  add("heel_outer", 0, {0.020, 0.028, 0.020}, {0.012, 0.025, -0.004});
  add("heel_front", 0, {0.024, 0.030, 0.018}, {0.002, 0.055, -0.004});
  add("arch_rear", 0, {0.016, 0.028, 0.014}, {0.022, 0.095, -0.007});
  add("arch_front", 0, {0.016, 0.028, 0.014}, {0.025, 0.130, -0.007});
  for (int k = 0; k < 5; ++k) {
    static const char* const kHeads[] = {"head1", "head2", "head3", "head4", "head5"};
    add(kHeads[k], 0, {0.012, 0.020, 0.016}, {-0.032 + 0.016 * k, 0.190 - 0.008 * k, -0.008});
  }
  add("big_toe", 1, {0.014, 0.024, 0.012}, {0.006, 0.030, -0.002});
  add("toe2", 1, {0.008, 0.018, 0.010}, {0.030, 0.028, -0.003});
  add("toe3", 1, {0.008, 0.018, 0.010}, {0.046, 0.024, -0.003});
  add("toe4", 1, {0.008, 0.016, 0.010}, {0.060, 0.018, -0.003});
  return foot;
}

Foot2dTrials make_foot2d_stances(const Foot2dSynthetic& synthetic) {
  const FootModel foot = make_finer_foot();
  Foot2dTrials out;
  out.weight = synthetic.weight;
  for (int k = 0; k < synthetic.stances; ++k) {
    SyntheticFootWalk walk;
    walk.weight = synthetic.weight;
    walk.rate = synthetic.rate;
    walk.stride = std::sin(2.4 * k + 0.3);
    walk.speed = k + 2 == synthetic.stances ? 1.2 : k + 1 == synthetic.stances ? 0.8 : 1;
    walk.duration = 0.65 / walk.speed;
    FootStance stance = make_synthetic_stance(foot, walk);
    creep(&stance);
    const std::uint64_t seed = synthetic.seed * 1000 + static_cast<std::uint64_t>(k);
    std::mt19937_64 random(seed + 500);
    std::normal_distribution<double> normal;
    std::vector<double> friction;
    for (const FootFrame& frame : stance.frames) {
      friction.push_back(calc_forward_friction(foot, frame) +
                         synthetic.noise.force * normal(random));
    }
    add_noise(synthetic.noise, seed, &stance);
    Foot2dStance s = make_side_view(foot, stance, friction);
    s.trial = fmt::format("walk{}", k + 1);
    s.side = "right";
    s.name = s.trial;
    out.stances.push_back(std::move(s));
  }
  return out;
}

}  // namespace vesica
