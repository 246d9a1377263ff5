// Systems with one body and one contact at a point: Gonthier 5.1.1-5.1.3, Brown 4.3.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/run.h"

namespace vesica::detail {
namespace {

using Json = nlohmann::ordered_json;

double last(const std::vector<double>& x) { return x.empty() ? 0 : x.back(); }
double largest(const std::vector<double>& x) {
  double m = 0;
  for (double v : x) m = std::max(m, std::abs(v));
  return m;
}

// Stretches of time in which the slip stays below a limit, as first and last rows; those shorter
// than `shortest` rows are left out.
std::vector<std::pair<size_t, size_t>> find_sticking(const std::vector<double>& slip, double limit,
                                                     size_t shortest) {
  std::vector<std::pair<size_t, size_t>> spans;
  for (size_t k = 0; k < slip.size(); ++k) {
    if (slip[k] > limit) continue;
    const size_t first = k;
    while (k + 1 < slip.size() && slip[k + 1] <= limit) ++k;
    if (k - first >= shortest) spans.emplace_back(first, k);
  }
  return spans;
}

}  // namespace

SystemReport reproduce_restitution(const ReproduceOptions& options) {
  SystemReport report;
  auto returned = [&](const Settings& settings) {
    const SceneRun run(options, "restitution", settings, &report);
    const auto v = run.column("ball.velocity.z");
    return last(v) / -v.front();
  };
  for (const char* stiffness : {"3.4e10", "3.4e7"}) {
    for (double e : {0.1, 0.3, 0.5, 0.7, 0.9, 1.0}) {
      const double ours = returned({{"contacts.0.normal.stiffness", stiffness},
                                    {"contacts.0.normal.restitution", fmt::format("{}", e)},
                                    {"duration", stiffness[4] == '1' ? "10 ms" : "100 ms"},
                                    {"output.interval", stiffness[4] == '1' ? "20 us" : "200 us"}});
      report.figures.push_back({"restitution", "e_returned",
                                Json{{"e", e}, {"stiffness", std::stod(stiffness)}}, e, ours, "1",
                                judge(ours, e, 1e-3, "the run ended before the ball came off")});
    }
  }
  // The source's sweep: e falls with the speed.
  for (double speed : {0.1, 0.5, 1.0, 2.0, 3.0, 4.0}) {
    const double e = (10 - 2 * speed) / 10;  // 1 - 0.2 speed, rounded well
    for (const char* rule : {"gonthier", "hunt_crossley"}) {
      const double ours =
          returned({{"contacts.0.normal",
                     fmt::format("{{law: hunt_crossley, stiffness: 3.4e10, exponent: 1.5, "
                                 "restitution_slope: 0.2, restitution_rule: {}, v_small: 1.0e-3}}",
                                 rule)},
                    {"bodies.ball.velocity.linear", fmt::format("[0, 0, {}]", -speed)}});
      const bool ours_rule = rule[0] == 'g';
      Figure f{"restitution",
               "e_returned",
               Json{{"impact_speed", speed}, {"rule", rule}, {"e", e}},
               std::nullopt,
               ours,
               "1",
               "reproduced: not e, and further off the lower e is"};
      if (ours_rule) {
        f.source = e;
        f.verdict = judge(ours, e, 1e-3, "the run ended before the ball came off");
      }
      report.figures.push_back(f);
    }
  }
  const SceneRun run(options, "restitution", {}, &report);
  report.plots.push_back(make_plot("Restitution 0.5: force of the plate", "N", run,
                                   {{"normal force", run.column("ball-plate.normal_force")}}));
  return report;
}

SystemReport reproduce_bowden_leben(const ReproduceOptions& options) {
  SystemReport report;
  for (double belt : {0.05, 0.1, 0.15}) {
    const std::string v = fmt::format("[{0:.16g}, {0:.16g}, 0]", belt / std::sqrt(2.0));
    const SceneRun run(
        options, "bowden_leben",
        {{"bodies.block.velocity.linear", v}, {"bodies.belt.prescribed.velocity", v}}, &report);
    const auto friction = run.magnitude("block-belt.force", "xy");
    const auto position = run.magnitude("block.position", "xy");
    const auto spans = find_sticking(run.column("block-belt.slip"), 0.2 * belt, 20);
    double before = 1e300;
    bool shrinks = true;
    for (size_t k = 0; k < spans.size(); ++k) {
      const auto [first, end] = spans[k];
      if (end + 1 >= friction.size()) break;  // still sticking when the run ends
      const auto top = std::max_element(friction.begin() + static_cast<std::ptrdiff_t>(first),
                                        friction.begin() + static_cast<std::ptrdiff_t>(end) + 1);
      const double time = run.times()[static_cast<size_t>(top - friction.begin())];
      const Json where{{"belt", belt}, {"peak", k}};
      report.figures.push_back({"bowden_leben", "friction_peak_time", where, std::nullopt, time,
                                "s", "no number in the source"});
      Figure peak{"bowden_leben",
                  "friction_peak_force",
                  where,
                  std::nullopt,
                  *top,
                  "N",
                  "reproduced: below mu_S f_n, for want of time to dwell"};
      if (k == 0) {
        peak.source = 1.5;  // mu_S f_n
        peak.verdict = judge(*top, 1.5, 0.01, "the first peak does not reach mu_S f_n");
      } else if (*top > 1.5) {
        peak.verdict = "differs because a later peak exceeds mu_S f_n";
      }
      report.figures.push_back(peak);
      shrinks = shrinks && *top < before;
      if (k > 0) before = *top;
    }
    report.figures.push_back({"bowden_leben", "position_max", Json{{"belt", belt}}, std::nullopt,
                              largest(position), "m", "no number in the source"});
    report.plots.push_back(
        make_plot(fmt::format("Belt at {} m/s", belt), "N, m", run,
                  {{"friction [N]", friction}, {"distance from the wall [m]", position}}));
  }
  return report;
}

namespace {

// Brown's four laws, with and without the viscous part.
struct LawSetting {
  const char* name;
  const char* plain;
  const char* viscous;
};
constexpr LawSetting kBrownLaws[] = {
    {"brown_mcphee", "{law: brown_mcphee, mu_s: 0.2, mu_d: 0.15, v_t: 0.001}",
     "{law: brown_mcphee, mu_s: 0.2, mu_d: 0.15, v_t: 0.001, mu_v: 10, f_nt: 10}"},
    {"specker", "{law: specker, mu_s: 0.2, mu_d: 0.15, v_t: 0.001}",
     "{law: specker, mu_s: 0.2, mu_d: 0.15, v_t: 0.001, mu_v: 10}"},
    {"hollars", "{law: hollars, mu_s: 0.2, mu_d: 0.15, v_t: 0.001}",
     "{law: hollars, mu_s: 0.2, mu_d: 0.15, v_t: 0.001, k_v: 0.0154}"},
    {"andersson", "{law: andersson, mu_s: 0.2, mu_d: 0.15, v_s: 0.001, exponent: 2, k_tanh: 10000}",
     "{law: andersson, mu_s: 0.2, mu_d: 0.15, v_s: 0.001, exponent: 2, k_tanh: 10000, mu_v: 10}"},
};

}  // namespace

SystemReport reproduce_brown_stick_slip(const ReproduceOptions& options) {
  SystemReport report;
  for (const LawSetting& law : kBrownLaws) {
    const SceneRun run(options, "brown_stick_slip", {{"contacts.0.friction", law.plain}}, &report);
    const auto friction = run.magnitude("mass-conveyor.force", "xy");
    // Cycles: ends of sticking.
    std::vector<double> ends;
    for (const auto& [first, end] : find_sticking(run.column("mass-conveyor.slip"), 0.02, 100)) {
      if (end + 1 < friction.size()) ends.push_back(run.times()[end]);
    }
    const double period =
        ends.size() > 2 ? (ends.back() - ends[1]) / static_cast<double>(ends.size() - 2) : 0;
    const Json where{{"law", law.name}};
    report.figures.push_back(
        {"brown_stick_slip", "period", where, 2.5, period, "s",
         judge(period, 2.5, 0.02,
               "the text rounds ('two [transitions] every 2.5 s'): ideal Coulomb friction with the "
               "same numbers has the period 2 (mu_s - mu_d) m g/(k v) + (pi + 2 phi)/w = 2.337 s, "
               "and smooth laws lie about it")});
    const double top = largest(friction);
    const bool andersson = law.name[0] == 'a';
    Figure f{"brown_stick_slip", "friction_max", where, 0.2 * 9.81, top, "N", ""};
    if (andersson) {
      f.source.reset();
      f.verdict = top < 0.2 * 9.81 ? "reproduced: slips earlier, k_tanh lowers the static friction"
                                   : "differs because the law reaches mu_s f_n";
    } else {
      f.verdict = judge(top, 0.2 * 9.81, 0.01, "the curve does not reach mu_s f_n");
    }
    report.figures.push_back(f);
    report.plots.push_back(
        make_plot(fmt::format("Stick-slip, {}", law.name), "N, m/s", run,
                  {{"friction [N]", friction}, {"velocity [m/s]", run.column("mass.velocity.x")}}));
  }
  return report;
}

SystemReport reproduce_brown_impact(const ReproduceOptions& options) {
  SystemReport report;
  for (const LawSetting& law : kBrownLaws) {
    const SceneRun run(options, "brown_impact", {{"contacts.0.friction", law.viscous}}, &report);
    const Json where{{"law", law.name}};
    const double duration = run.first_event(false) - run.first_event(true);
    report.figures.push_back({"brown_impact", "contact_duration", where, 6.94e-3, duration, "s",
                              judge(duration, 6.94e-3, 0.005, "the run ended too early")});
    const auto friction = run.magnitude("sphere-plane.force", "xy");
    auto add = [&](const char* quantity, double value, const char* unit,
                   std::optional<double> source, const std::string& verdict) {
      report.figures.push_back({"brown_impact", quantity, where, source, value, unit, verdict});
    };
    add("friction_peak", largest(friction), "N", std::nullopt, "no number in the source");
    // The sphere leaves rolling: 5/7 of its speed for a solid sphere, if friction had time.
    const double v_t = last(run.column("sphere.velocity.x"));
    const double rim = 0.05 * last(run.column("sphere.spin.y"));
    add("v_tangential_after", v_t, "m/s", std::nullopt,
        std::abs(v_t - rim) < 0.01 * v_t ? "reproduced: leaves rolling, v = r w"
                                         : "differs because it still slides when it leaves");
    const double v_n = last(run.column("sphere.velocity.z"));
    add("v_normal_after", v_n, "m/s", 4.949747468305833,
        judge(v_n, 4.949747468305833, 1e-4, "an elastic law must return the normal speed"));
    report.plots.push_back(make_plot(fmt::format("Impact, {}", law.name), "m/s", run,
                                     {{"velocity along the plane", run.column("sphere.velocity.x")},
                                      {"radius times spin", [&] {
                                         auto w = run.column("sphere.spin.y");
                                         for (double& x : w) x *= 0.05;
                                         return w;
                                       }()}}));
    report.plots.push_back(make_plot(fmt::format("Impact, {}: friction", law.name), "N", run,
                                     {{"friction", friction}}));
  }
  return report;
}

SystemReport reproduce_inclined_plane(const ReproduceOptions& options) {
  SystemReport report;
  const SceneRun run(options, "inclined_plane", {}, &report);
  const double c = std::cos(20 * kPi / 180), s = std::sin(20 * kPi / 180);
  const auto vx = run.column("ball.velocity.x"), vz = run.column("ball.velocity.z");
  std::vector<double> along(vx.size()), off(vx.size()), rim = run.column("ball.spin.y");
  for (size_t k = 0; k < vx.size(); ++k) {
    along[k] = c * vx[k] - s * vz[k];
    off[k] = s * vx[k] + c * vz[k];
    rim[k] *= 0.1;
  }
  const size_t n = along.size(), from = 3 * n / 4;
  const double acceleration =
      (along[n - 1] - along[from]) / (run.times()[n - 1] - run.times()[from]);
  const double text = 9.81 * s;
  report.figures.push_back(
      {"inclined_plane", "rolling_acceleration", Json::object(), text, acceleration, "m/s^2",
       judge(acceleration, text, 0.01,
             fmt::format("the text gives g sin 20 deg, the value for sliding without friction; a "
                         "solid ball rolls with 5/7 of it, {:.4f} m/s^2, which ours meets to "
                         "{:.0e}; the source's own v = R w agrees",
                         text * 5 / 7, std::abs(acceleration / (text * 5 / 7) - 1)))});
  const double across = last(run.column("ball.velocity.y"));
  const auto vy = run.column("ball.velocity.y");
  report.figures.push_back(
      {"inclined_plane", "v_across", Json::object(), std::nullopt, across, "m/s",
       std::abs(vy[from] - across) < 1e-4 ? "reproduced: constant while rolling"
                                          : "differs because it still changes while rolling"});
  report.plots.push_back(make_plot("Ball on the inclined plane: velocity", "m/s", run,
                                   {{"along the slope", along},
                                    {"across", vy},
                                    {"off the plane", off},
                                    {"radius times spin", rim}}));
  return report;
}

SystemReport reproduce_cylinder_point(const ReproduceOptions& options) {
  SystemReport report;
  for (const char* motion : {"2d", "3d"}) {
    const bool space = motion[0] == '3';
    const SceneRun run(options, "cylinder_point",
                       {{"bodies.ball.velocity.linear", space ? "[0, 0.3, 0]" : "[0, 0, 0]"}},
                       &report);
    const size_t n = run.times().size(), rolling = n / 2;
    auto peak = [&](const std::vector<double>& x) {
      return largest(
          std::vector<double>(x.begin() + static_cast<std::ptrdiff_t>(rolling), x.end()));
    };
    const double w = peak(run.column("ball.spin.y"));
    const double v = peak(run.magnitude("ball.velocity", "xz"));
    const auto energy = run.energy();
    const double change = energy[n - 1] - energy[rolling];
    const Json where{{"motion", motion}};
    const std::optional<double> none;
    report.figures.push_back(
        {"cylinder_point", "w_peak", where, space ? none : 10.0, w, "rad/s",
         space ? "no number in the source"
               : judge(w, 10, 0.05,
                       "the source reads it off a plot, 'v = 1 m/s when w peaks at 10'")});
    report.figures.push_back(
        {"cylinder_point", "v_peak", where, space ? none : 1.0, v, "m/s",
         space ? "no number in the source" : judge(v, 1, 0.05, "read off a plot, with w")});
    // Bent bristles hold a little of it; the drop's energy is the scale.
    const double scale = 2 * 9.81 * 0.4;
    report.figures.push_back(
        {"cylinder_point", "energy_change_while_rolling", where, 0.0, change, "J",
         std::abs(change) < 1e-3 * scale
             ? "reproduced: constant once rolling"
             : fmt::format("differs because it changes by {:.1e} of the drop's energy in 5 s",
                           change / scale)});
    report.plots.push_back(make_plot(fmt::format("Ball in the cylinder, {}: spin", motion), "rad/s",
                                     run,
                                     {{"x", run.column("ball.spin.x")},
                                      {"y", run.column("ball.spin.y")},
                                      {"z", run.column("ball.spin.z")}}));
    report.plots.push_back(make_plot(fmt::format("Ball in the cylinder, {}: energy", motion), "J",
                                     run, {{"total", energy}}));
  }
  return report;
}

}  // namespace vesica::detail
