import { DEFAULT_CONTEXT_BUDGET } from '../answering/gather-findings.js';
import { assembleContext } from '../context/assemble-context.js';
import { DegradationLevel } from '../core/degradation.js';
import { statedNotices, toldNotices } from '../core/notice.js';
import type { Scope } from '../core/scope.js';
import type { ContextQuery, ContextResponse } from '../operations/engine.js';
import { toldDegradation } from '../platform/degradation/degradation-report.js';
import type { EngineResources } from '../resources/engine-resources.js';
import { tokenCounterFor } from '../resources/token-counter-for.js';
import { contextSettings } from './context-settings.js';
import { findPassages } from './find-passages.js';

/** Question to cited context, for a language model that somebody else asks. */
export async function runContext(
  { budget, model, ...query }: ContextQuery,
  scope: Scope,
  resources: EngineResources,
): Promise<ContextResponse> {
  const found = await findPassages(query, scope, { resources });
  const { passages, notices } = found;
  const outages = new Set(found.outages);
  const { shares: _, ...settings } = contextSettings(scope, resources, (parts) => {
    for (const part of parts) outages.add(part);
  });
  const pack = await assembleContext(
    {
      question: query.text,
      ranked: passages.map(({ chunk, probability }) => ({ chunk, score: probability })),
    },
    {
      ...settings,
      budget: budget ?? settings.budget ?? DEFAULT_CONTEXT_BUDGET,
      counter: await tokenCounterFor(model),
      ...(query.signal === undefined ? {} : { signal: query.signal }),
    },
  );
  const degradationLevel =
    outages.size === 0
      ? found.degradationLevel
      : Math.max(found.degradationLevel, DegradationLevel.NO_RERANKING);
  const told = toldDegradation({ ...found, degradationLevel, outages: [...outages] });
  return { ...pack, ...told, ...toldNotices([...notices, ...statedNotices(pack)]) };
}
