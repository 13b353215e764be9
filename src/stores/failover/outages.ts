import { type ErrorReason, RAGError } from '../../core/errors.js';

const SILENCE: ReadonlySet<ErrorReason> = new Set(['STORE_UNAVAILABLE', 'STORE_TIMEOUT']);

/** The store did not answer: whether it did what it was asked cannot be known. */
export const isSilence = (error: unknown): error is RAGError =>
  RAGError.isInstance(error) && SILENCE.has(error.reason);

/** Another store may answer in its place. */
export const isReplaceable = (error: unknown): error is RAGError =>
  isSilence(error) || (RAGError.isInstance(error) && error.reason === 'STORE_DAMAGED');

export const messageOf = (error: unknown): string =>
  RAGError.isInstance(error) ? error.message : 'It failed for an unexpected reason.';
