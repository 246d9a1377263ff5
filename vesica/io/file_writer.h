// Text output that is never left half-written: it goes to a file beside the target, which is
// renamed onto it when complete.
#pragma once

#include <cstdio>
#include <string>

#include "vesica/io/output_file.h"

namespace vesica {

class FileWriter {
 public:
  explicit FileWriter(std::string path);
  // Removes what was written unless commit() came first.
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  // Append to text(), then call flush_if_large() now and then.
  std::string& text() { return text_; }
  void flush_if_large();
  // Everything to disk, then the rename. FileError if the disk is full or the folder read-only.
  void commit();

 private:
  void write_out();

  AsideFile target_;
  std::string text_;
  std::FILE* file_ = nullptr;
};

}  // namespace vesica
