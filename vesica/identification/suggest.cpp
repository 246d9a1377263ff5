#include "vesica/identification/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "vesica/contact/hunt_crossley.h"
#include "vesica/contact/restitution.h"

namespace vesica {
namespace {

// Where a source says "much smaller" or gives a range, the figure taken.
constexpr double kRestitution = 0.5;       // nothing known
constexpr double kImpactShare = 0.1;       // v_small of the slowest impact
constexpr double kRoboticSpeed = 1e-3;     // m/s: v_small and v_S "for a typical robotic task"
constexpr double kPresliding = 1e-4;       // m: "for a typical robotic payload"
constexpr double kPreslidingShare = 0.01;  // of the body, where that is smaller
constexpr double kSlidingShare = 0.05;     // v_S of the sliding speed
constexpr double kDirectionShare = 0.01;   // v_eps of v_S
constexpr double kDwellRatio = 10;         // tau_dw of tau_br
constexpr double kSmallForceShare = 1e-4;  // the sources' range is 1e-3 to 1e-6
constexpr double kRelaxationTime = 1;      // s
constexpr double kAccurateStep = 0.3;      // of the fastest time constant (simulate's monitor)
constexpr double kLargeDepth = 0.1;        // of the body: where the monitor warns

// Force and energy of the elastic contact at a depth.
struct Spring {
  bool volumetric, ball;
  double stiffness, radius, area;

  double measure(double d) const {
    if (!volumetric) return d * std::sqrt(d);
    return ball ? M_PI * d * d * (radius - d / 3) : area * d;
  }
  double measure_slope(double d) const {
    if (!volumetric) return 1.5 * std::sqrt(d);
    return ball ? M_PI * d * (2 * radius - d) : area;
  }
  double energy(double d) const {
    if (!volumetric) return stiffness * 0.4 * d * d * std::sqrt(d);
    return stiffness * (ball ? M_PI * d * d * d * (radius / 3 - d / 12) : 0.5 * area * d * d);
  }
  double force(double d) const { return stiffness * measure(d); }
  double slope(double d) const { return stiffness * measure_slope(d); }
};

class Rules {
 public:
  explicit Rules(const KnownFacts& facts) : known_(facts) {}

  Suggestion run() {
    set_load();
    set_stiffness();
    set_damping();
    set_friction();
    set_voxel();
    set_step();
    return std::move(out_);
  }

 private:
  double add(const std::string& name, double value, const std::string& unit,
             const std::string& rule, const std::string& source, bool assumed = false) {
    if (!std::isfinite(value) || value < 0) {
      throw InputError(fmt::format(
          "'{}' comes out as {}; figures that were given are too large or too small to compute "
          "with (check their units)",
          name, value));
    }
    out_.values.push_back({name, value, unit, rule, source, assumed});
    return value;
  }
  double size() const { return known_.is_ball() ? known_.radius : known_.box.minCoeff(); }

  void set_load() {
    add("mass", known_.mass, "kg", "", "given");
    force_ = known_.force
                 ? add("force", *known_.force, "N", "", "given")
                 : add("force", known_.mass * known_.gravity, "N", "m g, the weight", "given");
  }

  void set_stiffness() {
    const KnownFacts& k = known_;
    double hertz = 0;
    if (k.material_i) {
      const ElasticMaterial rigid{std::numeric_limits<double>::infinity(), 0};
      const ElasticMaterial &i = *k.material_i, &j = k.material_j ? *k.material_j : rigid;
      hertz = Hertz<double>::calc_stiffness({i.young_modulus, i.poisson_ratio},
                                            {j.young_modulus, j.poisson_ratio}, k.radius);
      depth_ = add("depth", std::pow(force_ / hertz, 2.0 / 3), "m", "(F/k_Hertz)^(2/3)",
                   "Gonthier 2.2-2.4");
    } else {
      depth_ = add("depth", *k.depth, "m", "", "given");
    }
    spring_ = {k.volumetric, k.is_ball(), 1, k.radius, k.box.x() * k.box.y()};
    if (k.volumetric) {
      spring_.stiffness = add("stiffness", force_ / spring_.measure(depth_), "N/m^3",
                              k.is_ball() ? "F/V, V = pi d^2 (R - d/3)" : "F/V, V = x y d",
                              "ours (4.5: measure it)");
    } else if (hertz > 0) {
      spring_.stiffness =
          add("stiffness", hertz, "N/m^1.5", "4/3 sqrt(R)/sum (1-nu^2)/E", "Gonthier 2.2-2.4");
    } else {
      spring_.stiffness =
          add("stiffness", force_ / spring_.measure(depth_), "N/m^1.5", "F/d^1.5", "ours");
    }
    if (depth_ > kLargeDepth * size()) {
      out_.warnings.push_back(fmt::format(
          "the expected force goes {:.2g} of the body's size deep; contact laws assume far less",
          depth_ / size()));
    }
  }

