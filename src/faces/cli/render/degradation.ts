import type { StaticResponse } from '../../../index.js';
import { type DegradedResponse, levelWords } from '../../../platform/degradation/level-words.js';
import { oneLine } from './text.js';

/** What the summary of a response says of its level: nothing at level 0. */
export function degradationOf(response: DegradedResponse): string[] {
  const { degradationLevel, degradation } = response;
  if (degradationLevel === 0) return [];
  const parts = degradation?.parts ?? [];
  const without = parts.length === 0 ? '' : `; does not answer: ${parts.join(', ')}`;
  const { measure, loss = 0, full = 0 } = degradation?.expectedLoss ?? {};
  const less =
    loss === 0 ? '' : `; ${measure} was ${(full - loss).toFixed(3)} in place of ${full.toFixed(3)}`;
  return [`degradation level ${degradationLevel} (${levelWords(response)}${without}${less})`];
}

/** What is said where nothing can be searched, marked as what it is. */
export const renderStatic = (responses: readonly StaticResponse[]): string[] =>
  responses.length === 0
    ? []
    : [
        'Nothing can be searched now. Written for such times, and found in no document:',
        ...responses.map(({ text }) => text.split('\n').map(oneLine).join('\n')),
      ];
