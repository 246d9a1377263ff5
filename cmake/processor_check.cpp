// A tool compiled for a newer instruction set than the processor has says so and stops, instead of
// dying of an illegal instruction. Added by cmake/package.cmake, which compiles this file for the
// baseline. It runs before all other initialisers (101 is the first priority that is free to use)
// and calls nothing that another file may have compiled for the newer set: no inline functions of
// the standard library.
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace {

// What the compiler makes most use of in each level; processors have the rest of a level with them.
bool has_instructions(const char* arch) {
  __builtin_cpu_init();
  const bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("avx512dq");
  const char level = arch[std::strlen(arch) - 1];  // x86-64-vN
  return level == '2' ? v2 : level == '3' ? v3 : v4;
}

[[gnu::constructor(101)]] void check_processor() {
  if (has_instructions(VESICA_ARCH)) return;
  std::fputs(
      "error: this vesica was compiled for " VESICA_ARCH
      " processors, and this one lacks some of their instructions; compile it on this machine: "
      "make build\n",
      stderr);
  _exit(1);
}

}  // namespace
