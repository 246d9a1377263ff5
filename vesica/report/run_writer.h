// Writes the folder of a run while the run goes on. docs/formats/run.md.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "vesica/io/csv.h"
#include "vesica/io/folder_lock.h"
#include "vesica/io/yaml.h"
#include "vesica/report/run_folder.h"
#include "vesica/simulation/checkpoint_file.h"
#include "vesica/simulation/map_file.h"
#include "vesica/simulation/recording_hdf5.h"
#include "vesica/simulation/simulate.h"

namespace vesica {

// Takes away what runs of another scene left in a folder but for the copies of its files, and
// nothing else; `scene` is the text of the one that is written now.
void clear_earlier_run(const std::string& folder, const std::string& scene);

class RunWriter final : public RunObserver {
 public:
  struct Target {
    std::string folder;
    std::vector<std::string> formats;  // csv, h5, sto
  };

  // Tries the folder, and starts its files. Throws FileError, also where another run writes there.
  RunWriter(Target target, const System<double>& system, const RunOptions& options,
            const InputFile& scene);
  ~RunWriter() override;  // takes away the files of a run that has not begun
  RunWriter(const RunWriter&) = delete;
  RunWriter& operator=(const RunWriter&) = delete;

  // A key that the summary has besides.
  void add_note(const std::string& key, nlohmann::ordered_json value) {
    notes_[key] = std::move(value);
  }

  void on_row(double t, const std::vector<double>& values) override;
  void on_map(size_t map, double t, const PressureFrame& frame,
              const std::vector<double>& sums) override {
    add_map_frame(map, t, frame.pressure, sums);
  }
  void add_map_frame(size_t map, double t, const std::vector<double>& pressure,
                     const std::vector<double>& sums);
  void on_checkpoint(const Checkpoint& checkpoint) override;
  void on_pulse(const RunResult& so_far, const Checkpoint& now) override;

  // The last of it; returns the summary.
  nlohmann::ordered_json finish(const RunResult& result);

 private:
  void start_files(const InputFile& scene);
  void remove_partial() const;
  std::string path(const std::string& name) const;
  void flush();
  nlohmann::ordered_json summarise(const RunResult& result) const;

  Target target_;
  std::unique_ptr<FolderLock> lock_;
  nlohmann::ordered_json notes_;
  const System<double>& system_;
  const RunOptions& options_;
  std::string scene_;  // as written
  TimeTable table_;    // the columns; rows only for sto, whose header counts them
  bool keeps_rows_ = false;
  std::unique_ptr<CsvStream> csv_;
  std::unique_ptr<Hdf5Stream> h5_;
  struct MapFiles {
    std::string name;  // without the ending
    std::unique_ptr<MapStream> h5;
    std::unique_ptr<CsvStream> csv;
  };
  std::vector<MapFiles> maps_;
  std::unique_ptr<CheckpointFile> checkpoints_;
  RecordingHash hash_;
  size_t rows_ = 0;
  bool has_begun_ = false;
};

}  // namespace vesica
