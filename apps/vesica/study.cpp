#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/vesica/build_id.h"
#include "apps/vesica/commands.h"
#include "apps/vesica/progress.h"
#include "apps/vesica/scene_files.h"
#include "vesica/io/file_error.h"
#include "vesica/io/output_file.h"
#include "vesica/report/run_writer.h"
#include "vesica/report/study_page.h"
#include "vesica/studies/runner.h"

namespace vesica::app {
namespace {

namespace fs = std::filesystem;
using studies::Status;

struct StudyArguments {
  std::string study;
  bool status = false, retry = false, leave = false;
};

// The folder of one run, as `vesica simulate` leaves it.
class FolderKeeper final : public studies::RunKeeper {
 public:
  FolderKeeper(const std::string& folder, const System<double>& system, const RunOptions& options,
               const InputFile& scene)
      : writer_({folder, {"csv"}}, system, options, scene) {}
  RunObserver* observer() override { return &writer_; }
  void finish(const RunResult& result) override { writer_.finish(result); }

 private:
  RunWriter writer_;
};

std::unique_ptr<studies::RunKeeper> make_keeper(const std::string& folder,
                                                const System<double>& system,
                                                const RunOptions& options, const InputFile& scene) {
  return std::make_unique<FolderKeeper>(folder, system, options, scene);
}

std::string format_duration(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return seconds < 360000 ? fmt::format("{:.1f} h", seconds / 3600)
                          : fmt::format("{:.1f} days", seconds / 86400);
}

// On standard error where that is a terminal, over all workers.
class StudyBar {
 public:
  explicit StudyBar(bool show) : show_(show && isatty(STDERR_FILENO) != 0) {}
  ~StudyBar() {
    if (shown_) say("\r\033[K");
  }
  void update(const studies::StudyProgress& p) {
    if (!show_) return;
    shown_ = true;
    const double done = static_cast<double>(p.finished) / static_cast<double>(p.runs);
    constexpr int kWidth = 24;
    const int filled = static_cast<int>(done * kWidth);
    say("\rstudy [{:#<{}}{:.<{}}] {} of {} runs{}{}{} \033[K", "", filled, "", kWidth - filled,
        p.finished, p.runs, p.not_done > 0 ? fmt::format(", {} not done", p.not_done) : "",
        p.workers > 1 ? fmt::format(", {} workers", p.workers) : "",
        p.seconds_left >= 0 ? fmt::format(", {} left", format_duration(p.seconds_left)) : "");
  }

