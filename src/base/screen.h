/* SPDX-License-Identifier: Apache-2.0 */
/* A terminal after somebody else has written to it. */
#ifndef BASE_SCREEN_H
#define BASE_SCREEN_H

#include <stdbool.h>
#include <stdio.h>
#include <termios.h>
#include <unistd.h>

/*
 * What a program may have left behind: colours, another character set, the alternate screen, a scroll region,
 * a hidden cursor, keys and mouse that send something else. What is on the screen stays, and the cursor where
 * it is.
 */
#define SCREEN_RESET                                                                                         \
	"\033[?47l\0337\033[?6l\033[r\0338\033[0m\033(B\017\033[?25h\033[?7h\033[4l\033[?1l\033>\033[?1000l" \
	"\033[?1002l\033[?1003l\033[?1006l\033[?2004l"

/*
 * Nothing that was written before hides or changes what we say from now on; answers of the terminal to
 * questions of that program, which would be typed at the next prompt, are dropped. IN_LINE: it did not end
 * its last line. Nothing where OUT is no terminal.
 */
static inline void screen_reclaim(int in, int out, bool in_line)
{
	if (out < 0 || !isatty(out))
		return;
	if (in >= 0)
		tcflush(in, TCIFLUSH);
	dprintf(out, "%s%s", SCREEN_RESET, in_line ? "\n" : "");
}

#endif
