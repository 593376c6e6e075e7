/* SPDX-License-Identifier: Apache-2.0 */
/* The types of pictures that a model or a browser takes. */
#include "box/picture.h"

#include <string.h>

const char *picture_type(const char *data, size_t len)
{
	static const struct {
		const char *magic;
		size_t len;
		const char *media;
	} known[] = {
		{ "\x89PNG\r\n\x1a\n", 8, "image/png" },
		{ "\xff\xd8\xff", 3, "image/jpeg" },
		{ "GIF8", 4, "image/gif" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (len >= known[i].len && !memcmp(data, known[i].magic, known[i].len))
			return known[i].media;
	/* a container of several kinds, with its length between the two words */
	return len >= 12 && !memcmp(data, "RIFF", 4) && !memcmp(data + 8, "WEBP", 4) ? "image/webp" : NULL;
}
