// Runs the command line tool as a user does, in a folder of its own.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace vesica::test {

struct Outcome {
  int status = -1;
  std::string out, err;
  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

// A fresh folder that goes away with the object.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  const std::string& folder() const { return folder_; }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  // Writes the file and returns its path.
  std::string write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;
  std::vector<std::string> files() const;

  // vesica ARGS, with this folder as the working folder.
  Outcome run(const std::string& arguments) const;

 private:
  std::string folder_;
};

// "vesica WORD WORD ...", for a shell.
std::string tool_command(const std::vector<std::string>& words);

// A command beside the test, in the workspace, in a process group of its own, so that a kill
// reaches all of it. What it prints is appended to `.group`.
class Child {
 public:
  Child(const Workspace& work, const std::string& command);
  ~Child();  // kills it
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int pid() const { return pid_; }
  // Its exit status; minus the signal that killed it.
  int wait();
  bool has_ended() const;
  // Until the file is there; false where the command ends without it.
  bool wait_for(const std::string& path) const;
  int end_with(int signal);  // to the process alone
  void end();                // kills the group

 private:
  int pid_;
};

// A thigh that swings about a hip: what `functional_hip` fits.
std::string make_hip_trc();

// A case for `vesica probe` as text; every part can be replaced.
struct CaseText {
  std::string shape_i = "{type: ellipsoid, radii: [35.4 mm, 54 mm, 22.6 mm]}";
  std::string pose_i = "{position: [0, 0, 18 mm], axis: [0, 1, 0], angle: -12 deg}";
  std::string velocity_i = "{linear: [0.15, 0, -0.1], angular: [0, 3, 0.5]}";
  std::string shape_j = "{type: half_space}";
  std::string normal = "{law: volumetric, stiffness: 1.6e7, damping: 0.565}";
  std::string friction = "{law: brown_mcphee, mu_s: 0.9, mu_d: 0.7, v_t: 0.05}";
  std::string more;  // further keys of `contact`, indented by two

  std::string text() const;
};

}  // namespace vesica::test
