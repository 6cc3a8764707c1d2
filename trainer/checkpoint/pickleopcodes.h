// SPDX-License-Identifier: GPL-3.0-or-later
// Opcodes of Python's pickle, from Lib/pickle.py. Those torch.save writes, and no others.
#pragma once

namespace lockstep::trainer::opcode {

inline constexpr char kMark = '(';
inline constexpr char kStop = '.';
inline constexpr char kPop = '0';
inline constexpr char kBinInt = 'J';
inline constexpr char kBinInt1 = 'K';
inline constexpr char kBinInt2 = 'M';
inline constexpr char kNone = 'N';
inline constexpr char kBinPersId = 'Q';
inline constexpr char kReduce = 'R';
inline constexpr char kBinUnicode = 'X';
inline constexpr char kAppend = 'a';
inline constexpr char kBuild = 'b';
inline constexpr char kGlobal = 'c';
inline constexpr char kAppends = 'e';
inline constexpr char kBinGet = 'h';
inline constexpr char kLongBinGet = 'j';
inline constexpr char kBinPut = 'q';
inline constexpr char kLongBinPut = 'r';
inline constexpr char kSetItem = 's';
inline constexpr char kTuple = 't';
inline constexpr char kSetItems = 'u';
inline constexpr char kBinFloat = 'G';
inline constexpr char kEmptyList = ']';
inline constexpr char kEmptyTuple = ')';
inline constexpr char kEmptyDict = '}';
inline constexpr char kProto = '\x80';
inline constexpr char kTuple1 = '\x85';
inline constexpr char kTuple2 = '\x86';
inline constexpr char kTuple3 = '\x87';
inline constexpr char kNewTrue = '\x88';
inline constexpr char kNewFalse = '\x89';
inline constexpr char kLong1 = '\x8a';

} // namespace lockstep::trainer::opcode
