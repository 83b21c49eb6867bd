// Writing and reading the parts of a model: one archive() function per type serves both directions.
//
// Whole numbers are variable-length, so counts are small; other doubles are eight bytes behind a zero byte. All is
// little-endian and depends on nothing but the model. Reading trusts no byte: every length is checked against what
// is left, and a broken file throws. A type whose fields must agree has restore(), which is called when they have been
// read: it throws std::invalid_argument where they do not. What can only be judged within a whole is checked by the
// whole (Tree and Model are told the file's format).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sapwood/memory.hpp"
#include "sapwood/value.hpp"

namespace sapwood {

/// Each change of what a model writes gets a number here, and a golden file in tests/formats.
enum FormatVersion : std::uint64_t {
    kFormatFirst = 1,
    kFormatNewest = 2,  // says whether weights were whole; zeros are not counted where they follow from the rest
};

template <class T>
concept Archivable = std::is_class_v<T> && !std::is_same_v<T, std::string> && !std::is_same_v<T, Value>;

class Writer {
   public:
    static constexpr bool kReads = false;

    template <class... Parts>
    void operator()(const Parts&... parts) {
        (write(parts), ...);
    }
    void whole(std::uint64_t n) {
        for (; n >= 0x80; n >>= 7) bytes_.push_back(static_cast<char>(n | 0x80));
        bytes_.push_back(static_cast<char>(n));
    }
    void fixed(std::uint64_t n) {
        for (int i = 0; i < 8; ++i) bytes_.push_back(static_cast<char>(n >> (8 * i)));
    }
    const std::string& bytes() const { return bytes_; }

   private:
    void write(bool b) { bytes_.push_back(b ? 1 : 0); }
    void write(double x) {
        constexpr double kLargest = 4503599627370496.0;  // 2^52
        if (x >= 0.0 && x < kLargest && !std::signbit(x) && x == static_cast<double>(static_cast<std::uint64_t>(x)))
            return whole(static_cast<std::uint64_t>(x) + 1);
        bytes_.push_back(0);
        fixed(std::bit_cast<std::uint64_t>(x));
    }
    template <class T>
        requires std::is_unsigned_v<T> || std::is_enum_v<T>
    void write(T n) {
        whole(static_cast<std::uint64_t>(n));
    }
    void write(const std::string& text) {
        whole(text.size());
        bytes_ += text;
    }
    void write(const Value& value) {
        whole(value.index());
        if (const auto* b = std::get_if<bool>(&value)) write(*b);
        if (const auto* i = std::get_if<std::int64_t>(&value)) fixed(static_cast<std::uint64_t>(*i));
        if (const auto* x = std::get_if<double>(&value)) write(*x);
        if (const auto* s = std::get_if<std::string>(&value)) write(*s);
    }
    template <class T>
    void write(const std::vector<T>& items) {
        whole(items.size());
        for (const T& item : items) write(item);
    }
    template <Archivable T>
    void write(const T& part) {
        const_cast<T&>(part).archive(*this);  // archive() only reads when the archive is a Writer
    }

    std::string bytes_;
};

class Reader {
   public:
    static constexpr bool kReads = true;

    explicit Reader(std::string_view bytes, std::uint64_t written_in = kFormatNewest)
        : format(written_in), bytes_(bytes) {}

    const std::uint64_t format;

    template <class... Parts>
    void operator()(Parts&... parts) {
        (read(parts), ...);
    }
    std::uint64_t whole() {
        std::uint64_t n = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            const auto byte = static_cast<std::uint8_t>(take(1)[0]);
            n |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (!(byte & 0x80)) return n;
        }
        throw std::invalid_argument("a number is too long");
    }
    std::uint64_t fixed() {
        const std::string_view bytes = take(8);
        std::uint64_t n = 0;
        for (int i = 0; i < 8; ++i)
            n |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(bytes[static_cast<std::size_t>(i)])) << (8 * i);
        return n;
    }
    std::string_view take(std::size_t n) {
        if (n > bytes_.size()) throw std::invalid_argument("it ends too early");
        const std::string_view taken = bytes_.substr(0, n);
        bytes_.remove_prefix(n);
        return taken;
    }
    bool at_end() const { return bytes_.empty(); }

   private:
    void read(bool& b) { b = static_cast<bool>(limited(1)); }
    void read(double& x) {
        const std::uint64_t n = whole();
        x = n ? static_cast<double>(n - 1) : std::bit_cast<double>(fixed());
    }
    template <class T>
        requires(std::is_unsigned_v<T> && !std::is_same_v<T, bool>)
    void read(T& n) {
        n = static_cast<T>(limited(std::numeric_limits<T>::max()));
    }
    template <class T>
        requires std::is_enum_v<T>
    void read(T& choice) {
        choice = static_cast<T>(limited(static_cast<std::uint64_t>(last_of(choice))));
    }
    void read(std::string& text) {
        text = take(whole());
        if (!is_utf8(text)) throw std::invalid_argument("a text in it is not UTF-8");
    }
    void read(Value& value) {
        switch (limited(3)) {
            case 0: {
                bool b = false;
                read(b);
                value = b;
                return;
            }
            case 1: value = static_cast<std::int64_t>(fixed()); return;
            case 2: {
                double x = 0.0;
                read(x);
                value = x;
                return;
            }
            default: {
                std::string text;
                read(text);
                value = std::move(text);
            }
        }
    }
    template <class T>
    void read(std::vector<T>& items) {
        const std::uint64_t n = limited(bytes_.size());  // an item takes at least a byte
        items.clear();
        for (std::uint64_t i = 0; i < n; ++i) {  // grown as it is read: a false length costs no memory
            make_room(items, items.size() + 1);
            items.emplace_back();
            read(items.back());
        }
    }
    template <Archivable T>
    void read(T& part) {
        part.archive(*this);
        if constexpr (requires { part.restore(); }) part.restore();
    }
    std::uint64_t limited(std::uint64_t most) {
        const std::uint64_t n = whole();
        if (n > most) throw std::invalid_argument("a number is out of its range");
        return n;
    }

    std::string_view bytes_;
};

}  // namespace sapwood
