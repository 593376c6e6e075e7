/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine of src/flow/stage.h with who drives it (src/flow/pipeline_drive.c), crashes at any point, and a person who
 * approves, rejects or takes everything back, for a model checker. tests/model/run checks it, and that it can fail:
 * with MUTANT 1, 2 or 3 two lines of it are the wrong way round. test_model.py compares its table with that of C.
 */
#ifndef N
#define N 3
#endif
#ifndef CRASHES
#define CRASHES 3
#endif
#ifndef MUTANT
#define MUTANT 0
#endif

mtype:state = { PENDING, JUDGING, WAITING, APPLYING, CLEARING, CHECKING, PASSED, UNDOING, UNDONE, FAILED, STUCK };
mtype:event = { BEGIN, HOLD, ASK, BREAK, APPROVE, REJECT, DONE, REFUSE, AGAIN, LOST, STICK, BACK };
/* What a stage changes: a tree by a promotion that is whole or not there, or anything by a command. */
mtype:kind = { TREE, COMMAND, COMMAND_ONLY }; /* the last has no rollback */

/* On the disk: outlives a crash. */
mtype:state at[N];
mtype:kind target[N];
bit applied[N]; /* the target has the change */
bit back;

/* Of the process. */
bit fresh; /* it has itself reached the state it stands at */
byte crashes;
bit over;

#define CLEAN(s) (s == PENDING || s == FAILED || s == UNDONE)
#define ENDED(s) (s == FAILED || s == UNDONE || s == STUCK)

inline next(s, ev)
{
	if
	:: s == PENDING && ev == BEGIN -> s = JUDGING
	:: s == JUDGING && ev == HOLD -> s = APPLYING
	:: s == JUDGING && ev == ASK -> s = WAITING
	:: s == JUDGING && ev == BREAK -> s = FAILED
	:: s == JUDGING && ev == BACK -> s = FAILED
	:: s == WAITING && ev == APPROVE -> s = APPLYING
	:: s == WAITING && ev == REJECT -> s = FAILED
	:: s == WAITING && ev == BACK -> s = FAILED
	:: s == APPLYING && ev == DONE -> s = CHECKING
	:: s == APPLYING && ev == AGAIN -> s = APPLYING
	:: s == APPLYING && ev == REFUSE -> s = FAILED
	:: s == APPLYING && ev == BREAK -> s = UNDOING
	:: s == APPLYING && ev == LOST -> s = CLEARING
	:: s == APPLYING && ev == STICK -> s = STUCK
	:: s == APPLYING && ev == BACK -> s = UNDOING
	:: s == CLEARING && ev == DONE -> s = APPLYING
	:: s == CLEARING && ev == STICK -> s = STUCK
	:: s == CLEARING && ev == BACK -> s = UNDOING
	:: s == CHECKING && ev == HOLD -> s = PASSED
	:: s == CHECKING && ev == BREAK -> s = UNDOING
	:: s == CHECKING && ev == BACK -> s = UNDOING
	:: s == PASSED && ev == BACK -> s = UNDOING
	:: s == UNDOING && ev == DONE -> s = UNDONE
	:: s == UNDOING && ev == STICK -> s = STUCK
	:: s == STUCK && ev == BACK -> s = UNDOING
	:: else -> assert(false) /* what is not in the table must not happen */
	fi
}

/* The one stage at which something is to be done; N: none. pipeline_at() of src/flow/stage.c */
inline find(i)
{
	if
	:: !back ->
		i = 0;
		do
#if MUTANT == 2
		:: i < N && (at[i] == PASSED || at[i] == CHECKING) -> i++
#else
		:: i < N && at[i] == PASSED -> i++
#endif
		:: else -> break
		od;
		if
		:: i < N && ENDED(at[i]) -> i = N
		:: else
		fi
	:: else ->
		i = N;
		do
		:: i > 0 && CLEAN(at[i - 1]) -> i--
		:: else -> break
		od;
		if
		:: i == 0 || ENDED(at[i - 1]) -> i = N
		:: else -> i--
		fi
	fi
}

/* Putting the change into the target of stage i: never twice, and never before all earlier stages passed and have it. */
inline change(i)
{
	assert(!applied[i]);
	j = 0;
	do
	:: j < i -> assert(at[j] == PASSED && applied[j]); j++
	:: else -> break
	od;
	applied[i] = 1
}

