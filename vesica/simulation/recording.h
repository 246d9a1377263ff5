// What a run leaves: rows of named columns with units, and files that open elsewhere.
#pragma once

#include <string>
#include <vector>

#include "vesica/simulation/energy.h"

namespace vesica {

struct Column {
  std::string name;  // "ball.position.z"
  std::string unit;  // "m"
};

class Recording {
 public:
  Recording() = default;
  explicit Recording(std::vector<Column> columns) : columns_(std::move(columns)) {}

  const std::vector<Column>& columns() const { return columns_; }
  size_t rows() const { return columns_.empty() ? 0 : values_.size() / columns_.size(); }
  double at(size_t row, size_t column) const { return values_[row * columns_.size() + column]; }
  const std::vector<double>& values() const { return values_; }
  std::vector<double>& values() { return values_; }
  size_t index(const std::string& name) const;

  // Order-sensitive 64-bit hash (FNV-1a) of all values' bits: equal runs have equal hashes.
  std::string hash() const;

 private:
  std::vector<Column> columns_;  // the first is time
  std::vector<double> values_;
};

// The columns of a scene: state of every free body, every contact, the ledger.
std::vector<Column> make_columns(const System<double>& system);
// One row; `data` holds a full evaluation at (t, y).
void append_row(const System<double>& system, double t, const double* y,
                const SystemData<double>& data, double start_energy, Recording* recording);

void save_csv(const Recording& recording, const std::string& path);
// OpenSim storage: tabs, `time` first, version 1.
void save_sto(const Recording& recording, const std::string& name, const std::string& path);
// One dataset "data" (rows x columns) with the attributes "columns" and "units".
void save_hdf5(const Recording& recording, const std::string& path);
Recording load_csv_recording(const std::string& path);

}  // namespace vesica
