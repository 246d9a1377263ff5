// A progress bar with an estimate, on standard error, when the work takes more than a second and
// standard error is a terminal; and what Ctrl-C, SIGTERM and SIGHUP do.
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

// From now on a signal that asks to stop ends the program at once, with exit status 130: files are
// written aside, so none is left half-written. A reader that goes away and a limit of file size are
// errors of writing, no signals.
void handle_signals();

// For a command that has something to keep: from now on the first such signal only sets
// stop_requested(), which the command looks at within a second; the second one ends the program.
void keep_on_stop();
const std::atomic<bool>& stop_requested();

}  // namespace vesica::app
