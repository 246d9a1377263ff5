#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "vesica/report/law_plots.h"

namespace vesica {
namespace {

constexpr const char* kDrawnNormal = "{law: volumetric, stiffness: 2.0e9 N/m^3}";

// Friction coefficient over slip of a law of the velocity, with its peak where it has one.
void add_curve(const std::string& name, const std::string& law_text, double to, LinePlot* plot) {
  const FrictionLaw<double> laws = make_drawn_contact(kDrawnNormal, law_text).friction;
  std::visit(
      [&](const auto& law) {
        if constexpr (requires { law.mu_slope(0.0); }) {
          constexpr int kPoints = 600;
          LinePlot::Curve curve{name, {}, {}};
          std::optional<double> below, above;  // slips around the first change of slope
          for (int k = 0; k <= kPoints; ++k) {
            const double v = to * k / kPoints;
            curve.x.push_back(v * 1e3);
            curve.y.push_back(law.mu(v));
            if (above) continue;
            (law.mu_slope(v) > 0 ? below : above) = v;
          }
          plot->curves.push_back(std::move(curve));
          if (!below || !above || law.mu(*above) <= law.mu(to)) return;
          double low = *below, high = *above;
          for (int k = 0; k < 60; ++k) {
            const double v = 0.5 * (low + high);
            (law.mu_slope(v) > 0 ? low : high) = v;
          }
          plot->marks.push_back(
              {fmt::format("peak {:.4f} at {:.2f} mm/s", law.mu(high), high * 1e3), high * 1e3,
               law.mu(high)});
        }
      },
      laws);
}

LinePlot make_velocity_plot(const std::string& title) {
  LinePlot plot;
  plot.title = title;
  plot.x_label = "slip v [mm/s]";
  plot.y_label = "friction coefficient mu(v)";
  return plot;
}

// Steps a law's states with the slip held over a step (classical Runge-Kutta in the states).
template <class Law>
FrictionForce<double> step_states(const Law& law, const FrictionInput<double>& in, double h,
                                  std::array<double, Law::kStates>* states) {
  using States = std::array<double, Law::kStates>;
  auto rate = [&](const States& at, const States& along, double factor) {
    States moved = at, rates{};
    for (size_t k = 0; k < moved.size(); ++k) moved[k] += factor * along[k];
    law(in, moved.data(), rates.data());
    return rates;
  };
  const States none{};
  const States k1 = rate(*states, none, 0), k2 = rate(*states, k1, h / 2);
  const States k3 = rate(*states, k2, h / 2), k4 = rate(*states, k3, h);
  for (size_t k = 0; k < none.size(); ++k) {
    (*states)[k] += h / 6 * (k1[k] + 2 * k2[k] + 2 * k3[k] + k4[k]);
  }
  States rates{};
  return law(in, states->data(), rates.data());
}

FrictionInput<double> slide_along_x(double f_n, double slip) {
  return {f_n, Vec3d(0, 0, 1), Vec3d(slip, 0, 0), 0, 0, 0};
}

Bristle<double> read_bristle(const LawSheet& sheet) {
  return std::get<Bristle<double>>(make_drawn_contact(kDrawnNormal, sheet.example).friction);
}

// A body pushed to and fro by less than it takes to slide, then by more.
LinePlot make_presliding_plot(const LawSheet& sheet) {
  const Bristle<double> law = read_bristle(sheet);
  const double breakaway = law.p.mu_S / law.p.sigma_0;
  LinePlot plot;
  plot.title = "bristle: pre-sliding loops";
  plot.note = fmt::format("moved to and fro slowly; it slides after mu_S/sigma_0 = {:g} um",
                          breakaway * 1e6);
  plot.x_label = "displacement [um]";
  plot.y_label = "friction over load";
  for (const double times : {3.0, 0.7}) {
    constexpr double kPeriod = 20, kStep = 1e-3;  // [s]
    const double size = times * breakaway;
    LinePlot::Curve curve{fmt::format("amplitude {:g} um", size * 1e6), {}, {}};
    std::array<double, 4> states{0, 0, 0, 1};  // stuck for long
    for (int k = 0; k * kStep <= 1.5 * kPeriod; ++k) {
      const double phase = 2 * kPi * k * kStep / kPeriod;
      const double slip = size * 2 * kPi / kPeriod * std::cos(phase);
      const auto f = step_states(law, slide_along_x(1, slip), kStep, &states);
      if (k % 20 != 0) continue;
      curve.x.push_back(size * std::sin(phase) * 1e6);
      curve.y.push_back(-f.f_t.x());
    }
    plot.curves.push_back(std::move(curve));
  }
  return plot;
}

// Bowden and Leben's slider: a block on a spring, carried by a belt (Gonthier 5.1.2).
LinePlot make_stick_slip_plot(const LawSheet& sheet) {
  constexpr double kMass = 1, kLoad = 10, kSpring = 2;  // [kg], [N], [N/m]
  constexpr double kStep = 2e-4, kEnd = 40;             // [s]
  const Bristle<double> law = read_bristle(sheet);
  LinePlot plot;
  plot.title = "bristle: a block on a spring, carried by a belt";
  plot.note = "1 kg, 10 N, 2 N/m; on the fast belt there is no time for the bond to form again";
  plot.x_label = "time [s]";
  plot.y_label = "spring force over load";
  for (const double belt : {0.05, 0.15}) {
    LinePlot::Curve curve{fmt::format("belt {:g} m/s", belt), {}, {}};
    std::array<double, 4> states{0, 0, 0, 1};
    double x = 0, v = belt;
    for (int k = 0; k * kStep < kEnd; ++k) {
      if (k % 100 == 0) {
        curve.x.push_back(k * kStep);
        curve.y.push_back(kSpring * x / kLoad);
      }
      const auto f = step_states(law, slide_along_x(kLoad, v - belt), kStep, &states);
      v += kStep / kMass * (f.f_t.x() - kSpring * x);
      x += kStep * v;
    }
    plot.curves.push_back(std::move(curve));
  }
  plot.curves.push_back({"mu_S", {0, kEnd}, {law.p.mu_S, law.p.mu_S}, true});
  plot.curves.push_back({"mu_C", {0, kEnd}, {law.p.mu_C, law.p.mu_C}, true});
  return plot;
}

// A block held at half its static limit while the load vibrates.
LinePlot make_creep_plot(const LawSheet& sheet) {
  constexpr double kMass = 1, kLoad = 10, kFrequency = 10;  // [kg], [N], [Hz]
  constexpr double kStep = 1e-4, kEnd = 20;                 // [s]
  const Bristle<double> law = read_bristle(sheet);
  const BrownMcPhee<double> smooth{.mu_s = law.p.mu_S, .mu_d = law.p.mu_C, .v_t = law.p.v_S};
  const double push = 0.5 * law.p.mu_S * kLoad;
  auto hold = [&](double vibration, const auto& friction_of, LinePlot::Curve* curve) {
    double x = 0, v = 0;
    for (int k = 0; k * kStep < kEnd; ++k) {
      if (curve && k % 1000 == 0) {
        curve->x.push_back(k * kStep);
        curve->y.push_back(x * 1e6);
      }
      const double f_n = kLoad * (1 + vibration * std::sin(2 * kPi * kFrequency * k * kStep));
      v += kStep / kMass * (push + friction_of(slide_along_x(f_n, v)));
      x += kStep * v;
    }
    return x * 1e6;
  };
  LinePlot plot;
  plot.title = "bristle: held at half its limit while the load vibrates";
  plot.note = fmt::format("1 kg, 10 N, vibrating at {:g} Hz; beside it Brown-McPhee with v_t = v_S",
                          kFrequency);
  plot.x_label = "time [s]";
  plot.y_label = "displacement [um]";
  for (const double vibration : {0.3, 0.1, 0.0}) {
    LinePlot::Curve curve;
    std::array<double, 4> states{0, 0, 0, 1};
    const double x = hold(
        vibration,
        [&](const FrictionInput<double>& in) {
          return step_states(law, in, kStep, &states).f_t.x();
        },
        &curve);
    const double creep = hold(
        vibration,
        [&](const FrictionInput<double>& in) { return calc_velocity_friction(smooth, in).f_t.x(); },
        nullptr);
    curve.name = fmt::format("{:g} %: {:.3f} mm; Brown-McPhee {:.2f} mm", 100 * vibration, x * 1e-3,
                             creep * 1e-3);
    plot.curves.push_back(std::move(curve));
  }
  return plot;
}

struct Traction {
  double force, torque;  // over mu f_n, over mu f_n r
};

// Coulomb friction under the cap of a ball, by direct summation: the reference of the two pictures
// below, of its own code. Midpoint rule in polar coordinates about the centre; slips are v + w y.
Traction sum_coulomb(double depth, double ratio) {
  constexpr int kRings = 400, kRays = 720;
  const double height = kBallRadius - depth;
  const double edge2 = kBallRadius * kBallRadius - height * height;
  double load = 0, inertia = 0;
  for (int i = 0; i < kRings; ++i) {
    const double t = (i + 0.5) / kRings, rho2 = t * t * edge2;
    const double p = (std::sqrt(kBallRadius * kBallRadius - rho2) - height) * t;
    load += p;
    inertia += p * rho2;
  }
  const double r = std::sqrt(inertia / load);
  const double v = ratio * r, w = 1;
  double force = 0, torque = 0;
  for (int i = 0; i < kRings; ++i) {
    const double t = (i + 0.5) / kRings, rho = t * std::sqrt(edge2);
    const double p = (std::sqrt(kBallRadius * kBallRadius - rho * rho) - height) * t / kRays;
    for (int k = 0; k < kRays; ++k) {
      const double angle = 2 * kPi * (k + 0.5) / kRays;
      const double x = rho * std::cos(angle), y = rho * std::sin(angle);
      const double vx = v - w * y, vy = w * x, speed = std::hypot(vx, vy);
      force += p * vx / speed;
      torque += p * (x * vy - y * vx) / speed;
    }
  }
  return {force / load, torque / (load * r)};
}

// Sliding and spinning at once: how much of mu f_n is left for each.
std::vector<LinePlot> make_contensou_plots(const LawSheet& sheet) {
  constexpr double kDepth = 1e-3, kSpeed = 1;  // [m]; [m/s] of sliding and spinning together
  const Contact<double> contact = make_drawn_contact(kDrawnNormal, sheet.example);
  const Overlap<double> o = calc_overlap(contact, place_ball(kDepth, 0).X_WB, Pose<double>());
  const double r = std::sqrt((o.M_W.trace() - o.n_W.dot(o.M_W * o.n_W)) / o.volume);
  auto evaluate = [&](double v, double w) {
    Motion<double> ball = place_ball(kDepth, 0);
    ball.V_WB.v_WB = {v, 0, 0};
    ball.V_WB.w_WB = {0, 0, w};
    // States at zero: a bristle that slides takes its steady force at once.
    return calc_contact(contact, ball, Motion<double>(), ContactMemory<double>());
  };
  const auto sliding = evaluate(kSpeed, 0);
  const double limit = sliding.friction.f_t.norm();

  std::vector<LinePlot> plots(2);
  for (LinePlot& plot : plots) {
    plot.log_x = true;
    plot.x_label = "v/(r w_n)";
  }
  plots[0].title = fmt::format("{}: friction force while spinning", sheet.name);
  plots[0].note = "ball 1 mm deep in the ground, sliding fast enough for the law to be saturated";
  plots[0].y_label = "force over mu f_n";
  plots[1].title = fmt::format("{}: spinning torque while sliding", sheet.name);
  plots[1].y_label = "torque over mu f_n r";
  std::array<LinePlot::Curve, 2> ours, exact;
  for (int k = 0; k <= 48; ++k) {
    const double ratio = std::pow(10.0, -2 + 4.0 * k / 48);
    const double v = kSpeed * ratio / std::hypot(1.0, ratio);
    const double w = kSpeed / std::hypot(1.0, ratio) / r;
    const auto f = evaluate(v, w);
    const Traction reference = sum_coulomb(kDepth, ratio);
    const double values[2] = {f.friction.f_t.norm() / limit,
                              std::abs(f.friction.spin_torque) / (limit * r)};
    const double references[2] = {reference.force, reference.torque};
    for (size_t q = 0; q < 2; ++q) {
      ours[q].x.push_back(ratio);
      ours[q].y.push_back(values[q]);
      exact[q].x.push_back(ratio);
      exact[q].y.push_back(references[q]);
    }
  }
  for (size_t q = 0; q < 2; ++q) {
    ours[q].name = sheet.name;
    exact[q].name = "Coulomb, integrated";
    exact[q].dashed = true;
    plots[q].curves = {ours[q], exact[q]};
  }
  return plots;
}

}  // namespace

std::vector<LinePlot> make_overview_plots() {
  LinePlot plot = make_velocity_plot("Laws of the slip velocity, mu_s = 0.5, mu_d = 0.4");
  constexpr double kTo = 0.04;
  for (const char* name : {"brown_mcphee", "specker", "hollars", "andersson", "coulomb_arctan"}) {
    add_curve(name, law_sheet(name).example, kTo, &plot);
  }
  plot.marks.clear();  // each law's own picture has its peak
  return {plot};
}

std::vector<LinePlot> make_friction_plots(const LawSheet& sheet) {
  if (sheet.name == "bristle")
    return {make_presliding_plot(sheet), make_stick_slip_plot(sheet), make_creep_plot(sheet)};
  if (sheet.name == "volumetric_bristle" || sheet.name == "patch") {
    return make_contensou_plots(sheet);
  }
  if (sheet.name == "none") return {};
  LinePlot plot = make_velocity_plot(fmt::format("{}: friction over slip", sheet.name));
  constexpr double kTo = 0.06;
  if (sheet.name == "specker") {
    add_curve("v_d = v_t/2", sheet.example, kTo, &plot);
    add_curve("v_d = v_t/4", "{law: specker, mu_s: 0.5, mu_d: 0.4, v_t: 10 mm/s, v_d: 2.5 mm/s}",
              kTo, &plot);
  } else if (sheet.name == "coulomb_arctan") {
    add_curve(sheet.name, sheet.example, kTo, &plot);
    plot.curves.push_back({"mu_f pi/2", {0, kTo * 1e3}, {0.25 * kPi / 2, 0.25 * kPi / 2}, true});
  } else {
    add_curve(sheet.name, sheet.example, kTo, &plot);
  }
  return {plot};
}

}  // namespace vesica
