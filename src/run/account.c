/* SPDX-License-Identifier: Apache-2.0 */
/* Total resource usage of a run, and which limit ended it. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/time.h"
#include "run/internal.h"

/* What does not fit any more into a full file system. */
#define DISK_ROUNDING 65536u
/* A command that says it has no memory, and had all but this part of it, came to the limit. */
#define MEMORY_PART 16
/* Pid 1 of the box and who keeps a command count as processes, but not always have a number in the box. */
#define PIDS_ROUNDING 2u

#define BIT(l) (1u << LIMIT_##l)

/* The signal that ended the command, or ended what a shell ran last. */
static int ended_by(int status)
{
	if (WIFSIGNALED(status))
		return WTERMSIG(status);
	return WEXITSTATUS(status) > 128 ? WEXITSTATUS(status) - 128 : 0;
}

/* Limits that somebody saw to be reached: the kernel, pid 1 or the watch. */
static uint32_t seen(const struct run *r)
{
	const uint64_t *limits = r->spec->limits.held;
	const struct run_usage *u = &r->out.usage;
	int sig = ended_by(r->out.status);
	uint32_t bits = 0;

	if (sig == SIGXFSZ)
		bits |= BIT(FILE_SIZE);
	if (sig == SIGXCPU)
		bits |= BIT(CPU_TIME);
	if (u->refused_forks || u->pids_peak >= limits[LIMIT_PROCESSES])
		bits |= BIT(PROCESSES);
	if (u->disk_peak + DISK_ROUNDING >= limits[LIMIT_DISK])
		bits |= BIT(DISK);
	if (u->inodes_peak >= limits[LIMIT_INODES])
		bits |= BIT(INODES);
	return bits;
}

static const char *variable(const struct run_command *c, const char *name)
{
	size_t n = strlen(name);

	for (const char *const *v = c->env; v && *v; v++)
		if (!strncmp(*v, name, n) && (*v)[n] == '=' && (*v)[n + 1])
			return *v + n + 1;
	return NULL;
}

/* In which language the C library of the command says what went wrong. */
static const char *language_of(const struct run_command *c)
{
	static const char *const names[] = { "LC_ALL", "LC_MESSAGES", "LANG" };
	const char *value = NULL;

	for (size_t i = 0; !value && i < sizeof(names) / sizeof(*names); i++)
		value = variable(c, names[i]);
	return value;
}

/* One error is for both. Files without number were seen, or it was bytes: those come and go faster than
 * anybody looks. */
static uint32_t fuller(const struct run_usage *u, const uint64_t *limits)
{
	return !limits[LIMIT_DISK] || (limits[LIMIT_INODES] && u->inodes_peak > limits[LIMIT_INODES] / 2 &&
				       u->disk_peak < limits[LIMIT_DISK] / 2)
		       ? BIT(INODES)
		       : BIT(DISK);
}

/* Limits that the command says were reached, without those that cannot have been. */
static uint32_t said(const struct run *r)
{
	const uint64_t *limits = r->spec->limits.held;
	const struct run_usage *u = &r->out.usage;
	const char *language = language_of(&r->spec->command);
	uint32_t bits = 0;

	for (int i = OUT; i < STREAMS; i++)
		if (r->streams[i].last)
			bits |= last_words_limits(r->streams[i].last, language);
	if (r->made && r->made + PIDS_ROUNDING < limits[LIMIT_PROCESSES])
		bits &= ~BIT(PROCESSES);
	if (u->mem_peak < limits[LIMIT_MEMORY] - limits[LIMIT_MEMORY] / MEMORY_PART)
		bits &= ~BIT(MEMORY);
	if (bits & BIT(DISK))
		bits = (bits & ~(BIT(DISK) | BIT(INODES))) | fuller(u, limits);
	return bits;
}

static enum limit first_of(uint32_t bits)
{
	return bits ? (enum limit)__builtin_ctz(bits) : LIMIT_COUNT;
}

/* A command that failed after a limit refused it something, failed for that: best for the one that it names.
 */
static enum limit refused_by(const struct run *r, bool *ret_unsure)
{
	uint32_t sure, words, limited = 0;

	*ret_unsure = false;
	if (r->out.status == 0)
		return LIMIT_COUNT;
	for (enum limit l = 0; l < LIMIT_COUNT; l++)
		limited |= r->spec->limits.held[l] ? 1u << l : 0;
	limited |= (r->out.files ? BIT(FILES) : 0) | (r->out.file_size ? BIT(FILE_SIZE) : 0);
	sure = seen(r) & limited;
	words = said(r) & limited;
	*ret_unsure = !sure && words;
	return first_of(sure & words ? sure & words : sure ? sure : words);
}

