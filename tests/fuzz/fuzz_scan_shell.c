/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reader of shell. */
#include "fuzz_scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	return fuzz_read(scan_shell, data, len, false);
}
