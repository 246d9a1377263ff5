#include "vesica/simulation/recording.h"

#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "vesica/error.h"
#include "vesica/io/csv_series.h"
#include "vesica/io/output_file.h"

namespace vesica {

size_t Recording::index(const std::string& name) const {
  const auto found = std::find_if(columns_.begin(), columns_.end(),
                                  [&](const Column& c) { return c.name == name; });
  if (found == columns_.end()) throw InputError(fmt::format("the recording has no column '{}'", name));
  return static_cast<size_t>(found - columns_.begin());
}

std::string Recording::hash() const {
  std::uint64_t h = 14695981039346656037ull;
  for (double value : values_) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    for (int k = 0; k < 8; ++k) {
      h = (h ^ (bits & 0xff)) * 1099511628211ull;
      bits >>= 8;
    }
  }
  return fmt::format("{:016x}", h);
}

std::vector<Column> make_columns(const System<double>& system) {
  std::vector<Column> columns = {{"time", "s"}};
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
  for (const auto& contact : system.scene().contacts) {
    add(contact.name + ".", {"distance"}, "m");
    add(contact.name + ".", {"volume"}, "m^3");
    add(contact.name + ".", {"normal_force"}, "N");
    add(contact.name + ".force.", {"x", "y", "z"}, "N");
    add(contact.name + ".moment.", {"x", "y", "z"}, "N m");
    add(contact.name + ".pressure_center.", {"x", "y", "z"}, "m");
    add(contact.name + ".slip", {""}, "m/s");
  }
  add("energy.", {"kinetic", "gravity", "contact", "springs"}, "J");
  if (system.layout().ledger) {
    add("dissipated.", {"normal", "rolling", "sliding", "spinning", "springs"}, "J");
    add("work.", {"prescribed", "forces"}, "J");
    add("energy.", {"residual"}, "J");
  }
  return columns;
}

void append_row(const System<double>& system, double t, const double* y,
                const SystemData<double>& data, double start_energy, Recording* recording) {
  std::vector<double>& row = recording->values();
  auto add = [&](const Vec3d& v) { row.insert(row.end(), {v.x(), v.y(), v.z()}); };
  row.push_back(t);
  for (const auto& body : system.scene().bodies) {
    if (!body.is_free) continue;
    const double* x = y + system.layout().position(body.free_index);
    const double* v = y + system.layout().velocity(body.free_index);
    row.insert(row.end(), x, x + 3);
    const double norm = std::sqrt(x[3] * x[3] + x[4] * x[4] + x[5] * x[5] + x[6] * x[6]);
    for (int k = 3; k < 7; ++k) row.push_back(x[k] / norm);
    row.insert(row.end(), v, v + 6);
  }
  for (size_t k = 0; k < system.scene().contacts.size(); ++k) {
    const auto& o = data.overlaps[k];
    const auto& f = data.forces[k];
    row.insert(row.end(), {o.distance, o.volume, f.normal.force});
    add(f.F_Ic_W.f_W);
    add(f.F_Ic_W.tau_W);
    add(f.p_WP);
    row.push_back(f.slip.norm());
  }
  const Ledger ledger = calc_ledger(system, data, y, start_energy);
  row.insert(row.end(),
             {ledger.now.kinetic, ledger.now.gravity, ledger.now.contact, ledger.now.springs});
  if (system.layout().ledger) {
    const double* l = y + system.layout().ledger_start();
    row.insert(row.end(), l, l + kLedgerSize);
    row.push_back(ledger.residual());
  }
}

namespace {
void append_values(const Recording& recording, char separator, std::string* text) {
  const size_t width = recording.columns().size();
  auto out = std::back_inserter(*text);
  for (size_t r = 0; r < recording.rows(); ++r) {
    for (size_t c = 0; c < width; ++c) {
      fmt::format_to(out, "{}{}", recording.at(r, c), c + 1 < width ? separator : '\n');
    }
  }
}
}  // namespace

void save_csv(const Recording& recording, const std::string& path) {
  std::string text;
  for (size_t c = 0; c < recording.columns().size(); ++c) {
    const Column& column = recording.columns()[c];
    text += fmt::format("{}{} [{}]", c ? "," : "", column.name, column.unit);
  }
  text += '\n';
  append_values(recording, ',', &text);
  save_text(path, text);
}

void save_sto(const Recording& recording, const std::string& name, const std::string& path) {
  std::string text = fmt::format("{}\nversion=1\nnRows={}\nnColumns={}\ninDegrees=no\nendheader\n",
                                 name, recording.rows(), recording.columns().size());
  for (size_t c = 0; c < recording.columns().size(); ++c) {
    text += fmt::format("{}{}", c ? "\t" : "", recording.columns()[c].name);
  }
  text += '\n';
  append_values(recording, '\t', &text);
  save_text(path, text);
}

void save_hdf5(const Recording& recording, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code code;
  if (fs::path(path).has_parent_path()) fs::create_directories(fs::path(path).parent_path(), code);
  const std::string aside = fmt::format("{}.{}.part", path, getpid());
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const hid_t file = H5Fcreate(aside.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file < 0) {
    throw InputError(fmt::format("{}: cannot be written; is the folder there and writable?", path));
  }
  const hsize_t dims[2] = {recording.rows(), recording.columns().size()};
  const hid_t space = H5Screate_simple(2, dims, nullptr);
  const hid_t set =
      H5Dcreate2(file, "data", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool good = set >= 0 && (recording.rows() == 0 ||
                           H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                    recording.values().data()) >= 0);
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, H5T_VARIABLE);
  const hsize_t count[1] = {recording.columns().size()};
  const hid_t list = H5Screate_simple(1, count, nullptr);
  for (const char* key : {"columns", "units"}) {
    std::vector<const char*> words;
    for (const Column& c : recording.columns()) {
      words.push_back(std::strcmp(key, "units") == 0 ? c.unit.c_str() : c.name.c_str());
    }
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

Recording load_csv_recording(const std::string& path) {
  const CsvTable table = load_csv_table(path);
  std::vector<Column> columns;
  for (size_t c = 0; c < table.names.size(); ++c) columns.push_back({table.names[c], table.units[c]});
  Recording recording(std::move(columns));
  recording.values() = table.values;
  return recording;
}

}  // namespace vesica
