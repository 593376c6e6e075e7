/* SPDX-License-Identifier: Apache-2.0 */
/* What creating, snapshotting and forking boxes share: layers and rows of a chain. Inside box/ only. */
#ifndef BOX_CHAIN_H
#define BOX_CHAIN_H

#include "box/box.h"

/* A new empty layer on PARENT ("": on the base), on disk and in the open transaction. */
int chain_add_layer(struct box_state *s, const char *parent, char ret_id[STORE_ID_MAX],
		    struct aisbx_error *e);
/* Its row and its event. */
int chain_add_snapshot(struct box_state *s, const struct store_snapshot *snap, struct aisbx_error *e);
/* The row of a copy of the project, which is there already. */
int chain_add_pin(struct box_state *s, const char *pin, const char *parent, struct aisbx_error *e);
/* The row of a new box as HOW says, with a new id; without a top. */
int chain_fill_box(struct store_box *b, const struct box_new *how, struct aisbx_error *e);
/* Ends the transaction: a failure takes the new layer's directory along. */
int chain_settle(struct box_state *s, int r, const char *layer, struct aisbx_error *e);

/* A layer the chain of a box was folded into; it has no row yet. */
struct chain_fold {
	char id[STORE_ID_MAX]; /* "": none was needed */
	char on[STORE_ID_MAX]; /* "", or the pinned copy of the project that it stands on */
	int lock;
};

void chain_fold_finish(struct chain_fold *f);
/*
 * Before a snapshot of B, and outside its transaction, since it may take long: one layer like its whole
 * chain, if that is a long one. B is locked, so nothing changes meanwhile; what is linked of its top is
 * frozen before B runs again. What lies below a pinned copy stays as it is: the copy has its place in the
 * chain.
 */
int chain_fold_if_long(struct box_state *s, const struct store_box *b, struct chain_fold *ret,
		       struct aisbx_error *e);
/* A snapshot is on the disk before the store says that there is one; store_flush brings that word there
 * before anybody hears it. */
int chain_sync_all(struct box_state *s, const struct store_box *b, const struct chain_fold *fold,
		   struct aisbx_error *e);
/*
 * In the open transaction: what BOX has becomes a frozen layer, and BOX goes on in a new one, on that or on
 * FOLD, or on PIN (NULL: none), which stands on them.
 */
int chain_freeze(struct box_state *s, const struct store_box *b, const struct chain_fold *fold,
		 const char *name, bool automatic, const char *pin, struct store_snapshot *ret,
		 char ret_layer[STORE_ID_MAX], struct aisbx_error *e);
/* Ends the transaction of a snapshot. */
int chain_settle_fold(struct box_state *s, int r, const char *layer, const struct chain_fold *fold,
		      struct aisbx_error *e);

#endif
