import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as z from 'zod';
import { indexedTextOfStored } from '../core/analysis/indexed-text.js';
import { compareText } from '../core/filter.js';
import { contentHash } from '../core/ids.js';
import { parseJson } from '../core/parse-json.js';
import type { Scope } from '../core/scope.js';
import { slicesOf } from '../core/slices.js';
import { queryCacheOver } from '../embedding/cached-embedder.js';
import { type Embedder, fingerprintOf } from '../embedding/embedder.js';
import type { EmbeddingCache } from '../embedding/embedding-cache.js';
import type { Generation, GenerationReader, Ledger } from '../ledger/ledger.js';
import type { VectorCollection } from '../stores/vector-store.js';
import { MAX_TENANTS, takeSamples } from './adaptation-sample.js';

/** Fewer teach nothing. */
export const MIN_SAMPLE = 30;
const READ_BATCH = 500;

/** What the bytes were learnt from; any difference means that they are learnt anew. */
const headerSchema = z.object({
  version: z.number(),
  fingerprint: z.string(),
  collection: z.string(),
  /** What each tenant's part was learnt from, in the order of the parts. */
  parts: z.array(
    z.object({
      tenant: z.string(),
      /** Hash of the sample's chunk ids, which are hashes of what is indexed. */
      sample: z.string(),
      /** Chunks that the tenant had then; absent where an earlier version wrote it. */
      chunks: z.int().nonnegative().optional(),
      bytes: z.int().nonnegative(),
    }),
  ),
  /** SHA-256 of the bytes, which shows damage. */
  learned: z.string(),
});

type Header = z.infer<typeof headerSchema>;

/** Identity of what learns and of what it learns from. */
type Origin = Omit<Header, 'learned' | 'parts'>;

/** What was learnt of one tenant's chunks. */
interface LearnedPart {
  readonly tenant: string;
  readonly sample: string;
  readonly chunks?: number | undefined;
  readonly learned: Uint8Array;
}

interface StoredAdaptation {
  readonly header: Header;
  readonly parts: readonly LearnedPart[];
}

