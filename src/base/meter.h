/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Long work tells how far it is, for whoever shows that. If nobody listens a step costs one comparison. One
 * process does one long thing at a time: what begins inside of it is a part of it.
 */
#ifndef BASE_METER_H
#define BASE_METER_H

#include <stdbool.h>
#include <stdint.h>

struct meter {
	const char *what;     /* "promoting"; NULL: it has ended */
	uint64_t done, total; /* total 0: nobody knows */
	uint64_t bytes;       /* so far, where bytes are copied */
	uint64_t began_ms;    /* by time_ms() */
};

/* HEARD is called now and then while this process, not its children, does long work; NULL: nobody listens. */
void meter_listen(void (*heard)(const struct meter *m));
/* Whether it is worth the effort to find out how much there is to do. */
bool meter_is_heard(void);

/*
 * Work begins, and ends with the block: scoped_meter bool meter = meter_begin("removing", n). Inside of other
 * work only N counts, and only if that does not know how much it is itself.
 */
bool meter_begin(const char *what, uint64_t n);
void meter_drop(bool *begun);
#define scoped_meter __attribute__((cleanup(meter_drop), unused)) /* nobody else looks at the variable */
/* There is more to do than was known. */
void meter_more(uint64_t n);

/* One more is done, with so many bytes. */
void meter_step(uint64_t bytes);

#endif
