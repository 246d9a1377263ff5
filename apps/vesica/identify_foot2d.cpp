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

void print_foot2d_stance(const Foot2dStanceResult& s) {
  const auto& g = s.geometry;
  fmt::print(
      "{}: AH {:.1f}, AP {:.1f}, PT {:.1f} mm, beta {:.0f} deg; markers {:.1f} +- {:.1f} mm{}\n",
      s.stance.name, 1e3 * g.geometry.AH, 1e3 * g.geometry.AP, 1e3 * g.geometry.PT,
      g.geometry.beta * 180 / kPi, 1e3 * g.all.mean, 1e3 * g.all.sd,
      s.stance.toe_measured ? "" : " (no toe marker)");
  fmt::print("  {:<16}{:>8}{:>18}{:>9}{:>8}{:>8}{:>9}{:>9}  {}\n", "element", "J", "over seeds",
             "normal", "along", "point", "placebo", "unseen", "undetermined");
  for (const Foot2dTypeResult& r : s.types) {
    const auto [low, high] = std::minmax_element(r.of_seeds.begin(), r.of_seeds.end());
    const std::string spread =
        r.of_seeds.empty() ? "" : fmt::format("{:.4f} to {:.4f}", *low, *high);
    const double unseen = r.median_unseen();
    fmt::print("  {:<16}{:>8.4f}{:>18}{:>9.4f}{:>8.4f}{:>8.4f}{:>9.3f}{:>9}  {} of {}\n",
               name_of(r.type.element), r.fit.objective.total(), spread, r.fit.objective.normal,
               r.fit.objective.friction, r.fit.objective.cop, r.placebo.total(),
               std::isfinite(unseen) ? fmt::format("{:.2f}", unseen) : "",
               r.intervals.undetermined_directions, r.intervals.parameters.size());
    if (r.pipeline) {
      fmt::print("  {:<16}{:>8.4f}   {} evaluations, {:.1f} s{}\n", "  as the source",
                 r.pipeline->objective.total(), r.pipeline->evaluations, r.pipeline->seconds,
                 r.pipeline->converged ? "" : ", stopped before it ended");
    }
  }
  if (!s.copied.empty()) {
    fmt::print("  {:<16}{:>69.2f}\n", "copied", s.median_copied());
  }
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
    const std::filesystem::path folder(common.out);
    save_text((folder / "identify.json").string(), json.dump(2) + "\n");
    save_text((folder / "stances.csv").string(), make_foot2d_csv(study));
    save_text((folder / "report.html").string(), make_foot2d_page(study, file.name()));
    if (!common.quiet) say("wrote {}: report.html, identify.json, stances.csv\n", common.out);
  }
  if (common.json) {
    print_json(json);
  } else {
    if (!study.title.empty()) fmt::print("{}\n\n", study.title);
    for (const Foot2dStanceResult& s : study.stances) print_foot2d_stance(s);
    for (const std::string& verdict : study.verdicts) fmt::print("  {}\n", verdict);
    for (const std::string& remark : study.remarks) fmt::print("  note: {}\n", remark);
  }
  if (!study.converged) common.status = kFailed;
  if (study.interrupted) tell_interruption(common);
}

}  // namespace vesica::app
