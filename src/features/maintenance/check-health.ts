import { RAGError } from '../../core/errors.js';
import { EVERYTHING } from '../../core/filter.js';
import { runtime } from '../../core/runtime.js';
import { type TelemetryPayloads, traced } from '../../core/telemetry.js';
import { withDeadline } from '../../core/with-deadline.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import type { EngineHealth, HealthOptions, PartHealth } from '../../operations/engine.js';
import { answerableLevel, type PartName } from '../../platform/degradation/level.js';
import { splitModelName } from '../../platform/providers/provider-table.js';
import type { EngineResources } from '../../resources/engine-resources.js';
import type { StoresStatus } from '../../stores/failover/failover-states.js';
import { readAllWork } from './read-work.js';

/**
 * Reads once from ledger and store, which costs little however large they are, and asks models of services that were left alone, were never asked, or
 * last answered a minute ago. What fails is said, never thrown. Whatever answers is asked by searches again.
 */
export function checkHealth(
  resources: EngineResources,
  { counts = false }: HealthOptions = {},
): Promise<EngineHealth> {
  const payload: TelemetryPayloads['health'] = {};
  return traced('health', payload, async () => {
    const health = await checkParts(resources);
    payload.parts = health.parts.map(({ part, ok }) => ({ part, ok }));
    const { stores } = health;
    if (stores !== undefined) {
      payload.stores = stores.stores.map(({ name, state, lag }) => ({
        name,
        isReady: state === 'ready',
        lag,
      }));
      payload.journalBytes = stores.journal.bytes;
    }
    if (!counts || !health.ok) return health;
    const work = await countWork(resources);
    if (work !== undefined) payload.work = work;
    const chunks = await countChunks(resources);
    if (chunks === undefined) return health;
    payload.chunks = chunks;
    return { ...health, chunks };
  });
}

async function checkParts(resources: EngineResources): Promise<EngineHealth> {
  const live = () => resources.ledger.live();
  const readStore = async () => {
    if ((await live()) === undefined) return readEmptyStore(resources);
    const { collection } = await resources.stores.collection();
    // Vectors are in the store itself, also where an index beside it gives the rest.
    await collection.get([''], { includeVectors: true });
  };
  // Side by side, so that none of it takes longer than one part may.
  const stores = statesOfStores(resources);
  const areWordsHere = hasWordsHere(resources);
  const parts = await Promise.all([
    check('ledger', resources, async () => {
      resources.ledger.assertThere();
      await live();
    }),
    check('store', resources, readStore),
    ...servicesOf(resources).map(({ part, ask }) =>
      isBelieved(resources, part)
        ? { part, ok: true, detail: 'It answered when it was asked last.' }
        : check(part, resources, ask),
    ),
  ]);
  const { rag } = resources.config;
  const degradationLevel = answerableLevel({
    isUp: (part) => parts.every((one) => one.part !== part || one.ok),
    isEnabled: rag.enabled,
    isCached: rag.retrieval.cache.enabled,
    hasWordsHere: await areWordsHere,
    hasStatic: rag.degradation.static.length > 0,
  });
  const states = await stores;
  return {
    ok: parts.every(({ ok }) => ok),
    ...withoutUndefined({ degradationLevel }),
    parts,
    ...withoutUndefined({ stores: states }),
  };
}

/** A model that another program runs, and the least question to it. */
interface ModelService {
  readonly part: Extract<PartName, 'embedder' | 'reranker'>;
  readonly ask: () => Promise<unknown>;
}

const WORD = 'health';

/** Models of a configuration that may be out while this process is well. */
function servicesOf(resources: EngineResources): ModelService[] {
  const { rag, own } = resources.config;
  const { enabled: isReranking, model: reranker } = rag.retrieval.rerank;
  const isEmbedder = splitModelName(rag.embedding.model) !== undefined || own?.embedder !== undefined;
  const isReranker =
    isReranking &&
    (splitModelName(reranker) !== undefined || /^llm(:|$)/.test(reranker) || own?.reranker !== undefined);
  return [
    ...(isEmbedder ? [{ part: 'embedder' as const, ask: () => embedOne(resources) }] : []),
    ...(isReranker ? [{ part: 'reranker' as const, ask: () => rerankOne(resources) }] : []),
  ];
}

