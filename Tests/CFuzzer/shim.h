#pragma once
#include <stddef.h>
#include <stdint.h>

/* libFuzzer as a library (compiler-rt, FuzzerDriver.cpp). Ends the process when it is done. */
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*one)(const uint8_t *bytes, size_t length));
