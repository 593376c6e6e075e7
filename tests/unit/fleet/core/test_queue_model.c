/* SPDX-License-Identifier: Apache-2.0 */
/* The queue beside a slow and simple one, which keeps all in arrays and looks at each: by random steps both
 * must take the same entries. And how long it takes with 1,000 tenants and 100,000 entries. */
#include "support/test.h"

#include <time.h>

#include "fleet/core/queue.h"

#define TENANTS 6
#define CLASSES 4
#define ENTRIES 60
#define COST    ((uint64_t)1 << 30)

/* Priorities and rates are the same as in the queue; of its turns only the rule is: a lane that joins is not
 * before the first of its class, nor more than 4 COST behind; a job counts in all lanes that take turns, but
 * no lane gets more than 4 COST behind by what is taken elsewhere. */
struct model_lane {
	uint64_t pass;
	bool turns;
};

struct model {
	struct model_lane lanes[TENANTS][CLASSES];
	uint64_t reached[CLASSES], ahead[CLASSES];
	struct fleet_share share[TENANTS];
	unsigned held[TENANTS];
	uint64_t tokens[TENANTS], tokens_ms[TENANTS];
	bool slow[TENANTS]; /* the rate was used up when it was last looked at */
	struct {
		struct fleet_entry entry;
		int tenant, class; /* tenant -1: not in the queue */
	} entries[ENTRIES];
};

static const char *const tenants[] = { "t0", "t1", "t2", "t3", "t4", "t5" };
static const char *const classes[] = { "c0", "c1", "c2", "c3" };

static unsigned next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*seed >> 33);
}

static bool is_before(const struct model *m, int a, int b)
{
	const struct fleet_entry *x = &m->entries[a].entry, *y = &m->entries[b].entry;

	return x->priority != y->priority ? x->priority > y->priority : x->place < y->place;
}

/* The first entry of the tenant among the classes of MASK, or -1. */
static int first_entry(const struct model *m, int tenant, unsigned mask)
{
	int best = -1;

	for (int i = 0; i < ENTRIES; i++)
		if (m->entries[i].tenant == tenant && (mask >> m->entries[i].class & 1) &&
		    (best < 0 || is_before(m, i, best)))
			best = i;
	return best;
}

/* The tenant whose lane is the first of the class, or -1. */
static int first_lane(const struct model *m, int class)
{
	int best = -1;

	for (int t = 0; t < TENANTS; t++)
		if (m->lanes[t][class].turns &&
		    (best < 0 || m->lanes[t][class].pass < m->lanes[best][class].pass))
			best = t;
	return best;
}

static uint64_t class_pass(const struct model *m, int class)
{
	int first = first_lane(m, class);

	return first < 0 ? m->reached[class] : m->lanes[first][class].pass;
}

static bool may_begin(const struct model *m, int t)
{
	return (m->share[t].at_once == 0 || m->held[t] < m->share[t].at_once) && !m->slow[t];
}

static void settle(struct model *m, int t)
{
	for (int c = 0; c < CLASSES; c++) {
		struct model_lane *lane = &m->lanes[t][c];
		bool turns = first_entry(m, t, 1u << c) >= 0 && may_begin(m, t);
		uint64_t pass;

		if (turns && !lane->turns) {
			pass = class_pass(m, c);
			lane->pass = lane->pass < pass              ? pass
				     : lane->pass > pass + 4 * COST ? pass + 4 * COST
								    : lane->pass;
		}
		lane->turns = turns;
	}
}

static void fill(struct model *m, int t, uint64_t now)
{
	uint64_t room = (uint64_t)m->share[t].a_minute * 60000;

	m->tokens[t] += (now - m->tokens_ms[t]) * m->share[t].a_minute;
	m->tokens_ms[t] = now;
	if (m->tokens[t] > room)
		m->tokens[t] = room;
}

