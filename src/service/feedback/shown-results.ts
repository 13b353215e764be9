import { LRUCache } from 'lru-cache';
import type { Answer, ContextPack, EngineView, SearchResponse } from '../../index.js';
import type { Principal } from '../authentication/principal.js';

/** How long it is known what was shown, in milliseconds. */
const KEPT_MS = 3_600_000;
/** Requests of a tenant that are known. The oldest give way, never those of another tenant. */
const MOST_REQUESTS = 1_000;
/** Tenants whose requests are known; those of the one that asked longest ago give way. */
const MOST_TENANTS = 256;
/** Places of a request that are known. */
const MOST_PLACES = 50;

/** A place that was shown. */
export interface ShownPlace {
  /** From 1. */
  readonly rank: number;
  readonly documentId: string;
  readonly chunkIds: readonly string[];
  readonly source: string;
  readonly lines: { readonly start: number; readonly end: number };
  readonly score: number;
}

/** What a caller was shown. */
export interface Shown {
  readonly kind: 'search' | 'answer' | 'context';
  readonly question: string;
  readonly places: readonly ShownPlace[];
}

/** Whose request it was. */
export interface ShownTo {
  readonly principal: Principal;
  readonly requestId: string;
}

/**
 * What was shown to whom, in the memory of this process, for an hour: feedback is stored with it, and never with what a caller says that
 * it saw. Who asks of another's request is told the same as of none.
 */
export class ShownResults {
  readonly #tenants = new LRUCache<string, LRUCache<string, Shown>>({ max: MOST_TENANTS });

  remember(to: ShownTo, shown: Shown): void {
    const { tenant } = to.principal.scope;
    const known = this.#tenants.get(tenant) ?? new LRUCache({ max: MOST_REQUESTS, ttl: KEPT_MS });
    this.#tenants.set(tenant, known);
    known.set(keyOf(to), { ...shown, places: shown.places.slice(0, MOST_PLACES) });
  }

  find(to: ShownTo): Shown | undefined {
    return this.#tenants.get(to.principal.scope.tenant)?.get(keyOf(to));
  }
}

const keyOf = ({ principal: { name, scope }, requestId }: ShownTo): string =>
  JSON.stringify([name, scope, requestId]);

/** The same index, with what it shows told to `remember`. */
export function rememberingView(view: EngineView, remember: (shown: Shown) => void): EngineView {
  return {
    ...view,
    search: async (query) => {
      const found = await view.search(query);
      remember({ kind: 'search', question: found.query, places: found.results.map(placeOfResult) });
      return found;
    },
    context: async (query) => {
      const pack = await view.context(query);
      const question = typeof query === 'string' ? query : query.text;
      remember({ kind: 'context', question, places: pack.entries.map(placeOfEntry) });
      return pack;
    },
    ask: async (request) => {
      const answer = await view.ask(request);
      remember(shownBy(answer));
      return answer;
    },
    async *askStream(request) {
      for await (const event of view.askStream(request)) {
        if (event.type === 'answer') remember(shownBy(event.answer));
        yield event;
      }
    },
  };
}

const placeOfResult = (
  { id, score, metadata }: SearchResponse['results'][number],
  at: number,
): ShownPlace => ({
  rank: at + 1,
  documentId: String(metadata.documentId),
  chunkIds: [id],
  source: metadata.source,
  lines: metadata.lines,
  score,
});

const placeOfEntry = (
  { documentId, chunkIds, source, lines, score }: ContextPack['entries'][number],
  at: number,
): ShownPlace => ({ rank: at + 1, documentId, chunkIds, source, lines, score });

const shownBy = ({ question, sources }: Answer): Shown => ({
  kind: 'answer',
  question,
  places: sources.map(({ documentId, chunkIds, source, lines, similarity }, at) => ({
    ...{ rank: at + 1, documentId, chunkIds, source, lines },
    score: similarity,
  })),
});
