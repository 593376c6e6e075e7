/* SPDX-License-Identifier: Apache-2.0 */
/* Which hub is active. The term is a record in the engine that the active hub renews; another one takes it by
 * comparing, when it stayed the same for longer than any hub would hold it without a renewal. */
#include "fleet/core/hub_part.h"

#include "fleet/core/planted.h"

/* An epoch is a number that rises, and below it some random bits: when the engine goes back to an older term,
 * two hubs may choose the same number, but not the same epoch. 63 bits, for JSON. */
#define RANDOM_BITS 24

static uint64_t epoch_above(struct fleet_hub *hub, uint64_t epoch)
{
	uint64_t number = (epoch > hub->highest_epoch ? epoch : hub->highest_epoch) >> RANDOM_BITS;

	if (PLANTED(EPOCH_REUSED))
		return epoch ? epoch : 1;
	return (number + 1) << RANDOM_BITS | (hub_random(hub) & ((1u << RANDOM_BITS) - 1));
}

bool hub_is_active(const struct fleet_hub *hub, struct fleet_now now)
{
	return hub->state == TERM_ACTIVE &&
	       (now.ms < hub->renewed + hub->options.hold_ms || PLANTED(HOLDS_FOREVER));
}

bool hub_may_claim(const struct fleet_hub *hub, struct fleet_now now)
{
	return hub_is_active(hub, now) && !hub->wanted_epoch;
}

static void see_term(struct fleet_hub *hub, struct fleet_now now, const struct fleet_term *term,
		     uint64_t revision)
{
	if (revision != hub->term_revision || term->epoch != hub->term.epoch ||
	    term->beat != hub->term.beat || strcmp(term->hub, hub->term.hub))
		hub->term_seen = now.ms;
	hub->term = *term;
	hub->term_revision = revision;
	if (term->epoch > hub->highest_epoch)
		hub->highest_epoch = term->epoch;
}

static void step_down(struct fleet_hub *hub, struct fleet_now now, const char *why, struct fleet_actions *out)
{
	if (hub->state == TERM_ACTIVE)
		hub_say(out, "hub %s is not active any more: %s", hub->options.name, why);
	hub->state = TERM_STANDBY;
	hub->wanted_epoch = 0;
	hub->term_seen = now.ms;
	hub_forget_all(hub);
}

static void ask_term(struct fleet_hub *hub, struct fleet_now now, struct fleet_actions *out)
{
	hub->term_ask = hub_ask(hub, now, FLEET_ASK_TERM, NULL, NULL, out)->number;
	hub->term_due = now.ms + hub->options.renew_ms;
}

static void put_term(struct fleet_hub *hub, struct fleet_now now, uint64_t epoch, struct fleet_actions *out)
{
	struct fleet_ask *a = hub_ask(hub, now, FLEET_ASK_PUT_TERM, NULL, NULL, out);
	char name[FLEET_NAME];

	a->expected = hub->term_revision;
	fleet_name_copy(a->term.hub, hub->options.name);
	a->term.epoch = epoch;
	a->term.beat = hub->term.beat + 1;
	((struct hub_asked *)fleet_table_get(hub->asks, fleet_number_name(a->number, name)))->term = a->term;
	hub->term_ask = a->number;
	hub->term_due = now.ms + hub->options.renew_ms;
}

void hub_begin_again(struct fleet_hub *hub, uint64_t epoch)
{
	if (epoch > hub->highest_epoch)
		hub->highest_epoch = epoch;
	if (hub->state != TERM_ACTIVE || PLANTED(EPOCH_REUSED))
		return;
	if (!hub->wanted_epoch || epoch >= hub->wanted_epoch)
		hub->wanted_epoch = epoch_above(hub, hub->epoch);
	hub->term_due = 0; /* at once */
}

