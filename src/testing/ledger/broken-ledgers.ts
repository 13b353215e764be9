import type { LedgerHistory } from '../../ledger/history.js';
import type { GenerationWriter, Ledger, PlannedDocument } from '../../ledger/ledger.js';

/** What a broken ledger does otherwise than the right one it is given. */
export interface LedgerFault {
  /** The part of the contract that has to find it. */
  readonly concern: string;
  readonly ledger?: ((right: Ledger) => Partial<Ledger>) | undefined;
  readonly writer?: ((right: GenerationWriter) => Partial<GenerationWriter>) | undefined;
}

const writer = (
  concern: string,
  change: (right: GenerationWriter) => Partial<GenerationWriter>,
): LedgerFault => ({ concern, writer: change });

const ofHistory = (
  change: (right: LedgerHistory, ledger: Ledger) => Partial<LedgerHistory>,
): LedgerFault => ({
  concern: 'history',
  ledger: (right) =>
    right.history === undefined ? {} : { history: overlaid(right.history, change(right.history, right)) },
});

/** Faults that a ledger may have. The contract must turn red for each of them. */
export const LEDGER_FAULTS: Readonly<Record<string, LedgerFault>> = {
  'a claim wins what another one holds': writer('leases', () => ({
    claim: async (_tenant, _source, itemIds) => new Set(itemIds),
  })),
  'a renewal takes back what was lost': writer('leases', (right) => ({
    renew: (...renewal) => right.claim(...renewal),
  })),
  'a claim wins nothing': writer('leases', () => ({ claim: async () => new Set<string>() })),
  'leases never run out': writer('leases', (right) => ({
    claim: (tenant, source, itemIds) => right.claim(tenant, source, itemIds, Number.MAX_SAFE_INTEGER / 2),
  })),
  'what is released stays held': writer('leases', () => ({ release: async () => undefined })),
  'a plan says that everything is to be written': writer('the write-ahead log', (right) => ({
    plan: async (documents) =>
      (await right.plan(documents)).map(({ unchanged, toRewrite, ...plan }) => ({
        ...plan,
        toWrite: [...plan.toWrite, ...unchanged, ...toRewrite],
        unchanged: [],
        toRewrite: [],
      })),
  })),
  'a plan forgets what to delete': writer('the write-ahead log', (right) => ({
    plan: async (documents) => (await right.plan(documents)).map((plan) => ({ ...plan, toDelete: [] })),
  })),
  'a plan is not recorded': writer('the write-ahead log', (right) => ({
    plan: (documents) => right.preview(documents),
  })),
  'a preview is recorded': writer('the write-ahead log', (right) => ({
    preview: (documents) => right.plan(documents),
  })),
  'a plan is no transaction': writer('the write-ahead log', (right) => ({
    plan: async (documents) => (await Promise.all(documents.map((one) => right.plan([one])))).flat(),
  })),
  'a commit keeps its last document for later': writer('documents', (right) => ({
    commit: (documentIds, at) => right.commit(documentIds.slice(0, Math.max(1, documentIds.length - 1)), at),
  })),
  'a deletion is forgotten without being planned': writer('the write-ahead log', (right) => ({
    forget: async (documentIds) => {
      await right.planDeletion(documentIds);
      await right.forget(documentIds);
    },
  })),
  'rows of the graph outlive their revision': writer('the graph', (right) => ({
    plan: async (documents) => right.plan(await withEarlierNames(documents, right)),
  })),
  'the graph shows what other tenants hold': writer('the graph', (right) => ({
    graph: {
      ...bound(right),
      named: async (tenant, names, page) => [
        ...(await right.graph.named(tenant, names, page)),
        ...(tenant === 'other' ? [] : await right.graph.named('other', names, page)),
      ],
    },
  })),
  'rows are made of another revision': writer('the graph', (right) => ({
    fillGraph: async ({ documentId, graph }) => {
      const revision = (await right.document(documentId))?.revision ?? '';
      return right.fillGraph({ documentId, revision, graph });
    },
  })),
  'facts of other tenants are shown': writer('facts of a language model', (right) => {
    const { facts } = right;
    if (facts === undefined) return {};
    return {
      facts: overlaid(facts, {
        naming: async (_tenant, keys, page) => [
          ...(await facts.naming('default', keys, page)),
          ...(await facts.naming('other', keys, page)),
        ],
      }),
    };
  }),
  'facts are kept of what was never read': writer('facts of a language model', (right) => {
    const { facts } = right;
    if (facts === undefined) return {};
    return {
      facts: overlaid(facts, {
        saveFacts: async (tenant, records) => {
          await facts.saveFacts(tenant, records);
          return records.length;
        },
      }),
    };
  }),
  'a summary is kept without its sources': writer('facts of a language model', (right) => {
    const { facts } = right;
    if (facts === undefined) return {};
    return {
      facts: overlaid(facts, {
        saveSummary: async (tenant, summary) => {
          await facts.saveSummary(tenant, summary);
          return true;
        },
      }),
    };
  }),
  'statements are kept of another revision': writer('what documents say', (right) => ({
    fillStatements: async (fillings) => {
      const now = await Promise.all(fillings.map(({ documentId }) => right.document(documentId)));
      return right.fillStatements(
        fillings.map((filling, at) => ({ ...filling, revision: now[at]?.revision ?? '' })),
      );
    },
  })),
  'the past shows what is there now': ofHistory((right) => ({
    versionsAt: (of, ...page) => right.versionsAt({ ...of, moment: Number.MAX_SAFE_INTEGER }, ...page),
  })),
  'the past is that of the generation that is live now': ofHistory((right, ledger) => ({
    generationAt: async (moment) =>
      (await right.generationAt(moment)) === undefined ? undefined : (await ledger.live())?.generation,
  })),
  'a broken record is answered': ofHistory((_, ledger) => ({
    generationAt: async () => (await ledger.live())?.generation,
  })),
  'what is erased stays': ofHistory(() => ({ erase: async () => 0 })),
  'what is too old is kept': ofHistory(() => ({ prune: async () => 0 })),
  'missing chunks stay live': writer('the write-ahead log', () => ({
    markChunksMissing: async () => undefined,
  })),
  'an item is complete with the version before': writer('items', (right) => ({
    completeItems: (items) => right.completeItems(items.map((item) => ({ ...item, version: '1' }))),
  })),
  'a failure is not counted': writer('items', (right) => ({
    failItem: async (item, failure) => {
      if (!(await right.items(item.tenant, item.source)).get(item.itemId)?.error)
        await right.failItem(item, failure);
    },
  })),
  'cursors are of all tenants': writer('sources and runs', (right) => ({
    setSourceCursor: (_tenant, source, cursor) => right.setSourceCursor('default', source, cursor),
    sourceCursor: (_tenant, source) => right.sourceCursor('default', source),
  })),
  'a source that is forgotten keeps its cursor': writer('sources and runs', (right) => ({
    forgetSource: async (tenant, source) => {
      const cursor = await right.sourceCursor(tenant, source);
      await right.forgetSource(tenant, source);
      if (cursor !== undefined) await right.setSourceCursor(tenant, source, cursor);
    },
  })),
  'states of sources are of all tenants': writer('sources and runs', (right) => ({
    setSourceState: (_tenant, source, state) => right.setSourceState('default', source, state),
    sourceStates: () => right.sourceStates('default'),
  })),
  'a page begins with the last entry of the one before': writer('documents', (right) => ({
    documents: async (after, limit) => {
      const page = await right.documents(after, limit);
      const last = after === undefined ? undefined : await right.document(after);
      return last === undefined || page.length === 0 ? page : [last, ...page.slice(0, limit - 1)];
    },
  })),
  'a text ends at its first NUL': writer('texts', (right) => ({
    text: async (documentId, revision) => (await right.text(documentId, revision))?.split('\0')[0],
  })),
  'a switch retires nothing': {
    concern: 'generations',
    ledger: (right) => ({
      generations: async () => (await right.generations()).map((facts) => ({ ...facts, state: 'live' })),
    }),
  },
  'the live generation can be dropped': {
    concern: 'generations',
    ledger: (right) => ({
      drop: async (generation) => {
        const { generation: other } = await right.begin(
          () => ({ provider: '', collection: '', dimensions: 1, fingerprint: '', embedder: '' }),
          '',
        );
        await right.switchTo(other, '');
        await right.drop(generation);
      },
    }),
  },
  'a switch that was overtaken is made all the same': {
    concern: 'generations',
    ledger: (right) => ({ switchTo: (generation, at) => right.switchTo(generation, at) }),
  },
  'whoever comes second is the first one too': {
    concern: 'generations',
    ledger: (right) => ({
      makeFirst: async (generation, at) => {
        await right.switchTo(generation, at);
        return true;
      },
    }),
  },
  'clear keeps the runs': {
    concern: 'generations',
    ledger: (right) => ({ clear: async () => right.forgetSources('default', ['x']) }),
  },
  'an owner keeps the sources that it no longer states': {
    concern: 'sources and runs',
    ledger: (right) => ({
      ownSources: async (tenant, owner, sources) => {
        const held = [...(await right.sourceOwners(tenant))].flatMap(([source, owners]) =>
          owners.includes(owner) ? [source] : [],
        );
        await right.ownSources(tenant, owner, [...held, ...sources]);
      },
    }),
  },
  'remembered sources are those of every tenant': {
    concern: 'sources and runs',
    ledger: (right) => ({
      rememberedSources: () => right.rememberedSources('default'),
    }),
  },
};

