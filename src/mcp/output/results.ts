import type { SearchResponse, SearchResult } from '../../index.js';
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

/** What a model should know of how the search went. */
export function searchNotices({ correction, notices, results }: SearchResponse): string[] {
  const isWeak = results.length > 0 && results.every(({ match }) => match === 'weak');
  return [
    ...(correction === undefined
      ? []
      : [`Searched for "${inertName(correction.searchedFor)}"; quote a word to have it taken as typed.`]),
    ...(isWeak ? ['Only weak matches: the documents may not tell of this.'] : []),
    ...notices.map(inertName),
  ];
}

/** Two figures tell enough. */
export const rounded = (score: number): number => Math.round(score * 100) / 100;