static void wake(struct model *m, uint64_t now)
{
	for (int t = 0; t < TENANTS; t++) {
		if (!m->slow[t])
			continue;
		fill(m, t, now);
		m->slow[t] = m->share[t].a_minute > 0 && m->tokens[t] < 60000;
	}
}

static uint64_t wait_for(const struct model *m, unsigned mask)
{
	uint64_t wait = UINT64_MAX;

	for (int t = 0; t < TENANTS; t++) {
		uint64_t rate = m->share[t].a_minute, own;

		if (!m->slow[t] || first_entry(m, t, mask) < 0 ||
		    (m->share[t].at_once > 0 && m->held[t] >= m->share[t].at_once))
			continue;
		own = (60000 - m->tokens[t] + rate - 1) / rate;
		if (own < wait)
			wait = own;
	}
	return wait;
}

static int choose_tenant(struct model *m, unsigned mask)
{
	uint64_t highest = 0, best_pass = 0;
	int best = -1;

	for (int c = 0; c < CLASSES; c++)
		if ((mask >> c & 1) && first_lane(m, c) >= 0 && class_pass(m, c) + m->ahead[c] > highest)
			highest = class_pass(m, c) + m->ahead[c];
	for (int c = 0; c < CLASSES; c++) {
		int first = first_lane(m, c);
		uint64_t pass;

		if (!(mask >> c & 1) || first < 0)
			continue;
		if (class_pass(m, c) + m->ahead[c] + 4 * COST < highest)
			m->ahead[c] = highest - 4 * COST - class_pass(m, c);
		pass = class_pass(m, c) + m->ahead[c];
		if (best < 0 || pass < best_pass || (pass == best_pass && first < best)) {
			best = first;
			best_pass = pass;
		}
	}
	return best;
}

static int model_take(struct model *m, uint64_t now, unsigned mask, uint64_t *ret_wait)
{
	int t, i;

	wake(m, now);
	for (t = 0; t < TENANTS; t++)
		settle(m, t);
	t = choose_tenant(m, mask);
	if (t < 0) {
		*ret_wait = wait_for(m, mask);
		return -1;
	}
	i = first_entry(m, t, mask);
	for (int c = 0; c < CLASSES; c++) {
		struct model_lane *lane = &m->lanes[t][c];
		uint64_t cost = COST / m->share[t].weight;

		if (c == m->entries[i].class) {
			if (lane->pass > m->reached[c])
				m->reached[c] = lane->pass;
			lane->pass += cost;
		} else if (lane->turns && lane->pass + cost <= class_pass(m, c) + 4 * COST) {
			lane->pass += cost;
		}
	}
	m->entries[i].tenant = -1;
	m->held[t]++;
	if (m->share[t].a_minute > 0) {
		fill(m, t, now);
		m->tokens[t] -= 60000;
		m->slow[t] = m->tokens[t] < 60000;
	}
	settle(m, t);
	return i;
}

struct mask {
	unsigned bits;
};

static bool fits(void *ctx, const char *class)
{
	return ((const struct mask *)ctx)->bits >> (class[1] - '0') & 1;
}

static void share(struct model *m, struct fleet_queue *q, int t, uint64_t *seed)
{
	bool had_rate = m->share[t].a_minute > 0;
	uint64_t room;

	m->share[t] =
		(struct fleet_share){ .weight = 1 + next_random(seed) % 40,
				      .at_once = next_random(seed) % 6,
				      .a_minute = next_random(seed) % 2 ? 1 + next_random(seed) % 300 : 0 };
	room = (uint64_t)m->share[t].a_minute * 60000;
	if (!had_rate || m->tokens[t] > room)
		m->tokens[t] = room;
	fleet_queue_share(q, tenants[t], &m->share[t]);
	settle(m, t);
}

