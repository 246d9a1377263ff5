#include "vesica/forces/stances.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "vesica/forces/signals.h"
#include "vesica/math/median.h"

namespace vesica::forces {
namespace {

constexpr double kThreshold = 20.0;         // N
constexpr double kMostKilonewtons = 5.0;    // kN, under a foot of anybody
constexpr double kMostEventError = 0.05;    // s between plate and motion
constexpr double kMostOutside = 0.05;       // m, centre of pressure beyond the foot
constexpr double kLeastClockDelay = 0.008;  // s; events of one person are off by up to this
// Of body weight. Of 269 stances one is 4.9 % off, its fifth metatarsal 14 mm outside of the plate;
// the next is 2.2 %.
constexpr double kMostLateral = 0.03;
constexpr size_t kFewestLateral = 5;  // stances of a side that can tell
constexpr double kMostLevel = 0.12, kMostThirdLevel = 0.15;
// Of the told weight: plates that are farther off contradict it.
constexpr double kMostAgainstMass = 0.25;
// Of 268 stances of thirteen people: push from 0.043, outward up to -0.004, along 0.52 to 0.79,
// sideways up to 22 mm, 9 mm of both feet.
constexpr double kLeastPush = 0.02, kMostOutward = 0.0;
constexpr double kLeastAlong = 0.48, kMostAlong = 0.85, kMostSideways = 0.03;
constexpr double kMostSidewaysBoth = 0.018;  // m, of right and left feet
// One step may miss half of a plate; a plate that reads a multiple does so in every step.
constexpr size_t kFewestForScale = 2;

// How far a point lies beyond the foot's outline on the floor.
double calc_beyond(const Walk& walk, const Body& body, const Contact& c, size_t k, const Vec2d& p) {
  const Vec2d local = as_local(walk, c.side, k, p);
  const double ahead = std::max(-local[0], local[0] - 1.3 * body.foot_length);
  return std::max({ahead, std::abs(local[1]) - 0.75 * body.foot_width, 0.0});
}

// The frame nearest to a time.
size_t find_frame(const Walk& walk, double time) {
  const double k = std::round((time - walk.times[0]) * walk.rate);
  return static_cast<size_t>(std::clamp(k, 0.0, static_cast<double>(walk.frames() - 1)));
}

// The contact whose foot is under the load most of the time; contacts.size() where none is.
size_t find_contact(const Walk& walk, const Body& body, const PlateForces& plate,
                    const PlateContact& load) {
  size_t best = walk.contacts.size();
  double most = 0;
  for (size_t i = 0; i < walk.contacts.size(); ++i) {
    const Contact& c = walk.contacts[i];
    double share = 0, total = 0;
    for (size_t k = 0; k < plate.size(); ++k) {
      const double t = plate.times[k];
      if (t < load.start || t > load.end || !plate.is_loaded(k)) continue;
      total += plate.normal_force(k);
      if (t < c.strike - kMostEventError || t > c.off + kMostEventError) continue;
      const Vec3d p = walk.in_heading(t, plate.centers_of_pressure[k]);
      if (calc_beyond(walk, body, c, find_frame(walk, t), {p.x(), p.z()}) < kMostOutside) {
        share += plate.normal_force(k);
      }
    }
    if (total > 0 && share / total > std::max(0.5, most)) {
      most = share / total;
      best = i;
    }
  }
  return best;
}

double calc_outside(const Vec3d& p, const PlateForces& plate) {
  double most = -1e9;
  Vec3d middle = Vec3d::Zero();
  for (const Vec3d& corner : plate.corners) middle += 0.25 * corner;
  for (size_t i = 0; i < 4; ++i) {
    const Vec3d edge = plate.corners[(i + 1) % 4] - plate.corners[i];
    Vec3d outward = edge.cross(plate.normal).normalized();
    if (outward.dot(plate.corners[i] - middle) < 0.0) outward = -outward;
    most = std::max(most, outward.dot(p - plate.corners[i]));
  }
  return most;
}

// Why the foot was not wholly on the plate, where its edges are known.
std::string find_overhang(const Walk& walk, const Contact& c, const PlateForces& plate) {
  if (plate.corners.size() != 4) return {};
  const Leg& leg = walk.legs[c.side];
  const size_t k = find_frame(walk, c.strike + 0.4 * c.duration());
  const Vec3d heel = leg.origin[k];
  const struct {
    const char* name;
    Vec3d p;
    double tolerance;
  } points[] = {{"heel", heel, 0.008},
                {"toe tip", leg.toe_tip[k], 0.005},
                {"first metatarsal", leg.inner[k], 0.008},
                {"fifth metatarsal", leg.outer[k], 0.008}};
  for (const auto& point : points) {
    const double outside = calc_outside(walk.as_recorded(k, point.p), plate);
    if (outside > point.tolerance) {
      return fmt::format("the {} is {:.0f} mm outside of the plate", point.name, 1e3 * outside);
    }
  }
  return {};
}

// One load or several of one contact as a stance at the walk's frames.
MeasuredStance sum_loads(const Walk& walk, size_t contact, const std::vector<PlateForces>& plates,
                         const std::vector<const PlateContact*>& loads) {
  MeasuredStance stance;
  stance.contact = contact;
  stance.begin = 1e9;
  stance.end = -1e9;
  const size_t n = walk.frames();
  stance.force.assign(n, Vec3d::Zero());
  stance.pressure.assign(n, Vec2d::Constant(kMissing));
  stance.free_moment.assign(n, 0.0);
  std::vector<Vec2d> moment(n, Vec2d::Zero());
  std::vector<double> weight(n, 0.0);
  for (const PlateContact* load : loads) {
    const PlateForces& plate = plates[static_cast<size_t>(load->plate)];
    stance.plate += (stance.plate.empty() ? "" : "+") + plate.name;
    stance.begin = std::min(stance.begin, load->start);
    stance.end = std::max(stance.end, load->end);
    const auto is_on = [&](size_t j) {
      return plate.times[j] >= load->start - 1e-9 && plate.times[j] <= load->end + 1e-9 &&
             !plate.is_missing(j);
    };
    for (size_t k = 0; k < n; ++k) {
      const double t = walk.times[k];
      const auto after = std::lower_bound(plate.times.begin(), plate.times.end(), t);
      if (after == plate.times.begin() || after == plate.times.end()) continue;
      const auto j = static_cast<size_t>(after - plate.times.begin());
      const double part = (t - plate.times[j - 1]) / (plate.times[j] - plate.times[j - 1]);
      for (const auto& [i, share] : {std::pair{j - 1, 1.0 - part}, std::pair{j, part}}) {
        if (!is_on(i)) continue;
        const Vec3d f = walk.R_HW * plate.forces[i];
        stance.force[k] += share * f;
        if (!plate.is_loaded(i)) continue;
        const Vec3d p = walk.in_heading(plate.times[i], plate.centers_of_pressure[i]);
        moment[k] += share * f.y() * Vec2d(p.x(), p.z());
        weight[k] += share * f.y();
        // About the vertical: normals point up.
        stance.free_moment[k] += share * plate.free_moments[i];
      }
    }
  }
  // Held beyond the ends.
  size_t first = n, last = 0;
  for (size_t k = 0; k < n; ++k) {
    if (!(weight[k] > 0)) continue;
    stance.pressure[k] = moment[k] / weight[k];
    first = std::min(first, k);
    last = k;
  }
  for (size_t k = 0; k < n && first < n; ++k) {
    if (k < first) stance.pressure[k] = stance.pressure[first];
    if (k > last) stance.pressure[k] = stance.pressure[last];
    if (k > first && k < last && !stance.pressure[k].allFinite()) {
      stance.pressure[k] = stance.pressure[k - 1];
    }
  }
  return stance;
}

std::string find_objection(const Walk& walk, const Body& body, const MeasuredStance& stance,
                           bool starts_before, bool ends_after) {
  const Contact& c = walk.contacts[stance.contact];
  if (c.is_cut) return "markers are not seen, or not credible, in part of this stance";
  if (!c.is_whole())
    return "strike or off of the foot lie outside of the recording, or too near to its ends";
  if (starts_before || ends_after) return "the plate was loaded already, or still, at the ends";
  const double early = c.strike - stance.begin, late = c.off - stance.end;
  if (std::abs(early) > kMostEventError) {
    return fmt::format("the load begins {:.0f} ms {} the foot strikes by its motion",
                       1e3 * std::abs(early), early > 0 ? "before" : "after");
  }
  if (std::abs(late) > kMostEventError) {
    return fmt::format("the load ends {:.0f} ms {} the foot leaves by its motion",
                       1e3 * std::abs(late), late > 0 ? "before" : "after");
  }
  for (size_t k = 0; k < walk.frames(); ++k) {
    if (stance.force[k].y() <= kPressureForce) continue;
    const double beyond = calc_beyond(walk, body, c, k, stance.pressure[k]);
    if (beyond > kMostOutside) {
      return fmt::format(
          "the centre of pressure is {:.0f} mm beyond the foot at {:.3f} s: "
          "something else touched the plate",
          1e3 * beyond, walk.times[k]);
    }
  }
  return {};
}

// Means from u0 to u1 of single support: measured, and what motion alone expects of one newton of
// body weight.
struct SupportMeans {
  Vec3d measured = Vec3d::Zero(), expected = Vec3d::Zero();

