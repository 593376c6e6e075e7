/* SPDX-License-Identifier: Apache-2.0 */
/* What was typed at a terminal before anybody asked. */
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
