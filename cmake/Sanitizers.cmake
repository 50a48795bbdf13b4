set(GPUADVISE_SANITIZERS "" CACHE STRING "Value of -fsanitize=, empty for none")
add_library(gpuadvise_sanitizers INTERFACE)
if(GPUADVISE_SANITIZERS)
  target_compile_options(gpuadvise_sanitizers INTERFACE
    -fsanitize=${GPUADVISE_SANITIZERS} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(gpuadvise_sanitizers INTERFACE -fsanitize=${GPUADVISE_SANITIZERS})
endif()
