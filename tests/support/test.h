/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka and what it wants included before it, and the two questions most tests ask of an error. */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "aisbx/error.h"

/* R is the failure ERR and E tells of it in words that contain TEXT. */
#define assert_failed(r, err, e, word)                                     \
	do {                                                               \
		assert_int_equal((r), -(err));                             \
		assert_int_equal((e).code, -(err));                        \
		if (!strstr((e).text, word))                               \
			fail_msg("'%s' is not in '%s'", (word), (e).text); \
	} while (0)

#endif
