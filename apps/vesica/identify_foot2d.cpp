#include "apps/vesica/identify_foot2d.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/vesica/progress.h"
#include "apps/vesica/scene_files.h"
#include "vesica/identification/foot2d_study.h"
#include "vesica/io/output_file.h"
#include "vesica/report/foot2d_page.h"

namespace vesica::app {
namespace {

// At least one blank before it, however long it is.
std::string cell(int width, const std::string& text) {
  return fmt::format(" {:>{}}", text, width - 1);
}

// Parameters that ended on a bound: their optimum may lie beyond.
void print_bounds(const Foot2dStanceResult& s) {
  std::string words;
  for (const Foot2dTypeResult& r : s.types) {
    std::string names;
    for (const Foot2dEstimate& e : r.intervals.parameters) {
      if (e.at_bound) names += " " + e.name;
    }
    if (names.empty()) continue;
    words += fmt::format("{}{}{}", words.empty() ? "" : "; ", name_of(r.type.element), names);
  }
  if (!words.empty()) fmt::print("  on a bound: {}\n", words);
}

void print_foot2d_stance(const Foot2dStanceResult& s) {
  const auto& g = s.geometry;
  fmt::print(
      "{}: AH {:.1f}, AP {:.1f}, PT {:.1f} mm, beta {:.0f} deg; markers {:.1f} +- {:.1f} mm{}\n",
      s.stance.name, 1e3 * g.geometry.AH, 1e3 * g.geometry.AP, 1e3 * g.geometry.PT,
      g.geometry.beta * 180 / kPi, 1e3 * g.all.mean, 1e3 * g.all.sd,
      s.stance.toe_measured ? "" : " (no toe marker)");
  if (std::isfinite(s.stance.ball_height)) {
    fmt::print("  flat, its markers are {:.0f} (heel) and {:.0f} mm (ball) above the lab's zero\n",
               1e3 * s.stance.heel_height, 1e3 * s.stance.ball_height);
  }
  fmt::print("  {:<16}{:>8}{:>18}{:>9}{:>8}{:>8}{:>9}{:>9}  {}\n", "element", "J", "over seeds",
             "normal", "along", "point", "placebo", "unseen", "undetermined");
  for (const Foot2dTypeResult& r : s.types) {
    const auto [low, high] = std::minmax_element(r.of_seeds.begin(), r.of_seeds.end());
    const std::string spread =
        r.of_seeds.empty() ? "" : fmt::format("{:.4f} to {:.4f}", *low, *high);
    const double unseen = r.median_unseen();
    const auto part = [](int width, double J) { return cell(width, fmt::format("{:.4f}", J)); };
    const Foot2dObjective& J = r.fit.objective;
    fmt::print("  {:<16}{}{}{}{}{}{}{}  {} of {}{}\n", name_of(r.type.element), part(8, J.total()),
               cell(18, spread), part(9, J.normal), part(8, J.friction), part(8, J.cop),
               cell(9, r.placebo ? fmt::format("{:.3f}", r.placebo->total()) : ""),
               cell(9, std::isfinite(unseen) ? fmt::format("{:.2f}", unseen) : ""),
               r.intervals.undetermined_directions, r.intervals.parameters.size(),
               r.J_from.empty() ? "" : ", J from " + r.J_from);
    if (r.pipeline) {
      fmt::print("  {:<16}{:>8.4f}   {} evaluations, {:.1f} s{}\n", "  as the source",
                 r.pipeline->objective.total(), r.pipeline->evaluations, r.pipeline->seconds,
                 r.pipeline->converged ? "" : ", stopped before it ended");
    }
  }
  if (!s.copied.empty()) {
    fmt::print("  {:<16}{:>69.2f}\n", "copied", s.median_copied());
  }
  print_bounds(s);
  fmt::print("\n");
}

}  // namespace

void run_foot2d(const InputFile& file, Common& common) {
  keep_on_stop();
  Foot2dStudy study;
  {
    Progress progress("identify", common.quiet);
    Foot2dRun run;
    run.threads = common.threads;
    run.progress = [&](double part) { progress.update(part); };
    run.stop = [] { return stop_requested().load(); };
    study = run_foot2d_study(file, run);
  }
  const nlohmann::ordered_json json = make_foot2d_json(study);
  if (!common.out.empty()) {
    const std::filesystem::path folder(choose_results_folder(common, study.interrupted));
    save_text((folder / "identify.json").string(), json.dump(2) + "\n");
    save_text((folder / "stances.csv").string(), make_foot2d_csv(study));
    save_text((folder / "report.html").string(), make_foot2d_page(study, file.name()));
    if (!common.quiet) say("wrote {}: report.html, identify.json, stances.csv\n", folder.string());
  }
  if (common.json) {
    print_json(json);
  } else {
    if (!study.title.empty()) fmt::print("{}\n\n", study.title);
    fmt::print("weight {}\n\n", std::isfinite(study.weight)
                                    ? fmt::format("{:.0f} N", study.weight)
                                    : "not known: no whole stride lies on the plates");
    for (const Foot2dStanceResult& s : study.stances) print_foot2d_stance(s);
    for (const std::string& verdict : study.verdicts) fmt::print("  {}\n", verdict);
    for (const std::string& remark : study.remarks) fmt::print("  note: {}\n", remark);
  }
  if (!study.converged) common.status = kFailed;
  if (study.interrupted) tell_interruption(common);
}

}  // namespace vesica::app
