import * as z from 'zod';
import type { SearchResponse, SearchResult } from '../../../index.js';
import { type DegradedResponse, levelWords } from '../../../platform/degradation/level-words.js';
import type { ToolContext } from '../tools/tool.js';
import { inertName, placeOf } from './place.js';

/** The document that a passage is of. */
export const documentIdOf = ({ metadata }: SearchResult): string => String(metadata.documentId);

/** The place of what a search found. */
export const resultPlace = (result: SearchResult, context: ToolContext) =>
  placeOf(
    {
      id: documentIdOf(result),
      title: result.metadata.title,
      source: result.metadata.source,
      origin: result.origin,
      url: result.metadata.url,
    },
    context,
  );

/** Every answer says it. */
export const degradationLevel = z
  .number()
  .describe('0: everything worked; 1 to 5: less did, and the answer may lack what is there.');

/** What a model should know of how the search went. */
export function searchNotices(response: SearchResponse): string[] {
  const { correction, notices, results } = response;
  const isWeak = results.length > 0 && results.every(({ match }) => match === 'weak');
  return [
    ...(correction === undefined
      ? []
      : [`Searched for "${inertName(correction.searchedFor)}"; quote a word to have it taken as typed.`]),
    ...(isWeak ? ['Only weak matches: the documents may not tell of this.'] : []),
    ...degradationNotices(response),
    ...notices.map(inertName),
  ];
}

/** That an answer is less than it could be, and how much less. */
export function degradationNotices(response: DegradedResponse): string[] {
  const { degradationLevel, degradation, staticResponses = [] } = response;
  if (degradationLevel === 0) return [];
  const { measure, full = 0, loss = 0 } = degradation?.expectedLoss ?? {};
  const expected = loss === 0 ? '' : `: ${measure} was ${rounded(full - loss)} in place of ${rounded(full)}`;
  return [
    `Degradation level ${degradationLevel} of 5 (${levelWords(response)})${expected}.`,
    ...staticResponses.map(({ text }) => `Not from a document, but written for outages: ${inertName(text)}`),
  ];
}

/** Two figures tell enough. */
export const rounded = (score: number): number => Math.round(score * 100) / 100;
