import type { AnswerDependencies } from '../answering/answer-request.js';
import { splitWindow } from '../context/window-budget.js';
import type { Scope } from '../core/scope.js';
import { withBreakers } from '../platform/degradation/breakers.js';
import type { PartName } from '../platform/degradation/level.js';
import { isOutage } from '../platform/degradation/outage.js';
import type { EngineResources } from '../resources/engine-resources.js';
import { chunksOf } from './document-chunks.js';

/** `rag.context`, with chunks beside those found read through the scope; a passage stays as it was found where they cannot be read now. */
export function contextSettings(
  scope: Scope,
  resources: EngineResources,
  onOutage?: (parts: readonly PartName[]) => void,
): AnswerDependencies['context'] {
  const { shares, order, neighbours, sectionHits, hierarchical, compress, flagged } =
    resources.config.rag.context;
  const budget = resources.config.rag.context.budget ?? shareOfWindow(resources);
  return {
    ...(budget === undefined ? {} : { budget }),
    shares,
    order,
    neighbours,
    sectionHits,
    hierarchical,
    compress,
    flagged,
    conflicts: resources.config.rag.conflicts.enabled,
    loadChunks: (documentId, signal) =>
      withBreakers(resources.breakers, async (failed) => {
        try {
          return await chunksOf(documentId, { scope, resources, signal });
        } catch (error) {
          if (!isOutage(error)) throw error;
          onOutage?.(failed());
          return [];
        }
      }),
  };
}

/** Where a window is stated without a model: of a model that somebody else asks. */
function shareOfWindow({ config }: EngineResources): number | undefined {
  const { context, chat } = config.rag;
  const hasModel = chat.model !== undefined || config.own?.chatModel !== undefined;
  if (chat.contextWindow === undefined || hasModel) return undefined;
  return splitWindow(chat.contextWindow, context.shares).context;
}
