// One contact evaluation: what it costs, next to hand-written code, to its own derivatives and to
// Simbody's contact elements on the same motions.
#include <fmt/format.h>

#include <random>

#include "bench/allocations.h"
#include "bench/hand_written_ellipsoid.h"
#include "bench/meshes.h"
#include "bench/simbody_contacts.h"
#include "bench/timing.h"
#include "vesica/contact/batch.h"
#include "vesica/contact/contact.h"
#include "vesica/math/jet.h"

namespace vesica::bench {
namespace {

// A heel: Brown & McPhee's ellipsoid of the foot.
const Vec3d kRadii(0.0354, 0.054, 0.0226);
constexpr double kRadius = 0.04;
constexpr double kStiffness = 1.6e7, kDamping = 0.565;
constexpr double kMuS = 0.8, kMuD = 0.6, kTransition = 0.05;
constexpr double kDepth = 0.002;
const Motion<double> kGround;

using Motions = std::vector<Motion<double>>;
using Jet = ceres::Jet<double, 12>;

ContactForces<double> evaluate(const Contact<double>& contact, const Motion<double>& m)
    __attribute__((noinline));
ContactForces<double> evaluate(const Contact<double>& contact, const Motion<double>& m) {
  return calc_contact(contact, m, kGround, ContactMemory<double>{});
}
ContactForces<Dual<12>> differentiate(const Contact<double>& contact, const Motion<double>& m)
    __attribute__((noinline));
ContactForces<Dual<12>> differentiate(const Contact<double>& contact, const Motion<double>& m) {
  return calc_contact(contact, seed_motion(m), kGround, ContactMemory<Dual<12>>{Dual<12>(0.0)});
}
ContactForces<Jet> differentiate(const Contact<double>& contact, const Motion<Jet>& m)
    __attribute__((noinline));
ContactForces<Jet> differentiate(const Contact<double>& contact, const Motion<Jet>& m) {
  return calc_contact(contact, m, kGround, ContactMemory<Jet>{Jet(0.0)});
}

Contact<double> make_contact(const decltype(ShapePair<double>::shapes)& shapes) {
  Contact<double> contact;
  contact.pair.shapes = shapes;
  contact.normal = VolumetricNormal<double>{.stiffness = kStiffness, .damping = kDamping};
  contact.friction = BrownMcPhee<double>{.mu_s = kMuS, .mu_d = kMuD, .v_t = kTransition};
  return contact;
}

// Tilts up to 20 degrees, any heading, speeds of a foot at landing; every motion has its lowest
// point `depth` below the ground.
Motions make_motions(const Contact<double>& contact, std::size_t count, double depth) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> unit(-1, 1);
  Motions motions(count);
  for (auto& m : motions) {
    const double heading = kPi * unit(random), tilt = 0.35 * unit(random);
    const double axis = kPi * unit(random);
    const auto turn = quaternion_from_rotation_vector(Vec3d(0, 0, heading));
    const auto lean =
        quaternion_from_rotation_vector(tilt * Vec3d(std::cos(axis), std::sin(axis), 0));
    m.X_WB = make_pose(lean * turn, Vec3d(unit(random), unit(random), 0));
    m.V_WB.v_WB = Vec3d(0.5 * unit(random), 0.5 * unit(random), -0.2 + 0.2 * unit(random));
    m.V_WB.w_WB = Vec3d(2 * unit(random), 2 * unit(random), 2 * unit(random));
    m.X_WB.p_WB.z() = -calc_overlap(contact, m.X_WB, kGround.X_WB).distance - depth;
  }
  return motions;
}

Motion<Jet> as_jets(const Motion<double>& motion) {
  const Motion<Dual<12>> seeded = seed_motion(motion);
  const auto convert = [](const Dual<12>& x) {
    Jet jet(x.a);
    for (int k = 0; k < 12; ++k) jet.v[k] = x.v[k];
    return jet;
  };
  return {{seeded.X_WB.R_WB.unaryExpr(convert), seeded.X_WB.p_WB.unaryExpr(convert)},
          {seeded.V_WB.w_WB.unaryExpr(convert), seeded.V_WB.v_WB.unaryExpr(convert)}};
}

HandWrittenMotion as_hand_written(const Motion<double>& m) {
  HandWrittenMotion h;
  std::copy_n(m.X_WB.R_WB.data(), 9, h.R);
  std::copy_n(m.X_WB.p_WB.data(), 3, h.p);
  std::copy_n(m.V_WB.w_WB.data(), 3, h.w);
  std::copy_n(m.V_WB.v_WB.data(), 3, h.v);
  return h;
}

// The motions as calc_contact_batch wants them.
struct BatchArrays {
  explicit BatchArrays(const Motions& motions) : count(motions.size()) {
    values.assign(19, std::vector<double>(count));
    for (std::size_t k = 0; k < count; ++k) {
      const Motion<double>& m = motions[k];
      const Eigen::Quaterniond q(m.X_WB.R_WB);
      const double row[] = {m.X_WB.p_WB.x(), m.X_WB.p_WB.y(), m.X_WB.p_WB.z(), q.w(),
                            q.x(),           q.y(),           q.z(),           m.V_WB.v_WB.x(),
                            m.V_WB.v_WB.y(), m.V_WB.v_WB.z(), m.V_WB.w_WB.x(), m.V_WB.w_WB.y(),
                            m.V_WB.w_WB.z()};
      for (int c = 0; c < 13; ++c) values[c][k] = row[c];
    }
  }
  const double* in(int c) const { return values[c].data(); }
  double* out(int c) { return values[13 + c].data(); }
  BatchMotions motions() const {
    return {count,
            {in(0), in(1), in(2)},
            {in(3), in(4), in(5), in(6)},
            {in(7), in(8), in(9)},
            {in(10), in(11), in(12)}};
  }
  BatchWrenches wrenches() { return {{out(0), out(1), out(2)}, {out(3), out(4), out(5)}}; }

