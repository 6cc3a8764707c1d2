// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of the zip format (APPNOTE.TXT 4.3) that writer and reader share. All fields are little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace lockstep::trainer::zip {

inline constexpr std::uint32_t kLocalHeader = 0x04034b50;
inline constexpr std::uint32_t kCentralHeader = 0x02014b50;
inline constexpr std::uint32_t kEndOfDirectory = 0x06054b50;
inline constexpr std::uint32_t kEndOfDirectory64 = 0x06064b50;
inline constexpr std::uint32_t kLocator64 = 0x07064b50; // just before the end of directory: where its zip64 form lies
inline constexpr std::size_t kLocalHeaderBytes = 30;    // before name and extra field
inline constexpr std::size_t kCentralHeaderBytes = 46;
inline constexpr std::size_t kEndOfDirectoryBytes = 22;
inline constexpr std::size_t kEndOfDirectory64Bytes = 56;
inline constexpr std::size_t kLocator64Bytes = 20;
inline constexpr std::uint16_t kStored = 0;
inline constexpr std::uint16_t kVersion = 20;
inline constexpr std::uint16_t kVersion64 = 45;
inline constexpr std::uint32_t kIn64 = 0xffffffff; // in a field of 32 bits: the value stands in the zip64 extra field
inline constexpr std::uint16_t kCountIn64 = 0xffff;
inline constexpr std::uint16_t kField64 = 0x0001;
inline constexpr std::size_t kExtraHeaderBytes = 4;
inline constexpr std::uint16_t kPaddingField = 0x4246; // "FB", the extra field PyTorch pads with
inline constexpr std::size_t kAlignment = 64;

template <typename Number>
void append(std::string& out, Number value)
{
    for (std::size_t i = 0; i < sizeof value; ++i)
        out += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xff);
}

template <typename Number>
Number at(std::span<const std::byte> bytes, std::size_t position) // the caller has checked the bounds
{
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(Number); ++i)
        value |= std::to_integer<std::uint64_t>(bytes[position + i]) << (8 * i);
    return static_cast<Number>(value);
}

[[nodiscard]] std::uint32_t crc(std::span<const std::byte> bytes);

} // namespace lockstep::trainer::zip