  // D/e at an impact.
  double damping_factor(double speed) const {
    return calc_restitution_damping(known_.restitution_slope
                                        ? std::max(0.01, 1 - *known_.restitution_slope * speed)
                                        : restitution_);
  }

  void set_damping() {
    const KnownFacts& k = known_;
    if (k.restitution_slope) {
      add("restitution_slope", *k.restitution_slope, "s/m", "", "given");
    } else {
      restitution_ = k.restitution ? add("restitution", *k.restitution, "", "", "given")
                                   : add("restitution", kRestitution, "", "0.5", "ours", true);
    }
    v_small_ = k.slowest_impact
                   ? add("v_small", kImpactShare * *k.slowest_impact, "m/s", "slowest impact/10",
                         "Gonthier 3.3.1")
                   : add("v_small", kRoboticSpeed, "m/s", "1 mm/s", "Gonthier 3.3.1", true);
    add("damping_at_rest", damping_factor(v_small_) / v_small_, "s/m", "(D/e)/v_small",
        "Gonthier 3.43");
  }

  void set_friction() {
    const KnownFacts& k = known_;
    const double mu_C = add("mu_C", k.mu_C, "", "", "given");
    const double mu_S = k.mu_S
                            ? add("mu_S", *k.mu_S, "", "", "given")
                            : add("mu_S", mu_C, "", "mu_C: no stick-slip", "Gonthier 3.3.2", true);
    const double share = kPreslidingShare * size();
    const double dz = k.presliding ? add("presliding", *k.presliding, "m", "", "given")
                      : share < kPresliding
                          ? add("presliding", share, "m", "size/100", "Gonthier 3.3.2", true)
                          : add("presliding", kPresliding, "m", "0.1 mm", "Gonthier 3.3.2", true);
    sigma_0_ = add("sigma_0", mu_S / dz, "1/m", "mu_S/dz", "Gonthier 3.46");
    // Critical damping of m x'' + f_n (sigma_1 x' + sigma_0 x) = 0.
    const bool by_weight = !k.force;
    sigma_1_ = add("sigma_1", 2 * std::sqrt(sigma_0_ * known_.mass / force_), "s/m",
                   by_weight ? "2 sqrt(sigma_0/g)" : "2 sqrt(sigma_0 m/F)",
                   by_weight ? "Gonthier 3.51" : "Gonthier 3.47, critical");
    sigma_2_ = k.sigma_2 ? add("sigma_2", *k.sigma_2, "s/m", "", "given")
                         : add("sigma_2", 0, "s/m", "0: slow sliding", "Gonthier 3.3.2", true);
    tau_br_ = add("tau_br", sigma_1_ / sigma_0_, "s", "sigma_1/sigma_0", "Gonthier 3.52");
    if (mu_S > mu_C) {
      const double tau_dw =
          k.tau_dw ? add("tau_dw", *k.tau_dw, "s", "", "given")
                   : add("tau_dw", kDwellRatio * tau_br_, "s", "10 tau_br", "Gonthier 3.3.2", true);
      if (tau_dw < kDwellRatio * tau_br_) {
        out_.warnings.push_back(
            fmt::format("tau_dw is {:.2g} tau_br; the law assumes that bonds form at least ten "
                        "times as slowly as bristles move: a stiff, doubtful case",
                        tau_dw / tau_br_));
      }
    }
    const double slow = k.sliding_speed ? kSlidingShare * *k.sliding_speed
                                        : std::numeric_limits<double>::infinity();
    const double v_S =
        slow < kRoboticSpeed
            ? add("v_S", slow, "m/s", "sliding speed/20", "Gonthier 3.3.2")
            : add("v_S", kRoboticSpeed, "m/s", "1 mm/s", "Gonthier 3.3.2", !k.sliding_speed);
    const double v_eps =
        add("v_eps", kDirectionShare * v_S, "m/s", "v_S/100, at most v_S/10", "Gonthier 5.1.2");
    if (v_small_ < v_eps) {
      out_.warnings.push_back(fmt::format(
          "v_small ({:.2g} m/s) is below v_eps: a physical speed below a numerical one", v_small_));
    }
  }

