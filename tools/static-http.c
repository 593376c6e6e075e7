/* SPDX-License-Identifier: Apache-2.0 */
/* Linked by meson.build to see whether aisbx-http can be static here: libmicrohttpd's archive with all that
 * it needs. */
#include <microhttpd.h>

int main(void)
{
	return MHD_start_daemon(MHD_NO_FLAG, 0, NULL, NULL, NULL, NULL, MHD_OPTION_END) ? 0 : 1;
}
