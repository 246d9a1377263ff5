#include "apps/vesica/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

namespace vesica::app {
namespace {

std::atomic<bool> g_stop{false};

extern "C" void on_signal(int signal) {
  if (g_stop.exchange(true)) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

const std::atomic<bool>& stop_requested() { return g_stop; }

void catch_stop_signals() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

Progress::Progress(std::string label, bool quiet)
    : label_(std::move(label)),
      show_(!quiet && isatty(STDERR_FILENO)),
      start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

void Progress::update(double fraction) {
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (!show_ || seconds < 1) return;
  shown_ = true;
  const double done = std::clamp(fraction, 0.0, 1.0);
  constexpr int kWidth = 30;
  const int filled = static_cast<int>(done * kWidth);
  fmt::print(stderr, "\r{} [{:#<{}}{:.<{}}] {:3.0f} %  {:.0f} s left \033[K", label_, "", filled,
             "", kWidth - filled, done * 100, done > 0 ? seconds * (1 - done) / done : 0.0);
  std::fflush(stderr);
}

}  // namespace vesica::app
