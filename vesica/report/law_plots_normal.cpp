#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "vesica/report/law_plots.h"

namespace vesica {
namespace {

constexpr double kBallMass = 0.16;  // [kg]

double calc_force(const Contact<double>& contact, double depth, double closing_speed,
                  double impact_speed) {
  return calc_contact(contact, place_ball(depth, closing_speed), Motion<double>(),
                      ContactMemory<double>{impact_speed})
      .normal.force;
}

struct Impact {
  std::vector<double> depth, force;
};

// The ball meets the ground without other forces; classical Runge-Kutta until it leaves.
Impact fly_through(const Contact<double>& contact, double speed) {
  // [s]; a contact lasts milliseconds. An integral over the patch takes milliseconds itself.
  const double h = contact.needs_patch() ? 4e-5 : 1e-5;
  constexpr int kMaxSteps = 5000;
  Impact impact;
  auto rate = [&](double depth, double c) {
    return -calc_force(contact, depth, c, speed) / kBallMass;
  };
  double d = 1e-12, c = speed;
  for (int k = 0; k < kMaxSteps && d > 0; ++k) {
    impact.depth.push_back(d * 1e3);
    impact.force.push_back(calc_force(contact, d, c, speed));
    const double a1 = rate(d, c), a2 = rate(d + h / 2 * c, c + h / 2 * a1);
    const double a3 = rate(d + h / 2 * (c + h / 2 * a1), c + h / 2 * a2);
    const double a4 = rate(d + h * (c + h / 2 * a2), c + h * a3);
    d += h * (c + h / 6 * (a1 + a2 + a3));
    c += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  impact.depth.push_back(0);
  impact.force.push_back(0);
  return impact;
}

LinePlot make_loop_plot(const LawSheet& sheet) {
  const Contact<double> contact = make_drawn_contact(sheet.example, "{law: none}");
  LinePlot plot;
  plot.title = fmt::format("{}: force over depth", sheet.name);
  plot.note =
      fmt::format("a ball of {:g} mm and {:g} kg strikes the ground", kBallRadius * 1e3, kBallMass);
  plot.x_label = "depth [mm]";
  plot.y_label = "normal force [N]";
  double deepest = 0;
  for (const double speed : {1.0, 0.5}) {
    const Impact impact = fly_through(contact, speed);
    deepest = std::max(deepest, *std::max_element(impact.depth.begin(), impact.depth.end()));
    plot.curves.push_back({fmt::format("impact at {:g} m/s", speed), impact.depth, impact.force});
  }
  LinePlot::Curve still{"at rest", {}, {}, true};
  for (int k = 0; k <= 100; ++k) {
    const double d = deepest * k / 100;
    still.x.push_back(d);
    still.y.push_back(calc_force(contact, d * 1e-3, 0, 1));
  }
  plot.curves.push_back(still);
  return plot;
}

// Pressure over depth of laws that have one, without damping.
LinePlot make_pressure_plot(const std::string& title, double to,
                            const std::vector<std::array<std::string, 2>>& names_and_laws) {
  LinePlot plot;
  plot.title = title;
  plot.x_label = "depth [mm]";
  plot.y_label = "pressure [MPa]";
  for (const auto& [name, text] : names_and_laws) {
    const Contact<double> contact = make_drawn_contact(text, "{law: none}");
    LinePlot::Curve curve{name, {}, {}};
    for (int k = 0; k <= 200; ++k) {
      const double d = to * k / 200;
      std::visit(
          [&](const auto& law) {
            if constexpr (requires { law.pressure(d, 0.0, 0.0); }) {
              curve.x.push_back(d * 1e3);
              curve.y.push_back(law.pressure(d, 0.0, 0.0) * 1e-6);
            }
          },
          contact.normal);
    }
    plot.curves.push_back(std::move(curve));
  }
  return plot;
}

// What a point mass gets back after an impact against k d^p (1 + alpha c), in units in which mass,
// stiffness and impact speed are one.
double bounce_back(double e, double exponent, RestitutionRule rule) {
  constexpr double kStep = 1e-3;
  constexpr int kMaxSteps = 1000000;
  HuntCrossley<double> law;
  law.stiffness = 1;
  law.exponent = exponent;
  law.damping = HystereticDamping<double>::with_restitution(e, 1e-9, rule);
  const ContactMemory<double> memory{1.0};
  auto rate = [&](double d, double c) {
    return -law(Overlap<double>(), std::max(0.0, d), c, memory).force;
  };
  double d = 0, c = 1;
  for (int k = 0; k < kMaxSteps; ++k) {
    const double h = kStep;
    const double a1 = rate(d, c), a2 = rate(d + h / 2 * c, c + h / 2 * a1);
    const double a3 = rate(d + h / 2 * (c + h / 2 * a1), c + h / 2 * a2);
    const double a4 = rate(d + h * (c + h / 2 * a2), c + h * a3);
    d += h * (c + h / 6 * (a1 + a2 + a3));
    c += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    if (d <= 0) break;  // the force goes to zero with the depth: c is that of lift-off
  }
  return -c;
}

// The ball starts `above` the ground at 1 m/s and bounces without other forces: kinetic energy
// after over before, with fixed steps.
double bounce_energy(const Contact<double>& contact, bool rk3, double h, double above) {
  using State = std::array<double, 3>;  // height, speed, what is relaxed
  auto rate = [&](const State& y) {
    double relaxed_rate = 0;
    const auto f = calc_contact(contact, place_ball(-y[0], -y[1]), Motion<double>(),
                                ContactMemory<double>(), &y[2], &relaxed_rate);
    return State{y[1], f.normal.force / kBallMass, relaxed_rate};
  };
  auto moved = [](State y, const State& along, double factor) {
    for (size_t k = 0; k < y.size(); ++k) y[k] += factor * along[k];
    return y;
  };
  State y{above, -1, 0};
  bool touching = false;
  constexpr int kMaxSteps = 10000;
  for (int k = 0; k < kMaxSteps; ++k) {
    const bool was = std::exchange(touching, y[0] < 0);
    if (was && !touching) break;
    if (contact.relaxes() && touching && !was) y[2] = -y[0];
    const State k1 = rate(y);
    if (rk3) {
      const State k2 = rate(moved(y, k1, h / 2)), k3 = rate(moved(moved(y, k1, -h), k2, 2 * h));
      y = moved(moved(moved(y, k1, h / 6), k2, 2 * h / 3), k3, h / 6);
    } else {
      y = moved(y, {0, k1[1], k1[2]}, h);
      y[0] += h * y[1];
    }
  }
  return y[1] * y[1];
}

}  // namespace

LinePlot make_restitution_plot() {
  LinePlot plot;
  plot.title = "restitution: returned over wanted";
  plot.note = "impact of a point mass on k d^1.5 (1 + alpha c), integrated over time";
  plot.x_label = "wanted e";
  plot.y_label = "returned e";
  const std::array<std::pair<const char*, RestitutionRule>, 3> rules = {
      {{"gonthier", RestitutionRule::kGonthier},
       {"hunt_crossley", RestitutionRule::kHuntCrossley},
       {"lankarani_nikravesh", RestitutionRule::kLankaraniNikravesh}}};
  for (const auto& [name, rule] : rules) {
    LinePlot::Curve curve{name, {}, {}};
    for (const double first : {0.01, 0.03, 0.05, 0.075}) {
      curve.x.push_back(first);
      curve.y.push_back(bounce_back(first, 1.5, rule));
    }
    for (int k = 4; k <= 40; ++k) {
      const double e = std::min(1.0, k / 40.0);
      curve.x.push_back(e);
      curve.y.push_back(bounce_back(e, 1.5, rule));
    }
    plot.curves.push_back(std::move(curve));
  }
  plot.curves.push_back({"returned = wanted", {0, 1}, {0, 1}, true});
  return plot;
}

LinePlot make_relaxation_plot() {
  const std::string normal = "{law: hunt_crossley, stiffness: 7.0e6 N/m^1.5}";
  const auto plain = make_drawn_contact(normal, "{law: none}");
  const auto relaxing = make_drawn_contact(normal, "{law: none}", "  relaxation: {time: 1 s}\n");
  // A contact without loss at 1 m/s lasts 2.94 times its depth over its speed.
  const double depth = std::pow(0.5 * kBallMass / (0.4 * 7.0e6), 0.4), lasts = 2.94 * depth;
  constexpr int kPhases = 20;
  LinePlot plot;
  plot.title = "relaxation: energy that a bounce without loss returns";
  plot.note = "the greatest, over where in a step the touchdown falls";
  plot.x_label = "steps in a contact";
  plot.y_label = "energy after over before";
  plot.log_x = true;
  auto add = [&](const char* name, const Contact<double>& contact, bool rk3, bool dashed) {
    LinePlot::Curve curve{name, {}, {}, dashed};
    for (int k = 0; k <= 32; ++k) {
      const double steps = 2.5 * std::pow(40 / 2.5, k / 32.0);
      double greatest = 0;
      for (int phase = 0; phase < kPhases; ++phase) {
        const double h = lasts / steps;
        greatest = std::max(greatest, bounce_energy(contact, rk3, h, h * (phase + 0.5) / kPhases));
      }
      curve.x.push_back(steps);
      curve.y.push_back(greatest);
    }
    plot.curves.push_back(std::move(curve));
  };
  add("rk3", plain, true, true);
  add("rk3, relaxation 1 s", relaxing, true, false);
  add("semi_implicit_euler", plain, false, true);
  add("semi_implicit_euler, relaxation 1 s", relaxing, false, false);
  return plot;
}

std::vector<LinePlot> make_normal_plots(const LawSheet& sheet) {
  std::vector<LinePlot> plots = {make_loop_plot(sheet)};
  if (sheet.name == "foundation") {
    plots.push_back(make_pressure_plot(
        "foundation: pressure over depth", 2.5e-3,
        {{{"logarithmic, 3 mm", sheet.example}},
         {{"table",
           "{law: foundation, curve: table, depth: [0, 0.5 mm, 1 mm, 2 mm], pressure: [0, "
           "2 MPa, 5 MPa, 20 MPa]}"}},
         {{"formula 8e9*d + 1e12*d^2",
           "{law: foundation, curve: formula, pressure: \"8e9*d + 1e12*d^2\"}"}}}));
  } else if (sheet.name == "hyper_volumetric") {
    plots.push_back(make_pressure_plot(
        "hyper_volumetric: pressure over depth, equal at 1 mm", 2e-3,
        {{{"eta = 0.8", "{law: hyper_volumetric, exponent: 0.8, stiffness: 6.355e8}"}},
         {{"eta = 1", "{law: hyper_volumetric, exponent: 1, stiffness: 2.530e9}"}},
         {{"eta = 1.5", "{law: hyper_volumetric, exponent: 1.5, stiffness: 8.0e10}"}}}));
  }
  return plots;
}

}  // namespace vesica