static void add_or_remove(struct model *m, struct fleet_queue *q, uint64_t *seed)
{
	int i = (int)(next_random(seed) % ENTRIES), t = m->entries[i].tenant;
	struct fleet_entry *entry = &m->entries[i].entry;

	if (t >= 0) {
		fleet_queue_remove(q, entry);
		m->entries[i].tenant = -1;
	} else {
		t = m->entries[i].tenant = (int)(next_random(seed) % TENANTS);
		m->entries[i].class = (int)(next_random(seed) % CLASSES);
		entry->priority = next_random(seed) % 10;
		entry->place = next_random(seed) * (uint64_t)ENTRIES + (unsigned)i; /* never the same twice */
		fleet_queue_add(q, classes[m->entries[i].class], tenants[t], entry);
	}
	settle(m, t);
}

static void take_both(struct model *m, struct fleet_queue *q, uint64_t now, struct mask mask, size_t *taken)
{
	uint64_t wait = 0, model_wait = 0;
	struct fleet_entry *entry = fleet_queue_take(q, now, fits, &mask, &wait);
	int i = model_take(m, now, mask.bits, &model_wait);

	assert_ptr_equal(entry, i < 0 ? NULL : &m->entries[i].entry);
	if (entry)
		++*taken;
	else
		assert_int_equal(wait, model_wait);
}

static void same_as_the_simple_one(void **state)
{
	static struct model m;
	size_t taken = 0;

	(void)state;
	for (uint64_t seed = 1, run = 1; run <= 40; seed = ++run * 77) {
		struct fleet_queue *q = fleet_queue_create();
		uint64_t now = 1000;

		m = (struct model){ 0 };
		for (int i = 0; i < ENTRIES; i++)
			m.entries[i].tenant = -1;
		for (int t = 0; t < TENANTS; t++)
			share(&m, q, t, &seed);
		for (unsigned step = 0; step < 3000; step++) {
			unsigned what = next_random(&seed) % 16;
			int t = (int)(next_random(&seed) % TENANTS);

			now += next_random(&seed) % 3 ? 0 : next_random(&seed) % 800;
			if (what < 7) {
				add_or_remove(&m, q, &seed);
			} else if (what < 12) {
				take_both(&m, q, now, (struct mask){ next_random(&seed) % 16 }, &taken);
			} else if (what < 15) {
				fleet_queue_released(q, tenants[t]);
				m.held[t] -= m.held[t] > 0;
				settle(&m, t);
			} else if (next_random(&seed) % 20 == 0) {
				share(&m, q, t, &seed);
			} else {
				fleet_queue_held(q, tenants[t]);
				m.held[t]++;
				settle(&m, t);
			}
		}
		fleet_queue_destroy(q);
	}
	assert_true(taken > 5000);
}

static bool fits_all(void *ctx, const char *class)
{
	(void)ctx;
	(void)class;
	return true;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* 1,000 tenants, 10 classes, 100,000 entries. Were it linear in the entries, taking all would be 5 * 10^9
 * steps. */
static void many_tenants_and_entries(void **state)
{
	const unsigned n = 100000;
	struct fleet_entry *entries = calloc(n, sizeof(*entries));
	struct fleet_queue *q = fleet_queue_create();
	double begin = seconds(), middle;
	uint64_t wait;

	(void)state;
	for (unsigned i = 0; i < n; i++) {
		char tenant[32], class[32];

		snprintf(tenant, sizeof(tenant), "tenant-%u", i % 1000);
		snprintf(class, sizeof(class), "zone=%u", i / 1000 % 10);
		entries[i].place = i + 1;
		fleet_queue_add(q, class, tenant, &entries[i]);
	}
	middle = seconds();
	for (unsigned i = 0; i < n; i++)
		assert_non_null(fleet_queue_take(q, 0, fits_all, NULL, &wait));
	print_message("%.2f us to add, %.2f us to take\n", (middle - begin) * 1e6 / n,
		      (seconds() - middle) * 1e6 / n);
	assert_true(seconds() - begin < 20);
	assert_true(fleet_queue_is_empty(q));
	fleet_queue_destroy(q);
	free(entries);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_the_simple_one),
		cmocka_unit_test(many_tenants_and_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