export interface LearnFromCollection {
  readonly ledger: Ledger;
  readonly facts: Generation;
  readonly collection: VectorCollection;
  readonly embedder: Embedder;
  /** The tenant that is looked at; what was learnt of the others stays. @default all */
  readonly only?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Lets a model that can learn from the indexed chunks how to read queries over them, for each tenant from its own, so that
 * nothing of another shows in a score; the ledger keeps the result, for every host. The sample hangs on the content alone, so the same
 * files always give the same result.
 */
export async function learnFromCollection(input: LearnFromCollection): Promise<void> {
  const { ledger, facts, embedder, signal } = input;
  const { adaptation } = embedder;
  if (adaptation === undefined) return;
  const origin: Origin = { ...identityOf(embedder, facts), version: adaptation.version };
  const kept = readAdaptation(await ledger.learned(facts.generation));
  const known = kept !== undefined && isSame(kept.header, origin) ? kept.parts : [];
  const samples = await samplesOf(input, known);
  if (samples.length === 0) {
    if (facts.learned !== undefined) await ledger.setLearned(facts.generation, undefined);
    return;
  }
  if (known.length === samples.length && samples.every((sample) => partOf(known, sample) !== undefined))
    return;
  const parts: LearnedPart[] = [];
  for (const sample of samples) {
    signal?.throwIfAborted();
    const learned =
      partOf(known, sample)?.learned ?? (await adaptation.learn(await textsOf(sample.ids, input)));
    parts.push({ tenant: sample.tenant, sample: sample.hash, chunks: sample.chunks, learned });
  }
  signal?.throwIfAborted();
  const bytes = encodeAdaptation(origin, parts);
  await ledger.setLearned(facts.generation, { stamp: hashOf(bytes), bytes });
}

/** Chunks that are learnt from. */
interface Sample {
  readonly tenant: string;
  readonly ids: readonly string[];
  readonly hash: string;
  /** Of the tenant, when it was taken. */
  readonly chunks?: number | undefined;
}

const partOf = (parts: readonly LearnedPart[], { tenant, hash }: Sample): LearnedPart | undefined =>
  parts.find((part) => part.tenant === tenant && part.sample === hash);

/** The sample of every tenant that has enough chunks; of those that are not looked at what is known. */
async function samplesOf(
  { ledger, facts, only, signal }: LearnFromCollection,
  known: readonly LearnedPart[],
): Promise<Sample[]> {
  const taken = await takeSamples(ledger.reader(facts.generation), { only, signal });
  const samples: Sample[] = [];
  for (const [tenant, { ids, chunks }] of [...taken].sort(([a], [b]) => compareText(a, b))) {
    const before = known.find((part) => part.tenant === tenant);
    const isLookedAt = only === undefined || tenant === only;
    if (isLookedAt && chunks >= MIN_SAMPLE)
      samples.push({ tenant, ids, hash: contentHash(ids.join()), chunks });
    else if (!isLookedAt && before !== undefined) samples.push({ ...before, ids: [], hash: before.sample });
  }
  return samples;
}

/** How many chunks each tenant had when it was learnt from; 0 where that is not known. */
export async function learntChunks(
  ledger: Pick<Ledger, 'learned'>,
  { generation, learned }: Generation,
): Promise<ReadonlyMap<string, number>> {
  const kept = learned === undefined ? undefined : readAdaptation(await ledger.learned(generation));
  return new Map((kept?.parts ?? []).map(({ tenant, chunks = 0 }) => [tenant, chunks]));
}

/** Tenants with the number of their chunks. */
export async function tenantsOf(reader: Pick<GenerationReader, 'sources'>): Promise<Map<string, number>> {
  const tenants = new Map<string, number>();
  for (const { tenant, chunks } of await reader.sources())
    tenants.set(tenant, (tenants.get(tenant) ?? 0) + chunks);
  return tenants;
}

async function textsOf(
  ids: readonly string[],
  { collection, signal }: LearnFromCollection,
): Promise<string[]> {
  const texts: string[] = [];
  for (const some of slicesOf(ids, READ_BATCH)) {
    const chunks = await collection.get(some, signal === undefined ? {} : { signal });
    texts.push(...chunks.map(indexedTextOfStored));
    // A store in this process reads without letting others have a turn.
    await nextTurn();
  }
  return texts;
}

/** The embedder that reads the queries of a scope over a generation. */
export type QueryEmbedder = (
  facts: Generation,
  ledger: Pick<Ledger, 'learned'>,
  scope: Scope,
) => Promise<Embedder>;

/**
 * Reads queries, and keeps their vectors for the scope that asked where they cost something, in memory and in `kept`. With `adapt`, reads what `index`
 * learnt of the scope's tenant, and reads it again when any host has learnt anew. Without it, or where it belongs to another
 * model, queries are read as the model reads any text.
 */
export function queryEmbedderOver(
  embedder: Embedder,
  { adapt, kept }: { readonly adapt: boolean; readonly kept?: EmbeddingCache | undefined },
): QueryEmbedder {
  const { adaptation } = embedder;
  if (!adapt || adaptation === undefined) {
    const cacheOf = queryCacheOver(embedder, { kept });
    return async (_facts, _ledger, scope) => cacheOf(nameOf(scope));
  }
  let known: { readonly stamp: string; readonly byTenant: ReadonlyMap<string, Embedder> } | undefined;
  return async (facts, ledger, { tenant }) => {
    const { learned: stamp } = facts;
    if (stamp === undefined) return embedder;
    if (known?.stamp !== stamp) {
      const kept = readAdaptation(await ledger.learned(facts.generation));
      const origin = { ...identityOf(embedder, facts), version: adaptation.version };
      const parts = kept !== undefined && isSame(kept.header, origin) ? kept.parts : [];
      known = {
        stamp,
        byTenant: new Map(parts.map((part) => [part.tenant, adaptation.apply(part.learned)])),
      };
    }
    return known.byTenant.get(tenant) ?? embedder;
  };
}

const nameOf = ({ tenant, project, groups, clearance }: Scope): string =>
  JSON.stringify([tenant, project, [...groups].sort(), clearance]);

/** Why queries over a generation are not read by what was learnt of it; undefined where they are, or where nothing can be. */
export type AdaptationCheck = (
  facts: Generation,
  ledger: Pick<Ledger, 'learned' | 'reader'>,
) => Promise<string | undefined>;

/** Checks what the ledger keeps; reads it again only when it has changed. */
export function createAdaptationCheck(): AdaptationCheck {
  let known: { readonly stamp: string; readonly problem: string | undefined } | undefined;
  // Counting them reads the whole ledger.
  let crowded: number | undefined;
  return async (facts, ledger) => {
    if (!ADAPTING_MODELS.has(facts.embedder)) return undefined;
    const { learned: stamp, generation } = facts;
    if (stamp === undefined) {
      if (crowded === generation) return undefined;
      const tenants = await tenantsOf(ledger.reader(generation));
      if (tenants.size > MAX_TENANTS) crowded = generation;
      const isLearnt =
        tenants.size <= MAX_TENANTS && [...tenants.values()].some((chunks) => chunks >= MIN_SAMPLE);
      return isLearnt ? problemOf('is missing') : undefined;
    }
    if (known?.stamp !== stamp)
      known = { stamp, problem: problemIn(await ledger.learned(generation), facts) };
    return known.problem;
  };
}

function problemIn(
  kept: Uint8Array | undefined,
  { fingerprint, collection }: Generation,
): string | undefined {
  const { header } = readAdaptation(kept) ?? {};
  if (header === undefined) return problemOf('is damaged, or was written by another version');
  const isOwn = header.fingerprint === fingerprint && header.collection === collection;
  return isOwn ? undefined : problemOf('belongs to an earlier index');
}

const problemOf = (what: string): string =>
  `Some results may rank lower than they should: what search learns of the words of this index ${what}. \`ragstone index\` learns it when it ends.`;

/** Models that learn from a collection, as the ledger names them, so that a check need not load any. */
const ADAPTING_MODELS: ReadonlySet<string> = new Set(['builtin']);

const identityOf = (
  embedder: Embedder,
  { collection }: Generation,
): Pick<Origin, 'fingerprint' | 'collection'> => ({
  fingerprint: fingerprintOf(embedder.identity),
  collection,
});

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const isSame = (a: Origin, b: Origin): boolean =>
  a.version === b.version && a.fingerprint === b.fingerprint && a.collection === b.collection;

function encodeAdaptation(origin: Origin, parts: readonly LearnedPart[]): Buffer {
  const learned = Buffer.concat(parts.map((part) => part.learned));
  const header: Header = {
    ...origin,
    parts: parts.map(({ tenant, sample, chunks, learned: { length } }) => ({
      tenant,
      sample,
      chunks,
      bytes: length,
    })),
    learned: hashOf(learned),
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), learned]);
}

/** Undefined where there is nothing, or nothing that this version wrote whole. */
function readAdaptation(kept: Uint8Array | undefined): StoredAdaptation | undefined {
  if (kept === undefined) return undefined;
  const bytes = Buffer.from(kept.buffer, kept.byteOffset, kept.byteLength);
  const end = bytes.indexOf(10);
  const header = headerSchema.safeParse(parseJson(bytes.subarray(0, Math.max(0, end)).toString('utf8')));
  const learned = bytes.subarray(end + 1);
  if (!header.success || header.data.learned !== hashOf(learned)) return undefined;
  const parts: LearnedPart[] = [];
  let start = 0;
  for (const { tenant, sample, chunks, bytes: length } of header.data.parts) {
    // A copy, because a slice may not begin where numbers may.
    parts.push({ tenant, sample, chunks, learned: new Uint8Array(learned.subarray(start, start + length)) });
    start += length;
  }
  return { header: header.data, parts };
}
