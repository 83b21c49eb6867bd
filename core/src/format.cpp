#include "sapwood/format.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "sapwood/archive.hpp"

namespace sapwood {
namespace {

constexpr std::string_view kMagic = "\x89SAPWOOD";
constexpr std::size_t kHeader = 24, kChecksum = 8;

std::uint64_t fnv1a(std::string_view bytes) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char byte : bytes) hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3u;
    return hash;
}

[[noreturn]] void refuse(const std::string& why) {
    throw std::invalid_argument("Not a readable sapwood model: " + why + ".");
}

}  // namespace

std::string encode(const Model& model, std::string_view owner_text) {
    Writer payload;
    payload(std::string(owner_text), model.tree().params(), model);
    Writer out;
    out.fixed(kFormatNewest);
    out.fixed(payload.bytes().size());
    std::string bytes = std::string(kMagic) + out.bytes() + payload.bytes();
    Writer checksum;
    checksum.fixed(fnv1a(bytes));
    return bytes + checksum.bytes();
}

Model decode(std::string_view bytes, std::string& owner_text) {
    if (bytes.substr(0, kMagic.size()) != kMagic) refuse("it does not begin as one does");
    if (bytes.size() < kHeader + kChecksum) refuse("it is truncated");
    Reader header(bytes.substr(kMagic.size()));
    const std::uint64_t version = header.fixed();
    if (version > kFormatNewest)
        refuse("it has format " + std::to_string(version) + ", and this version of sapwood reads up to " +
               std::to_string(kFormatNewest) + "; upgrade sapwood");
    if (version < kFormatFirst) refuse("its format number is broken");
    const std::uint64_t length = header.fixed();
    const std::size_t held = bytes.size() - kHeader - kChecksum;
    if (length > held) refuse("it is truncated");
    if (length < held) refuse("it has bytes after its end");
    if (Reader(bytes.substr(kHeader + length)).fixed() != fnv1a(bytes.substr(0, kHeader + length)))
        refuse("its checksum does not match, so some byte was changed");
    try {
        Reader payload(bytes.substr(kHeader, length), version);
        TreeParams params;
        payload(owner_text, params);
        Model model(params);
        payload(model);
        if (!payload.at_end()) throw std::invalid_argument("there is more than a model in it");
        model.restore(version);
        return model;
    } catch (const std::invalid_argument& error) {
        refuse(error.what());
    }
}

}  // namespace sapwood
