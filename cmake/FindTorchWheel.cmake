# SPDX-License-Identifier: GPL-3.0-or-later
# LibTorch as PyPI's torch wheel ships it. Its own TorchConfig.cmake insists on a CUDA toolkit, which no build here needs.
#
#   TORCH_SITE          folder with torch/ and nvidia/, as `pip install --target` leaves it (in: cache variable)
#   TorchWheel_VERSION  2.14.1
#   TorchWheel_LIBRARY_DIR, TorchWheel_CUDART, TorchWheel_CUPTI
#   TorchWheel::cpu     libtorch_cpu and libc10
#   TorchWheel::cuda    libtorch_cuda, NCCL and the CUDA runtime; only where their packages are under TORCH_SITE
set(_site "$ENV{LOCKSTEP_TORCH_SITE}")
if(NOT _site)
  set(_cache "$ENV{XDG_CACHE_HOME}")
  if(NOT _cache)
    set(_cache "$ENV{HOME}/.cache")
  endif()
  set(_site "${_cache}/lockstep-sdk/torch-2.14.1")
endif()
set(TORCH_SITE "${_site}" CACHE PATH "folder that holds torch/ and nvidia/ of the torch wheel")

set(TorchWheel_LIBRARY_DIR "${TORCH_SITE}/torch/lib")
set(_torch_include "${TORCH_SITE}/torch/include")
file(GLOB _nvidia_lib_dirs LIST_DIRECTORIES true "${TORCH_SITE}/nvidia/*/lib")
find_path(TorchWheel_API_INCLUDE torch/torch.h PATHS "${_torch_include}/torch/csrc/api/include" NO_DEFAULT_PATH)
foreach(_lib c10 torch_cpu c10_cuda torch_cuda)
  find_library(TorchWheel_${_lib} ${_lib} PATHS "${TorchWheel_LIBRARY_DIR}" NO_DEFAULT_PATH)
endforeach()
# The NVIDIA wheels have no unversioned lib*.so, so find_library would not see these.
find_file(TorchWheel_CUDART NAMES libcudart.so.13 libcudart.so.12 PATHS ${_nvidia_lib_dirs} NO_DEFAULT_PATH)
find_file(TorchWheel_CUPTI NAMES libcupti.so.13 libcupti.so.12 PATHS ${_nvidia_lib_dirs} NO_DEFAULT_PATH)
find_file(TorchWheel_NCCL NAMES libnccl.so.2 PATHS ${_nvidia_lib_dirs} NO_DEFAULT_PATH)
find_path(TorchWheel_CUDART_INCLUDE cuda_runtime_api.h
  PATHS "${TORCH_SITE}/nvidia/cu13/include" "${TORCH_SITE}/nvidia/cuda_runtime/include" NO_DEFAULT_PATH)
find_path(TorchWheel_NCCL_INCLUDE nccl.h PATHS "${TORCH_SITE}/nvidia/nccl/include" NO_DEFAULT_PATH)
mark_as_advanced(TorchWheel_API_INCLUDE TorchWheel_CUDART TorchWheel_CUPTI TorchWheel_NCCL TorchWheel_CUDART_INCLUDE
  TorchWheel_NCCL_INCLUDE TorchWheel_c10 TorchWheel_torch_cpu TorchWheel_c10_cuda TorchWheel_torch_cuda)

set(TorchWheel_VERSION "")
foreach(_header "${_torch_include}/torch/headeronly/version.h" "${TorchWheel_API_INCLUDE}/torch/version.h")
  if(NOT TorchWheel_VERSION AND EXISTS "${_header}")
    file(STRINGS "${_header}" _lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) [0-9]+")
    list(TRANSFORM _lines REPLACE "^.* ([0-9]+).*$" "\\1")
    list(JOIN _lines "." TorchWheel_VERSION)
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TorchWheel
  REQUIRED_VARS TorchWheel_torch_cpu TorchWheel_c10 TorchWheel_API_INCLUDE TorchWheel_CUDART TorchWheel_CUPTI
  VERSION_VAR TorchWheel_VERSION
  REASON_FAILURE_MESSAGE "no torch wheel under TORCH_SITE=${TORCH_SITE} (./run puts it there)")

function(_torchwheel_library name location)
  if(NOT TARGET TorchWheel::${name})
    add_library(TorchWheel::${name} SHARED IMPORTED GLOBAL) # the tests link it too
    set_target_properties(TorchWheel::${name} PROPERTIES
      IMPORTED_LOCATION "${location}" INTERFACE_LINK_LIBRARIES "${ARGN}")
  endif()
endfunction()

if(TorchWheel_FOUND AND NOT TARGET TorchWheel::cpu)
  _torchwheel_library(c10 "${TorchWheel_c10}")
  _torchwheel_library(cpu "${TorchWheel_torch_cpu}" TorchWheel::c10)
  target_include_directories(TorchWheel::cpu SYSTEM INTERFACE "${_torch_include}" "${TorchWheel_API_INCLUDE}")
  # What the wheel was built with: these decide which classes and members its headers declare.
  target_compile_definitions(TorchWheel::cpu INTERFACE USE_DISTRIBUTED USE_C10D_GLOO USE_RPC USE_TENSORPIPE)
  target_compile_features(TorchWheel::cpu INTERFACE cxx_std_20)
  # Operators register themselves in static initialisers; no symbol of ours may refer to such a library.
  target_link_options(TorchWheel::cpu INTERFACE "LINKER:--no-as-needed")
  foreach(_dir IN LISTS _nvidia_lib_dirs)
    target_link_options(TorchWheel::cpu INTERFACE "LINKER:-rpath-link,${_dir}")
  endforeach()
endif()

if(TorchWheel_FOUND AND TorchWheel_torch_cuda AND TorchWheel_c10_cuda AND TorchWheel_NCCL
   AND TorchWheel_NCCL_INCLUDE AND TorchWheel_CUDART_INCLUDE AND NOT TARGET TorchWheel::cuda)
  _torchwheel_library(c10_cuda "${TorchWheel_c10_cuda}" TorchWheel::c10)
  _torchwheel_library(cuda "${TorchWheel_torch_cuda}"
    TorchWheel::cpu TorchWheel::c10_cuda "${TorchWheel_CUDART}" "${TorchWheel_NCCL}")
  target_include_directories(TorchWheel::cuda SYSTEM INTERFACE "${TorchWheel_CUDART_INCLUDE}" "${TorchWheel_NCCL_INCLUDE}")
  target_compile_definitions(TorchWheel::cuda INTERFACE USE_C10D_NCCL)
  # cuBLAS, cuDNN and the rest of 3.5 GB are found by the loader on a node with a GPU, never here.
  target_link_options(TorchWheel::cuda INTERFACE "LINKER:--allow-shlib-undefined")
endif()
