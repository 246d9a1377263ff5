#include "apps/vesica/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "apps/vesica/commands.h"
#include "vesica/io/output_file.h"

namespace vesica::app {
namespace {

std::atomic<bool> g_stop{false}, g_keeps{false};

extern "C" void on_signal(int) {
  if (g_keeps && !g_stop.exchange(true)) return;
  remove_aside_files();
  constexpr char kSaid[] = "interrupted\n";
  if (write(STDERR_FILENO, kSaid, sizeof kSaid - 1) < 0) _exit(kInterrupted);  // nobody listens
  _exit(kInterrupted);
}

}  // namespace

const std::atomic<bool>& stop_requested() { return g_stop; }

void handle_signals() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    // What runs in the background of a shell, or under nohup, was told not to listen.
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void keep_on_stop() { g_keeps = true; }

Progress::Progress(std::string label, bool quiet)
    : label_(std::move(label)),
      show_(!quiet && isatty(STDERR_FILENO)),
      start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::update(double fraction) {
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (!show_ || seconds < 1) return;
  shown_ = true;
  const double done = std::clamp(fraction, 0.0, 1.0);
  constexpr int kWidth = 30;
  const int filled = static_cast<int>(done * kWidth);
  const std::string bar =
      fmt::format("\r{} [{:#<{}}{:.<{}}] {:3.0f} %  {:.0f} s left \033[K", label_, "", filled, "",
                  kWidth - filled, done * 100, done > 0 ? seconds * (1 - done) / done : 0.0);
  std::fputs(bar.c_str(), stderr);  // a terminal that is gone is no reason to stop
  std::fflush(stderr);
}

}  // namespace vesica::app
