/* SPDX-License-Identifier: Apache-2.0 */
/* Good, or wrong in a way that a sanitizer finds. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int shared;

static void *add(void *arg)
{
	for (int i = 0; i < 1000; i++)
		shared++;
	return arg;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "good";
	char *volatile p = malloc(100);
	pthread_t other;

	memset(p, argc, 100);
	if (!strcmp(what, "beyond"))
		printf("%d\n", p[100]);
	if (!strcmp(what, "race")) {
		pthread_create(&other, NULL, add, NULL);
		add(NULL);
		pthread_join(other, NULL);
	}
	if (strcmp(what, "leak") != 0)
		free(p);
	p = NULL;
	puts(what);
	return 0;
}
