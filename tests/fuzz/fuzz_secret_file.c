/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the readers of files with secrets: the first byte is the form, the rest the text. What is taken
 * keeps the promises of policy/secret_file.h.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "policy/secret_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct secret_values v = { 0 };
	char *text;

	if (!len)
		return 0;
	text = malloc(len); /* the last byte is followed by nothing */
	memcpy(text, data + 1, len - 1);
	secret_file_read((enum secret_file)(data[0] % (SECRET_FILE_WHOLE + 1)), text, len - 1, &v);
	must(v.n <= SECRET_FILE_VALUES);
	for (size_t i = 0; i < v.n; i++) {
		must(strlen(v.items[i].value) == v.items[i].len && v.items[i].len >= 8);
		must(*v.items[i].name && strlen(v.items[i].name) <= 40 && !strpbrk(v.items[i].name, ":/]\n"));
		for (size_t k = 0; k < i; k++)
			must(strcmp(v.items[i].value, v.items[k].value) != 0);
	}
	secret_values_finish(&v);
	free(text);
	return 0;
}
