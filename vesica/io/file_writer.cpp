#include "vesica/io/file_writer.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "vesica/error.h"

namespace vesica {

namespace {
constexpr std::size_t kFlushSize = std::size_t{1} << 20;
}

FileWriter::FileWriter(std::string path)
    : path_(std::move(path)), aside_(path_ + ".part" + std::to_string(::getpid())) {
  file_ = std::fopen(aside_.c_str(), "wb");
  if (file_ == nullptr) {
    throw InputError(path_ + ": cannot be written (" + std::strerror(errno) +
                     "); check that the folder exists and is writable");
  }
}

FileWriter::~FileWriter() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::remove(aside_.c_str());
}

void FileWriter::write_out() {
  if (std::fwrite(text_.data(), 1, text_.size(), file_) != text_.size()) {
    throw InputError(path_ + ": writing failed (" + std::strerror(errno) + "); is the disk full?");
  }
  text_.clear();
}

void FileWriter::flush_if_large() {
  if (text_.size() >= kFlushSize) write_out();
}

void FileWriter::commit() {
  write_out();
  const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
  std::error_code error;
  if (closed) std::filesystem::rename(aside_, path_, error);
  if (!closed || error) {
    std::remove(aside_.c_str());
    throw InputError(path_ + ": writing failed; is the disk full, or is the target a folder?");
  }
}

}  // namespace vesica
