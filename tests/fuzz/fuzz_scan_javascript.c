/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reader of JavaScript, and of TypeScript for every other length. */
#include "fuzz_scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	return fuzz_read(len % 2 ? scan_typescript : scan_javascript, data, len, false);
}
