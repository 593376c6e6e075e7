// SPDX-License-Identifier: Apache-2.0
// Waiting for what becomes true, and for what must be refused, in the programs beside it.
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";

const SECONDS = 60; // to catch a hang

export async function until<T>(check: () => T | Promise<T>): Promise<T> {
  const end = performance.now() + SECONDS * 1000;
  for (;;) {
    const found = await check();
    if (found) return found;
    assert.ok(performance.now() < end, `after ${SECONDS} s still ${found}`);
    await pause(50);
  }
}

/** The error that ACT ends with, which is one of this KIND and names all TEXTS. */
export async function refused<E extends Error>(kind: new (...args: any[]) => E, act: () => Promise<unknown>, ...texts: string[]): Promise<E> {
  try {
    await act();
  } catch (error) {
    assert.ok(error instanceof kind, `${kind.name} expected, not ${error}`);
    for (const text of texts) assert.ok(error.message.includes(text), `${text} is not in: ${error.message}`);
    return error;
  }
  throw new Error(`no ${kind.name}`);
}
