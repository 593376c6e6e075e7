/* SPDX-License-Identifier: Apache-2.0 */
/* Sums up sales by month and item. */
#ifndef TALLY_H
#define TALLY_H

#ifdef __cplusplus
extern "C" {
#endif

struct tally;

struct tally *tally_create(void);
void tally_destroy(struct tally *t);
/* Takes a line of day,item,amount; 0, or -1 when it is none. */
int tally_add(struct tally *t, const char *line);
/* Calls back for every sum, sorted. */
void tally_each(const struct tally *t, void (*call)(const char *key, double sum, void *ctx), void *ctx);

#ifdef __cplusplus
}
#endif

#endif
