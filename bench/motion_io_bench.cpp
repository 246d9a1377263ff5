// How fast long recordings are read, checked and converted, and in how much memory. Files of
// VESICA_BENCH_MB megabytes (256 unless set; the 1 GB of the requirement is VESICA_BENCH_MB=1024)
// are made in the temporary folder and removed at the end.
//
// First the streaming readers: the peak of the resident memory is the counter rss_MB; since it is a
// peak over the whole process, the files are made by a child process that does not count. Then the
// tool itself as a user runs it (the `vesica` beside this program, or VESICA_TOOL), one process a
// row: seconds by the clock and of the processor, peak of memory, and that over the size of the
// file.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bench/long_recordings.h"
#include "vesica/io/c3d.h"
#include "vesica/io/sto.h"
#include "vesica/io/trc.h"

namespace {

std::size_t megabytes() {
  const char* text = std::getenv("VESICA_BENCH_MB");
  return text != nullptr ? static_cast<std::size_t>(std::atoll(text)) : 256;
}

std::string file_of(const char* extension) {
  return (std::filesystem::temp_directory_path() /
          ("vesica_bench_" + std::to_string(::getpid()) + extension))
      .string();
}

// Made by a child, so that its memory does not count in the parent's peak.
std::string make_file(const char* extension, void (*write)(const std::string&, std::size_t)) {
  const std::string path = file_of(extension);
  if (std::filesystem::exists(path)) return path;
  const pid_t child = ::fork();
  if (child == 0) {
    write(path, megabytes() << 20);
    std::_Exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return path;
}

void report(benchmark::State& state, const std::string& path) {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  state.counters["rss_MB"] = static_cast<double>(usage.ru_maxrss) / 1024.0;
  state.SetBytesProcessed(
      static_cast<std::int64_t>(state.iterations() * std::filesystem::file_size(path)));
}

void stream_c3d(benchmark::State& state) {
  const std::string path = make_file(".c3d", vesica::bench::write_long_c3d);
  for (auto _ : state) {
    std::ifstream stream(path, std::ios::binary);
    double sum = 0.0;
    vesica::C3dSink sink;
    sink.chunk = [&](const vesica::C3dChunk& chunk) {
      for (const vesica::C3dPoint& p : chunk.points) sum += p.residual < 0.0f ? 0.0f : p.z;
      for (double value : chunk.analog) sum += value;
    };
    vesica::stream_c3d(stream, path, sink);
    benchmark::DoNotOptimize(sum);
  }
  report(state, path);
}

void stream_trc(benchmark::State& state) {
  const std::string path = make_file(".trc", vesica::bench::write_long_trc);
  for (auto _ : state) {
    std::ifstream stream(path, std::ios::binary);
    double sum = 0.0;
    vesica::TrcSink sink;
    sink.frame = [&](const vesica::TrcFrame& frame) {
      for (const vesica::Vec3d& p : frame.positions) sum += p.z();
    };
    vesica::stream_trc(stream, path, sink);
    benchmark::DoNotOptimize(sum);
  }
  report(state, path);
}

void stream_mot(benchmark::State& state) {
  const std::string path = make_file(".mot", vesica::bench::write_long_mot);
  for (auto _ : state) {
    std::ifstream stream(path, std::ios::binary);
    double sum = 0.0;
    vesica::TableSink sink;
    sink.row = [&](double, std::span<const double> values) {
      for (double value : values) sum += value;
    };
    vesica::stream_sto(stream, path, sink);
    benchmark::DoNotOptimize(sum);
  }
  report(state, path);
}

BENCHMARK(stream_c3d)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(stream_trc)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(stream_mot)->Unit(benchmark::kMillisecond)->UseRealTime();

// --- the tool

struct ToolRun {
  const char* file;    // ending of what it reads
  const char* target;  // of --to; empty: a look at it
};
constexpr ToolRun kToolRuns[] = {{".c3d", ""},    {".c3d", "c3d"},        {".c3d", "trc"},
                                 {".c3d", "mot"}, {".c3d", "analog.csv"}, {".trc", ""},
                                 {".trc", "trc"}, {".trc", "csv"},        {".mot", ""},
                                 {".mot", "sto"}, {".mot", "csv"}};

struct Cost {
  double seconds = 0.0, processor = 0.0, peak_mb = 0.0;
  int status = -1;
};

Cost run_tool(const std::string& tool, const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  std::vector<std::string> words = {tool};
  words.insert(words.end(), arguments.begin(), arguments.end());
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::fflush(stdout);  // or the child has it too
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr) std::_Exit(126);
    ::execv(argv[0], argv.data());
    std::_Exit(127);
  }
  Cost cost;
  rusage usage{};
  int status = 0;
  ::wait4(child, &status, 0, &usage);
  cost.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto seconds_of = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  cost.processor = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  cost.peak_mb = static_cast<double>(usage.ru_maxrss) / 1024.0;
  cost.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return cost;
}

int measure_tool(const std::string& tool) {
  if (!std::filesystem::exists(tool)) {
    std::printf("\nno %s: the tool is not measured (VESICA_TOOL names another)\n", tool.c_str());
    return 0;
  }
  int failed = 0;
  std::printf("\n%-10s %-12s %10s %8s %11s %9s %12s\n", "vesica", "motion", "file MB", "s",
              "processor s", "peak MB", "peak / file");
  for (const ToolRun& run : kToolRuns) {
    const std::string path =
        make_file(run.file, run.file == std::string(".c3d")   ? vesica::bench::write_long_c3d
                            : run.file == std::string(".trc") ? vesica::bench::write_long_trc
                                                              : vesica::bench::write_long_mot);
    const std::string out = path + "_out";
    std::vector<std::string> arguments = {"motion", path};
    const bool converts = run.target[0] != '\0';
    if (converts) arguments.insert(arguments.end(), {"--to", run.target, "--out", out, "--quiet"});
    const Cost cost = run_tool(tool, arguments);
    const double size = static_cast<double>(std::filesystem::file_size(path)) / (1 << 20);
    std::printf("%-10s %-12s %10.0f %8.1f %11.1f %9.0f %12.2f%s\n", run.file + 1,
                converts ? run.target : "(check)", size, cost.seconds, cost.processor, cost.peak_mb,
                cost.peak_mb / size, cost.status == 0 ? "" : "  FAILED");
    std::fflush(stdout);
    failed += cost.status != 0;
    std::error_code ignored;
    std::filesystem::remove_all(out, ignored);
  }
  return failed;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  const char* named = std::getenv("VESICA_TOOL");
  const std::string tool =
      named != nullptr ? named
                       : (std::filesystem::absolute(argv[0]).parent_path() / "vesica").string();
  const int failed = measure_tool(tool);
  for (const char* extension : {".c3d", ".trc", ".mot"}) {
    std::error_code ignored;
    std::filesystem::remove(file_of(extension), ignored);
  }
  return failed == 0 ? 0 : 1;
}
