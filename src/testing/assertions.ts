import assert from 'node:assert/strict';
import { type ErrorReason, RAGError } from '../core/errors.js';

/** Expects a `RAGError` with this reason and a message of some use. */
export async function rejectsWith(reason: ErrorReason, run: () => Promise<unknown>): Promise<void> {
  await assert.rejects(run, (error: unknown) => {
    assert.ok(RAGError.isInstance(error), `expected a RAGError ${reason}, got ${String(error)}`);
    assert.equal(error.reason, reason, error.message);
    assert.ok(error.message.length > 10, `the message of ${reason} says what is wrong`);
    return true;
  });
}

/** Expects two scores to be equal but for rounding. */
export function assertClose(actual: number, expected: number, tolerance: number, subject: string): void {
  const difference = Math.abs(actual - expected);
  assert.ok(difference <= tolerance, `${subject}: ${actual} is not within ${tolerance} of ${expected}`);
}
