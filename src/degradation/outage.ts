import { RAGError } from '../core/errors.js';

/** Whether something that was needed fails, so that the same question may be answered later or elsewhere; not what was asked wrongly. */
export const isOutage = (error: unknown): error is RAGError =>
  RAGError.isInstance(error) && error.category === 'provider';
