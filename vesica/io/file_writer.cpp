#include "vesica/io/file_writer.h"

#include <cerrno>
#include <utility>

namespace vesica {

namespace {
constexpr std::size_t kFlushSize = std::size_t{1} << 20;
}

FileWriter::FileWriter(std::string path) : target_(std::move(path)) {
  file_ = std::fopen(target_.aside().c_str(), "wb");
  if (file_ == nullptr) target_.fail(errno);
}

FileWriter::~FileWriter() {
  if (file_ != nullptr) std::fclose(file_);
}

void FileWriter::write_out() {
  errno = 0;
  if (std::fwrite(text_.data(), 1, text_.size(), file_) != text_.size()) target_.fail(errno);
  text_.clear();
}

void FileWriter::flush_if_large() {
  if (text_.size() >= kFlushSize) write_out();
}

void FileWriter::commit() {
  write_out();
  if (std::fclose(std::exchange(file_, nullptr)) != 0) target_.fail(errno);
  target_.commit();
}

}  // namespace vesica
