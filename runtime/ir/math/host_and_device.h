// Marks functions that both the host and CUDA kernels call.
#pragma once

#ifdef __CUDACC__
#define TIDE_HOST_AND_DEVICE __host__ __device__
#else
#define TIDE_HOST_AND_DEVICE
#endif