  double level() const { return expected.y() > 0 ? measured.y() / expected.y() : 0.0; }
};
SupportMeans calc_support_means(const Walk& walk, const Track& total, const MeasuredStance& stance,
                                double u0, double u1) {
  const Contact& c = walk.contacts[stance.contact];
  const double a = std::isfinite(c.other_off) ? c.other_off : c.strike + 0.177 * c.duration();
  const double b = std::isfinite(c.other_strike) ? c.other_strike : c.strike + 0.822 * c.duration();
  SupportMeans means;
  double n = 0;
  for (size_t k = 0; k < walk.frames(); ++k) {
    const double u = (walk.times[k] - a) / (b - a);
    if (u < u0 || u > u1) continue;
    means.measured += stance.force[k];
    means.expected += total[k];
    n += 1;
  }
  if (n > 0) {
    means.measured /= n;
    means.expected /= n;
  }
  return means;
}

// How far centres of pressure of both feet lie to the right, m: to the outside of one foot and to
// the inside of the other. Zero where one foot has none.
double calc_sideways(const Body& body, const MeasuredWalk& walk) {
  std::array<double, 2> sum{}, count{};
  for (const MeasuredStance& s : walk.stances) {
    const auto side = static_cast<size_t>(walk.walk.contacts[s.contact].side);
    sum[side] += calc_walking_signs(walk.walk, body, s).sideways;
    count[side] += 1;
  }
  if (count[kRight] == 0 || count[kLeft] == 0) return 0;
  return 0.5 * (sum[kRight] / count[kRight] - sum[kLeft] / count[kLeft]);
}

// Rejects what walking does not do.
void check_walking(const Body& body, MeasuredWalk* walk) {
  const double off = calc_sideways(body, *walk);
  std::erase_if(walk->stances, [&](const MeasuredStance& s) {
    std::string why = find_wrong_sign(calc_walking_signs(walk->walk, body, s));
    if (std::abs(off) > kMostSidewaysBoth) {
      why = fmt::format(
          "centres of pressure of both feet lie {:.0f} mm to the {}: is the plates' origin right?",
          1e3 * std::abs(off), off > 0 ? "right" : "left");
    }
    if (why.empty()) return false;
    walk->rejected.push_back({s.plate, s.begin, s.end, why});
    return true;
  });
}

// Why plates that carry `usual` [N] cannot be right, all of them; empty where they can.
std::string find_contradiction(const Body& body, double mass, double usual, bool contradicts_mass) {
  if (mass > 0) {
    if (!contradicts_mass) return {};
    return fmt::format(
        "no plate agrees with a body mass of {:.1f} kg: do plates read a multiple, or is the "
        "mass wrong?",
        mass);
  }
  const double index = calc_mass_index(body, usual);
  if (is_usual_mass_index(index)) return {};
  return fmt::format(
      "plates carry {:.0f} N, a body mass index of {:.0f} for the length of these legs: do they "
      "read a multiple? The mass, if it is told (--mass), decides",
      usual, index);
}

// Lateral force that motion does not expect, outward, in N.
double calc_unexpected(const MeasuredStance& s, double weight) {
  return s.outward - weight * s.expected_outward;
}

// Why plates hold no load at all.
std::string find_why_none(const Vec3d& up, const std::vector<PlateForces>& plates) {
  double least = 0, most = 0;
  for (const PlateForces& plate : plates) {
    for (const Vec3d& force : plate.forces) {
      if (!force.allFinite()) continue;
      least = std::min(least, force.dot(up));
      most = std::max(most, force.dot(up));
    }
  }
  std::string why = "no plate carries 20 N for as long as a stance";
  if (-least > kThreshold && -least > most) {
    why += fmt::format(
        ": the largest vertical force is {:.0f} N, downwards; the file seems to hold the force on "
        "the plate, or another axis points up",
        least);
  } else if (const double largest = std::max(most, -least);
             largest > 0.2 && largest < kMostKilonewtons) {
    why += fmt::format(": the largest vertical force is {:.2f} N; are they kN?", largest);
  }
  return why;
}

}  // namespace

WalkingSigns calc_walking_signs(const Walk& walk, const Body& body, const MeasuredStance& stance) {
  const Contact& c = walk.contacts[stance.contact];
  const auto side = static_cast<size_t>(c.side);
  const double mirror = sign_of(c.side), middle = 0.5 * (stance.begin + stance.end);
  std::array<Vec3d, 2> halves = {Vec3d::Zero(), Vec3d::Zero()};
  Vec2d pressure = Vec2d::Zero();
  double sum = 0;
  for (size_t k = 0; k < walk.frames(); ++k) {
    halves[walk.times[k] < middle ? 0 : 1] += stance.force[k];
    const double force = stance.force[k].y();
    if (force <= kPressureForce) continue;
    pressure += force * as_local(walk, c.side, k, stance.pressure[k]);
    sum += force;
  }
  WalkingSigns signs;
  const Vec3d total = halves[0] + halves[1];
  if (!(sum > 0)) return signs;
  signs.known = true;
  signs.push = (halves[1].x() - halves[0].x()) / total.y();
  signs.outward = mirror * total.z() / total.y();
  signs.along = pressure[0] / sum / body.foot_length;
  signs.sideways = pressure[1] / sum - 0.5 * mirror * (body.inner[side].z() + body.outer[side].z());
  return signs;
}

std::string find_wrong_sign(const WalkingSigns& signs) {
  if (!signs.known) return {};
  if (signs.push < kLeastPush) {
    return fmt::format(
        "fore-aft force {}: are signs and axes of the plates right?",
        signs.push < -kLeastPush ? "pushes first and brakes after" : "neither brakes nor pushes");
  }
  if (signs.outward > kMostOutward) {
    return fmt::format(
        "lateral force points outward, {:.1f} % of the vertical, where walking feet are pushed to "
        "the midline: are signs and axes of the plates right?",
        100 * signs.outward);
  }
  if (signs.along < kLeastAlong || signs.along > kMostAlong) {
    return fmt::format(
        "the centre of pressure lies at {:.0f} % of the foot, heel to second metatarsal, in the "
        "mean; {:.0f} to {:.0f} % are walking: is the plates' origin right?",
        100 * signs.along, 100 * kLeastAlong, 100 * kMostAlong);
  }
  if (std::abs(signs.sideways) > kMostSideways) {
    return fmt::format(
        "the centre of pressure lies {:.0f} mm to the {} of the foot's middle in the mean: is the "
        "plates' origin right?",
        1e3 * std::abs(signs.sideways), signs.sideways > 0 ? "outside" : "inside");
  }
  return {};
}

MeasuredWalk measure(Walk walk, const Body& body, const std::vector<PlateForces>& plates) {
  MeasuredWalk result;
  result.walk = std::move(walk);
  const Walk& w = result.walk;
  PlateContactOptions options;
  options.threshold = kThreshold;
  options.bridge = 0.015;
  const std::vector<PlateContact> loads = find_contacts(plates, options);
  std::map<size_t, std::vector<const PlateContact*>> by_contact;
  double height = 0, samples = 0;
  for (const PlateContact& load : loads) {
    const PlateForces& plate = plates[static_cast<size_t>(load.plate)];
    for (const Vec3d& p : plate.centers_of_pressure) {
      if (!p.allFinite()) continue;
      height += p.dot(w.up_W);
      samples += 1;
    }
    const size_t contact = find_contact(w, body, plate, load);
    if (contact == w.contacts.size()) {
      result.rejected.push_back(
          {plate.name, load.start, load.end,
           "no foot that strikes and leaves within the recording is under it alone"});
      continue;
    }
    by_contact[contact].push_back(&load);
  }
  if (loads.empty()) result.why_none = find_why_none(w.up_W, plates);
  if (samples > 0) result.pressure_height = height / samples - w.floor;
  const Track total = calc_untrained_total(w);
  for (const auto& [contact, parts] : by_contact) {
    MeasuredStance stance = sum_loads(w, contact, plates, parts);
    bool before = false, after = false;
    std::string why;
    for (const PlateContact* part : parts) {
      before = before || part->starts_before;
      after = after || part->ends_after;
      if (parts.size() == 1) {
        why = find_overhang(w, w.contacts[contact], plates[static_cast<size_t>(part->plate)]);
      }
    }
    if (why.empty()) why = find_objection(w, body, stance, before, after);
    if (!why.empty()) {
      result.rejected.push_back({stance.plate, stance.begin, stance.end, why});
      continue;
    }
    const SupportMeans means = calc_support_means(w, total, stance, 0, 1);
    const double outside = sign_of(w.contacts[contact].side);
    stance.level = means.level();
    stance.outward = outside * means.measured.z();
    stance.expected_outward = outside * means.expected.z();
    stance.begin_level = calc_support_means(w, total, stance, 0, 1.0 / 3).level();
    stance.end_level = calc_support_means(w, total, stance, 2.0 / 3, 1).level();
    result.stances.push_back(std::move(stance));
  }
  return result;
}

std::vector<PlateScale> level_plates(const Body& body, double mass,
                                     std::vector<MeasuredWalk>* walks) {
  std::map<std::string, std::vector<double>> levels;
  for (const MeasuredWalk& walk : *walks) {
    for (const MeasuredStance& s : walk.stances) levels[s.plate].push_back(s.level);
  }
  if (levels.empty()) return {};
  // Without a mass, that of a body mass index of 24.
  const double expected = kGravity * (mass > 0 ? mass : 24.0 / calc_mass_index(body, kGravity));
  double reference = 0;
  for (const auto& [plate, values] : levels) {
    const double level = calc_median(values);
    if (reference == 0 ||
        std::abs(std::log(level / expected)) < std::abs(std::log(reference / expected))) {
      reference = level;
    }
  }
  if (mass > 0 && std::abs(reference / expected - 1) > kMostAgainstMass) reference = expected;
  std::map<std::string, double> factors;
  std::map<double, size_t> evidence;  // stances that show a factor
  for (const auto& [plate, values] : levels) {
    const double ratio = calc_median(values) / reference;
    const double whole = ratio >= 1 ? std::round(ratio) : 1 / std::round(1 / ratio);
    const bool is_multiple = std::abs(ratio / whole - 1) < 0.06 && std::abs(whole - 1) > 0.1;
    factors[plate] = is_multiple ? whole : 1.0;
    evidence[factors[plate]] += values.size();
  }
  std::vector<PlateScale> scales;
  for (auto& [plate, factor] : factors) {
    if (evidence[factor] < kFewestForScale) factor = 1;
    if (factor != 1) scales.push_back({plate, factor});
  }
  std::vector<double> all;
  for (MeasuredWalk& walk : *walks) {
    for (MeasuredStance& s : walk.stances) {
      const double f = 1 / factors[s.plate];
      for (Vec3d& force : s.force) force *= f;
      for (double& moment : s.free_moment) moment *= f;
      s.level *= f;
      s.begin_level *= f;
      s.end_level *= f;
      s.outward *= f;
      if (std::abs(s.level / reference - 1) < kMostAgainstMass) all.push_back(s.level);
    }
  }
  const double usual = all.empty() ? reference : calc_median(all);
  if (std::string why = find_contradiction(body, mass, usual, all.empty()); !why.empty()) {
    for (MeasuredWalk& walk : *walks) {
      for (const MeasuredStance& s : walk.stances) {
        walk.rejected.push_back({s.plate, s.begin, s.end, why});
      }
      walk.stances.clear();
    }
    return scales;
  }
  std::array<std::vector<double>, 2> lateral;
  for (const MeasuredWalk& walk : *walks) {
    for (const MeasuredStance& s : walk.stances) {
      const auto side = static_cast<size_t>(walk.walk.contacts[s.contact].side);
      lateral[side].push_back(calc_unexpected(s, usual));
    }
  }
  for (MeasuredWalk& walk : *walks) {
    std::erase_if(walk.stances, [&](const MeasuredStance& s) {
      const auto reject = [&](const char* when, double level) {
        walk.rejected.push_back(
            {s.plate, s.begin, s.end,
             fmt::format("its force {} is {:+.0f} % off what motion and the other stances expect: "
                         "{}",
                         when, 100 * (level / usual - 1),
                         level < usual ? "part of the foot was not on the plate"
                                       : "something else was on the plate, or it reads too much")});
        return true;
      };
      if (std::abs(s.level / usual - 1) > kMostLevel) return reject("in single support", s.level);
      if (std::abs(s.begin_level / usual - 1) > kMostThirdLevel) {
        return reject("early in single support", s.begin_level);
      }
      if (std::abs(s.end_level / usual - 1) > kMostThirdLevel) {
        return reject("late in single support", s.end_level);
      }
      const auto& others = lateral[static_cast<size_t>(walk.walk.contacts[s.contact].side)];
      if (others.size() < kFewestLateral) return false;
      const double off = (calc_unexpected(s, usual) - calc_median(others)) / usual;
      if (std::abs(off) < kMostLateral) return false;
      walk.rejected.push_back(
          {s.plate, s.begin, s.end,
           fmt::format("its lateral force in single support is {:+.1f} % of body weight off what "
                       "motion and the other stances expect: part of the foot was not on the plate",
                       100 * off)});
      return true;
    });
  }
  for (MeasuredWalk& walk : *walks) check_walking(body, &walk);
  return scales;
}

LoadDelay find_load_delay(const std::vector<MeasuredWalk>& walks) {
  LoadDelay delay;
  double n = 0;
  for (const MeasuredWalk& m : walks) n += static_cast<double>(m.stances.size());
  for (const MeasuredWalk& m : walks) {
    for (const MeasuredStance& s : m.stances) {
      const Contact& c = m.walk.contacts[s.contact];
      delay.strike += (s.begin - c.strike) / n;
      delay.off += (s.end - c.off) / n;
    }
  }
  if (std::min(delay.strike, delay.off) > kLeastClockDelay ||
      std::max(delay.strike, delay.off) < -kLeastClockDelay) {
    delay.clock = 0.5 * (delay.strike + delay.off);
  }
  return delay;
}

std::string say_delay(const LoadDelay& delay) {
  if (delay.clock == 0) return {};
  return fmt::format(
      "Loads begin {:+.0f} ms and end {:+.0f} ms against the motion's events: plates and cameras "
      "seem not to share one clock (vesica motion --shift-forces \"{:.3f} s\" moves the plates).",
      1e3 * delay.strike, 1e3 * delay.off, -delay.clock);
}

WeightFound find_weight(const std::vector<MeasuredWalk>& walks) {
  std::vector<double> steps, levels;
  for (const MeasuredWalk& m : walks) {
    const Walk& w = m.walk;
    for (const MeasuredStance& s : m.stances) levels.push_back(s.level);
    for (const MeasuredStance& b : m.stances) {
      for (const MeasuredStance& a : m.stances) {
        const Contact& cb = w.contacts[b.contact];
        const Contact& ca = w.contacts[a.contact];
        if (ca.side == cb.side || !(a.begin > b.begin && a.begin < b.end)) continue;
        if (!std::isfinite(cb.other_off)) continue;
        // From 20 ms after the other foot's off, so that it is gone, to this foot's off.
        const double from = cb.other_off + 0.02, until = b.end;
        double sum = 0, n = 0;
        size_t first = w.frames(), last = 0;
        for (size_t k = 0; k < w.frames(); ++k) {
          if (w.times[k] < from || w.times[k] > until) continue;
          sum += a.force[k].y() + b.force[k].y();
          n += 1;
          first = std::min(first, k);
          last = k;
        }
        if (n < 10 || first == 0 || last + 1 >= w.frames()) continue;
        const auto velocity = [&](size_t k) {
          return 0.5 * w.rate * (w.slow_pelvis[k + 1].y() - w.slow_pelvis[k - 1].y());
        };
        const double rise = velocity(last) - velocity(first);
        const double duration = w.times[last] - w.times[first];
        steps.push_back(sum / n / (1 + rise / (kGravity * duration)));
      }
    }
  }
  WeightFound found;
  found.steps = static_cast<int>(steps.size());
  const std::vector<double>& values = steps.empty() ? levels : steps;
  if (values.empty()) return found;
  found.weight = calc_median(values);
  for (const double v : values) {
    found.spread += std::pow(v - found.weight, 2) / static_cast<double>(values.size());
  }
  found.spread = std::sqrt(found.spread);
  found.source = steps.empty() ? fmt::format("single support of {} stances", values.size())
                               : fmt::format("{} whole step{} on plates", steps.size(),
                                             steps.size() == 1 ? "" : "s");
  return found;
}

}  // namespace vesica::forces
