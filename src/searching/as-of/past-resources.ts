import { RAGError } from '../../core/errors.js';
import { type Notice, noticesOfKind } from '../../core/notice.js';
import type { Scope } from '../../core/scope.js';
import type { AsOfReport } from '../../ledger/history/as-of-report.js';
import type { HistoryVersion } from '../../ledger/history.js';
import type { GenerationReader, Ledger, LedgerDocument } from '../../ledger/ledger.js';
import { splitModelName } from '../../platform/providers/provider-table.js';
import { overFolded } from '../../platform/security/sealed-metadata.js';
import type { EngineResources } from '../../resources/engine-resources.js';
import type { LedgerHandle } from '../../resources/handles/ledger-handle.js';
import type { ModelHandle } from '../../resources/handles/model-handle.js';
import type { StoreHandle } from '../../resources/handles/store-handle.js';
import { RESTRICTED_NOTICE } from '../../stores/scope-reach.js';
import { openPast, type PastIndex } from './past-index.js';
import { resolveMoment } from './resolve-moment.js';

/** An engine's resources as they are when the past is asked for, and which moment that is. */
export interface PastResources {
  readonly resources: EngineResources;
  readonly report: AsOfReport;
}

/**
 * Resources over the index as it was: a search with them sees that and nothing else. What they do not have (a cache of results,
 * the graph, other processes, the present index) fails where it is asked for, so that no step can show what is there today.
 *
 * @throws RAGError `QUERY_INVALID` where the moment cannot be answered
 */
export async function resourcesAsOf(
  asOf: string | Date,
  { scope, signal }: { readonly scope: Scope; readonly signal?: AbortSignal | undefined },
  resources: EngineResources,
): Promise<PastResources> {
  const { config, models } = resources;
  const present = await resources.stores.collection();
  const { history } = present.ledger;
  const { moment, report, hint } = await resolveMoment(asOf, {
    history,
    config,
    tenant: scope.tenant,
    signal,
  });
  if (history === undefined) throw new RAGError('INTERNAL', 'A ledger without history was asked for it.');
  const facts = { ...present.facts, learned: undefined };
  const past = await remembered(resources, { moment, scope, generation: facts.generation }, () =>
    openPast({
      ...{ history, moment, scope, facts, live: present.collection },
      embedder: () => models.embedderOf(present.facts),
      isHosted:
        splitModelName(config.rag.embedding.model) !== undefined || config.own?.embedder !== undefined,
    }),
  );
  const reader = pastReader(past, facts.generation);
  const ledger = only<Ledger>('ledger', {
    lastRun: async () => undefined,
    generations: async () => [facts],
    learned: async () => undefined,
    live: async () => facts,
    reader: () => reader,
  });
  const live = { ledger, facts, reader };
  const index = {
    ...live,
    collection: past.collection,
    store: past.store,
    // What is past is never brought in step.
    sealing: overFolded(present.sealing),
    past: { hasVectors: past.hasVectors, notices: noticesOf(past, report, hint) },
  };
  return {
    report,
    resources: only<EngineResources>('engine', {
      // Who asks for them does without.
      ...WITHOUT,
      config,
      breakers: resources.breakers,
      ledger: only<LedgerHandle>('ledger', { live: async () => live, revision: async () => undefined }),
      stores: only<StoreHandle>('store', { collection: async () => index, notice: () => [] }),
      models: only<ModelHandle>('model', {
        embedderOf: (of) => models.embedderOf(of),
        reranker: models.reranker,
        chatModel: models.chatModel,
        forgetOpening: () => models.forgetOpening(),
        adaptationNotice: async () => [],
      }),
    }),
  };
}

/** Searching elsewhere, what was found before, and plans to end in time, are of the present index. */
const WITHOUT: object = { remote: undefined, planner: undefined, results: undefined };

function noticesOf(
  { hasVectors, isRestricted }: PastIndex,
  { at, tag }: AsOfReport,
  hint: string | undefined,
): Notice[] {
  const named = tag === undefined ? '' : ` (tag ${tag.name} of "${tag.source}", ${tag.commit.slice(0, 10)})`;
  return [
    {
      kind: 'as-of',
      text: `This is the index as it was at ${at}${named}.${hint === undefined ? '' : ` ${hint}`}`,
    },
    ...(hasVectors
      ? []
      : noticesOfKind('search-degraded', [
          'Words alone were searched for: vectors of that time are not kept, and making them anew would take too long or ask a service.',
        ])),
    ...(isRestricted ? noticesOfKind('documents-hidden', [RESTRICTED_NOTICE]) : []),
  ];
}

const documentOf = (version: HistoryVersion): LedgerDocument => {
  const { id: _, generation: __, access: ___, from, to: ____, chunks: chunkCount, ...facts } = version;
  return { ...facts, status: 'indexed', chunkCount, indexedAt: new Date(from).toISOString() };
};

function pastReader({ documents }: PastIndex, generation: number): GenerationReader {
  const ids = [...documents.keys()].sort();
  const found = (id: string): LedgerDocument[] => {
    const version = documents.get(id);
    return version === undefined ? [] : [documentOf(version)];
  };
  return only<GenerationReader>('reader', {
    generation,
    document: async (id) => found(id)[0],
    documents: async (after, limit) =>
      ids
        .filter((id) => after === undefined || id > after)
        .slice(0, limit)
        .flatMap(found),
  });
}

/** A part of which only some members may be asked for. */
function only<Part extends object>(what: string, members: Partial<Part>): Part {
  return new Proxy(members as Part, {
    get: (target, name) => {
      if (name in target) return Reflect.get(target, name) as unknown;
      // Awaiting it asks for this.
      if (typeof name === 'symbol' || name === 'then') return undefined;
      throw new RAGError(
        'INTERNAL',
        `The ${what} of a search in the past has no \`${name}\`. Please report this.`,
      );
    },
  });
}

interface Wanted {
  readonly moment: number;
  readonly scope: Scope;
  readonly generation: number;
}

/** Moments that are kept in memory for the next question. */
const REMEMBERED = 2;

const memories = new WeakMap<EngineResources, Map<string, Promise<PastIndex>>>();

/** Put together once for each state of the index: what was erased or restricted since makes another one. */
async function remembered(
  resources: EngineResources,
  wanted: Wanted,
  open: () => Promise<PastIndex>,
): Promise<PastIndex> {
  const revision = await resources.ledger.revision();
  if (revision === undefined) return open();
  const key = JSON.stringify([revision, wanted]);
  const memory = memories.get(resources) ?? new Map<string, Promise<PastIndex>>();
  memories.set(resources, memory);
  const opening = memory.get(key) ?? open();
  memory.delete(key);
  memory.set(key, opening);
  for (const old of [...memory.keys()].slice(0, -REMEMBERED)) memory.delete(old);
  opening.catch(() => memory.delete(key));
  return opening;
}
