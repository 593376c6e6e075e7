/* SPDX-License-Identifier: Apache-2.0 */
/* The file queue.yaml of a person or of the system: how many runs a machine carries at once, and whose are
 * next. */
#ifndef POLICY_QUEUE_POLICY_H
#define POLICY_QUEUE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"

struct queue_policy {
	uint64_t at_once;     /* runs; 0: no limit */
	uint64_t of_one;      /* of these from one caller; 0: no limit */
	uint64_t a_minute;    /* so many of one caller begin; 0: no limit */
	uint64_t free_memory; /* bytes that the next run must find while others run; 0: it does not matter */
	bool has_memory;      /* else it is for the machine to say */
	uint64_t longest_ms;  /* who has waited so long is refused; 0: nobody */
};

#define QUEUE_POLICY_INIT            \
	{                            \
		.longest_ms = 600000 \
	}

/* Takes over what the text of FILE says; what it does not mention stays. An unknown key is an error. */
int queue_policy_parse(const char *text, size_t len, const char *file, struct queue_policy *p,
		       struct aisbx_error *e);
/* What is asked of the memory of a machine with TOTAL bytes where no file says anything. */
uint64_t queue_policy_memory(const struct queue_policy *p, uint64_t total);
/* Whether it limits anything but memory. */
bool queue_policy_counts(const struct queue_policy *p);

#endif