/* Who was refused more had all of it, whatever was seen: what is looked at now and then is seen a little
 * late. */
static uint64_t at_least(const struct run *r, enum limit l, uint64_t peak)
{
	return peak < r->spec->limits.held[l] ? r->spec->limits.held[l] : peak;
}

static uint64_t used_of(const struct run *r, enum limit l)
{
	const struct run_usage *u = &r->out.usage;

	switch (l) {
	case LIMIT_WALL_TIME:
	case LIMIT_LIFETIME:
		return (time_us() - r->started_us) / 1000;
	case LIMIT_CPU_TIME:
		return u->cpu_us / 1000;
	case LIMIT_MEMORY:
		return u->mem_peak;
	case LIMIT_PROCESSES:
		return at_least(r, l, u->pids_peak);
	case LIMIT_DISK:
		return at_least(r, l, u->disk_peak);
	case LIMIT_INODES:
		return at_least(r, l, u->inodes_peak);
	case LIMIT_FILES:
		return r->out.files_soft;
	case LIMIT_FILE_SIZE:
		return r->out.file_size;
	case LIMIT_CPU:
	case LIMIT_OUTPUT:
		break;
	case LIMIT_FUEL: /* the driver has it */
	case LIMIT_COUNT:
		return 0;
	}
	return r->spec->limits.held[l]; /* never more, and nobody counts */
}

static void keep_larger(uint64_t *a, uint64_t b)
{
	if (b > *a)
		*a = b;
}

/*
 * What pid 1 told is of the box's tmpfs. What a box keeps besides is counted here. If no quota refuses it
 * more, it is within its limits, or the run ends as stopped, also where the command was faster than who
 * watched.
 */
static void account_kept(struct run *r)
{
	const struct disk_watch *d = &r->watch.disk;
	struct run_usage *u = &r->out.usage;
	struct run_space kept;

	if (!disk_watch_end(&r->watch.disk, time_us() - r->started_us, &kept))
		return;
	u->disk = kept.bytes;
	u->inodes = kept.inodes;
	run_usage_peaks(u);
	if (r->spec->limits.disk->project && r->out.end == RUN_EXITED &&
	    (r->out.limit == LIMIT_COUNT || r->out.limit_unsure)) { /* words that came before the count */
		r->out.limit = refused_by(r, &r->out.limit_unsure);
		r->out.limit_used = used_of(r, r->out.limit);
	}
	if (r->out.limit == LIMIT_COUNT && !r->joined && disk_watch_over(d, &kept) != LIMIT_COUNT) {
		r->out.end = RUN_STOPPED;
		r->out.limit = disk_watch_over(d, &kept);
	}
	if (r->out.end != RUN_STOPPED || (r->out.limit != LIMIT_DISK && r->out.limit != LIMIT_INODES))
		return;
	r->out.limit_used = used_of(r, r->out.limit);
	if (disk_watch_over(d, &kept) ==
	    LIMIT_COUNT) /* what it was stopped for went with it, or cannot be seen */
		r->out.limit_used = r->out.limit == LIMIT_DISK ? d->kept.bytes : d->kept.inodes;
}

void run_account(struct run *r)
{
	struct run_usage *u = &r->out.usage;
	const struct run_usage *w = &r->watch.usage;

	if (!r->joined && !r->others) {
		keep_larger(&u->cpu_us, w->cpu_us);
		if (cgroup_held(&r->watch.group) & (1u << LIMIT_MEMORY))
			u->mem_peak = w->mem_peak; /* the kernel's sum; one process also counts what it shares
						      with the host */
		else
			keep_larger(&u->mem_peak, w->mem_peak);
		u->pids_peak = w->pids_peak;
		u->pids = w->pids;
		keep_larger(&u->refused_forks, w->refused_forks);
		u->oom_kills = w->oom_kills;
		if (!u->inodes) { /* whoever was stopped could not tell any more */
			u->disk = w->disk;
			u->inodes = w->inodes;
		}
		keep_larger(&u->disk_peak, w->disk_peak);
		keep_larger(&u->inodes_peak, w->inodes_peak);
	}
	run_usage_peaks(u);
	if (u->refused_forks) /* it was full, though nobody may have looked at that moment */
		keep_larger(&u->pids_peak, r->spec->limits.held[LIMIT_PROCESSES]);
	if (u->oom_kills && r->out.limit == LIMIT_COUNT) { /* whatever the command made of it */
		r->out.end = RUN_STOPPED;
		r->out.limit = LIMIT_MEMORY;
	}
	if (r->out.end == RUN_EXITED && r->out.limit == LIMIT_COUNT)
		r->out.limit = refused_by(r, &r->out.limit_unsure);
	r->out.limit_used = used_of(r, r->out.limit);
	account_kept(r);
}