  void set_voxel() {
    if (!known_.volumetric) return;
    const double df = known_.small_force ? add("small_force", *known_.small_force, "N", "", "given")
                                         : add("small_force", kSmallForceShare * force_, "N",
                                               "F/10^4", "Gonthier 4.5", true);
    add("voxel_edge", std::cbrt(df / spring_.stiffness), "m", "(df/k_V)^(1/3)", "Gonthier 4.5");
  }

  // Energy of the fastest impact and the load against the elastic energy.
  double find_deepest() const {
    const double c = known_.fastest_impact.value_or(0);
    auto excess = [&](double d) {
      return spring_.energy(d) - 0.5 * known_.mass * c * c - force_ * d;
    };
    double low = 0.5 * depth_, high = depth_;
    const double limit = spring_.volumetric && spring_.ball ? 2 * spring_.radius : 1e3 * size();
    while (excess(high) < 0 && high < limit) high = std::min(2 * high, limit);
    if (excess(high) < 0) {
      throw InputError(
          "the fastest impact would go through the whole body: the stiffness that follows from "
          "'force' and 'depth' is far too small for 'impact_speed'; give the peak force as "
          "'force'");
    }
    for (int k = 0; k < 100; ++k) {
      const double middle = 0.5 * (low + high);
      (excess(middle) < 0 ? low : high) = middle;
    }
    return high;
  }

  void set_step() {
    const double m = known_.mass;
    const double deepest =
        add("deepest", find_deepest(), "m", "U(d) = m c^2/2 + F d, undamped", "ours");
    const double peak = add("peak_force", spring_.force(deepest), "N", "F(deepest)", "ours");
    if (deepest > kLargeDepth * size()) {
      out_.warnings.push_back(
          fmt::format("the fastest impact goes {:.2g} of the body's size deep; allow less depth",
                      deepest / size()));
    }
    // How much easier a free body moves at its rim than at its centre: 1 + m h^2/I.
    double ease = 3.5;
    if (!known_.is_ball()) {
      const double z2 = square(known_.box.z());
      ease = 1 + 3 * z2 / (z2 + square(std::min(known_.box.x(), known_.box.y())));
    }
    struct Rate {
      const char* rule;
      double value;
    };
    std::vector<Rate> rates = {
        {"normal spring, sqrt(F'/m) at the deepest", std::sqrt(spring_.slope(deepest) / m)},
        {"normal damping at rest, F alpha/m", force_ * out_.at("damping_at_rest") / m},
        {"bristles, 1/tau_br", 1 / tau_br_},
        {"bristle spring at the peak force", std::sqrt(ease * peak * sigma_0_ / m)},
        {"bristle damping at the peak force", ease * peak * (sigma_1_ + sigma_2_) / m},
    };
    if (known_.fastest_impact) {
      const double c = std::max(*known_.fastest_impact, v_small_);
      rates.push_back({"normal damping in the impact", peak * damping_factor(c) / c / m});
    }
    const Rate& fastest = *std::max_element(
        rates.begin(), rates.end(), [](const Rate& a, const Rate& b) { return a.value < b.value; });
    add("fastest_time", 1 / fastest.value, "s", fastest.rule, "ours");
    add("step", kAccurateStep / fastest.value, "s", "0.3 fastest time; unstable above 2", "ours");
    add("relaxation_time", kRelaxationTime, "s", "1 s, fixed-step methods only", "Gonthier 3.45");
  }

