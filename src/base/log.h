/* SPDX-License-Identifier: Apache-2.0 */
/* Debug messages on stderr if AISBX_DEBUG is set; libraries never print anything else. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
