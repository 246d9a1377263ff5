#include "vesica/forces/signals.h"

#include <algorithm>
#include <cmath>

#include "vesica/forces/sole.h"

namespace vesica::forces {
namespace {

constexpr double kLeastTotal = 0.3;  // body weights, below which the total has no centre
constexpr double kShareGain = 0.5;   // 0.3 to 0.8 are as good
constexpr double kShareEdge = 0.15;  // of double support, over which the balance fades in
const char* const kForceSignalNames[] = {"share",         "leg",           "total",  "lean",
                                         "other_leg",     "foot",          "stance", "other_stance",
                                         "first_support", "second_support"};
const char* const kPressureSignalNames[] = {"balance",     "pelvis", "angle",
                                            "other_angle", "sole",   "shear"};

// Weight of pelvis accelerations that carry all that is no leg.
double calc_untrained_weight() {
  double legs = 0;
  for (const SegmentMass& s : kSegments) legs += 2 * s.fraction;
  return (1 - legs) / static_cast<double>(kBands.size());
}

// One double support of a contact, with what the other foot does.
struct Support {
  double from = 0, until = 0;
  bool leads = true;  // the contact is the leading foot
};

// The other foot's mean centre of pressure in x during a double support: from its own contact where
// there is one, else from its pose and the usual phases.
double calc_other_x(const Walk& walk, const Body& body, const SignalModel& model, const Contact& c,
                    const Support& support, double tau, size_t k) {
  const double phase =
      support.leads ? model.phase_strike + (1 - model.phase_strike) * tau : model.phase_off * tau;
  const Vec2d local(at_phase(model.pressure[0], phase) * body.length_scale(),
                    at_phase(model.pressure[1], phase) * body.width_scale());
  return from_local(walk, 1 - c.side, k, local)[0];
}

// What physics alone says of a contact at one frame.
struct Split {
  Vec3d force = Vec3d::Zero();  // D
  double balance = 0;           // vertical force by the balance of moments alone
};

Split split_support(const Walk& walk, const Body& body, const SignalModel& model, const Contact& c,
                    const Support& support, size_t k, const Vec3d& total, double center_x,
                    double own_x) {
  const double tau = (walk.times[k] - support.from) / (support.until - support.from);
  const double other_x = calc_other_x(walk, body, model, c, support, tau, k);
  const double by_moments =
      support.leads ? calc_share(center_x, own_x, other_x) : calc_share(center_x, other_x, own_x);
  const double usual = at_phase(model.share, tau);
  const double edge = std::clamp(std::min(tau, 1 - tau) / kShareEdge, 0.0, 1.0);
  const double lead = std::clamp(
      usual + kShareGain * edge * (by_moments - usual - at_phase(model.share_bias, tau)), 0.0, 1.0);
  const double own = support.leads ? lead : 1 - lead;
  const double lead_sign = support.leads ? sign_of(c.side) : -sign_of(c.side);
  Split split;
  split.force.y() = own * total.y();
  for (int i = 0; i < 2; ++i) {
    // Lateral ratios are to the outside of each foot.
    const double outside = i == 1 ? lead_sign : 1.0;
    const double r_lead = outside * at_phase(model.lead_ratio[i], tau);
    const double r_trail = (i == 1 ? -outside : 1.0) * at_phase(model.trail_ratio[i], tau);
    const double both = (r_lead * lead + r_trail * (1 - lead)) * total.y();
    const int a = kPlane[i];
    split.force[a] = (support.leads ? r_lead : r_trail) * own * total.y() + own * (total[a] - both);
  }
  const double clipped = std::clamp(by_moments, -0.2, 1.2);
  split.balance = (support.leads ? clipped : 1 - clipped) * total.y();
  return split;
}

std::array<Support, 2> find_supports(const Contact& c, const SignalModel& model) {
  const double off =
      std::isfinite(c.other_off) ? c.other_off : c.strike + model.phase_off * c.duration();
  const double strike =
      std::isfinite(c.other_strike) ? c.other_strike : c.strike + model.phase_strike * c.duration();
  return {{{c.strike, off, true}, {strike, c.off, false}}};
}

}  // namespace

const char* name_of_output(int output) {
  static const char* const names[] = {"force_ahead", "force_up", "force_outward", "pressure_along",
                                      "pressure_outward"};
  return names[output];
}

const char* name_of_signal(int output, int signal) {
  return is_pressure(output) ? kPressureSignalNames[signal] : kForceSignalNames[signal];
}

double calc_phase(const Contact& c, const SignalModel& model, double time) {
  const double d = c.duration();
  const std::array<Support, 2> supports = find_supports(c, model);
  const double off = std::clamp(supports[0].until, c.strike + 0.02 * d, c.strike + 0.48 * d);
  const double strike = std::clamp(supports[1].from, c.strike + 0.52 * d, c.strike + 0.98 * d);
  const auto part = [&](double from, double until, double low, double high) {
    return low + (high - low) * (time - from) / (until - from);
  };
  if (time <= c.strike) return 0;
  if (time < off) return part(c.strike, off, 0, model.phase_off);
  if (time < strike) return part(off, strike, model.phase_off, model.phase_strike);
  if (time < c.off) return part(strike, c.off, model.phase_strike, 1);
  return 1;
}

Vec2d as_local(const Walk& walk, int side, size_t k, const Vec2d& p) {
  const Leg& leg = walk.legs[side];
  const Vec2d t = leg.toward[k];
  const Vec2d d(p[0] - leg.origin[k].x(), p[1] - leg.origin[k].z());
  return {d.dot(t), sign_of(side) * (d[1] * t[0] - d[0] * t[1])};
}

Vec2d from_local(const Walk& walk, int side, size_t k, const Vec2d& local) {
  const Leg& leg = walk.legs[side];
  const Vec2d t = leg.toward[k];
  const double z = sign_of(side) * local[1];
  return {leg.origin[k].x() + local[0] * t[0] - z * t[1],
          leg.origin[k].z() + local[0] * t[1] + z * t[0]};
}

Track calc_untrained_total(const Walk& walk) {
  SignalModel model;
  for (auto& axis : model.total) axis.fill(calc_untrained_weight());
  return calc_total(walk, model);
}

Track calc_total(const Walk& walk, const SignalModel& model) {
  Track total = walk.legs_acceleration;
  for (size_t k = 0; k < total.size(); ++k) {
    total[k].y() += 1;
    if (model.upper_body && walk.upper.is_seen()) total[k] += walk.upper.acceleration[k];
    for (size_t f = 0; f < kBands.size(); ++f) {
      for (int a = 0; a < 3; ++a) {
        total[k][a] += model.total[static_cast<size_t>(a)][f] * walk.pelvis_acceleration[f][k][a];
      }
    }
  }
  return total;
}

std::vector<Vec2d> calc_center(const Walk& walk, const Body& body, const SignalModel& model,
                               const Track& total) {
  std::vector<Vec2d> center(walk.frames());
  for (size_t k = 0; k < walk.frames(); ++k) {
    for (size_t i = 0; i < 2; ++i) {
      const int a = kPlane[i];
      double y = walk.legs_moment[k][a] + 0.05 * model.moment[i][kBands.size()];
      if (model.upper_body && walk.upper.is_seen()) y += walk.upper.moment[k][a];
      for (size_t f = 0; f < kBands.size(); ++f) {
        y += model.moment[i][f] * walk.pelvis_acceleration[f][k][a] * body.pelvis_height;
      }
      center[k][static_cast<Eigen::Index>(i)] =
          walk.slow_pelvis[k][a] + y / std::max(total[k].y(), kLeastTotal);
    }
  }
  return center;
}

std::vector<Vec2d> calc_mean_pressure(const Walk& walk, const Body& body, const SignalModel& model,
                                      const Contact& contact) {
  std::vector<Vec2d> mean(walk.frames());
  for (size_t k = 0; k < walk.frames(); ++k) {
    const double phase = calc_phase(contact, model, walk.times[k]);
    mean[k] = from_local(walk, contact.side, k,
                         {at_phase(model.pressure[0], phase) * body.length_scale(),
                          at_phase(model.pressure[1], phase) * body.width_scale()});
  }
  return mean;
}

std::vector<ContactSignals> calc_signals(const Walk& walk, const Body& body,
                                         const SignalModel& model) {
  const Track total = calc_total(walk, model);
  const std::vector<Vec2d> center = calc_center(walk, body, model, total);
  std::vector<ContactSignals> all;
  for (const Contact& c : walk.contacts) {
    ContactSignals s;
    const auto frame_of = [&](double t) {
      return std::clamp((t - walk.times[0]) * walk.rate, -2.0,
                        static_cast<double>(walk.frames()) + 1.0);
    };
    const double n = static_cast<double>(walk.frames());
    s.first = static_cast<size_t>(std::clamp(std::floor(frame_of(c.strike)) - 1, 0.0, n - 1));
    s.last = static_cast<size_t>(std::clamp(std::ceil(frame_of(c.off)) + 2, 1.0, n));
    const double mirror = sign_of(c.side);
    const Leg& leg = walk.legs[c.side];
    const Leg& other = walk.legs[1 - c.side];
    const std::array<Support, 2> supports = find_supports(c, model);
    const double first_support = (supports[0].until - supports[0].from) / c.duration();
    const double second_support = (supports[1].until - supports[1].from) / c.duration();
    for (size_t k = s.first; k < s.last; ++k) {
      const double t = walk.times[k];
      const double phase = calc_phase(c, model, t);
      const Vec2d mean = from_local(walk, c.side, k,
                                    {at_phase(model.pressure[0], phase) * body.length_scale(),
                                     at_phase(model.pressure[1], phase) * body.width_scale()});
      Split split{total[k], total[k].y()};
      for (const Support& support : supports) {
        if (t < support.from || t > support.until || !(support.until > support.from)) continue;
        split = split_support(walk, body, model, c, support, k, total[k], center[k][0], mean[0]);
      }
      const Vec3d& pelvis = walk.pelvis[k];
      const Vec3d lean((pelvis.x() - mean[0]) / pelvis.y() * split.force.y(), split.balance,
                       (pelvis.z() - mean[1]) / pelvis.y() * split.force.y());
      const Vec2d scale(body.length_scale(), body.width_scale());
      const Vec2d balance = as_local(walk, c.side, k, center[k]).cwiseQuotient(scale);
      auto& force = s.force.emplace_back();
      for (int a = 0; a < 3; ++a) {
        const double m = a == 2 ? mirror : 1.0;
        force[static_cast<size_t>(a)] = {m * split.force[a],
                                         m * leg.acceleration[k][a],
                                         m * total[k][a],
                                         m * lean[a],
                                         m * other.acceleration[k][a],
                                         m * leg.foot_acceleration[k][a],
                                         a == 0   ? balance[0]
                                         : a == 1 ? leg.pitch[k]
                                                  : leg.roll[k],
                                         a == 0   ? leg.pitch[k]
                                         : a == 1 ? balance[0]
                                                  : balance[1],
                                         first_support,
                                         second_support};
      }
      const Vec2d from_pelvis =
          as_local(walk, c.side, k, {pelvis.x(), pelvis.z()}).cwiseQuotient(scale);
      const Vec2d sole =
          as_local(walk, c.side, k, calc_sole_pressure(walk, body, c.side, k, split.force.y()))
              .cwiseQuotient(scale);
      auto& pressure = s.pressure.emplace_back();
      for (int i = 0; i < 2; ++i) {
        pressure[static_cast<size_t>(i)] = {balance[i],
                                            0.1 * from_pelvis[i],
                                            0.05 * (i == 0 ? leg.pitch[k] : leg.roll[k]),
                                            0.05 * (i == 0 ? leg.roll[k] : leg.pitch[k]),
                                            sole[i],
                                            i == 0 ? split.force.x() : mirror * split.force.z()};
      }
    }
    all.push_back(std::move(s));
  }
  return all;
}

}  // namespace vesica::forces