 private:
  bool show_, shown_ = false;
};

std::string choose_study_folder(const StudyArguments& arguments, const Common& common) {
  return common.out.empty() ? choose_out_folder(arguments.study) : common.out;
}

nlohmann::ordered_json make_outcome_json(const studies::Study& study, const std::string& folder,
                                         const studies::StudyOutcome& outcome) {
  nlohmann::ordered_json json = {{"study", study.file.name()},   {"folder", folder},
                                 {"runs", study.runs()},         {"complete", outcome.complete},
                                 {"executed", outcome.executed}, {"rows", outcome.counts.rows}};
  for (size_t s = 0; s < outcome.counts.of_status.size(); ++s) {
    json[std::string(name_of(static_cast<Status>(s)))] = outcome.counts.of_status[s];
  }
  json["table"] = (fs::path(folder) / "table.csv").string();
  return json;
}

void print_outcome(const studies::Study& study, const std::string& folder,
                   const studies::StudyOutcome& outcome) {
  if (!study.title.empty()) fmt::print("{}\n\n", study.title);
  if (outcome.counts.rows == 0) {
    fmt::print("  {} of {} runs are finished, {} of them by this process; {}\n", outcome.finished,
               study.runs(), outcome.executed,
               outcome.interrupted ? "the same command goes on" : "others still work on it");
    return;
  }
  const auto& of = outcome.counts.of_status;
  fmt::print("  {} of {} runs are finished: {} done", outcome.counts.rows, study.runs(), of[0]);
  for (const Status s : {Status::kFailed, Status::kNotConverged, Status::kTimedOut}) {
    const auto count = of[static_cast<size_t>(s)];
    if (count > 0) fmt::print(", {} {}", count, name_of(s));
  }
  fmt::print("\n  {} of them by this process\n", outcome.executed);
  if (outcome.counts.torn > 0) {
    fmt::print("  {} lines of journals were torn and did not count\n", outcome.counts.torn);
  }
  fmt::print("  the table is {0}/table.csv; look at it: {0}/report.html\n", folder);
  if (!outcome.complete) fmt::print("  the same command goes on\n");
}

std::string say_interval(const studies::Interval& i) {
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", i.value, i.low, i.high);
}

void print_answers(const studies::Answers& answers) {
  fmt::print("\n  {:<24}{:>8}{:>12}{:>12}{:>12}{:>12}{:>12}\n", "output", "runs", "mean", "sd",
             "5 %", "median", "95 %");
  for (const auto& o : answers.outputs) {
    // One run has no scatter.
    const std::string sd = std::isfinite(o.sd) ? fmt::format("{:.3g}", o.sd) : "-";
    fmt::print("  {:<24}{:>8}{:>12.5g}{:>12}{:>12.5g}{:>12.5g}{:>12.5g}\n",
               o.unit.empty() ? o.name : fmt::format("{} [{}]", o.name, o.unit), o.count, o.mean,
               sd, o.percentiles[0], o.percentiles[2], o.percentiles[4]);
  }
  for (const auto& o : answers.outputs) {
    for (const auto& e : o.effects) {
      if (e.first) {
        fmt::print("  {} by {}: first order {}, total {}\n", o.name, e.factor,
                   say_interval(*e.first), say_interval(*e.total));
      }
      if (e.mu_star) {
        fmt::print("  {} by {}: moves it by {:.4g} ({:.4g} to {:.4g}), scatter {:.3g}\n", o.name,
                   e.factor, e.mu_star->value, e.mu_star->low, e.mu_star->high, e.sigma);
      }
    }
  }
  for (const auto& note : answers.notes) fmt::print("  note: {}\n", note);
}

void print_status(const studies::Study& study, const std::string& folder, const Common& common) {
  if (!fs::is_directory(folder)) {
    throw FileError(fmt::format(
        "--status: there is no folder {}: the study has not run, or has run with another --out",
        folder));
  }
  const auto p = studies::look_at_folder(study, folder);
  if (common.json) {
    print_json({{"folder", folder},
                {"runs", p.runs},
                {"finished", p.finished},
                {"not_done", p.not_done},
                {"workers", p.workers}});
    return;
  }
  fmt::print("{}: {} of {} runs are finished, {} of them not done; {} workers are alive\n", folder,
             p.finished, p.runs, p.not_done, p.workers);
}

void run_study_command(const StudyArguments& arguments, Common& common) {
  const std::string folder = choose_study_folder(arguments, common);
  const std::unique_ptr<studies::MpiSession> mpi = arguments.status ? nullptr : studies::join_mpi();
  const bool is_first = mpi == nullptr || mpi->rank() == 0;
  studies::LoadOptions load;
  load.find_input = [](const std::string& name) { return find_input(name); };
  std::optional<studies::Study> loaded;
  try {
    loaded = studies::load_study(find_input(arguments.study), load);
  } catch (const std::exception& error) {
    // Where every rank finds the same, the first says it.
    if (mpi == nullptr || studies::leave_study(*mpi, error.what())) throw;
    return;
  }
  const studies::Study& study = *loaded;
  if (arguments.status) return print_status(study, folder, common);

  keep_on_stop();
  studies::RunnerOptions options;
  options.folder = folder;
  options.version = make_version();
  options.threads = common.threads;
  options.retries = arguments.retry;
  options.waits = !arguments.leave;
  options.stop = &stop_requested();
  options.make_keeper = make_keeper;
  options.mpi = mpi.get();
  studies::StudyOutcome outcome;
  {
    StudyBar bar(is_first && !common.quiet && !common.json);
    options.progress = [&](const studies::StudyProgress& p) { bar.update(p); };
    outcome = studies::run_study(study, options);
  }
  if (!is_first) return;
  std::optional<studies::Answers> answers;
  if (outcome.counts.rows > 0) {
    const studies::ResultTable table = studies::load_results(study, folder);
    answers = studies::calc_answers(study, folder, table);
    save_text((fs::path(folder) / "answers.json").string(),
              studies::make_answers_json(study, *answers).dump(2) + "\n");
    save_text((fs::path(folder) / "report.html").string(), make_study_page(study, table, *answers));
  }
  if (common.json) {
    auto json = make_outcome_json(study, folder, outcome);
    if (answers) json["answers"] = studies::make_answers_json(study, *answers);
    print_json(json);
  } else if (!common.quiet) {
    print_outcome(study, folder, outcome);
    if (answers) print_answers(*answers);
  }
  if (outcome.interrupted) {
    common.status = kInterrupted;
  } else if (outcome.complete && outcome.counts.of_status[0] == 0) {
    say("error: none of the runs is done; the table says why\n");
    common.status = kFailed;
  }
}

}  // namespace

void add_study(CommandLine& line, Common& common) {
  Command command = add_command(line, common, "study",
                                "Many runs of one input: designs, all cores, MPI or a job array");
  add_out(command, common);
  add_threads(command, common);
  auto arguments = std::make_shared<StudyArguments>();
  command.option("STUDY", &arguments->study, "a YAML study, or the name of one from `vesica list`")
      .type_name("")
      .required();
  command.flag("--status", &arguments->status, "say how far it is, and run nothing");
  command.flag("--retry", &arguments->retry,
               "run what failed, timed out or did not converge once more");
  command.flag("--leave", &arguments->leave,
               "end when nothing is left to take, though other workers still run");
  command.run([&common, arguments, command] {
    if (arguments->status) {
      command.refuse_others("--status", {"STUDY", "--out", "--json"},
                            "--status runs nothing; leave it out");
    }
    run_study_command(*arguments, common);
  });
}

}  // namespace vesica::app
