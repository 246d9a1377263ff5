#include "vesica/io/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "vesica/io/file_error.h"
#include "vesica/io/output_file.h"

namespace vesica {
namespace {

int open_lock(const std::string& path) {
  constexpr int kMode = 0666;  // less the user's mask
  int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kMode);
  // Of somebody else's run in a folder that several write to.
  if (file < 0 && errno == EACCES) file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    throw FileError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  }
  return file;
}

// Whose it is, as its holder wrote it.
std::string read_holder(int file) {
  std::array<char, 128> text{};
  const auto size = ::pread(file, text.data(), text.size(), 0);
  return size > 0 ? fmt::format(" ({})", std::string(text.data(), static_cast<size_t>(size))) : "";
}

void write_holder(int file) {
  std::array<char, 65> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  const std::string text = fmt::format("process {} on {}", getpid(), host.data());
  if (::ftruncate(file, 0) != 0) return;  // it is only for the message
  if (::pwrite(file, text.data(), text.size(), 0) < 0) return;
}

// Its holder takes the file away before it lets go: what was opened may be no longer there.
bool is_still_there(int file, const std::string& path) {
  struct stat opened = {}, named = {};
  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

FolderLock::FolderLock(const std::string& folder)
    : path_((std::filesystem::path(folder) / ".lock").string()) {
  while (true) {
    file_ = open_lock(path_);
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      const std::string holder = read_holder(file_);
      ::close(file_);
      throw FileError(fmt::format(
          "{}: another run is under way there{}; wait until it has ended, or choose another folder "
          "with --out",
          folder, holder));
    }
    if (is_still_there(file_, path_)) break;
    ::close(file_);
  }
  slot_ = remember_for_signal(path_);
  write_holder(file_);
}

FolderLock::~FolderLock() {
  ::unlink(path_.c_str());  // first: who opens it then waits for nothing
  ::close(file_);
  forget_for_signal(slot_);
}

}  // namespace vesica
