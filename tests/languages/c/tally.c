/* SPDX-License-Identifier: Apache-2.0 */
/* A sorted array of sums. */
#include "tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	char key[64];
	double sum;
};

struct tally {
	struct entry *entries;
	size_t n;
};

struct tally *tally_create(void)
{
	return calloc(1, sizeof(struct tally));
}

void tally_destroy(struct tally *t)
{
	if (t)
		free(t->entries);
	free(t);
}

static struct entry *find(struct tally *t, const char *key)
{
	struct entry *grown;
	size_t i = 0;

	while (i < t->n && strcmp(t->entries[i].key, key) < 0)
		i++;
	if (i < t->n && !strcmp(t->entries[i].key, key))
		return &t->entries[i];
	grown = realloc(t->entries, (t->n + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	t->entries = grown;
	memmove(&grown[i + 1], &grown[i], (t->n++ - i) * sizeof(*grown));
	memset(&grown[i], 0, sizeof(grown[i]));
	strncpy(grown[i].key, key, sizeof(grown[i].key) - 1);
	return &grown[i];
}

int tally_add(struct tally *t, const char *line)
{
	char day[16], item[32], key[64];
	struct entry *e;
	double amount;

	if (sscanf(line, "%15[^,],%31[^,],%lf", day, item, &amount) != 3 || strlen(day) < 7)
		return -1;
	snprintf(key, sizeof(key), "%.7s %s", day, item);
	e = find(t, key);
	if (!e)
		return -1;
	e->sum += amount;
	return 0;
}

void tally_each(const struct tally *t, void (*call)(const char *key, double sum, void *ctx), void *ctx)
{
	for (size_t i = 0; i < t->n; i++)
		call(t->entries[i].key, t->entries[i].sum, ctx);
}
