// States to go on from, on disk: a line of JSON each, whose numbers read back as the same doubles.
// docs/formats/run.md.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "vesica/simulation/simulate.h"

namespace vesica {

std::string as_line(const Checkpoint& checkpoint);
Checkpoint parse_checkpoint(const std::string& line, const std::string& place);

// Ascending in time. A last line that is not whole (its program was killed) is left out. FileError
// where there is no such file, InputError where it is none of these.
std::vector<Checkpoint> load_checkpoints(const std::string& path);

// Adds to the file as the run goes. One that is not to stay is replaced by the next.
class CheckpointFile {
 public:
  explicit CheckpointFile(std::string path);
  ~CheckpointFile();
  CheckpointFile(const CheckpointFile&) = delete;
  CheckpointFile& operator=(const CheckpointFile&) = delete;

  void add(const Checkpoint& checkpoint, bool stays);
  void close();

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  std::FILE* file_ = nullptr;
  long end_ = 0;      // of those that stay [bytes]
  double last_ = -1;  // time of the last of them
};

}  // namespace vesica
