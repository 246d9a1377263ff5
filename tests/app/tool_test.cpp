#include "tests/app/tool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace vesica::test {
namespace fs = std::filesystem;

namespace {
std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}
}  // namespace

Workspace::Workspace() {
  std::string pattern = (fs::temp_directory_path() / "vesica_test_XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
}
Workspace::~Workspace() {
  std::error_code code;
  fs::remove_all(folder_, code);
}

std::string Workspace::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name), std::ios::binary) << text;
  return path(name);
}
std::string Workspace::read(const std::string& name) const { return read_file(path(name)); }

std::vector<std::string> Workspace::files() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    const std::string name = fs::relative(entry.path(), folder_).string();
    if (!name.starts_with(".")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Outcome Workspace::run(const std::string& arguments) const {
  const std::string command =
      fmt::format("cd '{}' && '{}' {} >.out 2>.err </dev/null", folder_, VESICA_TOOL, arguments);
  const int status = std::system(command.c_str());
  Outcome outcome;
  // A signal is a crash, never an exit status.
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  outcome.out = read(".out");
  outcome.err = read(".err");
  return outcome;
}

std::string tool_command(const std::vector<std::string>& words) {
  std::string command = fmt::format("'{}'", VESICA_TOOL);
  for (const std::string& word : words) command += fmt::format(" '{}'", word);
  return command;
}

Child::Child(const Workspace& work, const std::string& command) : pid_(fork()) {
  if (pid_ != 0) return;
  setpgid(0, 0);
  std::signal(SIGINT, SIG_DFL);
  const int out = open(work.path(".group").c_str(), O_CREAT | O_APPEND | O_WRONLY, 0644);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  if (chdir(work.folder().c_str()) != 0) _exit(126);
  execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(), nullptr);
  _exit(127);
}

Child::~Child() {
  if (pid_ > 0) end();
}

int Child::wait() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

bool Child::has_ended() const {
  siginfo_t info = {};
  waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  return info.si_pid != 0;
}

bool Child::wait_for(const std::string& path) const {
  while (!fs::exists(path)) {
    if (has_ended()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

int Child::end_with(int signal) {
  kill(pid_, signal);
  return wait();
}

void Child::end() {
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
  wait();
}

std::string make_hip_trc() {
  std::string trc =
      "PathFileType\t4\t(X/Y/Z)\th.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\t"
      "OrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n100\t100\t20\t7\tmm\t100\t1\t20\n"
      "Frame#\tTime\tRASIS\t\t\tLASIS\t\t\tRPSIS\t\t\tLPSIS\t\t\tRTHI1\t\t\tRTHI2\t\t\tRTHI3"
      "\n\t\tX1\tY1\tZ1\n\n";
  const double thigh[3][2] = {{30, -200}, {0, -300}, {-40, -350}};
  for (int frame = 0; frame < 20; ++frame) {
    const double c = std::cos(0.1 * frame), s = std::sin(0.1 * frame);
    trc += fmt::format("{}\t{:.2f}\t0\t120\t0\t0\t-120\t0\t-150\t50\t0\t-150\t-50\t0", frame + 1,
                       0.01 * frame);
    for (const auto& [x, z] : thigh) {
      trc += fmt::format("\t{:.4f}\t{:.4f}\t{:.4f}", x * c + z * s, 80 + 5 * s, z * c - x * s);
    }
    trc += "\n";
  }
  return trc;
}

std::string CaseText::text() const {
  return fmt::format(
      "vesica: 1\n"
      "bodies:\n"
      "  i:\n"
      "    shape: {}\n"
      "    pose: {}\n"
      "    velocity: {}\n"
      "  j:\n"
      "    shape: {}\n"
      "contact:\n"
      "  normal: {}\n"
      "  friction: {}\n"
      "{}",
      shape_i, pose_i, velocity_i, shape_j, normal, friction, more);
}

}  // namespace vesica::test