#define CRASH if :: crashes < CRASHES -> crashes++; goto restart :: skip fi

active proctype driver()
{
	byte i, j;
	mtype:event ev;

	atomic {
		i = 0;
		do
		:: i < N ->
			at[i] = PENDING;
			if :: target[i] = TREE :: target[i] = COMMAND :: target[i] = COMMAND_ONLY fi;
			i++
		:: else -> break
		od
	}
restart:
	fresh = 0; /* all that was in memory is gone */
	if /* `pipeline undo` instead of `pipeline resume` */
	:: !back -> back = 1
	:: skip
	fi;
	atomic { /* which tries again what got stuck */
		i = N;
		do
		:: i > 0 && CLEAN(at[i - 1]) -> i--
		:: else -> break
		od;
		if
		:: back && i > 0 && at[i - 1] == STUCK -> ev = BACK; next(at[i - 1], ev)
		:: skip
		fi
	}
again:
	atomic { find(i) }
	if
	:: i == N -> goto end
	:: else
	fi;
	CRASH;
	if
	:: back && at[i] != UNDOING -> ev = BACK
	:: else ->
		if
		:: at[i] == PENDING -> ev = BEGIN
		:: at[i] == JUDGING ->
			if
			:: ev = HOLD
#if MUTANT == 1
				; if :: target[i] == TREE -> change(i) :: else fi /* the act before it is written down */
#endif
			:: ev = ASK
			:: ev = BREAK
			fi
		:: at[i] == WAITING ->
			if
			:: ev = APPROVE
			:: ev = REJECT
			:: goto end /* it waits; somebody comes back later */
			fi
		:: at[i] == APPLYING && target[i] == TREE ->
			if
#if MUTANT == 3
			:: false -> skip
#else
			:: !fresh -> if :: applied[i] -> ev = DONE :: else -> ev = AGAIN fi
#endif
			:: else ->
				if
				:: MUTANT != 1 -> change(i); CRASH; ev = DONE
				:: MUTANT == 1 -> ev = DONE
				:: !applied[i] -> ev = REFUSE
				fi
			fi
		:: at[i] == APPLYING && target[i] != TREE ->
			if
			:: !fresh && target[i] == COMMAND -> ev = LOST
			:: !fresh && target[i] == COMMAND_ONLY -> ev = STICK
			:: else ->
				change(i);
				CRASH;
				if
				:: ev = DONE
				:: target[i] == COMMAND -> ev = BREAK
				:: target[i] == COMMAND_ONLY -> ev = STICK
				fi
			fi
		:: at[i] == CLEARING ->
			if
			:: applied[i] = 0; CRASH; ev = DONE
			:: ev = STICK
			fi
		:: at[i] == CHECKING ->
			if
			:: ev = HOLD
			:: ev = BREAK
			fi
		:: at[i] == UNDOING ->
			if
			:: target[i] != COMMAND_ONLY -> applied[i] = 0; CRASH; ev = DONE
			:: applied[i] || target[i] != TREE -> ev = STICK
			fi
		fi
	fi;
	CRASH;
	atomic { next(at[i], ev); fresh = 1 } /* one transaction */
	CRASH;
	goto again;
end:
	/*
	 * Exactly the state of one stage: up to some stage all have the change, behind it none. One that is stuck may have it
	 * or not, and says so: it is the last that was touched.
	 */
	atomic {
		i = 0;
		do
		:: i < N && at[i] == PASSED -> assert(applied[i]); i++
		:: else -> break
		od;
		if
		:: i < N && at[i] == STUCK -> i++
		:: else
		fi;
		do
		:: i < N -> assert(!applied[i] && (CLEAN(at[i]) || at[i] == WAITING)); i++
		:: else -> break
		od
	}
	if
	:: crashes < CRASHES -> crashes++; goto restart /* somebody resumes, or takes it back */
	:: over = 1
	fi
}

#define passed(i) (at[i] == PASSED)
#define touched(i) (at[i] != PENDING && at[i] != 0)

/* No later stage changes before an earlier one passed; nor is an earlier one taken back before a later one. */
ltl order { [] ((applied[1] -> applied[0]) && (applied[2] -> applied[1])) }
/* It comes to an end. */
ltl ends { <> over }
/* A stage is not even judged before the one before it has passed once. */
ltl turn { (!touched(1) W passed(0)) && (!touched(2) W passed(1)) }
