// What is on disk: checksums against published values, torn lines, claims of the living and of the
// dead.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>

#include "tests/support/support.h"
#include "vesica/io/file_error.h"
#include "vesica/io/sha256.h"
#include "vesica/studies/claims.h"
#include "vesica/studies/journal.h"
#include "vesica/studies/scheduler.h"

namespace vesica::studies::journal_test {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "vesica_studies_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(Checksums, AreThePublishedOnes) {
  EXPECT_EQ(calc_crc32("123456789"), 0xcbf43926u);
  // FIPS 180-4's examples, and of a million letters.
  EXPECT_EQ(calc_sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(calc_sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(calc_sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(calc_sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

RunRow make_row(std::uint64_t run) {
  RunRow row;
  row.run = run;
  row.status = run % 2 == 0 ? Status::kDone : Status::kFailed;
  row.reason = run % 2 == 0 ? "" : "a \"reason\", with commas";
  row.cells = {format_cell(1.0 / (1.0 + static_cast<double>(run))), "", "word"};
  row.curves = {{0.1, NAN, 3}};
  row.seconds = 0.25;
  return row;
}

TEST(Journals, GiveBackWhatWasAdded) {
  const auto entry = parse_journal_line(make_journal_line(make_row(3), 2));
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->attempt, 2);
  EXPECT_EQ(entry->row.run, 3u);
  EXPECT_EQ(entry->row.status, Status::kFailed);
  EXPECT_EQ(entry->row.reason, make_row(3).reason);
  EXPECT_EQ(entry->row.cells, make_row(3).cells);
  ASSERT_EQ(entry->row.curves.size(), 1u);
  EXPECT_EQ(entry->row.curves[0][0], 0.1);
  EXPECT_TRUE(std::isnan(entry->row.curves[0][1]));
}

// Lines of runs without warnings are as short as before there were any.
TEST(Journals, GiveBackWarnings) {
  RunRow row = make_row(2);
  const std::string without = make_journal_line(row, 0);
  EXPECT_TRUE(parse_journal_line(without)->row.warnings.empty());
  EXPECT_EQ(without.back(), ']');
  row.warnings = {"a: \"b\", 3 %", "c"};
  EXPECT_EQ(parse_journal_line(make_journal_line(row, 0))->row.warnings, row.warnings);
}

TEST(Journals, GiveBackEveryNumber) {
  RunRow row = make_row(0);
  using Limits = std::numeric_limits<double>;
  row.curves = {{Limits::denorm_min(), -1e-310, Limits::min(), Limits::max(), Limits::infinity(),
                 -Limits::infinity(), -0.0}};
  const auto entry = parse_journal_line(make_journal_line(row, 0));
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->row.curves, row.curves);
  EXPECT_TRUE(std::signbit(entry->row.curves[0][6]));
}

// A run that was begun and left is none to blame; one that was begun only, in a process that is no
// more, is a loss, and three of them are the end of it.
TEST(Schedulers, CountLossesOverAllProcesses) {
  const Folder folder;
  const Study study =
      read_study(InputFile::parse("vesica: 1\nof: {function: work}\ndesign: {method: list}\n"
                                  "vary: {x: {values: [1, 2, 3]}}\noutputs: {y: y}\n",
                                  "s.yaml"),
                 {});
  fs::create_directories(folder / "journals");
  int journals = 0;
  const auto losses = [&](std::uint64_t run, bool leaves) {
    auto worker = std::make_unique<Worker>(folder.path());
    Scheduler scheduler(study, folder.path(), *worker, false);
    Journal journal(folder / fmt::format("journals/{}.journal", journals++));
    int found = -1;
    for (auto task = scheduler.next(); task; task = scheduler.next()) {
      if (task->run != run) continue;
      found = task->losses;
      journal.begin_run(run, 1, 0, task->attempt);
      Journal::end_run();
      if (leaves) journal.leave_run(run, task->attempt);
    }
    return found;  // and the worker is gone
  };
  EXPECT_EQ(losses(1, false), 0);
  EXPECT_EQ(losses(1, true), 1);
  EXPECT_EQ(losses(1, true), 1);
  EXPECT_EQ(losses(2, false), 0);
  EXPECT_EQ(losses(1, false), 1);
  EXPECT_EQ(losses(1, false), 2);
  EXPECT_EQ(losses(1, false), 3);
  EXPECT_EQ(losses(2, false), 1);
  EXPECT_EQ(losses(0, false), 0);
  // What is finished is done with.
  Journal last(folder / "journals/0.5.journal");
  last.add(make_row(1), 0);
  EXPECT_EQ(losses(1, false), -1);
}

// Not torn: to run it again would help nobody.
TEST(Journals, AWholeLineThatIsNoneOfOursIsAnError) {
  const Folder folder;
  for (const std::string payload : {R"([1])", R"([1,0,"begin"])", R"([1,0,"dune","",0,[],[]])",
                                    R"([1,0,"done","",0,[],[["1e999"]]])"}) {
    std::ofstream(folder / "a.journal") << fmt::format("{:08x} {}\n", calc_crc32(payload), payload);
    JournalReader reader(folder.path());
    try {
      reader.read_new([](const JournalEntry&, const JournalReader::Where&) {});
      ADD_FAILURE() << payload;
    } catch (const FileError& error) {
      EXPECT_NE(std::string(error.what()).find("a.journal: at byte 0"), std::string::npos);
    }
    EXPECT_EQ(reader.torn_lines(), 0u);
  }
}

TEST(Journals, ALineThatLostAnyByteDoesNotCount) {
  const std::string line = make_journal_line(make_row(3), 0);
  for (size_t length = 0; length < line.size(); ++length) {
    EXPECT_FALSE(parse_journal_line(line.substr(0, length))) << length;
  }
  for (size_t k = 0; k < line.size(); ++k) {
    std::string other = line;
    other[k] ^= 1;
    EXPECT_FALSE(parse_journal_line(other)) << k;
  }
}

// Cut anywhere: what comes before the cut is there, and what is appended by others too.
TEST(Journals, ATornEndLosesOneLine) {
  const Folder folder;
  std::string text;
  for (std::uint64_t k = 0; k < 5; ++k) text += make_journal_line(make_row(k), 0) + "\n";
  for (size_t cut = 0; cut <= text.size(); cut += 7) {
    std::ofstream(folder / "a.journal", std::ios::binary) << text.substr(0, cut);
    JournalReader reader(folder.path());
    std::uint64_t seen = 0;
    reader.read_new([&](const JournalEntry& entry, const JournalReader::Where& where) {
      EXPECT_EQ(entry.row.run, seen++);
      EXPECT_EQ(reader.read_again(where).row.cells, entry.row.cells);
    });
    EXPECT_EQ(seen, static_cast<std::uint64_t>(
                        std::count(text.begin(), text.begin() + static_cast<long>(cut), '\n')));
  }
}

TEST(Journals, AreReadOnWhereTheyGrew) {
  const Folder folder;
  Journal journal(folder / "a.journal");
  JournalReader reader(folder.path());
  std::vector<std::uint64_t> seen;
  const auto see = [&](const JournalEntry& e, const JournalReader::Where&) {
    seen.push_back(e.row.run);
  };
  journal.add(make_row(4), 0);
  reader.read_new(see);
  reader.read_new(see);
  EXPECT_EQ(seen, std::vector<std::uint64_t>{4});
  journal.add(make_row(2), 0);
  journal.sync();
  Journal other(folder / "b.journal");
  other.add(make_row(9), 0);
  reader.read_new(see);
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{4, 2, 9}));
}

TEST(Claims, EveryBlockGoesToOneOfTwo) {
  const Folder folder;
  const Worker a(folder.path()), b(folder.path());
  Claims of_a(folder.path(), 2500, a), of_b(folder.path(), 2500, b);
  EXPECT_EQ(of_a.block_size(), 3u);
  std::vector<int> taken(of_a.block_count(), 0);
  for (bool any = true; any;) {
    any = false;
    for (Claims* claims : {&of_a, &of_b, &of_b}) {
      if (const auto block = claims->take()) {
        ++taken[*block];
        any = true;
      }
    }
  }
  EXPECT_EQ(std::count(taken.begin(), taken.end(), 1), static_cast<long>(taken.size()));
  EXPECT_EQ(of_a.end_run(of_a.block_count() - 1), 2500u);
}

TEST(Claims, OfAWorkerThatIsGoneAreTakenOver) {
  const Folder folder;
  auto gone = std::make_unique<Worker>(folder.path());
  Claims of_gone(folder.path(), 3, *gone);
  ASSERT_EQ(of_gone.take(), 0u);
  ASSERT_EQ(of_gone.take(), 1u);
  of_gone.mark_done(1);
  const Worker here(folder.path());
  Claims claims(folder.path(), 3, here);
  EXPECT_EQ(claims.take(), 2u);
  EXPECT_FALSE(claims.take());  // it lives
  gone.reset();
  EXPECT_EQ(claims.take(), 0u);
  EXPECT_FALSE(claims.take());  // what is done stays so
  EXPECT_TRUE(claims.take_done(1));
}

// A process that was killed leaves its file, with a number that lives no more.
TEST(Claims, OfAKilledProcessAreTakenOver) {
  const Folder folder;
  const Worker here(folder.path());
  Claims claims(folder.path(), 1, here);
  const pid_t child = fork();
  if (child == 0) {
    const Worker worker(folder.path());
    Claims theirs(folder.path(), 1, worker);
    if (theirs.take() != 0u) _exit(1);
    std::raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(here.count_alive(), 1);
  EXPECT_EQ(claims.take(), 0u);
}

TEST(Claims, OfSeveralThatLeaveTheLastFindsNobody) {
  const Folder folder;
  const Worker a(folder.path()), b(folder.path()), c(folder.path());
  EXPECT_EQ(b.leave(), 2);
  EXPECT_EQ(a.leave(), 1);
  EXPECT_EQ(c.leave(), 0);
}

// Of another machine nothing is known but the time of its file.
TEST(Claims, OfAnotherMachineLiveAsLongAsItsFileIsTouched) {
  const Folder folder;
  const Worker here(folder.path());
  Claims claims(folder.path(), 1, here);
  fs::create_directories(folder / "workers");
  std::ofstream(folder / "workers/elsewhere-1") << "elsewhere 0 0\n1\n1\n";
  fs::rename(folder / "claims/000000~0~free", folder / "claims/000000~1~elsewhere-1");
  EXPECT_FALSE(claims.take());
  EXPECT_EQ(here.count_alive(), 2);
  fs::last_write_time(folder / "workers/elsewhere-1",
                      fs::file_time_type::clock::now() - std::chrono::seconds(61));
  EXPECT_EQ(claims.take(), 0u);
}

}  // namespace
}  // namespace vesica::studies::journal_test
