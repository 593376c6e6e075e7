/* SPDX-License-Identifier: Apache-2.0 */
/* Discards what was typed at a terminal before a question. */
#include "base/ask.h"

#include <stdio.h>
#include <stdio_ext.h>
#include <termios.h>
#include <unistd.h>

void ask_forget_typed(void)
{
	__fpurge(stdin);
	tcflush(STDIN_FILENO, TCIFLUSH);
}
