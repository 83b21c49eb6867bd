// Length and checksum of a model's file, made anew after its payload was changed.
#pragma once

#include <cstdint>
#include <string>

namespace sapwood::testing {

inline constexpr std::size_t kHeader = 24, kChecksum = 8;

inline void put(std::string& bytes, std::size_t at, std::uint64_t n) {
    for (std::size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<char>(n >> (8 * i));
}

/// Length and checksum as they must be for this payload, so that only the reader of the payload can object.
inline void repair(std::string& bytes) {
    put(bytes, 16, bytes.size() - kHeader - kChecksum);
    std::uint64_t hash = 14695981039346656037u;  // FNV-1a, 64 bit
    for (std::size_t i = 0; i + kChecksum < bytes.size(); ++i)
        hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 1099511628211u;
    put(bytes, bytes.size() - kChecksum, hash);
}

}  // namespace sapwood::testing
