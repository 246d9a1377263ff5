// A progress bar with an estimate, on standard error, when the work takes more than a second and
// standard error is a terminal; and stopping by Ctrl-C or SIGTERM without losing what was done.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

namespace vesica::app {

class Progress {
 public:
  Progress(std::string label, bool quiet);
  ~Progress();
  void update(double fraction);

 private:
  std::string label_;
  bool show_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_;
};

// Set once SIGINT or SIGTERM has come; a second one ends the program at once.
const std::atomic<bool>& stop_requested();
void catch_stop_signals();

}  // namespace vesica::app
