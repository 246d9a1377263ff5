#include "vesica/simulation/recording.h"

#include <fmt/format.h>

#include <cstring>

#include "vesica/simulation/simulate.h"

namespace vesica {

namespace {

std::uint64_t add_to_hash(std::uint64_t h, double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  for (int k = 0; k < 8; ++k) {
    h = (h ^ (bits & 0xff)) * 1099511628211ull;
    bits >>= 8;
  }
  return h;
}

}  // namespace

void RecordingHash::add(double t, const double* values, size_t count) {
  hash_ = add_to_hash(hash_, t);
  for (size_t k = 0; k < count; ++k) hash_ = add_to_hash(hash_, values[k]);
}

std::string RecordingHash::text() const { return fmt::format("{:016x}", hash_); }

std::string calc_hash(const TimeTable& recording) {
  RecordingHash hash;
  const size_t width = recording.columns.size();
  for (size_t r = 0; r < recording.rows(); ++r) {
    hash.add(recording.times[r], recording.values.data() + r * width, width);
  }
  return hash.text();
}

TimeTable make_recording(const System<double>& system) {
  TimeTable recording;
  recording.name = "vesica";
  auto& columns = recording.columns;
  auto add = [&](const std::string& prefix, std::initializer_list<const char*> parts,
                 const char* unit) {
    for (const char* part : parts) columns.push_back({prefix + part, unit});
  };
  for (const auto& body : system.scene().bodies) {
    if (!body.is_free) continue;
    add(body.name + ".position.", {"x", "y", "z"}, "m");
    add(body.name + ".quaternion.", {"w", "x", "y", "z"}, "1");
    add(body.name + ".velocity.", {"x", "y", "z"}, "m/s");
    add(body.name + ".spin.", {"x", "y", "z"}, "rad/s");
  }
  for (size_t b = 0; b < system.scene().bodies.size(); ++b) {
    const auto& link = system.scene().tree.bodies()[b];
    if (link.nu == 0) continue;
    if (quaternion_place(link.joint.type) >= 0) continue;  // the body's pose says it all
    const std::string prefix = system.scene().bodies[b].name + ".joint.";
    for (const JointSpeed& speed : speeds_of(link.joint.type)) {
      columns.push_back({fmt::format("{}{}", prefix, speed.name), speed.turns ? "rad" : "m"});
    }
    for (const JointSpeed& speed : speeds_of(link.joint.type)) {
      columns.push_back({fmt::format("{}{}", prefix, speed.rate), speed.turns ? "rad/s" : "m/s"});
    }
  }
  for (const auto& contact : system.scene().contacts) {
    add(contact.name + ".", {"distance"}, "m");
    add(contact.name + ".", {"volume"}, "m^3");
    add(contact.name + ".", {"normal_force"}, "N");
    add(contact.name + ".force.", {"x", "y", "z"}, "N");
    add(contact.name + ".moment.", {"x", "y", "z"}, "N m");
    add(contact.name + ".pressure_center.", {"x", "y", "z"}, "m");
    add(contact.name + ".slip", {""}, "m/s");
    if (contact.parts) {
      add(contact.name + ".", {"pairs"}, "1");
      continue;
    }
    for (const std::string& state : contact_state_names(contact.contact)) {
      columns.push_back({fmt::format("{}.{}", contact.name, state), state == "s_dw" ? "1" : "m"});
    }
  }
  for (const auto& line : system.scene().lines) {
    add(line.name + ".", {"length"}, "m");
    if (is_ligament(line)) add(line.name + ".", {"strain"}, "1");
    add(line.name + ".", {"force"}, "N");
  }
  for (const auto& measure : system.scene().measures) {
    for (size_t k = 0; k < kGroodSuntayNames.size(); ++k) {
      add(measure.name + ".", {kGroodSuntayNames[k]}, k < 3 ? "rad" : "m");
    }
  }
  add("energy.", {"kinetic", "gravity", "contact", "springs", "stored"}, "J");
  if (system.layout().ledger) {
    add("dissipated.", {"normal", "rolling", "sliding", "spinning", "springs"}, "J");
    add("work.", {"prescribed", "forces", "stored"}, "J");
    add("dissipated.", {"joint_damping", "joint_friction"}, "J");
    add("work.", {"motors"}, "J");
    add("energy.", {"residual"}, "J");
  }
  return recording;
}

std::vector<std::string> make_state_names(const System<double>& system) {
  std::vector<std::string> positions, speeds;
  for (size_t b = 0; b < system.scene().bodies.size(); ++b) {
    const auto& link = system.scene().tree.bodies()[b];
    if (link.nu == 0) continue;
    const std::string& body = system.scene().bodies[b].name;
    const std::string prefix = system.scene().bodies[b].has_joint ? body + ".joint" : body;
    const std::span<const JointSpeed> moves = speeds_of(link.joint.type);
    const int place = quaternion_place(link.joint.type);
    for (const JointSpeed& speed : place < 0 ? moves : moves.first(static_cast<size_t>(place))) {
      positions.push_back(fmt::format("{}.{}", prefix, speed.name));
    }
    if (place >= 0) {
      for (const char* part : {"w", "x", "y", "z"}) {
        positions.push_back(fmt::format("{}.quaternion.{}", prefix, part));
      }
    }
    for (const JointSpeed& speed : moves) {
      speeds.push_back(fmt::format("{}.{}", prefix, speed.rate));
    }
  }
  positions.insert(positions.end(), speeds.begin(), speeds.end());
  return positions;
}

}  // namespace vesica
