#include "vesica/simulation/checkpoint_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "vesica/io/file_error.h"
#include "vesica/io/text_input.h"

namespace vesica {

std::string as_line(const Checkpoint& checkpoint) {
  nlohmann::ordered_json json;
  json["time"] = checkpoint.state.t;
  // Infinite where a run is about to fail; JSON has no word for that.
  json["largest_energy"] = std::isfinite(checkpoint.largest_energy) ? checkpoint.largest_energy : 0;
  json["cut"] = checkpoint.cut;
  json["y"] = checkpoint.state.y;
  auto& memory = json["memory"] = nlohmann::ordered_json::array();
  for (const SlotMemory<double>& slot : checkpoint.state.memory) {
    memory.push_back({slot.contact.impact_speed, slot.contact.captured, slot.pair, slot.touching});
  }
  return json.dump();
}

Checkpoint parse_checkpoint(const std::string& line, const std::string& place) {
  Checkpoint checkpoint;
  try {
    const auto json = nlohmann::json::parse(line);
    checkpoint.state.t = json.at("time");
    checkpoint.largest_energy = json.at("largest_energy");
    checkpoint.cut = json.at("cut");
    json.at("y").get_to(checkpoint.state.y);
    for (const auto& slot : json.at("memory")) {
      checkpoint.state.memory.push_back(
          {{slot.at(0).get<double>(), slot.at(1).get<bool>()}, slot.at(2), slot.at(3)});
    }
  } catch (const nlohmann::json::exception&) {
    throw InputError(place + ": expected a state, as vesica simulate leaves it");
  }
  return checkpoint;
}

std::vector<Checkpoint> load_checkpoints(const std::string& path) {
  std::ifstream stream = open_input(path);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  std::vector<Checkpoint> checkpoints;
  size_t begin = 0, line = 1;
  for (size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    checkpoints.push_back(
        parse_checkpoint(text.substr(begin, end - begin), fmt::format("{}:{}", path, line++)));
  }
  return checkpoints;
}

CheckpointFile::CheckpointFile(std::string path) : path_(std::move(path)) {
  file_ = std::fopen(path_.c_str(), "wb");
  if (file_ == nullptr) fail();
}

CheckpointFile::~CheckpointFile() {
  if (file_ != nullptr) std::fclose(file_);
}

void CheckpointFile::add(const Checkpoint& checkpoint, bool stays) {
  if (checkpoint.state.t <= last_) return;
  const std::string line = as_line(checkpoint) + "\n";
  errno = 0;
  if (std::fseek(file_, end_, SEEK_SET) != 0 || ftruncate(fileno(file_), end_) != 0 ||
      std::fwrite(line.data(), 1, line.size(), file_) != line.size() || std::fflush(file_) != 0) {
    fail();
  }
  if (!stays) return;
  end_ += static_cast<long>(line.size());
  last_ = checkpoint.state.t;
}

void CheckpointFile::close() {
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
}

void CheckpointFile::fail() const {
  throw FileError(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
}

}  // namespace vesica
