// Articulated systems with contact: the double pendulums and the arm (Gonthier 5.1.3, 5.1.4), and
// the study of solvers (5.2.1).
#include <fmt/format.h>

#include <filesystem>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "reproduce/run.h"
#include "vesica/math/linear_algebra.h"
#include "vesica/model/model_file.h"
#include "vesica/simulation/fixed_step.h"
#include "vesica/simulation/make_scene.h"
#include "vesica/studies/runner.h"

namespace vesica::detail {
namespace {

using Json = nlohmann::ordered_json;
constexpr double kDegree = kPi / 180;

std::vector<double> scaled(std::vector<double> x, double factor) {
  for (double& v : x) v *= factor;
  return x;
}

}  // namespace

SystemReport reproduce_pendulum_settling(const ReproduceOptions& options) {
  SystemReport report;
  const SceneRun run(options, "pendulum_settling", {}, &report);
  const auto angle1 = scaled(run.column("link1.joint.angle"), 1 / kDegree);
  const auto angle2 = scaled(run.column("link2.joint.angle"), 1 / kDegree);
  const auto dwell = run.column("link2-surface.s_dw");
  // It sticks from the last time that the bond was half formed.
  size_t stuck = dwell.size() - 1;
  while (stuck > 0 && dwell[stuck - 1] > 0.5) --stuck;
  const std::string reason =
      "where a pendulum comes to rest after dozens of bounces depends on every one of them: the "
      "source states neither the mass distribution nor what a bristle keeps after separation (ours "
      "is reset); any angle at which mu_S holds the tip is an equilibrium";
  const double rest1 = angle1.back(), rest2 = angle2.back(), time = run.times()[stuck];
  report.figures.push_back({"pendulum_settling", "joint1_rest_deg", Json::object(), 2.2,
                            std::abs(rest1), "deg", judge(std::abs(rest1), 2.2, 0.1, reason)});
  report.figures.push_back({"pendulum_settling", "joint2_rest_deg", Json::object(), -65.0, rest2,
                            "deg", judge(rest2, -65, 0.03, reason)});
  report.figures.push_back({"pendulum_settling", "stick_time", Json::object(), 6.5, time, "s",
                            judge(time, 6.5, 0.05, reason)});
  report.plots.push_back(make_plot("Settling pendulum: joints", "deg", run,
                                   {{"joint 1", angle1}, {"joint 2", angle2}}));
  report.plots.push_back(
      make_plot("Settling pendulum: energy", "J", run, {{"total", run.energy()}}));
  report.plots.push_back(make_plot("Settling pendulum: dwell state", "1", run, {{"s_dw", dwell}}));
  return report;
}

SystemReport reproduce_pendulum_ahmed(const ReproduceOptions& options) {
  SystemReport report;
  struct Pose {
    const char* name;
    double angle1, angle2;
  };
  for (const Pose& pose : {Pose{"a", 18, 12}, Pose{"b", 0, 20.7}}) {
    const double height =
        -std::cos(pose.angle1 * kDegree) - std::cos((pose.angle1 + pose.angle2) * kDegree);
    TimePlot plot;
    plot.title = fmt::format("Ahmed's pendulum, case ({}): energy lost", pose.name);
    plot.unit = "% over mu";
    plot.note = "The axis is the friction coefficient mu, not time.";
    const size_t first = report.figures.size();
    std::vector<std::vector<double>> all_losses;  // by e, then mu
    for (double e : {0.01, 0.5, 1.0}) {
      PlotSeries series{fmt::format("e = {}", e), {}};
      std::vector<double> losses;
      for (int step = 0; step <= 10; ++step) {
        const double mu = step / 10.0;
        // Just above the surface, so that the first touchdown is seen.
        Settings settings{
            {"bodies.link1.joint.start", fmt::format("{} deg", pose.angle1)},
            {"bodies.link2.joint.start", fmt::format("{} deg", pose.angle2)},
            {"bodies.surface.pose.position", fmt::format("[0, 0, {:.16g}]", height - 1e-9)},
            {"contacts.0.normal.restitution", fmt::format("{}", e)}};
        if (step == 0) {
          settings.emplace_back("contacts.0.friction", "{law: none}");
        } else {
          settings.emplace_back("contacts.0.friction.mu_S", fmt::format("{}", mu));
          settings.emplace_back("contacts.0.friction.mu_C", fmt::format("{}", mu));
        }
        const SceneRun run(options, "pendulum_ahmed", settings, &report);
        const auto energy = run.energy();
        const double kinetic = run.column("energy.kinetic").front();
        // The first impact ends at the first lift-off.
        const double until = run.first_event(false);
        size_t end = 0;
        while (end + 1 < energy.size() && (until < 0 || run.times()[end] < until)) ++end;
        const double loss = 100 * (energy.front() - energy[end]) / kinetic;
        losses.push_back(loss);
        if (e == 0.01) plot.times.push_back(mu);
        series.y.push_back(loss);
        Figure f{"pendulum_ahmed",
                 "energy_loss_percent",
                 Json{{"configuration", pose.name}, {"e", e}, {"mu", mu}},
                 std::nullopt,
                 loss,
                 "%",
                 "no number in the source"};
        if (until < 0) f.verdict = "differs because the tip does not come off within 20 ms";
        report.figures.push_back(f);
      }
      all_losses.push_back(losses);
      plot.series.push_back(series);
    }
    report.plots.push_back(plot);
    // What the text says of the curves: in case (b) more may be lost with the higher e.
    bool crosses = false;
    for (size_t k = 0; k < all_losses[0].size(); ++k) {
      crosses =
          crosses || all_losses[1][k] > all_losses[0][k] || all_losses[2][k] > all_losses[1][k];
    }
    const bool expected = pose.name[0] == 'b';
    for (size_t k = first; k < report.figures.size(); ++k) {
      Figure& f = report.figures[k];
      if (f.verdict != "no number in the source") continue;
      f.verdict += crosses ? "; for some mu more is lost with a higher e"
                           : "; less is lost with a higher e for every mu";
      if (expected && crosses) f.verdict += ", as the text says";
    }
  }
  return report;
}

namespace {

// 1/(n J M^-1 J^T n): what a push on the tip along n has to move.
double calc_tip_mass(const System<double>& system, int body, const Vec3d& p_BT, const Vec3d& n) {
  const Tree<double>& tree = system.scene().tree;
  auto data = system.make_evaluation<double>();
  system.calc_motions(0, system.make_initial_state().y.data(), &data);
  MatrixX<double> M(tree.nu(), tree.nu()), J(6, tree.nu());
  calc_mass_matrix<double, double>(tree, &data, &M);
  calc_jacobian<double, double>(tree, data, body,
                                data.motions[static_cast<size_t>(body)].X_WB * p_BT, &J);
  const Eigen::VectorXd row = J.bottomRows(3).transpose() * n;
  return 1 / row.dot(solve_symmetric(M, row));
}

// Wall time of so many steps of 1 ms. On a machine that is not ours alone the longest one is when
// another process had the core: how many missed the step, and what nearly all took, tell more.
struct StepTimes {
  double longest = 0, nearly_all = 0, median = 0;  // nearly all: 99.99 %
  long late = 0;                                   // took longer than the step itself
};
StepTimes measure_steps(const System<double>& system, long steps) {
  using Clock = std::chrono::steady_clock;
  auto data = system.make_evaluation<double>();
  State<double> state;
  std::vector<ContactChange> changes;
  FixedStepper<double, double> stepper(system, FixedStepMethod::kEuler);
  std::vector<double> times(static_cast<size_t>(steps));
  const long period = 8000;  // the scene over again: it ends dragging
  for (long k = 0; k < steps; ++k) {
    if (k % period == 0) state = system.make_initial_state();
    changes.clear();
    const auto start = Clock::now();
    stepper.step(1e-3 * static_cast<double>(k % period + 1), &state, &data, &changes);
    times[static_cast<size_t>(k)] = std::chrono::duration<double>(Clock::now() - start).count();
  }
  std::sort(times.begin(), times.end());
  StepTimes result;
  result.longest = times.back();
  result.nearly_all = times[times.size() - times.size() / 10000 - 1];
  result.median = times[times.size() / 2];
  result.late = std::count_if(times.begin(), times.end(), [](double t) { return t > 1e-3; });
  return result;
}

}  // namespace

SystemReport reproduce_arm_on_plate(const ReproduceOptions& options) {
  SystemReport report;
  const char* const links[] = {"swing", "upper_arm", "forearm", "pitch", "yaw", "payload"};
  for (const bool half : {false, true}) {
    Settings settings;
    if (half) {
      // Half of every mass and inertia is half the tip's effective mass.
      const auto scene =
          make_scene<double>(load_model(fmt::format("{}/arm_on_plate.yaml", options.scenes)));
      for (const char* link : links) {
        for (const auto& body : scene.bodies) {
          if (body.name != link) continue;
          const Mat3d I = 0.5 * body.inertia.I_B;
          settings.emplace_back(fmt::format("bodies.{}.mass", link),
                                fmt::format("{:.16g}", 0.5 * body.inertia.mass));
          settings.emplace_back(
              fmt::format("bodies.{}.inertia", link),
              fmt::format("[[{:.16g}, {:.16g}, {:.16g}], [{:.16g}, {:.16g}, {:.16g}], [{:.16g}, "
                          "{:.16g}, {:.16g}]]",
                          I(0, 0), I(0, 1), I(0, 2), I(1, 0), I(1, 1), I(1, 2), I(2, 0), I(2, 1),
                          I(2, 2)));
        }
      }
    }
    const SceneRun run(options, "arm_on_plate", settings, &report);
    const double tip_mass = calc_tip_mass(run.system(), run.system().scene().controllers[0].body,
                                          run.system().scene().controllers[0].p_BT, Vec3d::UnitZ());
    const Json where{{"effective_tip_mass", std::round(10 * tip_mass) / 10}};
    const auto force = run.column("payload-plate.normal_force");
    const auto drag = run.magnitude("payload-plate.force", "xy");
    auto mean = [&](const std::vector<double>& x, double from, double until) {
      double sum = 0;
      long count = 0;
      for (size_t k = 0; k < x.size(); ++k) {
        if (run.times()[k] < from || run.times()[k] >= until) continue;
        sum += x[k];
        ++count;
      }
      return count > 0 ? sum / static_cast<double>(count) : 0.0;
    };
    const double steady = mean(force, 2.5, 3);
    report.figures.push_back({"arm_on_plate", "steady_force", where, 30.0, steady, "N",
                              judge(steady, 30, 0.02, "the arm has not settled by 2.5 s")});
    const double ratio = mean(drag, 6, 8) / mean(force, 6, 8);
    report.figures.push_back(
        {"arm_on_plate", "friction_ratio_sliding", where, 0.16, ratio, "1",
         judge(ratio, 0.16, 0.02,
               "2 mm/s is far below v_S = 0.1 m/s: the law is at its static limit mu_S = 0.16")});
    report.plots.push_back(
        make_plot(fmt::format("Arm, tip mass {:.0f} kg: force on the plate", tip_mass), "N", run,
                  {{"normal", force}, {"tangential", drag}}));
    report.plots.push_back(
        make_plot(fmt::format("Arm, tip mass {:.0f} kg: joint angles", tip_mass), "rad", run, [&] {
          std::vector<std::pair<std::string, std::vector<double>>> series;
          for (const char* link : links) {
            series.emplace_back(link, run.column(fmt::format("{}.joint.angle", link)));
          }
          return series;
        }()));
    if (!half && options.tolerance_scale == 1) {
      const StepTimes times = measure_steps(run.system(), 1000000);
      report.figures.push_back(
          {"arm_on_plate", "max_step_time", where, std::nullopt, times.longest, "s",
           times.late == 0
               ? "no number in the source; within the step of 1 ms, over 1e6 steps"
               : fmt::format(
                     "no number in the source; {} of 1e6 steps took longer than 1 ms, on a machine "
                     "that other processes share: the median is {:.1f} us and 99.99 % "
                     "take less than {:.0f} us",
                     times.late, 1e6 * times.median, 1e6 * times.nearly_all)});
    }
  }
  return report;
}

// The runs are those of studies/solvers.yaml: the reference first, then a row for each solver. One
// after the other, because their times are figures.
SystemReport reproduce_solver_study(const ReproduceOptions& options) {
  namespace fs = std::filesystem;
  const fs::path scenes(options.scenes);
  const studies::Study study = studies::load_study(
      (scenes.parent_path() / "studies/solvers.yaml").string(),
      {[&](const std::string& name) { return (scenes / (name + ".yaml")).string(); }});
  const auto rows = studies::run_in_memory(study, 1, options.stop);
  SystemReport report;
  // Position, then the parts of the energy, as the study lists them.
  const auto read = [](const studies::RunRow& row) {
    std::vector<double> values;
    for (const std::string& cell : row.cells)
      values.push_back(cell.empty() ? NAN : std::stod(cell));
    return values;
  };
  const auto reference = read(rows[0]);
  if (rows[0].status != studies::Status::kDone) report.failures.push_back(rows[0].reason);
  for (const studies::RunRow& row : rows) {
    report.seconds += row.seconds;
    if (row.status == studies::Status::kDone) report.simulated += 2;
    if (row.run == 0) continue;
    const Json where{{"solver", studies::make_run_point(study, row.run).cells[0]}};
    const bool finished = row.status == studies::Status::kDone;
    const auto values = read(row);
    double error = 0, energy = 0;
    for (size_t k = 0; k < values.size(); ++k) {
      const double change = values[k] - reference[k];
      if (k < 3) error = std::hypot(error, change);
      if (k >= 3) energy += change;
    }
    const std::string verdict =
        finished ? "no number in the source" : fmt::format("differs because {}", row.reason);
    report.figures.push_back({"solver_study", "position_error", where, std::nullopt,
                              finished ? error : NAN, "m", verdict});
    report.figures.push_back({"solver_study", "energy_error", where, std::nullopt,
                              finished ? energy : NAN, "J", verdict});
    report.figures.push_back(
        {"solver_study", "seconds", where, std::nullopt, row.seconds, "s", verdict});
  }
  return report;
}

}  // namespace vesica::detail
