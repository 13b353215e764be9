import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { indexedTextOfStored } from '../analysis/indexed-text.js';
import { contentHash } from '../core/ids.js';
import { type Embedder, fingerprintOf } from '../embedding/embedder.js';
import type { IndexFacts, Ledger } from '../ledger/ledger.js';
import type { VectorCollection } from '../stores/vector-store.js';

const FILE = 'query-adaptation.bin';

/** Chunks that a model learns from at most: quality hardly rises beyond, and learning takes about half a second. */
export const ADAPTATION_SAMPLE = 1000;
/** Fewer teach nothing. */
const MIN_SAMPLE = 30;
const READ_BATCH = 500;

/** What the bytes were learnt from; any difference means that they are learnt anew. */
const headerSchema = z.object({
  version: z.number(),
  fingerprint: z.string(),
  collection: z.string(),
  /** Hash of the sample's chunk ids, which are hashes of what is indexed. */
  sample: z.string(),
  /** SHA-256 of the bytes, which shows damage. */
  learned: z.string(),
});

type Header = z.infer<typeof headerSchema>;

/** What decides whether to learn anew. */
type Origin = Omit<Header, 'learned'>;

export interface LearnFromCollection {
  readonly ledger: Ledger;
  readonly collection: VectorCollection;
  readonly embedder: Embedder;
  /** Where the result is kept, beside the ledger. Hold the writer lock. */
  readonly folder: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Lets a model that can learn from the indexed chunks how to read queries over them. The chunks with the lowest ids are the
 * sample: ids are hashes, so it is a random one, and the same index always gives the same result.
 */
export async function learnFromCollection(input: LearnFromCollection): Promise<void> {
  const { ledger, embedder, folder, signal } = input;
  const { adaptation } = embedder;
  const facts = ledger.facts();
  if (adaptation === undefined || facts === undefined) return;
  const ids = sampleOf(ledger);
  const path = join(folder, FILE);
  if (ids.length < MIN_SAMPLE) {
    rmSync(path, { force: true });
    return;
  }
  const origin: Origin = {
    ...identityOf(embedder, facts),
    version: adaptation.version,
    sample: contentHash(ids.join()),
  };
  if (isSame(readKept(path)?.header, origin)) return;
  const texts = await textsOf(ids, input);
  signal?.throwIfAborted();
  const learned = await adaptation.learn(texts);
  const header: Header = { ...origin, learned: hashOf(learned) };
  const draft = `${path}.draft`;
  writeFileSync(draft, Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), learned]));
  renameSync(draft, path);
}

/** Ids of the sample's chunks. */
const sampleOf = (ledger: Ledger): string[] =>
  ledger
    .allChunks(undefined, ADAPTATION_SAMPLE)
    .flatMap(({ chunkId, state }) => (state === 'live' ? [chunkId] : []));

async function textsOf(
  ids: readonly string[],
  { collection, signal }: LearnFromCollection,
): Promise<string[]> {
  const texts: string[] = [];
  for (let i = 0; i < ids.length; i += READ_BATCH) {
    const chunks = await collection.get(ids.slice(i, i + READ_BATCH), signal === undefined ? {} : { signal });
    texts.push(...chunks.map(indexedTextOfStored));
  }
  return texts;
}

/** The embedder that reads queries over the collection of these facts. */
export type QueryEmbedder = (facts: IndexFacts) => Embedder;

/**
 * Reads what `index` learnt, and reads it again when another process has learnt anew. Without it, or where it belongs to
 * another model or generation, queries are read as the model reads any text.
 */
export function queryEmbedderOver(embedder: Embedder, folder: string): QueryEmbedder {
  const { adaptation } = embedder;
  if (adaptation === undefined) return () => embedder;
  const path = join(folder, FILE);
  let known: { readonly stamp: string; readonly header: Header; readonly adapted: Embedder } | undefined;
  return (facts) => {
    const stamp = stampOf(path);
    if (stamp === undefined) return embedder;
    if (known?.stamp !== stamp) {
      const kept = readKept(path);
      known =
        kept === undefined || kept.header.version !== adaptation.version
          ? undefined
          : { stamp, header: kept.header, adapted: adaptation.apply(kept.learned) };
    }
    const identity = identityOf(embedder, facts);
    const isOwn =
      known?.header.fingerprint === identity.fingerprint && known.header.collection === identity.collection;
    return isOwn && known !== undefined ? known.adapted : embedder;
  };
}

/** Why queries over an index are not read by what was learnt of it; undefined where they are, or where nothing can be. */
export type AdaptationCheck = (ledger: Ledger) => string | undefined;

/** Checks what is kept in `folder`; reads it again only when it has changed. */
export function createAdaptationCheck(folder: string): AdaptationCheck {
  const path = join(folder, FILE);
  let known: { readonly stamp: string; readonly header: Header | undefined } | undefined;
  return (ledger) => {
    const facts = ledger.facts();
    if (facts === undefined || !ADAPTING_MODELS.has(facts.embedder)) return undefined;
    const stamp = stampOf(path);
    if (stamp === undefined)
      return sampleOf(ledger).length < MIN_SAMPLE ? undefined : problemOf('is missing');
    if (known?.stamp !== stamp) known = { stamp, header: readKept(path)?.header };
    const { header } = known;
    if (header === undefined) return problemOf('is damaged, or was written by another version');
    const isOwn = header.fingerprint === facts.fingerprint && header.collection === facts.collection;
    return isOwn ? undefined : problemOf('belongs to an earlier index');
  };
}

/** Models that learn from a collection, as the ledger names them, so that a check need not load any. */
const ADAPTING_MODELS: ReadonlySet<string> = new Set(['builtin']);

const problemOf = (what: string): string =>
  `What the embedding model learnt of this index (${FILE}) ${what}, so queries are read as any text is and some passages rank lower. \`ragstone index\` learns it again.`;

const identityOf = (
  embedder: Embedder,
  { collection }: IndexFacts,
): Pick<Origin, 'fingerprint' | 'collection'> => ({
  fingerprint: fingerprintOf(embedder.identity),
  collection,
});

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const isSame = (a: Origin | undefined, b: Origin): boolean =>
  a !== undefined &&
  a.version === b.version &&
  a.fingerprint === b.fingerprint &&
  a.collection === b.collection &&
  a.sample === b.sample;

function stampOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
}

/** Undefined where there is nothing, or nothing that this version wrote whole. */
function readKept(path: string): { readonly header: Header; readonly learned: Uint8Array } | undefined {
  if (stampOf(path) === undefined) return undefined;
  const bytes = readFileSync(path);
  const end = bytes.indexOf(10);
  const header = headerSchema.safeParse(parseJson(bytes.subarray(0, Math.max(0, end)).toString('utf8')));
  const learned = bytes.subarray(end + 1);
  if (!header.success || header.data.learned !== hashOf(learned)) return undefined;
  return { header: header.data, learned };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
