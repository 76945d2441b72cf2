// Messages to a script if the driver is too old, or a library is found but cannot be used.
#include <filesystem>
#include <string>

#include "tests/cuda/environment.h"
#include "tests/interpreter/command.h"
#include "tests/support/catch.h"

namespace {

using tide::test::Environment;

const std::string kOldDriver =
    "CUDA cannot be used: the driver is too old: it supports CUDA 11.2, tide needs 12.1 or newer; "
    "install NVIDIA driver 530 or newer (https://www.nvidia.com/drivers), then run `tide info`\n";

/// A product of more than 1 GFLOP, and one that is small enough for the fake driver.
const std::string kLarge =
    "local x = tide.ones(1024, 512, {device = 'cuda'})\n"
    "x:matmul(x:t()):sum():item()\n";
const std::string kSmall =
    "local x = tide.ones(4, 4, {device = 'cuda'})\n"
    "print(x:matmul(x):sum():item())\n";
const std::string kSlow = "tide: cuda: a product 1024 x 512 x 1024 of float32 is slow: ";
const std::string kOwn = ". tide's own kernel is used; `tide info` lists the libraries.\n";

}  // namespace

TEST_CASE("an error of a driver that is too old names both versions and the fix", "[cuda][fake]") {
  Environment fake({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_FAKE_CUDA", "version=11020"}});
  const auto outcome =
      test::run_tide({"-e",
                      "print((select(2, pcall(tide.ones, 2, {device = 'cuda'}))))\n"
                      "print((select(2, pcall(tide.cuda.get_device_name))))\n"
                      "print(tide.ones(2):sum():item())"});
  CHECK(outcome.out ==
        "(command line):1: device: there is no cuda:0 here; there are cpu, sim:0, sim:1; " +
            kOldDriver + "(command line):2: cuda.get_device_name: " + kOldDriver + "2.0\n");
  CHECK(outcome.err == "");
}

TEST_CASE("a cuBLASLt that does not start is named, and products work", "[cuda][fake]") {
  Environment fake({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_FAKE_BLAS", "refuse"}});
  const auto small = test::run_tide({"-e", kSmall});
  CHECK(small.out == "64.0\n");
  CHECK(small.err == "");
  Environment quick({{"TIDE_FAKE_CUDA", "skip_kernels=1"}});
  CHECK(test::run_tide({"-e", kLarge}).err == kSlow + "cuBLASLt does not start: status 1 (" +
                                                  TIDE_FAKE_DRIVER + "/libcublasLt.so.13)" + kOwn);
}

TEST_CASE("a cuDNN that does not start is named by the log, and convolutions work",
          "[cuda][fake]") {
  Environment fake(
      {{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_FAKE_DNN", "fail=create"}, {"TIDE_LOG", "1"}});
  const auto outcome = test::run_tide(
      {"-e",
       "local x = tide.ones(1, 1, 3, 3, {device = 'cuda'})\n"
       "print(tide.nn.functional.conv2d(x, tide.ones(1, 1, 2, 2, {device = 'cuda'})):sum()"
       ":item())"});
  CHECK(outcome.out == "16.0\n");
  CHECK(outcome.err.find("tide: cuda: cuDNN is not used: cuDNN does not start: status 1001 (" +
                         std::string(TIDE_FAKE_DRIVER) + "/libcudnn.so.9, version 9.1.0)\n") !=
        std::string::npos);
}

TEST_CASE("a library that is newer than the driver is named with both versions", "[cuda][fake]") {
  const test::TemporaryFolder folder;
  for (const char* file : {"libcuda.so.1", "libcublasLt.so.13"})
    std::filesystem::create_symlink(std::string(TIDE_FAKE_DRIVER) + "/" + file,
                                    folder.path() + "/" + file);
  Environment old(
      {{"TIDE_CUDA_PATH", folder.path()}, {"TIDE_FAKE_CUDA", "version=12010,skip_kernels=1"}});
  CHECK(test::run_tide({"-e", kLarge}).err ==
        kSlow + "cuBLASLt: " + folder.path() +
            "/libcublasLt.so.13 needs a newer driver than CUDA 12's" + kOwn);
}
