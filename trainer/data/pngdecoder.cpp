// SPDX-License-Identifier: GPL-3.0-or-later
// libpng calls back on errors and must not return from that: setjmp, and no object with a destructor is made between it
// and the jump.
#include "trainer/data/mappedfile.h"
#include "trainer/data/pixelimage.h"

#include <png.h>

#include <algorithm>
#include <cstring>

namespace lockstep::trainer {

namespace {

constexpr png_uint_32 kLongestSide = 1 << 20;

class Decoder {
public:
    Decoder(std::span<const std::uint8_t> bytes, const std::string& path) : m_left(bytes), m_path(path)
    {
        m_png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, onError, [](png_structp, png_const_charp) {});
        m_info = m_png == nullptr ? nullptr : png_create_info_struct(m_png);
        if (m_info == nullptr)
            refuseFile(m_path, "out of memory");
    }
    ~Decoder() { png_destroy_read_struct(&m_png, &m_info, nullptr); }
    Decoder(const Decoder&) = delete;
    Decoder& operator=(const Decoder&) = delete;

    PixelImage decode()
    {
        readHeader();
        PixelImage image = imageOf(png_get_image_width(m_png, m_info), png_get_image_height(m_png, m_info), m_path);
        std::vector<png_bytep> rows; // all at once: an interlaced file comes in seven passes
        rows.reserve(static_cast<std::size_t>(image.height));
        for (std::size_t y = 0; y < static_cast<std::size_t>(image.height); ++y)
            rows.push_back(image.pixels.data() + y * image.rowBytes());
        if (png_get_rowbytes(m_png, m_info) != image.rowBytes())
            refuseFile(m_path, "its rows are no RGB"); // cannot be, after the transformations below
        readRows(rows.data());
        return image;
    }

private:
    void readHeader()
    {
        if (setjmp(png_jmpbuf(m_png)) != 0)
            refuseFile(m_path, std::string("broken PNG: ") + m_error);
        png_set_read_fn(m_png, this, read);
        png_set_user_limits(m_png, kLongestSide, kLongestSide);
        png_read_info(m_png, m_info);
        png_set_expand(m_png); // palettes, grey of 1 to 4 bits, one transparent colour
        png_set_scale_16(m_png);
        png_set_strip_alpha(m_png);
        png_set_gray_to_rgb(m_png);
        png_set_interlace_handling(m_png);
        png_read_update_info(m_png, m_info);
    }

    void readRows(png_bytepp rows)
    {
        if (setjmp(png_jmpbuf(m_png)) != 0)
            refuseFile(m_path, std::string("broken PNG: ") + m_error);
        png_read_image(m_png, rows);
        png_read_end(m_png, nullptr);
    }

    static void read(png_structp png, png_bytep into, std::size_t size)
    {
        auto* self = static_cast<Decoder*>(png_get_io_ptr(png));
        if (size > self->m_left.size())
            png_error(png, "it ends too early");
        std::copy_n(self->m_left.begin(), size, into);
        self->m_left = self->m_left.subspan(size);
    }

    [[noreturn]] static void onError(png_structp png, png_const_charp text)
    {
        auto* self = static_cast<Decoder*>(png_get_error_ptr(png));
        std::strncpy(self->m_error, text, sizeof self->m_error - 1);
        png_longjmp(png, 1);
    }

    std::span<const std::uint8_t> m_left;
    const std::string& m_path;
    png_structp m_png = nullptr;
    png_infop m_info = nullptr;
    char m_error[128]{};
};

} // namespace

PixelImage decodePng(std::span<const std::uint8_t> bytes, const std::string& path)
{
    return Decoder(bytes, path).decode();
}

} // namespace lockstep::trainer
