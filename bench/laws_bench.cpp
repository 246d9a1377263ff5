// What every law costs, beside Simbody's Hunt-Crossley element with its Hollars friction on the
// same sphere, and what the volumetric bristle's Contensou factors are off the integral over the
// patch.
#include <fmt/format.h>

#include <random>

#include "bench/simbody_contacts.h"
#include "bench/timing.h"
#include "vesica/model/probe.h"

namespace vesica::bench {
namespace {

constexpr double kRadius = 0.04, kDepth = 0.002;
const Motion<double> kGround;
const char* const kNone = "{law: none}";
const char* const kVolumetric = "{law: volumetric, stiffness: 1.6e7, damping: 0.5}";
const char* const kBrown = "{law: brown_mcphee, mu_s: 0.8, mu_d: 0.6, v_t: 0.05}";

Contact<double> make_contact(const std::string& normal, const std::string& friction) {
  const auto file = InputFile::parse(
      fmt::format("vesica: 1\nbodies: {{i: {{shape: {{type: sphere, radius: {}}}}}, j: {{shape: "
                  "{{type: half_space}}}}}}\ncontact: {{normal: {}, friction: {}}}\n",
                  kRadius, normal, friction),
      "laws_bench");
  return read_probe_case(file).contact;
}

std::vector<Motion<double>> make_motions(size_t count) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<Motion<double>> motions(count);
  auto vector = [&](double scale) {
    return Vec3d(scale * unit(random), scale * unit(random), scale * unit(random));
  };
  for (auto& m : motions) {
    m.X_WB.p_WB = Vec3d(unit(random), unit(random), kRadius - kDepth);
    m.V_WB = {vector(3), vector(0.2)};
  }
  return motions;
}

void print_costs() {
  const std::vector<std::array<std::string, 3>> laws = {
      {"volumetric", kVolumetric, kNone},
      {"volume_power", "{law: volume_power, stiffness: 1e5, exponent: 0.8}", kNone},
      {"hunt_crossley", "{law: hunt_crossley, stiffness: 1e6, damping: 0.5}", kNone},
      {"hunt_crossley, restitution",
       "{law: hunt_crossley, stiffness: 1e6, restitution: 0.5, v_small: 0.01}", kNone},
      {"hunt_crossley, e = 1 - a c",
       "{law: hunt_crossley, stiffness: 1e6, restitution_slope: 0.2, v_small: 0.01}", kNone},
      {"kelvin_voigt", "{law: kelvin_voigt, stiffness: 1e5, damping: 10}", kNone},
      {"hyper_volumetric", "{law: hyper_volumetric, stiffness: 1e6, exponent: 0.8}", kNone},
      {"foundation, logarithmic",
       "{law: foundation, curve: logarithmic, modulus: 2e6, thickness: 0.03}", kNone},
      {"coulomb_arctan", kVolumetric, "{law: coulomb_arctan, mu_f: 0.5, v_s: 0.05}"},
      {"andersson", kVolumetric, "{law: andersson, mu_s: 0.8, mu_d: 0.6, v_s: 0.05, k_tanh: 100}"},
      {"hollars", kVolumetric, "{law: hollars, mu_s: 0.8, mu_d: 0.6, v_t: 0.05}"},
      {"specker", kVolumetric, "{law: specker, mu_s: 0.8, mu_d: 0.6, v_t: 0.05}"},
      {"brown_mcphee", kVolumetric, kBrown},
      {"bristle", kVolumetric,
       "{law: bristle, mu_S: 0.8, mu_C: 0.6, sigma_0: 1e4, sigma_1: 40, v_S: 0.01, tau_dw: 0.5}"},
      {"volumetric_bristle", kVolumetric,
       "{law: volumetric_bristle, mu_S: 0.8, mu_C: 0.6, sigma_0: 1e4, sigma_1: 40, v_S: 0.01, "
       "tau_dw: 0.5}"},
      {"patch of brown_mcphee, 1e-4", kVolumetric,
       fmt::format("{{law: patch, of: {}, tolerance: 1e-4}}", kBrown)},
      {"patch of brown_mcphee, 1e-8", kVolumetric,
       fmt::format("{{law: patch, of: {}, tolerance: 1e-8}}", kBrown)},
  };
  constexpr size_t kMotions = 64;
  const auto motions = make_motions(kMotions);
  std::vector<Contact<double>> contacts;
  for (const auto& [name, normal, friction] : laws) {
    contacts.push_back(make_contact(normal, friction));
  }
  SimbodyContact bare = SimbodyContact::without_contact();
  SimbodyContact hollars =
      SimbodyContact::hunt_crossley(Vec3d::Constant(kRadius), {1e6, 0.3, 0.8, 0.6, 0.05});
  bare.set_motions(motions);
  hollars.set_motions(motions);

  Rounds rounds;
  for (size_t c = 0; c < contacts.size(); ++c) {
    const bool slow = contacts[c].needs_patch();
    const size_t repeats = slow ? 1 : 50;
    rounds.add(laws[c][0], kMotions * repeats, [&contact = contacts[c], &motions, repeats] {
      for (size_t r = 0; r < repeats; ++r) {
        for (const auto& m : motions) {
          keep(calc_contact(contact, m, kGround, ContactMemory<double>{0.3}));
        }
      }
    });
  }
  auto realize = [&](SimbodyContact* peer) {
    return [peer] {
      for (size_t k = 0; k < kMotions; ++k) keep(peer->realize(k));
    };
  };
  rounds.add("simbody bare", kMotions, realize(&bare));
  rounds.add("simbody", kMotions, realize(&hollars));
  rounds.measure(31);

  const double peer = rounds.time("simbody", "simbody bare");
  fmt::print("Cost of one evaluation, sphere on a half-space\n\n");
  fmt::print("  {:<34}{:>12}{:>22}\n", "law", "ns", "Simbody / ours");
  for (const auto& law : laws) {
    const double time = rounds.time(law[0]);
    fmt::print("  {:<34}{:>12.0f}{:>22.2f}\n", law[0], time, peer / time);
  }
  fmt::print("  {:<34}{:>12.0f}\n\n", "Simbody, Hunt-Crossley and Hollars", peer);
}

// Coulomb friction over a shallow cap, mu = 1: force and torque over f_n and f_n r.
void print_contensou() {
  const auto exact = make_contact(
      "{law: volumetric, stiffness: 1e8}",
      fmt::format(
          "{{law: patch, of: {{law: coulomb_arctan, mu_f: {}, v_s: 1e-7}}, tolerance: 1e-6}}",
          2 / kPi));
  fmt::print("Contensou factors of a shallow cap against the integral, over v_t/(r w_n)\n\n");
  fmt::print("  {:>10}{:>12}{:>12}{:>10}{:>12}{:>12}{:>10}\n", "v/(r w)", "C_v", "integral", "off",
             "C_w", "integral", "off");
  for (const double ratio : {0.0, 0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0}) {
    Motion<double> i;
    i.X_WB.p_WB.z() = kRadius - 1e-5;
    const auto o = calc_overlap(exact, i.X_WB, kGround.X_WB);
    const double r = std::sqrt((o.M_W.xx + o.M_W.yy) / o.volume);
    i.V_WB.w_WB.z() = 10;
    i.V_WB.v_WB.x() = ratio * r * 10;
    const auto f = calc_contact(exact, i, kGround, ContactMemory<double>{});
    const double force = f.friction.f_t.norm() / f.normal.force;
    const double torque = std::abs(f.friction.spin_torque) / (f.normal.force * r);
    const double C_v = ratio / std::hypot(1, ratio), C_w = 1 / std::hypot(1, ratio);
    auto off = [](double factor, double integral) {
      return integral > 1e-9 ? fmt::format("{:+.1f} %", 100 * (factor / integral - 1))
                             : std::string("-");
    };
    fmt::print("  {:>10.2f}{:>12.4f}{:>12.4f}{:>10}{:>12.4f}{:>12.4f}{:>10}\n", ratio, C_v, force,
               off(C_v, force), C_w, torque, off(C_w, torque));
  }
}

}  // namespace
}  // namespace vesica::bench

int main() {
  vesica::bench::print_costs();
  vesica::bench::print_contensou();
}
