#include "vesica/simulation/recording.h"

#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "vesica/error.h"

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

std::string calc_hash(const TimeTable& recording) {
  std::uint64_t h = 14695981039346656037ull;
  for (double t : recording.times) h = add_to_hash(h, t);
  for (double value : recording.values) h = add_to_hash(h, value);
  return fmt::format("{:016x}", h);
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
    const auto names = coordinate_names(link.joint.type);
    for (const char* suffix : {"", "_rate"}) {
      for (size_t k = 0; k < names.size(); ++k) {
        const bool angle = speed_is_angular(link.joint.type, static_cast<int>(k));
        const bool rate = *suffix != 0;
        columns.push_back(
            {fmt::format("{}.joint.{}{}", system.scene().bodies[b].name, names[k], suffix),
             angle ? (rate ? "rad/s" : "rad") : (rate ? "m/s" : "m")});
      }
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
  auto add = [](std::vector<std::string>* names, const std::string& prefix,
                std::initializer_list<const char*> parts) {
    for (const char* part : parts) names->push_back(fmt::format("{}{}", prefix, part));
  };
  for (size_t b = 0; b < system.scene().bodies.size(); ++b) {
    const auto& link = system.scene().tree.bodies()[b];
    if (link.nu == 0) continue;
    const std::string& body = system.scene().bodies[b].name;
    const std::string prefix = system.scene().bodies[b].has_joint ? body + ".joint" : body;
    if (link.joint.type == JointType::kFree) {
      add(&positions, prefix + ".position.", {"x", "y", "z"});
      add(&speeds, prefix + ".velocity.", {"x", "y", "z"});
    }
    if (quaternion_place(link.joint.type) >= 0) {
      add(&positions, prefix + ".quaternion.", {"w", "x", "y", "z"});
      add(&speeds, prefix + ".spin.", {"x", "y", "z"});
    }
    for (const std::string_view name : coordinate_names(link.joint.type)) {
      positions.push_back(fmt::format("{}.{}", prefix, name));
      speeds.push_back(fmt::format("{}.{}_rate", prefix, name));
    }
  }
  positions.insert(positions.end(), speeds.begin(), speeds.end());
  return positions;
}

void save_hdf5(const std::string& path, const TimeTable& recording) {
  namespace fs = std::filesystem;
  std::error_code code;
  if (fs::path(path).has_parent_path()) fs::create_directories(fs::path(path).parent_path(), code);
  const std::string aside = fmt::format("{}.{}.part", path, getpid());
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const hid_t file = H5Fcreate(aside.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file < 0) {
    throw InputError(fmt::format("{}: cannot be written; is the folder there and writable?", path));
  }
  const size_t width = recording.columns.size() + 1;
  const hsize_t dims[2] = {recording.rows(), width};
  std::vector<double> rows;
  rows.reserve(recording.rows() * width);
  for (size_t r = 0; r < recording.rows(); ++r) {
    rows.push_back(recording.times[r]);
    const auto first = recording.values.begin() + static_cast<std::ptrdiff_t>(r * (width - 1));
    rows.insert(rows.end(), first, first + static_cast<std::ptrdiff_t>(width - 1));
  }
  const hid_t space = H5Screate_simple(2, dims, nullptr);
  const hid_t set =
      H5Dcreate2(file, "data", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool good = set >= 0 &&
              (recording.rows() == 0 ||
               H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data()) >= 0);
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, H5T_VARIABLE);
  const hsize_t count[1] = {width};
  const hid_t list = H5Screate_simple(1, count, nullptr);
  for (const char* key : {"columns", "units"}) {
    const bool units = std::strcmp(key, "units") == 0;
    std::vector<const char*> words = {units ? "s" : "time"};
    for (const auto& c : recording.columns)
      words.push_back(units ? c.unit.c_str() : c.name.c_str());
    const hid_t attribute = H5Acreate2(set, key, text, list, H5P_DEFAULT, H5P_DEFAULT);
    good = good && attribute >= 0 && H5Awrite(attribute, text, words.data()) >= 0;
    H5Aclose(attribute);
  }
  H5Sclose(list);
  H5Tclose(text);
  H5Dclose(set);
  H5Sclose(space);
  good = H5Fclose(file) >= 0 && good;
  if (good) fs::rename(aside, path, code);
  if (!good || code) {
    fs::remove(aside, code);
    throw InputError(fmt::format("{}: cannot be written; is the disk full?", path));
  }
}

}  // namespace vesica