  const KnownFacts& known_;
  Suggestion out_;
  Spring spring_{};
  double force_ = 0, depth_ = 0;
  double restitution_ = 1, v_small_ = 0;
  double sigma_0_ = 0, sigma_1_ = 0, sigma_2_ = 0, tau_br_ = 0;
};

// How long bouncing and sliding take, within reason.
double calc_duration(const KnownFacts& facts, const Suggestion& s) {
  const double a = s.at("force") / facts.mass;
  const double c = facts.fastest_impact.value_or(0);
  const double e =
      std::min(0.9, s.has("restitution") ? s.at("restitution") : 1 - *facts.restitution_slope * c);
  const double bouncing = 2 * c * e / (1 - e) / a;
  const double sliding = facts.sliding_speed.value_or(0) / (facts.mu_C * a);
  return std::clamp(0.2 + bouncing + sliding, 0.2, 10.0);
}

}  // namespace

bool Suggestion::has(const std::string& name) const {
  return std::any_of(values.begin(), values.end(),
                     [&](const SuggestedValue& v) { return v.name == name; });
}

double Suggestion::at(const std::string& name) const {
  for (const SuggestedValue& v : values) {
    if (v.name == name) return v.value;
  }
  throw std::logic_error("no suggestion of that name: " + name);
}

Suggestion suggest_parameters(const KnownFacts& facts) { return Rules(facts).run(); }

std::string make_suggested_scene(const KnownFacts& facts, const Suggestion& s) {
  const double half = facts.is_ball() ? facts.radius : 0.5 * facts.box.z();
  const double pressing = s.at("force") - facts.mass * facts.gravity;
  const double duration = calc_duration(facts, s);
  std::string text = fmt::format(
      "# Made by `vesica suggest`. Explicit methods: solver: {{method: rk4, step: {:.2g}}}\n"
      "# and, in the contact, relaxation: {{time: {:g}}}.\n"
      "vesica: 1\ntitle: A body lands and slides, with suggested parameters\n"
      "gravity: [0, 0, {:.9g}]\nbodies:\n  body:\n    mass: {:.9g} kg\n",
      s.at("step"), s.at("relaxation_time"), facts.gravity > 0 ? -facts.gravity : 0.0, facts.mass);
  text += facts.is_ball()
              ? fmt::format("    shape: {{type: sphere, radius: {:.9g}}}\n", facts.radius)
              : fmt::format("    shape: {{type: box, size: [{:.9g}, {:.9g}, {:.9g}]}}\n",
                            facts.box.x(), facts.box.y(), facts.box.z());
  // A hair above the ground, so that the touch is located.
  text += fmt::format(
      "    pose: {{position: [0, 0, {:.9g}]}}\n"
      "    velocity: {{linear: [{:.9g}, 0, {:.9g}]}}\n"
      "  ground:\n    fixed: true\n    shape: {{type: half_space}}\n",
      half * 1.0001, facts.sliding_speed.value_or(0),
      facts.fastest_impact ? -*facts.fastest_impact : 0.0);
  if (facts.force && std::abs(pressing) > 0) {
    text += fmt::format(
        "forces:\n  - {{type: force, body: body, force: [0, 0, {:.9g} N]}}   # weight and this: "
        "{:.4g} N\n",
        -pressing, s.at("force"));
  }
  const bool slope = s.has("restitution_slope");
  text += fmt::format(
      "contacts:\n  - between: [body, ground]\n"
      "    normal: {{law: {}, stiffness: {:.6g}, {}: {:.6g}, v_small: {:.6g}}}\n",
      facts.volumetric ? "volumetric" : "hunt_crossley", s.at("stiffness"),
      slope ? "restitution_slope" : "restitution",
      s.at(slope ? "restitution_slope" : "restitution"), s.at("v_small"));
  text += fmt::format(
      "    friction:\n      law: {}\n      mu_S: {:.6g}\n      mu_C: {:.6g}\n"
      "      sigma_0: {:.6g} 1/m\n      sigma_1: {:.6g} s/m\n      sigma_2: {:.6g} s/m\n"
      "      v_S: {:.6g} m/s\n      v_eps: {:.6g} m/s\n",
      facts.volumetric ? "volumetric_bristle" : "bristle", s.at("mu_S"), s.at("mu_C"),
      s.at("sigma_0"), s.at("sigma_1"), s.at("sigma_2"), s.at("v_S"), s.at("v_eps"));
  text += s.has("tau_dw") ? fmt::format("      tau_dw: {:.6g} s\n", s.at("tau_dw"))
                          : "      dwell: false\n";
  text += fmt::format(
      "duration: {:.3g} s\nsolver: {{method: cvode, tolerance: 1.0e-7}}\n"
      "output: {{interval: {:.3g} s}}\n",
      duration, duration / 1000);
  return text;
}

}  // namespace vesica
