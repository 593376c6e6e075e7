/* SPDX-License-Identifier: Apache-2.0 */
/* Debug lines on stderr when AISBX_DEBUG is set; nothing above debug is ever said from a library. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
