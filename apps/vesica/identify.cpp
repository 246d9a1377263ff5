#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/vesica/commands.h"
#include "apps/vesica/identify_foot2d.h"
#include "apps/vesica/input_kind.h"
#include "apps/vesica/progress.h"
#include "apps/vesica/scene_files.h"
#include "vesica/identification/bench_examples.h"
#include "vesica/identification/bench_study.h"
#include "vesica/identification/foot2d_study.h"
#include "vesica/identification/foot_people.h"
#include "vesica/identification/foot_study.h"
#include "vesica/io/output_file.h"
#include "vesica/io/text_input.h"
#include "vesica/report/foot_dynamics_page.h"
#include "vesica/report/foot_page.h"
#include "vesica/report/foot_people_page.h"
#include "vesica/studies/scene_fit.h"

namespace vesica::app {
namespace {

namespace fs = std::filesystem;

struct IdentifyArguments {
  std::string study;
  std::string examples;  // folder for synthetic studies
};

void print_table(const BenchStudy& study) {
  if (!study.title.empty()) fmt::print("{}\n\n", study.title);
  fmt::print("  {:<20}{:>13}{:>28}  {}\n", "parameter", "value", "95 % interval", "unit");
  for (const Estimate& e : study.fit.parameters) {
    const std::string interval =
        e.determined ? fmt::format("{:.5g} to {:.5g}", e.low, e.high) : "not determined";
    fmt::print("  {:<20}{:>13.5g}{:>28}{}{}\n", e.name, e.value, interval,
               e.unit.empty() ? "" : "  ", e.unit);
  }
  fmt::print("\n");
  for (const FittedCurve& c : study.fit.curves) {
    fmt::print("  {}: {} rows, residual rms {:.3g} of {} ({:.2g} % of the largest)\n", c.name,
               c.x.size(), c.rms, c.y_name, 100 * c.rms_share);
  }
  fmt::print("  in a scene: {}\n", study.fit.scene);
  for (const std::string& note : study.fit.notes) fmt::print("  note: {}\n", note);
  for (const std::string& warning : study.fit.warnings) fmt::print("  warning: {}\n", warning);
}

std::string make_csv(const FittedCurve& curve) {
  std::string text = fmt::format("{},{},fitted\n", curve.x_name, curve.y_name);
  for (size_t r = 0; r < curve.x.size(); ++r) {
    text += fmt::format("{:.9g},{:.9g},{:.9g}\n", curve.x[r], curve.measured[r], curve.fitted[r]);
  }
  return text;
}

void save_results(const BenchStudy& study, const Common& common) {
  const fs::path folder(common.out);
  for (const FittedCurve& curve : study.fit.curves) {
    save_text(path_within(common.out, curve.name + "_fit.csv", "the curve's name"),
              make_csv(curve));
  }
  save_text((folder / "identify.json").string(), make_bench_json(study).dump(2) + "\n");
  if (!common.quiet) {
    say("wrote {}: identify.json, and measured beside fitted values as CSV\n", common.out);
  }
}

void run_bench(const InputFile& file, Common& common) {
  const BenchStudy result = run_bench_study(file);
  if (!common.out.empty()) save_results(result, common);
  if (common.json) {
    print_json(make_bench_json(result));
  } else {
    print_table(result);
  }
  if (!result.fit.converged) common.status = kFailed;
}

void run_scene_fit(const InputFile& file, Common& common) {
  const studies::SceneFit fit = studies::fit_scene(file, find_input);
  const nlohmann::ordered_json json = studies::make_scene_fit_json(fit);
  if (!common.out.empty()) {
    save_text((fs::path(common.out) / "identify.json").string(), json.dump(2) + "\n");
  }
  if (!fit.converged) common.status = kFailed;
  if (common.json) return print_json(json);
  if (!fit.title.empty()) fmt::print("{}\n\n", fit.title);
  for (const studies::FitParameter& p : fit.parameters) {
    fmt::print("  {:<20}{:>13.6g} {}\n", p.name, p.value, p.unit);
  }
  fmt::print("\n");
  for (const studies::FitTarget& t : fit.targets) {
    fmt::print("  {:<20}{:>13.6g}   target {:.6g} +- {:.2g}\n", t.reading.name, t.reached, t.value,
               t.tolerance);
  }
  fmt::print("  {} runs, {} iterations\n", fit.runs, fit.iterations);
  for (const studies::FitParameter& p : fit.parameters) {
    for (const std::string& path : p.paths) {
      fmt::print("  in a scene: --set '{}={:.6g}{}{}'\n", path, p.value, p.unit.empty() ? "" : " ",
                 p.unit);
    }
  }
  if (!fit.message.empty()) fmt::print("  warning: {}\n", fit.message);
}

void print_errors(const char* what, const std::vector<FootResult>& results) {
  const bool given = std::string_view(what) == "imposed";
  for (const FootResult& r : results) {
    const std::string force = given ? "given" : fmt::format("{:.1f}", 100 * r.errors.force);
    const std::string pressure =
        std::isfinite(r.errors.pressure) ? fmt::format("{:.1f}", 100 * r.errors.pressure) : "";
    fmt::print("  {:<12}{:<14}{:<7}{:>6.2f}{:>6.2f}{:>9}{:>9.1f}{:>12}  {}\n", what, r.trial,
               r.side, r.begin, r.end, force, 100 * r.errors.cop, pressure, r.what);
  }
}

void print_table(const FootStudy& study) {
  if (!study.title.empty()) fmt::print("{}\n\n", study.title);
  fmt::print("  {:<12}{:<14}{:<7}{:>12}{:>9}{:>9}{:>12}\n", "", "trial", "side", "stance [s]",
             "force %", "point %", "pressure %");
  print_errors("calibration", study.calibration);
  print_errors("placebo", study.placebo);
  print_errors("refitted", study.refitted);
  print_errors("joint", study.joint);
  print_errors("blind", study.blind);
  print_errors("mean curve", study.mean_curve);
  print_errors("six spheres", study.six_spheres);
  print_errors("imposed", study.imposed);
  fmt::print("\n  {:<12}{:<7}{:<8}{:>8}{:>9}{:>9}\n", "mean of", "side", "speed", "stances",
             "force %", "point %");
  for (const FootGroup& g : study.groups) {
    const std::string force =
        g.kind == "imposed" ? "given" : fmt::format("{:.1f}", 100 * g.errors.force);
    fmt::print("  {:<12}{:<7}{:<8}{:>8}{:>9}{:>9.1f}\n", g.kind, g.side, g.speed, g.stances, force,
               100 * g.errors.cop);
  }
  for (const FootSourceRun& r : study.source_runs) {
    const auto list = [](const FootSourceRun::Errors& e) {
      std::string text = fmt::format("{:.1f} / {:.1f}", 100 * e.normal.force, 100 * e.normal.cop);
      if (std::isfinite(e.normal.pressure)) {
        text += fmt::format(" / {:.1f}", 100 * e.normal.pressure);
      }
      if (std::isfinite(e.friction)) text += fmt::format(", friction {:.1f}", 100 * e.friction);
      return text;
    };
    fmt::print("  {} foot, {}: {} % (Brown {}){}\n", r.side, r.name, list(r.errors),
               list(r.published),
               std::isfinite(r.coefficient)
                   ? fmt::format("; coefficient {:.2f} (Brown 0.14)", r.coefficient)
                   : "");
  }
  fmt::print("\n");
  for (const std::string& verdict : study.verdicts) fmt::print("  {}\n", verdict);
  for (const std::string& words : study.undetermined) fmt::print("  {}\n", words);
  for (const std::string& remark : study.remarks) fmt::print("  note: {}\n", remark);
}

std::string make_csv(const FootStudy& study) {
  std::string text =
      "kind,trial,side,time,force_measured,force_simulated,x_measured,y_measured,x_simulated,"
      "y_simulated\n";
  const auto cell = [](double x) { return std::isfinite(x) ? fmt::format("{:.9g}", x) : ""; };
  for (const FootCurveSet& c : study.curves) {
    for (size_t f = 0; f < c.times.size(); ++f) {
      text += fmt::format("{},{},{},{:.9g},{:.9g},{:.9g},{},{},{},{}\n", c.kind,
                          as_csv_field(c.result.trial), c.result.side, c.times[f], c.measured[f],
                          c.simulated[f], cell(c.measured_cop[f].x()), cell(c.measured_cop[f].y()),
                          cell(c.simulated_cop[f].x()), cell(c.simulated_cop[f].y()));
    }
  }
  return text;
}

// Returns what it wrote beyond page, JSON and curves.
std::string save_foot(const FootStudy& study, const std::string& out, const std::string& subtitle) {
  const fs::path folder(out);
  save_text((folder / "identify.json").string(), make_foot_json(study).dump(2) + "\n");
  save_text((folder / "stances.csv").string(), make_csv(study));
  save_text((folder / "report.html").string(), make_foot_page(study, subtitle));
  std::string others;
  for (const FootFile& f : study.dynamics.files) {
    save_text((folder / f.name).string(), f.text);
    others += ", " + f.name;
  }
  return others;
}

void run_foot(const InputFile& file, Common& common) {
  keep_on_stop();
  FootStudy study;
  {
    Progress progress("identify", common.quiet);
    study = run_foot_study(
        file, [&](double part) { progress.update(part); }, [] { return stop_requested().load(); },
        common.threads);
  }
  if (!common.out.empty()) {
    const std::string out = choose_results_folder(common, study.interrupted);
    const std::string others = save_foot(study, out, file.name());
    if (!common.quiet) say("wrote {}: report.html, identify.json, stances.csv{}\n", out, others);
  }
  if (common.json) {
    print_json(make_foot_json(study));
  } else {
    print_table(study);
  }
  if (!study.converged) common.status = kFailed;
  if (study.interrupted) tell_interruption(common);
}

void print_table(const FootPeople& people) {
  if (!people.title.empty()) fmt::print("{}\n\n", people.title);
  fmt::print("  {:<12}{:<8}{:>7}{:>9}{:>9}{:>8}{:>8}{:>9}{:>8}{:>8}\n", "mean of", "speed",
             "people", "stances", "force %", "worst", "better", "point %", "worst", "better");
  for (const FootPooled& p : people.pooled) {
    const auto percent = [](double share) { return fmt::format("{:.1f}", 100 * share); };
    const bool given = p.kind == "imposed", curve = p.kind == "mean_curve";
    fmt::print("  {:<12}{:<8}{:>7}{:>9}{:>9}{:>8}{:>8}{:>9}{:>8}{:>8}\n", p.kind, p.speed, p.people,
               p.stances, given ? "given" : percent(p.force), given ? "" : percent(p.worst_force),
               given || curve ? "" : fmt::format("{}", p.better_force), percent(p.cop),
               percent(p.worst_cop), curve ? "" : fmt::format("{}", p.better_cop));
  }
  fmt::print("\n  better: people in whom it is below their own mean curve\n");
  for (const std::string& remark : people.remarks) fmt::print("  note: {}\n", remark);
  for (const FootPerson& person : people.people) {
    for (const std::string& remark : person.study.remarks) {
      fmt::print("  note: {}: {}\n", person.name, remark);
    }
  }
}

void run_people(const InputFile& file, Common& common) {
  keep_on_stop();
  FootPeople people;
  {
    Progress progress("identify", common.quiet);
    people = run_foot_people(
        file, [&](double part) { progress.update(part); }, [] { return stop_requested().load(); },
        false, common.threads);
  }
  const nlohmann::ordered_json json = make_people_json(people);
  if (!common.out.empty()) {
    const fs::path folder(choose_results_folder(common, people.interrupted));
    save_text((folder / "identify.json").string(), json.dump(2) + "\n");
    save_text((folder / "report.html").string(), make_people_page(people, file.name()));
    for (const FootPerson& person : people.people) {
      save_foot(person.study, (folder / person.name).string(), file.name());
    }
    if (!common.quiet) {
      say("wrote {}: report.html, identify.json, and a folder for each person\n", folder.string());
    }
  }
  if (common.json) {
    print_json(json);
  } else {
    print_table(people);
  }
  if (!people.converged) common.status = kFailed;
  if (people.interrupted) tell_interruption(common);
}

void print_table(const DragStudy& study) {
  if (!study.title.empty()) fmt::print("{}\n\n", study.title);
  fmt::print("  {:<6}{:<14}{:<14}{:<9}{:>8}  {}\n", "", "made with", "fitted", "", "error %",
             "parameters (95 %); in brackets: not determined");
  for (const DragFit& f : study.fits) {
    std::string text;
    for (const FrictionParameter& p : f.fit.parameters) {
      const std::string one =
          fmt::format("{} {:.3g} ({:.2g} to {:.2g})", p.name, p.value, p.low, p.high);
      text += (text.empty() ? "" : ", ") + (p.identifiable ? one : "[" + one + "]");
    }
    fmt::print("  {:<6}{:<14}{:<14}{:<9}{:>8.1f}  {}\n", f.on_walk ? "walk" : "drag", f.truth,
               f.fit.law, f.fit.simulation, 100 * f.fit.errors.of_largest, text);
  }
  fmt::print("\n");
  for (const std::string& verdict : study.verdicts) fmt::print("  {}\n", verdict);
}

void run_drag(const InputFile& file, Common& common) {
  keep_on_stop();
  DragStudy study;
  {
    Progress progress("identify", common.quiet);
    study = run_drag_study(
        file, [&](double part, const std::string&) { progress.update(part); },
        [] { return stop_requested().load(); });
  }
  const nlohmann::ordered_json json = make_drag_json(study);
  if (!common.out.empty()) {
    const fs::path folder(choose_results_folder(common, study.interrupted));
    save_text((folder / "identify.json").string(), json.dump(2) + "\n");
    save_text((folder / "report.html").string(), make_drag_page(study, file.name()));
    if (!common.quiet) say("wrote {}: report.html, identify.json\n", folder.string());
  }
  if (common.json) {
    print_json(json);
  } else {
    print_table(study);
  }
  if (study.interrupted) tell_interruption(common);
}

}  // namespace

void add_identify(CommandLine& line, Common& common) {
  Command command = add_command(line, common, "identify",
                                "Fit contact parameters to measurements, with intervals");
  add_out(command, common);
  add_threads(command, common);
  auto arguments = std::make_shared<IdentifyArguments>();
  command.option("STUDY", &arguments->study, "a YAML study").type_name("");
  command
      .option("--examples", &arguments->examples,
              "write a synthetic study of every type into DIR, and nothing else")
      .type_name("DIR");
  command.run([&common, arguments, command] {
    if (!arguments->examples.empty()) {
      command.refuse_others("--examples", {},
                            "--examples DIR says where, and writes nothing else; leave it out");
      for (const std::string& path : save_bench_examples(arguments->examples)) {
        if (!common.quiet) say("wrote {0}; run it: vesica identify {0}\n", path);
      }
      return;
    }
    if (arguments->study.empty()) {
      throw InputError("give a STUDY, or --examples DIR for one of every type to start from");
    }
    const InputFile file = InputFile::load(find_input(arguments->study));
    expect_input_for({"identify"}, file);
    if (!common.out.empty()) try_folder(common.out);
    const bool planar = is_foot2d_study(file);
    if (!planar && !is_foot_study(file) && !is_foot_people(file)) {
      command.refuse({"--threads"},
                     "only studies with `type: foot`, `foot_people` or `foot2d` run on several "
                     "threads");
    }
    if (planar) {
      run_foot2d(file, common);
    } else if (is_foot_study(file)) {
      run_foot(file, common);
    } else if (is_foot_people(file)) {
      run_people(file, common);
    } else if (is_drag_study(file)) {
      run_drag(file, common);
    } else if (studies::is_scene_fit(file)) {
      run_scene_fit(file, common);
    } else {
      run_bench(file, common);
    }
    if (!common.out.empty() && common.status != kInterrupted) {
      remove_earlier_files(common.out, "identify");
    }
  });
}

}  // namespace vesica::app
