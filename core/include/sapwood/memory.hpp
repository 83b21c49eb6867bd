// Arrays whose memory is a function of their size alone.
//
// nbytes_ must be true, and must be the same after save and load, because max_bytes decides by it. So every growing
// array asks for room_for(size) elements, and bytes_of() says what that is.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

namespace sapwood {

/// Capacity given to an array of n elements: powers of two up to 16, then in steps of an eighth.
inline std::size_t room_for(std::size_t n) {
    if (n == 0) return 0;
    const std::size_t ceiling = std::bit_ceil(n);
    if (ceiling <= 16) return std::max<std::size_t>(ceiling, 4);
    const std::size_t step = ceiling / 16;
    return (n + step - 1) / step * step;
}

/// Makes room for n elements; returns the bytes that this added.
template <class T>
std::size_t make_room(std::vector<T>& array, std::size_t n) {
    const std::size_t wanted = room_for(n);
    if (wanted > array.capacity()) array.reserve(wanted);
    const std::size_t now = room_for(array.size());
    return wanted > now ? (wanted - now) * sizeof(T) : 0;
}

template <class T>
std::size_t bytes_of(const std::vector<T>& array) {
    return room_for(array.size()) * sizeof(T);
}

/// Empties an array and gives its memory back.
template <class T>
void release(std::vector<T>& array) {
    std::vector<T>().swap(array);
}

}  // namespace sapwood
