/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets in shared memory: a record for each, after a count that is increased when a record is complete. */
#include "secret/known_secrets.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"

struct record {
	uint32_t len;
	char name[SECRET_MAX_NAME + 1];
	char pad[3];
	char value[]; /* LEN bytes and a NUL; the next record is aligned */
};

#define RECORD_SIZE(len) ((sizeof(struct record) + (len) + 1 + 7) & ~(size_t)7)

/* Those of the project may have changed since others were added. */
#define KNOWN_MAX (SECRET_MAX + 2 * SECRET_PROJECT_MAX)

struct known_secrets_page {
	_Atomic uint32_t count;
	uint32_t used; /* of the room */
	char room[SECRET_MAX_ALL + 2 * SECRET_PROJECT_ALL + KNOWN_MAX * RECORD_SIZE(8)];
};

/* It never changes its size, so that who has it mapped can rely on it. */
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static struct known_secrets_page *map(int fd, struct aisbx_error *e)
{
	struct known_secrets_page *page;
	struct stat st;
	int seals = fcntl(fd, F_GET_SEALS);

	if (seals < 0 || (seals & SEALS) != SEALS || fstat(fd, &st) < 0 || st.st_size != sizeof(*page)) {
		aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EPROTO,
			     "a command that joins sent an invalid list of secrets");
		return NULL;
	}
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page != MAP_FAILED)
		return page;
	aisbx_fail(e, AISBX_AREA_RUN, errno, "map the secrets of the box");
	return NULL;
}

static int make(struct known_secrets *v, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = memfd_create("aisbx-secrets", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, sizeof(*v->page)) < 0 || fcntl(fd, F_ADD_SEALS, SEALS) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "allocate memory for the secrets of the box");
	v->page = map(fd, e);
	if (!v->page)
		return e->code < 0 ? e->code : -ENOMEM;
	v->fd = take_fd(&fd);
	return 0;
}

static void unmap(struct known_secrets *v)
{
	if (v->page)
		munmap(v->page, sizeof(*v->page));
	v->page = NULL;
	close_fd(&v->fd);
}

void known_secrets_finish(struct known_secrets *v)
{
	for (size_t i = 0; i < v->n_made; i++)
		redactor_destroy(v->made[i]);
	free(v->made);
	unmap(v);
	*v = (struct known_secrets)KNOWN_SECRETS_INIT;
}

/* All records of PAGE, which somebody else may be writing to: what is not whole is not taken. */
static size_t list_records(const struct known_secrets_page *page, struct run_secret ret[KNOWN_MAX])
{
	uint32_t n = atomic_load_explicit(&page->count, memory_order_acquire), i = 0;
	size_t at = 0;

	for (; i < n && i < KNOWN_MAX; i++) {
		struct record *rec = (void *)(uintptr_t)(page->room + at);
		size_t left = sizeof(page->room) - at;

		if (left < RECORD_SIZE(0) || rec->len > SECRET_MAX_BYTES || RECORD_SIZE(rec->len) > left)
			break;
		rec->name[SECRET_MAX_NAME] = '\0';
		ret[i] = (struct run_secret){ .name = rec->name, .value = rec->value, .len = rec->len };
		at += RECORD_SIZE(rec->len);
	}
	return i;
}

static bool is_of_project(const char *name)
{
	return strchr(name, ':');
}

/* Those of the one or of the other kind. */
static size_t count_of(const struct run_secret *have, size_t n, bool of_project)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += is_of_project(have[i].name) == of_project;
	return count;
}

/* 1: it is there already. */
static int compare(const struct run_secret *have, size_t n, const struct run_secret *s, struct aisbx_error *e)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(have[i].name, s->name) != 0)
			continue;
		if (have[i].len == s->len && !memcmp(have[i].value, s->value, s->len))
			return 1;
		if (is_of_project(s->name)) /* the file has changed: both are looked for */
			continue;
		return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_RUN, EBUSY,
				    "the live box has another secret with the name '%s'; give this one "
				    "another name, or wait until the box has ended",
				    s->name);
	}
	return 0;
}

static int put(struct known_secrets *v, const struct run_secret *s, struct aisbx_error *e)
{
	struct run_secret have[KNOWN_MAX];
	size_t n = list_records(v->page, have);
	struct record *rec = (void *)(v->page->room + v->page->used);
	bool of_project = is_of_project(s->name);
	size_t most = of_project ? 2 * SECRET_PROJECT_MAX : SECRET_MAX;
	int r = compare(have, n, s, e);

	if (r != 0)
		return r < 0 ? r : 0;
	if (of_project && count_of(have, n, true) == most)
		return 0; /* after many changes of the file; the first ones count */
	if (count_of(have, n, of_project) == most || s->len > SECRET_MAX_BYTES ||
	    RECORD_SIZE(s->len) > sizeof(v->page->room) - v->page->used)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_RUN, E2BIG,
				    "too many secrets: a box may have at most %u, together %u bytes",
				    SECRET_MAX, SECRET_MAX_ALL);
	rec->len = (uint32_t)s->len;
	strncpy(rec->name, s->name, SECRET_MAX_NAME);
	memcpy(rec->value, s->value, s->len);
	v->page->used += (uint32_t)RECORD_SIZE(s->len);
	atomic_store_explicit(&v->page->count, (uint32_t)n + 1, memory_order_release);
	return 0;
}

int known_secrets_add(struct known_secrets *v, const struct run_secret *list, size_t n, struct aisbx_error *e)
{
	int r = n && !v->page ? make(v, e) : 0;

	for (size_t i = 0; r == 0 && v->page && i < n; i++)
		r = put(v, &list[i], e);
	return r;
}

int known_secrets_add_all(struct known_secrets *v, int fd, struct aisbx_error *e)
{
	struct run_secret list[KNOWN_MAX];
	struct known_secrets_page *page = map(fd, e);
	int r;

	if (!page)
		return e->code;
	r = known_secrets_add(v, list, list_records(page, list), e);
	munmap(page, sizeof(*page));
	return r;
}

int known_secrets_join(struct known_secrets *v, int fd, struct aisbx_error *e)
{
	struct known_secrets_page *page = map(fd, e);

	if (!page) {
		close(fd);
		return e->code;
	}
	unmap(v);
	v->fd = fd;
	v->page = page;
	v->known = 0;
	return 0;
}

int known_secrets_share(struct known_secrets *v, int *ret_fd, struct aisbx_error *e)
{
	int r = v->page ? 0 : make(v, e);

	if (r == 0)
		*ret_fd = v->fd;
	return r;
}

bool known_secrets_any(const struct known_secrets *v)
{
	return v->failed || v->n_made ||
	       (v->page && atomic_load_explicit(&v->page->count, memory_order_acquire));
}

const struct redactor *known_secrets_redactor(struct known_secrets *v)
{
	struct run_secret list[KNOWN_MAX];
	struct redactor **grown;
	uint32_t count;
	size_t n;

	if (!v->page || v->failed)
		return NULL;
	count = atomic_load_explicit(&v->page->count, memory_order_acquire);
	if (count == v->known)
		return v->n_made ? v->made[v->n_made - 1] : NULL;
	n = list_records(v->page, list);
	grown = realloc(v->made, (v->n_made + 1) * sizeof(*grown));
	if (grown)
		v->made = grown;
	v->failed = !grown || n < count || !(grown[v->n_made] = redactor_create(list, n));
	if (v->failed)
		return NULL;
	v->known = (uint32_t)n;
	return v->made[v->n_made++];
}
