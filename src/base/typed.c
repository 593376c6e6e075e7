/* SPDX-License-Identifier: Apache-2.0 */
/* Discards what was typed at a terminal before a question. */
#include "base/typed.h"

#include <stdio.h>
#include <stdio_ext.h>
#include <termios.h>
#include <unistd.h>

void typed_forget(void)
{
	__fpurge(stdin);
	tcflush(STDIN_FILENO, TCIFLUSH);
}
