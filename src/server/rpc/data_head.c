/* SPDX-License-Identifier: Apache-2.0 */
/* What a client says first on a data connection. */
#include <string.h>

#include "server/rpc/data.h"

static bool is_digit(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

bool data_is_token(const char *text)
{
	size_t n = 0;

	while (is_digit(text[n]))
		n++;
	return n == DATA_TOKEN && !text[n];
}

bool data_head_add(struct data_head *h, const char *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (h->len == DATA_HEAD || (h->len < DATA_TOKEN ? !is_digit(data[i]) : data[i] != '\n'))
			return false;
		h->text[h->len++] = data[i];
	}
	if (h->len == DATA_HEAD)
		h->text[DATA_TOKEN] = '\0';
	return true;
}
