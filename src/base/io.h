/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing all there is, however many calls that takes; hex digits of bytes. */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "base/buf.h"

/* 0, or a negative errno. */
static inline int io_write_all(int fd, const void *data, size_t len)
{
	for (const char *at = data; len;) {
		ssize_t n = write(fd, at, len);

		if (n < 0 && errno != EINTR)
			return -errno;
		at += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Adds what can be read from FD to RET, up to its end or until there are more than MOST bytes in RET. RET is
 * ended by a NUL then. FD may be -1, with errno set. 0, or a negative errno. */
static inline int io_read_all(int fd, size_t most, struct buf *ret)
{
	char chunk[16384];
	ssize_t n = fd < 0 ? -1 : 1;

	while (fd >= 0 && ret->len <= most &&
	       ((n = read(fd, chunk, sizeof(chunk))) > 0 || (n < 0 && errno == EINTR)))
		buf_add(ret, chunk, n > 0 ? (size_t)n : 0);
	return n < 0 ? -errno : buf_str(ret) ? 0 : -ENOMEM;
}

/* The N bytes at DATA as 2 N digits and a NUL. */
static inline void io_hex(const uint8_t *data, size_t n, char *ret)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		*ret++ = digits[data[i] >> 4];
		*ret++ = digits[data[i] & 15];
	}
	*ret = '\0';
}

#endif
