import type { Answer, ContextPack, DeploymentReference, EngineView, SearchResponse } from '../../../index.js';
import type { Principal } from '../authentication/principal.js';
import { type RetainedPlace, type RetainedValues, ValuesOfDeployments } from '../retained/retained-values.js';

/** How long it is known what was shown, in milliseconds. */
const KEPT_MS = 3_600_000;
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
  /** Where the documents are. */
  readonly deployment: DeploymentReference;
}

/**
 * What was shown to whom, for an hour: feedback is stored with it, and never with what a caller says that it saw. Who asks of another's
 * request is told the same as of none. Of documents in a store of the customer it is in the memory of this process alone.
 */
export class ShownResults {
  readonly #values: ValuesOfDeployments;

  constructor(values?: RetainedValues) {
    this.#values = new ValuesOfDeployments(values);
  }

  remember(to: ShownTo, shown: Shown): Promise<void> {
    const kept = { ...shown, places: shown.places.slice(0, MOST_PLACES) };
    return this.#values.of(to.deployment).set(placeOf(to), JSON.stringify(kept), KEPT_MS);
  }

  async find(to: ShownTo): Promise<Shown | undefined> {
    const kept = await this.#values.of(to.deployment).get(placeOf(to));
    return kept === undefined ? undefined : (JSON.parse(kept) as Shown);
  }
}

const placeOf = (to: ShownTo): RetainedPlace => ({
  kind: 'shown',
  tenant: to.principal.scope.tenant,
  key: keyOf(to),
});

const keyOf = ({ principal: { name, scope }, requestId }: ShownTo): string =>
  JSON.stringify([name, scope, requestId]);

/** The same index, with what it shows told to `remember`. */
export function rememberingView(view: EngineView, remember: (shown: Shown) => Promise<void>): EngineView {
  return {
    ...view,
    search: async (query) => {
      const found = await view.search(query);
      await remember({ kind: 'search', question: found.query, places: found.results.map(placeOfResult) });
      return found;
    },
    context: async (query) => {
      const pack = await view.context(query);
      const question = typeof query === 'string' ? query : query.text;
      await remember({ kind: 'context', question, places: pack.entries.map(placeOfEntry) });
      return pack;
    },
    ask: async (request) => {
      const answer = await view.ask(request);
      await remember(shownBy(answer));
      return answer;
    },
    async *askStream(request) {
      for await (const event of view.askStream(request)) {
        if (event.type === 'answer') await remember(shownBy(event.answer));
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
