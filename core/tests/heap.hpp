// Counts the heap: replaces operator new and delete of the whole executable, so that a test can tell what is held.
// For tests with one thread and one source file.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

/// Bytes that were asked for and not given back.
inline std::size_t live_heap_bytes = 0;

namespace heap {

constexpr std::size_t kHeader = alignof(std::max_align_t);  // before each block: its size
static_assert(kHeader >= sizeof(std::size_t));

inline void* counted_allocation(std::size_t n) noexcept {
    auto* block = static_cast<unsigned char*>(std::malloc(n + kHeader));
    if (!block) return nullptr;
    *reinterpret_cast<std::size_t*>(block) = n;
    live_heap_bytes += n;
    return block + kHeader;
}

inline void counted_release(void* p) noexcept {
    if (!p) return;
    unsigned char* block = static_cast<unsigned char*>(p) - kHeader;
    live_heap_bytes -= *reinterpret_cast<std::size_t*>(block);
    std::free(block);
}

inline void* counted_or_throw(std::size_t n) {
    if (void* p = counted_allocation(n)) return p;
    throw std::bad_alloc();
}

}  // namespace heap

void* operator new(std::size_t n) {
    return heap::counted_or_throw(n);
}
void* operator new[](std::size_t n) {
    return heap::counted_or_throw(n);
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
    return heap::counted_allocation(n);
}
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept {
    return heap::counted_allocation(n);
}
void operator delete(void* p) noexcept {
    heap::counted_release(p);
}
void operator delete[](void* p) noexcept {
    heap::counted_release(p);
}
void operator delete(void* p, std::size_t) noexcept {
    heap::counted_release(p);
}
void operator delete[](void* p, std::size_t) noexcept {
    heap::counted_release(p);
}
void operator delete(void* p, const std::nothrow_t&) noexcept {
    heap::counted_release(p);
}
void operator delete[](void* p, const std::nothrow_t&) noexcept {
    heap::counted_release(p);
}
