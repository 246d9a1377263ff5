#include "bench/allocations.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {
std::atomic<long> count{0};

void* allocate(std::size_t size, std::size_t alignment) {
  ++count;
  size = (size + alignment - 1) / alignment * alignment;
  if (void* p = std::aligned_alloc(alignment, size ? size : alignment)) return p;
  throw std::bad_alloc();
}
}  // namespace

// The array forms call these. The nothrow ones would, too, but not under a sanitizer, which has its
// own.
void* operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return ::operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace vesica::bench {
long allocation_count() { return count; }
}  // namespace vesica::bench
