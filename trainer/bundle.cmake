# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the folder that is sent to CPU nodes: everything the trainer needs beside glibc, and no file of NVIDIA's.
#   cmake -DOUT= -DTRAINER= -DPLUGIN= -DTORCH_LIB= -DSTRIPPED= -DSTANDINS= -DABOUT= -DSTRIP= -DPYTHON= -DRUNTIME= -P bundle.cmake
# STRIPPED: where the stripped libtorch_cpu.so is kept between builds (stripping 446 MB takes seconds; keep it beside the wheel).
cmake_policy(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code ERROR_VARIABLE errors OUTPUT_QUIET)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${errors}")
  endif()
endfunction()

# A link where the disk allows it: the bundle's largest file then costs nothing.
function(place from name)
  file(REMOVE "${OUT}.new/${name}")
  file(CREATE_LINK "${from}" "${OUT}.new/${name}" COPY_ON_ERROR)
endfunction()

if(EXISTS "${STRIPPED}/libtorch_cpu.so" AND "${TORCH_LIB}/libtorch_cpu.so" IS_NEWER_THAN "${STRIPPED}/libtorch_cpu.so")
  file(REMOVE "${STRIPPED}/libtorch_cpu.so")
endif()
if(NOT EXISTS "${STRIPPED}/libtorch_cpu.so")
  message(STATUS "stripping libtorch_cpu.so, once")
  file(MAKE_DIRECTORY "${STRIPPED}")
  string(RANDOM LENGTH 8 suffix) # two clones may come here at the same time
  run(${STRIP} --strip-unneeded -o "${STRIPPED}/libtorch_cpu.so.${suffix}" "${TORCH_LIB}/libtorch_cpu.so")
  file(RENAME "${STRIPPED}/libtorch_cpu.so.${suffix}" "${STRIPPED}/libtorch_cpu.so")
endif()

file(REMOVE_RECURSE "${OUT}.new")
file(MAKE_DIRECTORY "${OUT}.new")
place("${STRIPPED}/libtorch_cpu.so" libtorch_cpu.so)
run(${STRIP} --strip-unneeded -o "${OUT}.new/libc10.so" "${TORCH_LIB}/libc10.so")
run(${STRIP} -o "${OUT}.new/lockstep-trainer" "${TRAINER}")
file(RPATH_SET FILE "${OUT}.new/lockstep-trainer" NEW_RPATH "$ORIGIN")
if(PLUGIN)
  run(${STRIP} -o "${OUT}.new/liblockstep_cuda.so" "${PLUGIN}")
  file(RPATH_SET FILE "${OUT}.new/liblockstep_cuda.so" NEW_RPATH "$ORIGIN")
endif()
file(GLOB gomp "${TORCH_LIB}/libgomp*")
# The compiler's own runtime: a node's may be older than what this machine's compiler needs.
string(REPLACE "," ";" runtime "${RUNTIME}")
foreach(library IN LISTS gomp runtime)
  get_filename_component(name "${library}" NAME)
  get_filename_component(real "${library}" REALPATH)
  file(COPY_FILE "${real}" "${OUT}.new/${name}")
endforeach()
run("${PYTHON}" "${STANDINS}" --copies "${OUT}.new" "${TORCH_LIB}/libtorch_cpu.so" "${TORCH_LIB}/libc10.so")
get_filename_component(site "${TORCH_LIB}/../.." ABSOLUTE)
run("${PYTHON}" "${ABOUT}" "${OUT}.new" "${site}")

file(REMOVE_RECURSE "${OUT}")
file(RENAME "${OUT}.new" "${OUT}")
