// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/linesplitter.h"

#include <algorithm>

namespace lockstep::agent {

void LineSplitter::feed(std::string_view bytes, const Sink& sink)
{
    while (!bytes.empty()) {
        const std::size_t stop = std::min(bytes.find_first_of("\r\n"), bytes.size());
        add(bytes.substr(0, stop));
        if (stop == bytes.size())
            return;
        if (bytes[stop] == '\n')
            emitLine(sink);
        else
            m_returned = true;
        bytes.remove_prefix(stop + 1);
    }
}

void LineSplitter::finish(const Sink& sink)
{
    if (!m_line.empty() || m_cut > 0)
        emitLine(sink);
}

void LineSplitter::add(std::string_view piece)
{
    if (piece.empty())
        return;
    if (m_returned) { // overwritten on a terminal
        m_line.clear();
        m_cut = 0;
        m_returned = false;
    }
    const std::size_t room = m_cut > 0 ? 0 : kMaxTextBytes - m_line.size();
    m_line.append(piece.substr(0, room));
    m_cut += piece.size() - std::min(room, piece.size());
}

void LineSplitter::emitLine(const Sink& sink)
{
    if (m_cut > 0) { // the cut must not halve a letter
        const std::size_t back = std::min<std::size_t>(m_line.size(), 3);
        for (std::size_t i = m_line.size() - back; i < m_line.size(); ++i) {
            const auto first = static_cast<unsigned char>(m_line[i]);
            const std::size_t wanted = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
            if (wanted > m_line.size() - i) {
                m_cut += m_line.size() - i;
                m_line.resize(i);
                break;
            }
        }
    }
    sink(m_line, m_cut);
    m_line.clear();
    m_cut = 0;
    m_returned = false;
}

} // namespace lockstep::agent
