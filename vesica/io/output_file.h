// Where files go. They are written aside and renamed, so that a reader never sees half of one.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace vesica {

// The name under which a file is written until it is whole. The folder is made if it is missing;
// what is not committed goes away with the object, or with the program where a signal ends it.
// A symbolic link is followed: the file that it names is replaced, the link stays. Devices and
// pipes are written to as they are. FileError for a folder and other things of a file system.
class AsideFile {
 public:
  explicit AsideFile(std::string path);
  ~AsideFile();
  AsideFile(const AsideFile&) = delete;
  AsideFile& operator=(const AsideFile&) = delete;

  const std::string& path() const { return path_; }    // as it will be
  const std::string& aside() const { return aside_; }  // to write to until then
  void commit();                                       // the rename; FileError where it fails
  // FileError that names the path and, from errno, the reason.
  [[noreturn]] void fail(int error_number) const;

 private:
  std::string path_, target_, aside_;  // as given, behind links, until it is whole
  int slot_ = -1;
  bool committed_ = false;
};

// For a program that must not replace the recordings that it has read, which cannot be made again:
// if so, an AsideFile in the place of one is a FileError.
void keep_recordings(bool keep);
void note_recording(const std::string& path);  // it has been read

// For a signal handler that ends the program: removes what all AsideFiles hold, and the folders of
// remove_empty_folders. Async-signal-safe.
void remove_aside_files() noexcept;

// Likewise for a file that is not written aside: a slot of its name until it is forgotten, or -1.
int remember_for_signal(const std::string& path);
void forget_for_signal(int slot);

// Makes a folder and those above it that are missing. Throws FileError.
void make_folder(const std::string& folder);

// Takes away the folders that this process has made (for files, or by make_folder) and that hold
// nothing: those of a command that ends before it has written anything.
void remove_empty_folders() noexcept;

// Paths of all files that this process has committed. Any thread.
std::set<std::string> list_written_files();

// Replaces the file at `path`; makes the folder if it is missing. Throws FileError naming the path
// when it cannot be written.
void save_text(const std::string& path, std::string_view text);

// Whether files can be written there, tried before the work that they are for: makes the folder if
// it is missing, writes a byte and takes it away again. Throws FileError with the reason.
void try_folder(const std::string& folder);
void try_file(const std::string& path);  // its folder, and that no folder stands in its place

// The path of a file or folder whose name comes from an input (of a trial, of a study's model): it
// cannot lead out of `folder`. Throws InputError, with `what` the name is, for names with a slash,
// dots alone, or nothing.
std::string path_within(const std::string& folder, const std::string& name,
                        const std::string& what);

// For a command whose --out folder is that of one run: takes away what an earlier run of the same
// command wrote there and this process has not written anew, and keeps a list
// (`.written_by_COMMAND`) for the next. Files that were changed since, and those of others, stay.
void remove_earlier_files(const std::string& folder, const std::string& command);

// A file name relative to a folder: that of the input which names it, or that of --out.
std::string resolve_path(const std::string& folder, const std::string& name);

}  // namespace vesica
