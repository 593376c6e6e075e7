/* SPDX-License-Identifier: Apache-2.0 */
/* Uses the public headers the way a program in C99 or C++11 would. Compiled, never run. */
#include <aisbx/aisbx.h>
#include <aisbx/error.h>

int main(void)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	return e.code == 0 && e.area == AISBX_AREA_NONE && e.text[0] == '\0' && sizeof(e.text) == 488 ? 0 : 1;
}