void hub_term_tick(struct fleet_hub *hub, struct fleet_now now, struct fleet_actions *out)
{
	if (hub->state == TERM_ACTIVE && !hub_is_active(hub, now))
		step_down(hub, now, "its term could not be renewed", out);
	if (hub->term_ask || now.ms < hub->term_due)
		return;
	if (hub->state == TERM_ACTIVE) {
		put_term(hub, now, hub->wanted_epoch ? hub->wanted_epoch : hub->epoch, out);
	} else if (now.ms - hub->term_seen >= hub->options.take_ms && hub->term_revision) {
		hub->state = TERM_TAKING;
		put_term(hub, now, epoch_above(hub, hub->term.epoch), out);
	} else {
		ask_term(hub, now, out);
	}
}

static void take(struct fleet_hub *hub, struct fleet_now now, uint64_t epoch, struct fleet_actions *out)
{
	hub_forget_all(hub);
	hub->state = TERM_ACTIVE;
	hub->active_since = now.ms;
	hub->wanted_epoch = 0;
	hub->epoch = epoch;
	hub_say(out, "hub %s is active, epoch %llx", hub->options.name, (unsigned long long)epoch);
}

/* The term, as it was written or read, is this hub's. */
static void is_ours(struct fleet_hub *hub, struct fleet_now now, const struct fleet_term *term,
		    uint64_t revision, struct fleet_actions *out)
{
	see_term(hub, now, term, revision);
	if (hub->state != TERM_ACTIVE)
		take(hub, now, term->epoch, out);
	else if (term->epoch > hub->epoch)
		hub->epoch = term->epoch;
	if (hub->wanted_epoch == hub->epoch)
		hub->wanted_epoch = 0;
}

static void was_put(struct fleet_hub *hub, struct fleet_now now, const struct hub_asked *asked,
		    const struct fleet_answer *a, struct fleet_actions *out)
{
	if (a->kind == FLEET_OK) {
		bool went_back = hub->state == TERM_ACTIVE && a->revision <= hub->term_revision;

		is_ours(hub, now, &asked->term, a->revision, out);
		hub->renewed = asked->sent;
		if (went_back)
			hub_begin_again(hub, hub->epoch);
		return;
	}
	/* Somebody else has it; or it was written, and the answer was lost. */
	if (hub->state == TERM_TAKING)
		hub->state = TERM_STANDBY;
	ask_term(hub, now, out);
}

static void was_read_standby(struct fleet_hub *hub, struct fleet_now now, const struct fleet_answer *a,
			     struct fleet_actions *out)
{
	bool free = a->kind == FLEET_NOT_THERE;

	if (free) {
		hub->term = (struct fleet_term){ 0 };
		hub->term_revision = 0;
	} else {
		see_term(hub, now, &a->term, a->revision);
		free = !strcmp(a->term.hub, hub->options.name); /* taken, and the answer was lost */
	}
	if (!free)
		return;
	hub->state = TERM_TAKING;
	put_term(hub, now, epoch_above(hub, hub->term.epoch), out);
}

static void was_read(struct fleet_hub *hub, struct fleet_now now, const struct fleet_answer *a,
		     struct fleet_actions *out)
{
	if (a->kind != FLEET_OK && a->kind != FLEET_NOT_THERE)
		return;
	if (hub->state == TERM_STANDBY) {
		was_read_standby(hub, now, a, out);
	} else if (hub->state == TERM_ACTIVE && a->kind == FLEET_OK) {
		/* A read may be old: it gives the next renewal what to compare with, and is none. */
		if (!strcmp(a->term.hub, hub->options.name)) {
			is_ours(hub, now, &a->term, a->revision, out);
		} else if (a->term.epoch > hub->epoch) {
			see_term(hub, now, &a->term, a->revision);
			step_down(hub, now, "another hub is", out);
		}
	}
}

void hub_term_answer(struct fleet_hub *hub, struct fleet_now now, const struct hub_asked *asked,
		     const struct fleet_answer *a, struct fleet_actions *out)
{
	if (hub->term_ask == asked->number)
		hub->term_ask = 0;
	if (asked->kind == FLEET_ASK_PUT_TERM)
		was_put(hub, now, asked, a, out);
	else
		was_read(hub, now, a, out);
}
