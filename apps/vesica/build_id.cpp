// Read from the program itself while it runs: nothing to configure, and no source that changes with
// every commit.
#include "apps/vesica/build_id.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstring>

namespace vesica::app {
namespace {

constexpr size_t kIdDigits = 12;

size_t round_up(size_t size) { return (size + 3) & ~size_t{3}; }

// Notes of a loaded segment: a head, a name and a text each, in words of four bytes.
std::string find_in_notes(const char* at, size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, at, sizeof head);
    const size_t name = sizeof head, text = name + round_up(head.n_namesz);
    const size_t end = text + round_up(head.n_descsz);
    if (end > size) break;
    if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == sizeof "GNU" &&
        std::memcmp(at + name, "GNU", sizeof "GNU") == 0) {
      std::string digits;
      for (size_t k = 0; k < head.n_descsz && digits.size() < kIdDigits; ++k) {
        digits += fmt::format("{:02x}", static_cast<unsigned char>(at[text + k]));
      }
      return digits;
    }
    at += end;
    size -= end;
  }
  return "";
}

int look_at_program(dl_phdr_info* info, size_t, void* found) {
  for (size_t k = 0; k < info->dlpi_phnum; ++k) {
    const auto& segment = info->dlpi_phdr[k];
    if (segment.p_type != PT_NOTE) continue;
    const std::string id = find_in_notes(
        reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr), segment.p_memsz);
    if (id.empty()) continue;
    *static_cast<std::string*>(found) = id;
    break;
  }
  return 1;  // the program is the first, and all that is asked for
}

}  // namespace

std::string find_build_id() {
  std::string id;
  dl_iterate_phdr(look_at_program, &id);
  return id;
}

std::string make_version() {
  const std::string id = find_build_id();
  return id.empty() ? VESICA_VERSION : fmt::format("{}+{}", VESICA_VERSION, id);
}

}  // namespace vesica::app
