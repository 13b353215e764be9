import { DegradationLevel } from '../../core/degradation.js';
import { type ErrorReason, RAGError } from '../../core/errors.js';
import type { PartName } from './level.js';

/** Whether something that was needed fails, so that the same question may be answered later or elsewhere; not what was asked wrongly. */
export const isOutage = (error: unknown): error is RAGError =>
  RAGError.isInstance(error) && error.category === 'provider';

/** What does not answer, by the error that says so. */
const PART_OF_REASON: Readonly<Partial<Record<ErrorReason, PartName | 'chat'>>> = {
  STORE_UNAVAILABLE: 'store',
  STORE_TIMEOUT: 'store',
  INDEX_UNAVAILABLE: 'ledger',
  EMBEDDING_FAILED: 'embedder',
  CHAT_UNAVAILABLE: 'chat',
  CHAT_TIMEOUT: 'chat',
};

/** What an error tells of an outage. */
export interface ToldOutage {
  /** Of a question that could not be answered at all: 4. */
  readonly degradationLevel?: DegradationLevel;
  /** Parts that do not answer. */
  readonly parts?: readonly string[];
}

/** The same error of a question that nothing could answer, with the parts that failed or were left alone meanwhile. */
export function unanswered(error: unknown, failed: readonly PartName[]): unknown {
  if (!isOutage(error)) return error;
  const parts = [...new Set([...failed, ...(toldOutage(error).parts ?? [])])];
  const { reason, message, details } = error;
  const outage = { degradationLevel: DegradationLevel.STATIC_ONLY, parts };
  return new RAGError(reason, message, { cause: error, details: { ...details, ...outage } });
}

/** What is out, as far as an error says so. */
export function toldOutage({ reason, details }: RAGError): ToldOutage {
  const { degradationLevel, parts } = details;
  const part = PART_OF_REASON[reason];
  return {
    ...(typeof degradationLevel === 'number' ? { degradationLevel } : {}),
    ...(Array.isArray(parts) ? { parts: parts as readonly string[] } : part ? { parts: [part] } : {}),
  };
}
