// SPDX-License-Identifier: GPL-3.0-or-later
// libjpeg-turbo calls back on errors and must not return from that: setjmp, and no object with a destructor is made
// between it and the jump.
#include "trainer/data/mappedfile.h"
#include "trainer/data/pixelimage.h"

#include <csetjmp>
#include <cstddef>
#include <cstdio>

#include <jerror.h>
#include <jpeglib.h>

namespace lockstep::trainer {

namespace {

constexpr int kCmykBytes = 4;

struct Errors {
    jpeg_error_mgr base{}; // first: the library gives back a pointer to it
    std::jmp_buf jump{};
    char text[JMSG_LENGTH_MAX]{};
};

[[noreturn]] void onError(j_common_ptr common)
{
    auto* errors = reinterpret_cast<Errors*>(common->err);
    errors->base.format_message(common, errors->text);
    std::longjmp(errors->jump, 1);
}

// It goes on after a file that ends too early, with grey; such a file is broken here. What it says of other oddities,
// such as bytes too many before a marker, does no harm.
void onMessage(j_common_ptr common, int level)
{
    const int code = common->err->msg_code;
    if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER || code == JWRN_HUFF_BAD_CODE))
        onError(common);
}

// Adobe's programs store CMYK inverted, and say that they wrote it.
void mixCmyk(const std::uint8_t* cmyk, std::uint8_t* rgb, std::int64_t width, bool inverted)
{
    for (std::int64_t x = 0; x < width; ++x, cmyk += kCmykBytes, rgb += PixelImage::kChannels) {
        const int light = inverted ? cmyk[3] : 255 - cmyk[3];
        for (int channel = 0; channel < PixelImage::kChannels; ++channel)
            rgb[channel] = static_cast<std::uint8_t>((inverted ? cmyk[channel] : 255 - cmyk[channel]) * light / 255);
    }
}

class Decoder {
public:
    Decoder(std::span<const std::uint8_t> bytes, const std::string& path) : m_path(path)
    {
        m_info.err = jpeg_std_error(&m_errors.base);
        m_errors.base.error_exit = onError;
        m_errors.base.emit_message = onMessage;
        if (setjmp(m_errors.jump) != 0)
            fail();
        jpeg_create_decompress(&m_info);
        jpeg_mem_src(&m_info, bytes.data(), static_cast<unsigned long>(bytes.size()));
        jpeg_read_header(&m_info, TRUE);
    }
    ~Decoder() { jpeg_destroy_decompress(&m_info); }
    Decoder(const Decoder&) = delete;
    Decoder& operator=(const Decoder&) = delete;

    PixelImage decode()
    {
        const bool cmyk = m_info.jpeg_color_space == JCS_CMYK || m_info.jpeg_color_space == JCS_YCCK;
        if (!cmyk && m_info.jpeg_color_space == JCS_UNKNOWN)
            refuseFile(m_path, "it has " + std::to_string(m_info.num_components) + " components, neither grey nor RGB");
        PixelImage image = imageOf(m_info.image_width, m_info.image_height, m_path);
        std::vector<std::uint8_t> row(cmyk ? static_cast<std::size_t>(image.width * kCmykBytes) : 0);
        m_info.out_color_space = cmyk ? JCS_CMYK : JCS_RGB;
        readRows(image, row.data());
        return image;
    }

private:
    void readRows(PixelImage& image, std::uint8_t* cmykRow)
    {
        if (setjmp(m_errors.jump) != 0)
            fail();
        jpeg_start_decompress(&m_info);
        while (m_info.output_scanline < m_info.output_height) {
            std::uint8_t* into = image.pixels.data() + m_info.output_scanline * image.rowBytes();
            JSAMPROW row = m_info.out_color_space == JCS_CMYK ? cmykRow : into;
            jpeg_read_scanlines(&m_info, &row, 1);
            if (row == cmykRow)
                mixCmyk(cmykRow, into, image.width, m_info.saw_Adobe_marker != 0);
        }
        jpeg_finish_decompress(&m_info);
    }

    [[noreturn]] void fail()
    {
        const std::string why = m_errors.text;
        jpeg_destroy_decompress(&m_info); // harmless twice
        refuseFile(m_path, "broken JPEG: " + why);
    }

    const std::string& m_path;
    Errors m_errors;
    jpeg_decompress_struct m_info{};
};

} // namespace

PixelImage decodeJpeg(std::span<const std::uint8_t> bytes, const std::string& path)
{
    return Decoder(bytes, path).decode();
}

} // namespace lockstep::trainer
