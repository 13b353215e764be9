import type { AnswerDependencies } from '../answering/answer-request.js';
import type { Scope } from '../core/scope.js';
import type { EngineResources } from '../engine/engine-resources.js';
import { chunksOf } from './document-chunks.js';

/** `rag.context`, with chunks beside those found read through the scope. */
export function contextSettings(scope: Scope, resources: EngineResources): AnswerDependencies['context'] {
  const { budget, order, neighbours, sectionHits, hierarchical, compress, flagged } =
    resources.config.rag.context;
  return {
    ...(budget === undefined ? {} : { budget }),
    order,
    neighbours,
    sectionHits,
    hierarchical,
    compress,
    flagged,
    loadChunks: (documentId, signal) => chunksOf(documentId, { scope, resources, signal }),
  };
}
