// One process at a time writes the files of a run: two of them would take away each other's.
#pragma once

#include <string>

namespace vesica {

// Held while the object lives. The system gives it up with the process, so that a run that was
// killed keeps nobody out; its file `.lock` is then taken over. Where a file system has no locks
// there are none.
class FolderLock {
 public:
  // The folder must be there. FileError, with what to do, where another one holds it.
  explicit FolderLock(const std::string& folder);
  ~FolderLock();  // takes its file away
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  std::string path_;
  int file_ = -1, slot_ = -1;
};

}  // namespace vesica
