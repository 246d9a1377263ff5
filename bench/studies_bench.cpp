// studies_bench [speed] [overhead] [memory] [indices]: figures of `vesica study` (none: all).
//   speed     1,000 runs of 10 ms on 1 and 2 threads and under mpirun with 2 and 4 ranks
//   overhead  processor time (waiting does not count) beside the runs themselves, at 10 ms a run
//   memory    of the process while 100,000 runs go through it, and of bands over large curves
//   indices   of the Ishigami function against the closed form
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "vesica/io/csv.h"
#include "vesica/studies/answers.h"
#include "vesica/studies/runner.h"

namespace vesica::studies {
namespace {

namespace fs = std::filesystem;

std::string make_work(int runs, const char* seconds) {
  return fmt::format(
      "vesica: 1\nof: {{function: work, set: {{seconds: {}}}}}\ndesign: {{method: monte_carlo, "
      "runs: "
      "{}}}\nvary: {{x: {{low: 0, high: 1}}}}\noutputs: {{y: y}}\n",
      seconds, runs);
}

std::string read_text(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

double processor_seconds(int who) {
  rusage usage = {};
  getrusage(who, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double run_seconds(const fs::path& folder) {
  double sum = 0;
  for (const auto& row : load_csv_text((folder / "timing.csv").string()).rows)
    sum += std::stod(row[1]);
  return sum;
}

// Of this process, in MiB.
double resident_memory() {
  std::ifstream stream("/proc/self/statm");
  double size = 0, resident = 0;
  stream >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

struct Measured {
  double wall = 0, processor = 0;
  std::string table;
};

// As a user does: the tool beside this program.
Measured run_tool(const std::string& before, const std::string& arguments, const fs::path& folder) {
  const fs::path tool = fs::read_symlink("/proc/self/exe").parent_path() / "vesica";
  const std::string command = fmt::format("{} '{}' study {} --quiet --out '{}' </dev/null", before,
                                          tool.string(), arguments, folder.string());
  const double processor = processor_seconds(RUSAGE_CHILDREN);
  const auto begin = std::chrono::steady_clock::now();
  if (std::system(command.c_str()) != 0) fmt::print("  failed: {}\n", command);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  return {wall.count(), processor_seconds(RUSAGE_CHILDREN) - processor,
          read_text(folder / "table.csv")};
}

// Of so many tries the middle one.
constexpr int kTries = 3;

// What starting the tool takes that way, without a run worth the name: mpirun alone needs a while.
double measure_start(const fs::path& work, const char* name, const std::string& before,
                     const std::string& more) {
  std::vector<double> walls;
  for (int k = 0; k < kTries; ++k) {
    const fs::path study = work / "start.yaml";
    std::ofstream(study) << make_work(4, "0");
    walls.push_back(run_tool(before, fmt::format("'{}'{}", study.string(), more),
                             work / fmt::format("start {} {}", name, k))
                        .wall);
  }
  std::sort(walls.begin(), walls.end());
  return walls[kTries / 2];
}

void measure_speed(const fs::path& work) {
  const fs::path study = work / "speed.yaml";
  std::ofstream(study) << make_work(1000, "10 ms");
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  const auto cores = fmt::format("{}", sysconf(_SC_NPROCESSORS_ONLN));
  fmt::print("1,000 runs of 10 ms of processor time, {} cores; the middle of {} tries\n", cores,
             kTries);
  fmt::print("  {:<16}{:>10}{:>12}{:>10}{:>12}{:>16}{:>8}\n", "", "wall [s]", "start [s]",
             "busy [s]", "speed", "without start", "bytes");
  const std::string quoted = fmt::format("'{}'", study.string());
  double first_wall = 0, first_start = 0;
  std::string first_table;
  const auto show = [&](const char* name, const std::string& before, const std::string& more) {
    const double start = measure_start(work, name, before, more);
    std::vector<Measured> tries;
    bool same = true;
    for (int k = 0; k < kTries; ++k) {
      tries.push_back(run_tool(before, quoted + more, work / fmt::format("speed {} {}", name, k)));
      if (first_table.empty()) first_table = tries.back().table;
      same = same && tries.back().table == first_table;
    }
    std::sort(tries.begin(), tries.end(),
              [](const Measured& a, const Measured& b) { return a.wall < b.wall; });
    const Measured& m = tries[kTries / 2];
    if (first_wall == 0) {
      first_wall = m.wall;
      first_start = start;
    }
    fmt::print("  {:<16}{:>10.2f}{:>12.2f}{:>10.2f}{:>11.2f}x{:>15.2f}x{:>8}\n", name, m.wall,
               start, m.processor, first_wall / m.wall,
               (first_wall - first_start) / (m.wall - start), same ? "same" : "OTHER");
  };
  show("1 thread", "", " --threads 1");
  show("2 threads", "", " --threads 2");
  if (std::system("command -v mpirun >/dev/null 2>&1") != 0) return;
  show("mpirun -n 2", "mpirun --oversubscribe --bind-to none -n 2", "");
  show("mpirun -n 4", "mpirun --oversubscribe --bind-to none -n 4", "");
}

// Processor time, which others on the machine do not add to.
void measure_overhead(const fs::path& work) {
  const Study study = read_study(InputFile::parse(make_work(500, "10 ms"), "work.yaml"), {});
  RunnerOptions options;
  options.version = "bench";
  options.threads = 1;
  std::vector<double> shares;
  for (int k = 0; k < 3; ++k) {
    options.folder = (work / fmt::format("overhead{}", k)).string();
    const double begin = processor_seconds(RUSAGE_SELF);
    run_study(study, options);
    const double all = processor_seconds(RUSAGE_SELF) - begin, runs = run_seconds(options.folder);
    shares.push_back(all / runs - 1);
  }
  std::sort(shares.begin(), shares.end());
  fmt::print(
      "overhead at 10 ms a run: {:.2f} % of the runs' processor time (median of 3, {:.2f} to "
      "{:.2f}; waiting for the disk does not count)\n",
      100 * shares[1], 100 * shares[0], 100 * shares[2]);
}

void measure_memory(const fs::path& work) {
  const Study study = read_study(InputFile::parse(make_work(100000, "0"), "work.yaml"), {});
  RunnerOptions options;
  options.version = "bench";
  options.folder = (work / "memory").string();
  std::vector<std::pair<std::uint64_t, double>> seen;
  options.progress = [&](const StudyProgress& p) {
    seen.emplace_back(p.finished, resident_memory());
  };
  const auto begin = std::chrono::steady_clock::now();
  run_study(study, options);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  fmt::print("100,000 runs scheduled in {:.1f} s; resident memory:", wall.count());
  std::uint64_t next = 0;
  for (const auto& [finished, memory] : seen) {
    if (finished < next && finished < 100000) continue;
    fmt::print(" {:.1f} MiB after {},", memory, finished);
    next = finished + 20000;
  }
  fmt::print(" {:.1f} MiB with the table written,", resident_memory());
  const ResultTable table = load_results(study, options.folder);
  calc_answers(study, options.folder, table);
  fmt::print(" {:.1f} MiB with its answers\n", resident_memory());
}

// The page of a study with large curves: 20,000 runs of 1,001 values, as a file of a study has
// them.
void measure_curves(const fs::path& work) {
  constexpr int kRuns = 20000, kPoints = 1001;
  Study study = read_study(InputFile::parse(make_work(kRuns, "0"), "work.yaml"), {});
  Reading curve;
  curve.name = "c";
  for (int k = 0; k < kPoints; ++k) curve.times.push_back(1e-3 * k);
  study.curves = {curve};
  ResultTable table;
  table.outputs.resize(1);
  {
    std::ofstream file(work / "curve_c.csv");
    file << "run";
    for (int k = 0; k < kPoints; ++k) file << fmt::format(",{} s", 1e-3 * k);
    for (int r = 0; r < kRuns; ++r) {
      file << fmt::format("\n{}", r);
      for (int k = 0; k < kPoints; ++k) file << fmt::format(",{}", std::sin(r + 1e-3 * k));
      table.runs.push_back(static_cast<std::uint64_t>(r));
      table.status.push_back(0);
      table.outputs[0].push_back(r);
    }
    file << "\n";
  }
  const auto most = [] {
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
  };
  const double before = most();
  const auto begin = std::chrono::steady_clock::now();
  calc_answers(study, work.string(), table);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  fmt::print("bands of {} curves of {} values: {:.0f} MiB more than before at the most, {:.1f} s\n",
             kRuns, kPoints, most() - before, wall.count());
}

void measure_indices() {
  const double a = 7, b = 0.1, p4 = std::pow(M_PI, 4), p8 = p4 * p4;
  const double V1 = 0.5 * std::pow(1 + b * p4 / 5, 2), V2 = a * a / 8;
  const double V13 = b * b * p8 * (1.0 / 18 - 1.0 / 50), V = V1 + V2 + V13;
  const double first[3] = {V1 / V, V2 / V, 0}, total[3] = {(V1 + V13) / V, V2 / V, V13 / V};
  fmt::print("Sobol indices of the Ishigami function: largest error of six, intervals that hold\n");
  for (const int samples : {512, 2048, 8192}) {
    const Study study = read_study(
        InputFile::parse(
            fmt::format("vesica: 1\nof: {{function: ishigami}}\ndesign: {{method: sobol_indices, "
                        "samples: {}}}\nvary:\n  x1: {{low: {}, high: {}}}\n  x2: {{low: {}, high: "
                        "{}}}\n  x3: {{low: {}, high: {}}}\noutputs: {{y: y}}\n",
                        samples, -M_PI, M_PI, -M_PI, M_PI, -M_PI, M_PI),
            "ishigami.yaml"),
        {});
    ResultTable table;
    table.outputs.resize(1);
    for (const RunRow& row : run_in_memory(study, 0, nullptr)) {
      table.runs.push_back(row.run);
      table.status.push_back(static_cast<int>(row.status));
      table.outputs[0].push_back(std::stod(row.cells[0]));
    }
    const Answers answers = calc_answers(study, "", table);
    double worst = 0, width = 0;
    int held = 0;
    for (size_t k = 0; k < 3; ++k) {
      const Effect& e = answers.outputs[0].effects[k];
      for (const auto& [found, known] : {std::pair{*e.first, first[k]}, {*e.total, total[k]}}) {
        worst = std::max(worst, std::abs(found.value - known));
        width = std::max(width, found.high - found.low);
        held += found.low <= known && known <= found.high;
      }
    }
    fmt::print("  {:>6} samples: {:.4f}, {} of 6, widest {:.3f}\n", samples, worst, held, width);
  }
}

}  // namespace
}  // namespace vesica::studies

int main(int argc, char** argv) {
  using namespace vesica::studies;
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto wants = [&](const char* word) {
    return words.empty() || std::find(words.begin(), words.end(), word) != words.end();
  };
  std::string pattern = (std::filesystem::temp_directory_path() / "studies_bench_XXXXXX").string();
  const std::filesystem::path work = mkdtemp(pattern.data());
  if (wants("speed")) measure_speed(work);
  if (wants("overhead")) measure_overhead(work);
  if (wants("memory")) measure_memory(work);
  if (wants("memory")) measure_curves(work);
  if (wants("indices")) measure_indices();
  std::filesystem::remove_all(work);
  return 0;
}