async function embedOne(resources: EngineResources): Promise<void> {
  // What was asked while it was out it may never answer.
  resources.models.forgetOpening();
  const live = await resources.ledger.live().catch(() => undefined);
  const { embedder } = await (live === undefined
    ? resources.models.configuredEmbedder()
    : resources.models.embedderOf(live.facts));
  await embedder.doEmbed([WORD], 'query');
}

async function rerankOne(resources: EngineResources): Promise<void> {
  const reranker = await resources.models.reranker.open();
  await reranker.doRerank(WORD, [{ content: WORD, headingPath: [], identifiers: [], fusedScore: 1 }]);
}

/** Before anything is indexed the store itself says whether it can be reached. */
async function readEmptyStore(resources: EngineResources): Promise<void> {
  const { store } = await resources.stores.configured();
  const { ok, detail } = await store.health();
  if (!ok) throw new RAGError('STORE_UNAVAILABLE', detail);
}

/** What is asked costs something, so a model that answered a short while ago is believed. */
const BELIEVED_MS = 60_000;

const isBelieved = ({ breakers: parts }: EngineResources, part: PartName): boolean =>
  parts.states[part] === 'well' && runtime().elapsed() - parts.breaker(part).answeredAt < BELIEVED_MS;

/** Undefined where there is one store, or where the ledger does not say which. */
async function statesOfStores(resources: EngineResources): Promise<StoresStatus | undefined> {
  try {
    return await inTime(resources, async () => (await resources.stores.manager())?.status());
  } catch {
    return undefined;
  }
}

/** Before there is an index nothing is kept, and while the ledger is out nothing is found. */
async function hasWordsHere(resources: EngineResources): Promise<boolean> {
  try {
    return await inTime(resources, async () => (await resources.stores.configured()).hasWordsHere);
  } catch {
    return false;
  }
}

/** Of all tenants; undefined where the store does not count in time. */
async function countChunks(resources: EngineResources): Promise<number | undefined> {
  try {
    return await inTime(resources, async () => {
      if ((await resources.ledger.live()) === undefined) return 0;
      return (await resources.stores.collection()).collection.count(EVERYTHING);
    });
  } catch {
    return undefined;
  }
}

/** What is left to workers; undefined where nothing is, or where the ledger does not count in time. */
async function countWork(resources: EngineResources): Promise<TelemetryPayloads['health']['work']> {
  try {
    return await inTime(resources, async () => {
      const live = await resources.ledger.live();
      return live === undefined ? undefined : readAllWork(resources, live.reader);
    });
  } catch {
    return undefined;
  }
}

function inTime<Result>({ config }: EngineResources, read: () => Promise<Result>): Promise<Result> {
  const timeoutMs = config.rag.retrieval.laneDeadlineMs;
  const lateError = () => new RAGError('STORE_TIMEOUT', `It did not answer within ${timeoutMs} ms.`);
  return withDeadline({ timeoutMs, lateError }, read);
}

async function check(
  part: PartHealth['part'],
  resources: EngineResources,
  read: () => Promise<unknown>,
): Promise<PartHealth> {
  try {
    // One that was left alone is asked again from now on, though nobody searches.
    if (await resources.breakers.probe(part, () => inTime(resources, read))) resources.remote?.tryNext(part);
    return { part, ok: true, detail: 'It answers.' };
  } catch (error) {
    if (RAGError.isInstance(error)) return { part, ok: false, detail: error.message };
    if (part === 'ledger' || part === 'store') throw error;
    // Clients of models throw what they like.
    return { part, ok: false, detail: 'It failed for an unexpected reason.' };
  }
}
