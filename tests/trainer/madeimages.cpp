// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/trainer/madeimages.h"

#include <QtGlobal>

#include <vector>

#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>
#include <png.h>

namespace lockstep::test {

namespace {

int channelsOf(int colour)
{
    switch (colour) {
    case PNG_COLOR_TYPE_RGB:
        return 3;
    case PNG_COLOR_TYPE_GRAY_ALPHA:
        return 2;
    case PNG_COLOR_TYPE_RGB_ALPHA:
        return 4;
    default:
        return 1;
    }
}

void append(png_structp writer, png_bytep bytes, std::size_t size)
{
    static_cast<QByteArray*>(png_get_io_ptr(writer))
        ->append(reinterpret_cast<const char*>(bytes), static_cast<qsizetype>(size));
}

} // namespace

QByteArray png(const MadePng& made)
{
    QByteArray file;
    png_structp writer = png_create_write_struct(
        PNG_LIBPNG_VER_STRING, nullptr, [](png_structp, png_const_charp text) { qFatal("libpng: %s", text); }, nullptr);
    png_infop info = png_create_info_struct(writer);
    png_set_write_fn(writer, &file, append, [](png_structp) {});
    png_set_IHDR(writer, info, static_cast<png_uint_32>(made.width), static_cast<png_uint_32>(made.height), made.depth,
                 made.colour, made.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (!made.palette.isEmpty())
        png_set_PLTE(writer, info, reinterpret_cast<const png_color*>(made.palette.constData()),
                     static_cast<int>(made.palette.size() / 3));
    png_write_info(writer, info);
    const int rowBytes = (made.width * made.depth * channelsOf(made.colour) + 7) / 8;
    QByteArray rows = made.rows;
    if (rows.size() != rowBytes * made.height)
        qFatal("%d bytes of pixels, %d are needed", int(rows.size()), rowBytes * made.height);
    std::vector<png_bytep> pointers;
    for (int y = 0; y < made.height; ++y)
        pointers.push_back(reinterpret_cast<png_bytep>(rows.data()) + y * rowBytes);
    png_set_interlace_handling(writer);
    png_write_image(writer, pointers.data());
    png_write_end(writer, info);
    png_destroy_write_struct(&writer, &info);
    return file;
}

QByteArray jpeg(int width, int height, JpegColours colours, const QByteArray& pixels)
{
    jpeg_compress_struct writer{};
    jpeg_error_mgr errors{};
    writer.err = jpeg_std_error(&errors);
    jpeg_create_compress(&writer);
    unsigned char* memory = nullptr;
    unsigned long size = 0;
    jpeg_mem_dest(&writer, &memory, &size);
    writer.image_width = static_cast<JDIMENSION>(width);
    writer.image_height = static_cast<JDIMENSION>(height);
    const bool cmyk = colours == JpegColours::Cmyk || colours == JpegColours::AdobeCmyk;
    writer.input_components = colours == JpegColours::Grey ? 1 : cmyk ? 4 : 3;
    writer.in_color_space = colours == JpegColours::Grey ? JCS_GRAYSCALE : cmyk ? JCS_CMYK : JCS_RGB;
    jpeg_set_defaults(&writer);
    jpeg_set_quality(&writer, 100, TRUE);
    writer.write_Adobe_marker = colours == JpegColours::AdobeCmyk ? TRUE : FALSE;
    for (int i = 0; i < writer.num_components; ++i)
        writer.comp_info[i].h_samp_factor = writer.comp_info[i].v_samp_factor = 1;
    jpeg_start_compress(&writer, TRUE);
    const int rowBytes = width * writer.input_components;
    QByteArray rows = pixels;
    if (rows.size() != rowBytes * height)
        qFatal("%d bytes of pixels, %d are needed", int(rows.size()), rowBytes * height);
    for (int y = 0; y < height; ++y) {
        JSAMPROW row = reinterpret_cast<JSAMPROW>(rows.data()) + y * rowBytes;
        jpeg_write_scanlines(&writer, &row, 1);
    }
    jpeg_finish_compress(&writer);
    const QByteArray file(reinterpret_cast<const char*>(memory), static_cast<qsizetype>(size));
    jpeg_destroy_compress(&writer);
    std::free(memory);
    return file;
}

} // namespace lockstep::test
