// What the files of this folder that speak HDF5 have in common. Internal to simulation/.
#pragma once

#include <fmt/format.h>
#include <hdf5.h>

#include <string>
#include <vector>

#include "vesica/io/file_error.h"

namespace vesica::detail {

// No messages of its own; and nothing at the end of the program, where it would close once more
// the files whose last bytes found no room, and crash (1.10.8). All that is opened here is closed
// here. (Without effect where the program has used HDF5 before.)
inline void prepare_hdf5() {
  static const int kOnce = H5dont_atexit();
  static_cast<void>(kOnce);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

// Closes what HDF5 opened.
class H5Handle {
 public:
  H5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~H5Handle() {
    if (id_ >= 0) close_(id_);
  }
  H5Handle(const H5Handle&) = delete;
  H5Handle& operator=(const H5Handle&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

inline hid_t make_text_type() {
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, H5T_VARIABLE);
  return text;
}

inline bool write_words(hid_t set, const char* key, const std::vector<const char*>& words) {
  const hsize_t count[1] = {words.size()};
  const H5Handle text(make_text_type(), H5Tclose),
      list(H5Screate_simple(1, count, nullptr), H5Sclose);
  const H5Handle attribute(H5Acreate2(set, key, text, list, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute >= 0 && H5Awrite(attribute, text, words.data()) >= 0;
}

inline std::vector<std::string> read_words(hid_t set, const char* key) {
  const H5Handle attribute(H5Aopen(set, key, H5P_DEFAULT), H5Aclose);
  if (attribute < 0) return {};
  const H5Handle space(H5Aget_space(attribute), H5Sclose), text(make_text_type(), H5Tclose);
  std::vector<char*> words(static_cast<size_t>(H5Sget_simple_extent_npoints(space)), nullptr);
  if (H5Aread(attribute, text, words.data()) < 0) return {};
  std::vector<std::string> copies;
  for (const char* word : words) copies.emplace_back(word ? word : "");
  H5Dvlen_reclaim(text, space, H5P_DEFAULT, words.data());
  return copies;
}

[[noreturn]] inline void fail_to_write(const std::string& path) {
  throw FileError(fmt::format("{}: cannot be written; is the disk full?", path));
}

// For reading, whether it was closed well or not; negative where it cannot be.
inline hid_t open_hdf5(const std::string& path) {
  prepare_hdf5();
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file >= 0) return file;
  return H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT);
}

// In the format that others may read while more is written.
inline hid_t create_hdf5(const std::string& path) {
  prepare_hdf5();
  const H5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  if (file < 0) {
    throw FileError(fmt::format("{}: cannot be written; is the folder there and writable?", path));
  }
  return file;
}

}  // namespace vesica::detail