/** A ledger with a fault. */
export function withFault(right: Ledger, { ledger, writer: changeWriter }: LedgerFault): Ledger {
  const changed: Partial<Ledger> = {
    ...ledger?.(right),
    ...(changeWriter === undefined
      ? {}
      : {
          writer: (generation, holder) => {
            const rightWriter = right.writer(generation, holder);
            return overlaid(rightWriter, changeWriter(rightWriter));
          },
        }),
  };
  return overlaid(right, changed);
}

/** An object whose members are those of `changes` where there are such; methods keep their own `this`. */
function overlaid<T extends object>(right: T, changes: Partial<T>): T {
  return new Proxy(right, {
    get: (target, name) => {
      const member: unknown = Reflect.get(Object.hasOwn(changes, name) ? changes : target, name);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

/** The methods of a graph, each as it is. */
const bound = ({ graph }: GenerationWriter): GenerationWriter['graph'] => ({
  rows: (ids) => graph.rows(ids),
  named: (...given) => graph.named(...given),
  referring: (...given) => graph.referring(...given),
  firstChunks: (ids) => graph.firstChunks(ids),
  unread: (...given) => graph.unread(...given),
});

async function withEarlierNames(
  documents: readonly PlannedDocument[],
  { graph }: GenerationWriter,
): Promise<PlannedDocument[]> {
  const before = await graph.rows(documents.map(({ documentId }) => documentId));
  return documents.map((document) => {
    const { names = [], references = [] } = document.graph ?? {};
    const earlier = before.get(document.documentId)?.names ?? [];
    return { ...document, graph: { names: [...new Set([...names, ...earlier])], references } };
  });
}