  std::size_t count;
  std::vector<std::vector<double>> values;
};

void line(const std::string& what, double value, const std::string& unit, double bound,
          bool at_least = false) {
  const bool met = at_least ? value >= bound : value <= bound;
  fmt::print("  {:<58}{:>9.3g} {:<2} {} {:<6g} {}\n", what, value, unit,
             at_least ? ">=" : "<=", bound, met ? "met" : "MISSED");
}

struct Case {
  std::string name;
  Contact<double> contact;
  Motions motions;
};

std::vector<Case> make_cases() {
  const auto add = [](const std::string& name, const Contact<double>& contact) {
    return Case{name, contact, make_motions(contact, 256, kDepth)};
  };
  return {add("sphere", make_contact(SphereOnHalfSpace<double>{{kRadius}})),
          add("ellipsoid", make_contact(EllipsoidOnHalfSpace<double>{{kRadii}}))};
}

// Largest difference of the hand-written wrench from ours, of the largest force.
double check_hand_written(const HandWrittenContact& hand, const Case& ellipsoid) {
  double error = 0;
  for (const auto& m : ellipsoid.motions) {
    HandWrittenWrench h;
    calc_hand_written(hand, as_hand_written(m), as_hand_written(kGround), &h);
    const auto ours = evaluate(ellipsoid.contact, m);
    const double f = ours.F_Ic_W.f_W.norm(), tau = ours.F_Ic_W.tau_W.norm();
    for (int k = 0; k < 3; ++k) {
      error = std::max(error, std::abs(h.f[k] - ours.F_Ic_W.f_W[k]) / f);
      error = std::max(error, std::abs(h.tau[k] - ours.F_Ic_W.tau_W[k]) / tau);
    }
  }
  return error;
}

void print_kernels(std::vector<Case>& cases) {
  Rounds rounds;
  long allocations = 0;
  const auto counted = [&](auto&& run) {
    const long before = allocation_count();
    run();
    allocations += allocation_count() - before;
  };
  for (auto& c : cases) {
    const auto plain = [&c] {
      for (const auto& m : c.motions) keep(evaluate(c.contact, m));
    };
    const auto with_derivatives = [&c] {
      for (const auto& m : c.motions) keep(differentiate(c.contact, m));
    };
    rounds.add(c.name, c.motions.size(), plain);
    rounds.add(c.name + " d", c.motions.size(), with_derivatives);
    counted(plain);
    counted(with_derivatives);
  }
  const Case& sphere = cases[0];
  const Case& ellipsoid = cases[1];

  const HandWrittenContact hand{kRadii.x(), kRadii.y(), kRadii.z(), kStiffness,
                                kDamping,   kMuS,       kMuD,       kTransition};
  const HandWrittenMotion ground = as_hand_written(kGround);
  std::vector<HandWrittenMotion> hand_motions;
  std::vector<Motion<Jet>> jet_motions;
  for (const auto& m : ellipsoid.motions) {
    hand_motions.push_back(as_hand_written(m));
    jet_motions.push_back(as_jets(m));
  }
  rounds.add("hand-written", hand_motions.size(), [&] {
    HandWrittenWrench result;
    for (const auto& m : hand_motions) {
      calc_hand_written(hand, m, ground, &result);
      keep(result);
    }
  });
  rounds.add("jets", jet_motions.size(), [&] {
    for (const auto& m : jet_motions) keep(differentiate(ellipsoid.contact, m));
  });
  BatchArrays sphere_arrays(sphere.motions), ellipsoid_arrays(ellipsoid.motions);
  const auto batch = [](const Contact<double>& contact, BatchArrays& arrays) {
    calc_contact_batch(contact, arrays.motions(), kGround, arrays.wrenches());
    keep(arrays);
  };
  rounds.add("sphere batch", sphere_arrays.count, [&] { batch(sphere.contact, sphere_arrays); });
  rounds.add("ellipsoid batch", ellipsoid_arrays.count,
             [&] { batch(ellipsoid.contact, ellipsoid_arrays); });
  counted([&] { batch(ellipsoid.contact, ellipsoid_arrays); });
  rounds.measure(401);

  fmt::print("One contact: pose and velocity to wrench, damping, rolling, friction, spin\n");
  fmt::print("  {:<28}{:>12}{:>22}{:>8}\n", "shape on half-space", "wrench ns",
             "with 12 derivatives", "ratio");
  for (const auto& c : cases) {
    fmt::print("  {:<28}{:>12.1f}{:>22.1f}{:>8.1f}\n", c.name, rounds.time(c.name),
               rounds.time(c.name + " d"), rounds.ratio(c.name + " d", c.name));
  }
  fmt::print("  {:<28}{:>12.1f}\n", "ellipsoid, hand-written", rounds.time("hand-written"));
  fmt::print("  {:<28}{:>12}{:>22.1f}{:>8.1f}\n", "ellipsoid, ceres::Jet", "", rounds.time("jets"),
             rounds.ratio("jets", "ellipsoid"));
  fmt::print("  {:<28}{:>12.1f}\n", "sphere, batch", rounds.time("sphere batch"));
  fmt::print("  {:<28}{:>12.1f}\n\n", "ellipsoid, batch", rounds.time("ellipsoid batch"));

  fmt::print("  {:<58}{:>9}    target\n", "", "here");
  line("ellipsoid / sphere", rounds.ratio("ellipsoid", "sphere"), "x", 1.5);
  line("ellipsoid / hand-written", rounds.ratio("ellipsoid", "hand-written"), "x", 1.7);
  line("ellipsoid, 12 derivatives / wrench", rounds.ratio("ellipsoid d", "ellipsoid"), "x", 8);
  line("ellipsoid in a batch", rounds.time("ellipsoid batch"), "ns", 40);
  line("allocations", static_cast<double>(allocations), "", 0);
  line("hand-written differs from ours by", check_hand_written(hand, ellipsoid), "", 1e-12);
  fmt::print("\n");
}

// Root mean square of the relative error of the normal force.
[[maybe_unused]] double force_error(SimbodyContact& peer, const Contact<double>& contact,
                                    const Motions& motions) {
  peer.set_motions(motions);
  double sum = 0;
  for (std::size_t k = 0; k < motions.size(); ++k) {
    const double exact = evaluate(contact, motions[k]).normal.force;
    sum += square(peer.realize(k).f_W.z() / exact - 1);
  }
  return std::sqrt(sum / static_cast<double>(motions.size()));
}

struct Peer {
  std::string name;
  const Contact<double>* exact;  // what it is held against
  std::string ours;              // the evaluation that it is timed against
  SimbodyContact contact;
  double error[3] = {};  // at 1, 2 and 4 mm
};

}  // namespace
}  // namespace vesica::bench

int main() {
  using namespace vesica::bench;
  auto cases = make_cases();
  print_kernels(cases);
}
