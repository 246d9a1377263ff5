// Where files go: links, devices, pipes and folders in their place; folders that stay empty; one
// process at a time.
#include "vesica/io/output_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/support/support.h"
#include "vesica/io/file_error.h"
#include "vesica/io/file_writer.h"
#include "vesica/io/folder_lock.h"
#include "vesica/io/load_motion.h"

namespace vesica::output_file_test {
namespace {

namespace fs = std::filesystem;
using test::input_error_of;

class OutputFile : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string read(const std::string& name) const {
    std::ifstream stream(folder_ / name, std::ios::binary);
    using Bytes = std::istreambuf_iterator<char>;
    return std::string(Bytes(stream), Bytes());
  }
  size_t count() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_ = fs::temp_directory_path() / fmt::format("vesica_output_test_{}", getpid());
};

// A tool that was told to keep recordings replaces none that it has read, under any of its names.
TEST_F(OutputFile, RecordingsThatWereReadStay) {
  const std::string text = "time,x\n0,1\n1,2\n";
  save_text(path("walk.csv"), text);
  load_motion(path("walk.csv"));
  fs::create_symlink("walk.csv", path("link.csv"));
  save_text(path("walk.csv"), text);  // a program of its own may do so
  keep_recordings(true);
  for (const std::string& name : {path("walk.csv"), path("link.csv"), path("./walk.csv")}) {
    EXPECT_NE(input_error_of([&] { save_text(name, "lost"); }).find("has been read"),
              std::string::npos)
        << name;
    EXPECT_NE(input_error_of([&] { FileWriter writer(name); }).find("has been read"),
              std::string::npos)
        << name;
  }
  EXPECT_EQ(read("walk.csv"), text);
  save_text(path("other.csv"), text);
  keep_recordings(false);
}

TEST_F(OutputFile, LinksAreFollowed) {
  fs::create_directories(path("store"));
  save_text(path("store/real.txt"), "old");
  fs::create_symlink("store/real.txt", path("link"));  // relative, of a link of its own
  fs::create_symlink("link", path("link_to_link"));
  save_text(path("link_to_link"), "new");
  EXPECT_EQ(read("store/real.txt"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_TRUE(fs::is_symlink(path("link_to_link")));
  // To nothing yet.
  fs::create_symlink("store/later.txt", path("hope"));
  save_text(path("hope"), "made");
  EXPECT_EQ(read("store/later.txt"), "made");
  EXPECT_TRUE(fs::is_symlink(path("hope")));
  EXPECT_EQ(count(), 4u);  // nothing is left aside
}

TEST_F(OutputFile, PipesAndDevicesAreWrittenTo) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::string heard;
  std::thread reader([&] { heard = read("pipe"); });
  save_text(path("pipe"), "through");
  reader.join();
  EXPECT_EQ(heard, "through");
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
  std::thread other([&] { heard = read("pipe"); });
  {
    FileWriter writer(path("pipe"));
    writer.text() = "by parts";
    writer.commit();
  }
  other.join();
  EXPECT_EQ(heard, "by parts");
  EXPECT_EQ(count(), 1u);

  try_file("/dev/null");
  save_text("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_NE(input_error_of([] { save_text("/dev/full", "x"); }).find("No space left"),
            std::string::npos);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(OutputFile, FoldersAreRefused) {
  fs::create_directories(path("folder"));
  const auto expect_refused = [](const std::string& message) {
    EXPECT_NE(message.find("is a folder; give the name of a file"), std::string::npos) << message;
  };
  expect_refused(input_error_of([&] { save_text(path("folder"), "x"); }));
  expect_refused(input_error_of([&] { try_file(path("folder")); }));
  EXPECT_TRUE(fs::is_empty(path("folder")));
}

TEST_F(OutputFile, FoldersThatStayEmptyGo) {
  fs::create_directories(path("mine"));
  try_folder(path("a/b/c"));
  try_folder(path("d"));
  try_folder(path("mine"));
  save_text(path("d/file.txt"), "x");
  EXPECT_TRUE(fs::exists(path("a/b/c")));
  remove_empty_folders();
  EXPECT_FALSE(fs::exists(path("a")));
  EXPECT_TRUE(fs::exists(path("d/file.txt")));
  EXPECT_TRUE(fs::exists(path("mine")));  // was there before
}

TEST_F(OutputFile, OneHoldsAFolderAtATime) {
  const std::string folder = folder_.string();
  {
    const FolderLock lock(folder);
    const std::string message = input_error_of([&] { const FolderLock second(folder); });
    EXPECT_NE(message.find("another run is under way"), std::string::npos) << message;
    EXPECT_NE(message.find(fmt::format("process {}", getpid())), std::string::npos) << message;
    EXPECT_NE(message.find("--out"), std::string::npos) << message;
  }
  EXPECT_EQ(count(), 0u);
  // What one that was killed leaves keeps nobody out.
  save_text(path(".lock"), "process 1 on nowhere, long ago");
  { const FolderLock lock(folder); }
  EXPECT_EQ(count(), 0u);
}

}  // namespace
}  // namespace vesica::output_file_test
