/* SPDX-License-Identifier: Apache-2.0 */
/* The three standard descriptors, before anything else is opened. */
#ifndef BASE_STD_FDS_H
#define BASE_STD_FDS_H

#include <fcntl.h>
#include <unistd.h>

/* Exit status of a program of ours that could not start. */
#define STD_FDS_FAILED 125

/*
 * A closed descriptor would be reused by the next file or socket, and then be read or written by mistake. So
 * it becomes /dev/null: nothing to read; on standard output not writable, so that lost output is still an
 * error; on standard error messages are lost. First in every main().
 */
static inline void std_fds_hold(void)
{
	static const int how[3] = { O_RDONLY, O_RDONLY, O_WRONLY };

	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", how[fd]) != fd) /* the lowest that is free */
			_exit(STD_FDS_FAILED);
}

#endif
