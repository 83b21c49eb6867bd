// Where each part of a saved state stands, and lies about it: other contents of the right type, well formed.
#pragma once

#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "random.hpp"
#include "sapwood/archive.hpp"

namespace sapwood::testing {

/// An archive that notes while it writes.
class Fields {
   public:
    static constexpr bool kReads = false;
    enum class Type { flag, whole, number, text, value, list };
    struct Field {
        Type type;
        std::size_t begin, end;     // in the bytes
        std::size_t count_end = 0;  // of a list: where its items begin
    };

    template <class... Parts>
    void operator()(const Parts&... parts) {
        (note(parts), ...);
    }
    const std::string& bytes() const { return writer_.bytes(); }
    const std::vector<Field>& all() const { return fields_; }
    std::string_view content(const Field& field) const {
        return std::string_view(bytes()).substr(field.begin, field.end - field.begin);
    }

   private:
    template <class T>
    void note(const std::vector<T>& items) {
        const std::size_t at = fields_.size(), begin = bytes().size();
        writer_.whole(items.size());
        fields_.push_back({Type::list, begin, 0, bytes().size()});
        for (const T& item : items) note(item);
        fields_[at].end = bytes().size();
    }
    template <class T>
    void note(const T& part) {
        if constexpr (Archivable<T>) {
            const_cast<T&>(part).archive(*this);
        } else {
            const std::size_t begin = bytes().size();
            writer_(part);
            const Type type = std::is_same_v<T, bool>          ? Type::flag
                              : std::is_same_v<T, double>      ? Type::number
                              : std::is_same_v<T, std::string> ? Type::text
                              : std::is_same_v<T, Value>       ? Type::value
                                                               : Type::whole;
            fields_.push_back({type, begin, bytes().size()});
        }
    }

    Writer writer_;
    std::vector<Field> fields_;
};

template <std::size_t N, class T>
T one_of(const T (&choices)[N], Random& random) {
    return choices[random.below(N)];
}

/// A number that is likely to be met by nobody, or one near to what was there.
inline double odd_number(double was, Random& random) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kOdd[] = {0.0,
                               -0.0,
                               1.0,
                               2.0,
                               3.0,
                               -1.0,
                               -0.5,
                               0.25,
                               1e9,
                               1e-300,
                               5e-324,
                               1e300,
                               -1e300,
                               2147483647.0,
                               4294967296.0,
                               9007199254740992.0,
                               std::numeric_limits<double>::max(),
                               kInfinity,
                               -kInfinity,
                               std::numeric_limits<double>::quiet_NaN()};
    switch (random.below(4)) {
        case 0: return was + (random.chance(0.5) ? 1.0 : -1.0);
        case 1:
            return random.chance(0.5) ? 2.0 * was : std::nextafter(was, random.chance(0.5) ? kInfinity : -kInfinity);
        default: return one_of(kOdd, random);
    }
}

inline std::uint64_t odd_whole(std::uint64_t was, Random& random) {
    constexpr std::uint64_t kOdd[] = {0, 1, 2, 3, 7, 255, 65536, 0x3fffffff, 0xfffffffe, 0xffffffff, ~std::uint64_t{0}};
    return random.chance(0.5) ? was + (random.chance(0.5) ? 1 : ~std::uint64_t{0}) : one_of(kOdd, random);
}

/// Another content for a field.
inline std::string lie(const Fields& map, const Fields::Field& field, Random& random) {
    using Type = Fields::Type;
    const std::string_view was = map.content(field);
    Reader in(was);
    Writer out;
    switch (field.type) {
        case Type::flag: out(was[0] == 0); return out.bytes();
        case Type::whole: out.whole(odd_whole(in.whole(), random)); return out.bytes();
        case Type::number: {
            double x = 0.0;
            in(x);
            out(odd_number(x, random));
            return out.bytes();
        }
        case Type::text: out(std::string(random.below(3), 'q')); return out.bytes();
        case Type::value:
            out(random.chance(0.5) ? Value(std::string("x0")) : Value(odd_number(1.0, random)));
            return out.bytes();
        case Type::list: break;
    }
    const std::string items(was.substr(field.count_end - field.begin));
    const std::uint64_t n = in.whole();
    switch (random.below(3)) {
        case 0: out.whole(0); return out.bytes();                      // nothing in it
        case 1: out.whole(2 * n); return out.bytes() + items + items;  // all of it twice
        default: out.whole(n + 1 - 2 * random.below(2)); return out.bytes() + items;
    }
}

}  // namespace sapwood::testing
