// How fast long recordings stream, and in how much memory. Files of VESICA_BENCH_MB megabytes (256
// unless set; the 1 GB of the requirement is VESICA_BENCH_MB=1024) are made in the temporary folder
// and removed at the end. The peak of the resident memory is printed as the counter rss_MB; since
// it is a peak over the whole process, the files are made by a child process that does not count.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

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

// 50 markers that walk, with the digits that a lab's export has.
void write_trc(const std::string& path, std::size_t bytes) {
  std::FILE* out = std::fopen(path.c_str(), "wb");
  std::fprintf(out,
               "PathFileType\t4\t(X/Y/Z)\tbench.trc\nDataRate\tCameraRate\tNumMarkers\tUnits\n"
               "100\t100\t50\tmm\nFrame#\tTime");
  for (int m = 1; m <= 50; ++m) std::fprintf(out, "\tM%d\t\t", m);
  std::fprintf(out, "\n\t");
  for (int m = 1; m <= 50; ++m) std::fprintf(out, "\tX%d\tY%d\tZ%d", m, m, m);
  std::fprintf(out, "\n\n");
  for (long frame = 1; static_cast<std::size_t>(std::ftell(out)) < bytes; ++frame) {
    std::fprintf(out, "%ld\t%.6f", frame, 0.01 * static_cast<double>(frame - 1));
    for (int m = 0; m < 50; ++m) {
      const double phase = 0.01 * static_cast<double>(frame) + m;
      std::fprintf(out, "\t%.4f\t%.4f\t%.4f", 800.0 * std::sin(phase),
                   30.0 * m + 20.0 * std::cos(phase), 200.0 * std::sin(2.0 * phase));
    }
    std::fputc('\n', out);
  }
  std::fclose(out);
}

void write_mot(const std::string& path, std::size_t bytes) {
  std::FILE* out = std::fopen(path.c_str(), "wb");
  std::fprintf(out, "bench\nversion=1\nendheader\ntime");
  for (int c = 0; c < 18; ++c) std::fprintf(out, "\tc%d", c);
  std::fprintf(out, "\n");
  for (long row = 0; static_cast<std::size_t>(std::ftell(out)) < bytes; ++row) {
    std::fprintf(out, "%.17g", 0.0005 * static_cast<double>(row));
    for (int c = 0; c < 18; ++c)
      std::fprintf(out, "\t%.16g", 300.0 * std::sin(0.001 * static_cast<double>(row) + c));
    std::fputc('\n', out);
  }
  std::fclose(out);
}

// 100 points and 12 channels of 10 samples, PC floats: 2,080 bytes a frame.
void write_c3d(const std::string& path, std::size_t bytes) {
  constexpr int kPoints = 100, kChannels = 12, kSamples = 10;
  constexpr std::size_t kWords = 4 * kPoints + kChannels * kSamples;
  const auto frames = static_cast<std::uint32_t>(bytes / (4 * kWords));
  std::string head(1024, '\0');
  const auto put16 = [&](std::size_t at, std::uint32_t v) {
    head[at] = static_cast<char>(v & 0xff);
    head[at + 1] = static_cast<char>(v >> 8 & 0xff);
  };
  const auto put_float = [&](std::size_t at, float v) { std::memcpy(&head[at], &v, 4); };
  head[0] = 2;
  head[1] = 0x50;
  put16(2, kPoints);
  put16(4, kChannels * kSamples);
  put16(6, 1);
  put16(8, 65535);
  put_float(12, -0.1f);
  put16(16, 3);
  put16(18, kSamples);
  put_float(20, 100.0f);
  head[512 + 2] = 1;
  head[512 + 3] = 84;
  // POINT with UNITS; TRIAL with the frame count beyond 16 bits.
  std::string section;
  const auto entry = [&](int group, const std::string& name, const std::string& data) {
    section += static_cast<char>(name.size());
    section += static_cast<char>(group);
    section += name;
    section += static_cast<char>(2 + data.size() + 1);
    section += '\0';
    section += data + '\0';
  };
  const auto field = [](std::uint32_t v) {
    return std::string("\x02\x01\x02", 3) + static_cast<char>(v & 0xff) +
           static_cast<char>(v >> 8 & 0xff) + static_cast<char>(v >> 16 & 0xff) +
           static_cast<char>(v >> 24 & 0xff);
  };
  entry(-1, "POINT", "");
  entry(1, "UNITS", std::string("\xff\x01\x02", 3) + "mm");
  entry(-2, "TRIAL", "");
  entry(2, "ACTUAL_START_FIELD", field(1));
  entry(2, "ACTUAL_END_FIELD", field(frames));
  std::memcpy(&head[512 + 4], section.data(), section.size());
  std::FILE* out = std::fopen(path.c_str(), "wb");
  std::fwrite(head.data(), 1, head.size(), out);
  std::vector<float> frame(kWords);
  for (std::uint32_t f = 0; f < frames; ++f) {
    for (std::size_t i = 0; i < kWords; ++i) frame[i] = static_cast<float>((f * 7 + i * 13) % 2000);
    for (std::size_t p = 0; p < kPoints; ++p) frame[4 * p + 3] = p % 17 == 0 ? -1.0f : 5.0f;
    std::fwrite(frame.data(), 4, kWords, out);
  }
  std::fclose(out);
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
  const std::string path = make_file(".c3d", write_c3d);
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
  const std::string path = make_file(".trc", write_trc);
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
  const std::string path = make_file(".mot", write_mot);
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

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  for (const char* extension : {".c3d", ".trc", ".mot"}) {
    std::error_code ignored;
    std::filesystem::remove(file_of(extension), ignored);
  }
  return 0;
}
