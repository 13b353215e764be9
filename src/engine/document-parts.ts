import { assertLedgerTrusted, foldersOutside } from '../config/trust/index-reach.js';
import { ageMs } from '../core/age.js';
import type { StoredChunk } from '../core/chunk.js';
import { FIRST_LINE, headingPathOf, linesOf, offsetsOf, pagesOf } from '../core/chunk-metadata.js';
import { RAGError } from '../core/errors.js';
import { runtime } from '../core/runtime.js';
import { configuredSources, pathSource } from '../indexing/configured-sources.js';
import { rememberedPaths } from '../indexing/named-folders.js';
import type { ScopedIndex } from '../indexing/scoped-index.js';
import type { EngineHost } from '../indexing/select-sources.js';
import type { ConfiguredSource } from '../indexing/source-task.js';
import type { HistoryVersion } from '../ledger/history.js';
import type { LedgerDocument } from '../ledger/ledger.js';
import type {
  DocumentOriginal,
  DocumentPassages,
  DocumentRequest,
  DocumentVersions,
} from '../operations/engine.js';
import { FIELDS } from '../operations/fields.js';
import { admits } from '../searching/as-of/past-index.js';
import { scopeCollection } from '../stores/scoped-collection.js';

const MOST_VERSIONS = 200;
/** Bytes of an original that is handed out. */
const MOST_ORIGINAL = 25 * 1024 * 1024;

/** A document that the scope may read, and the revision of it that the store holds. */
interface ReadableRevision {
  readonly document: LedgerDocument;
  readonly revision: string;
  readonly chunk: StoredChunk;
}

/** How a document is cut: a page of the passages of its stored text, in their order. */
export async function passagesOf(
  { document, revision }: ReadableRevision,
  { cursor = '0', limit = FIELDS.get.passages.preset }: NonNullable<DocumentRequest['passages']>,
  { reader, collection, scope, sealing }: ScopedIndex,
): Promise<DocumentPassages> {
  const start = Number(cursor);
  const ids = (await reader.chunks(document.documentId)).flatMap(({ chunkId, state }) =>
    state === 'stale' ? [] : [chunkId],
  );
  const named = ids.slice(start, start + limit);
  const chunks = new Map(
    (await scopeCollection(collection, scope, sealing).get(named)).map((chunk) => [chunk.id, chunk]),
  );
  const passages = named.flatMap((id) => {
    const chunk = chunks.get(id);
    const offsets = chunk && offsetsOf(chunk);
    if (chunk === undefined || offsets === undefined || chunk.metadata.revision !== revision) return [];
    const pages = pagesOf(chunk);
    return [
      {
        id,
        offsets,
        lines: linesOf(chunk) ?? FIRST_LINE,
        ...(pages === undefined ? {} : { pages }),
        headingPath: headingPathOf(chunk),
      },
    ];
  });
  return { passages, ...(start + limit < ids.length ? { cursor: String(start + limit) } : {}) };
}

/** What history keeps of a document, as far as the scope may read it. */
export async function versionsOf(
  { document }: ReadableRevision,
  { scope }: ScopedIndex,
  { resources, config }: EngineHost,
): Promise<DocumentVersions> {
  const { keep } = config.rag.history;
  const live = await resources.ledger.live();
  const begins = await live?.ledger.history?.begins();
  if (keep === undefined || live === undefined || begins === undefined)
    return { isKept: false, versions: [] };
  const all = (await live.ledger.history?.ofDocument(document.documentId, MOST_VERSIONS)) ?? [];
  const earliest = Math.max(begins, runtime().now() - ageMs(keep));
  const versions = joined(all.filter(({ generation }) => generation <= live.facts.generation))
    .filter((version) => admits(scope, version))
    .filter(({ to }) => to === undefined || to > earliest)
    .map(({ revision, from, to, title, chunks }) => ({
      revision,
      from: new Date(Math.max(from, earliest)).toISOString(),
      ...(to === undefined ? {} : { to: new Date(to).toISOString() }),
      ...(title === undefined ? {} : { title }),
      passages: chunks,
    }));
  return { isKept: true, versions: versions.reverse() };
}

/** Versions in the order of time. A rebuild writes again what there is: of two generations the later one says what comes after. */
function joined(versions: readonly HistoryVersion[]): HistoryVersion[] {
  const inOrder = versions.toSorted((a, b) => a.generation - b.generation || a.from - b.from);
  const found: HistoryVersion[] = [];
  for (const version of inOrder) {
    const begun = Math.min(
      ...versions.flatMap(({ generation, from }) => (generation > version.generation ? [from] : [])),
    );
    const to = Math.min(version.to ?? Number.POSITIVE_INFINITY, begun);
    if (to <= version.from) continue;
    const { to: _, ...open } = version;
    const last = found.at(-1);
    const isSame = last?.revision === version.revision && last.to === version.from && isAlike(last, version);
    if (isSame) found.pop();
    found.push({
      ...open,
      from: isSame ? last.from : version.from,
      ...(Number.isFinite(to) ? { to } : {}),
    });
  }
  return found;
}

const isAlike = (a: HistoryVersion, b: HistoryVersion): boolean =>
  a.title === b.title && JSON.stringify(a.access) === JSON.stringify(b.access);

/**
 * The bytes of a document as its source has them, where they are those that were indexed.
 *
 * @throws RAGError `ORIGINAL_UNAVAILABLE` where its source cannot give them, and where they may hold what the index withholds;
 * `DOCUMENT_TOO_LARGE`
 */
export async function originalOf(
  { document, chunk }: ReadableRevision,
  host: EngineHost,
  signal: AbortSignal,
): Promise<DocumentOriginal> {
  const { redaction, encryption } = host.config.rag.security;
  if (redaction.enabled || encryption.fields.length > 0 || chunk.metadata.redactions !== undefined)
    throw unavailable('it may hold what is taken out of the index, or encrypted in it');
  const { tenant, source, itemId, externalId } = document;
  const live = await host.resources.ledger.live();
  const item = (await live?.reader.items(tenant, source, [itemId]))?.get(itemId);
  const opened = await openedSource(source, host);
  if (opened === undefined || item?.version === undefined)
    throw unavailable('its source cannot be opened again');
  const { documents, version } = await opened.source.read({ id: itemId, version: item.version }, signal);
  const [only] = documents;
  if (version !== item.version)
    throw unavailable('it was changed since it was indexed, or its source cannot tell');
  if (documents.length !== 1 || only?.externalId !== externalId)
    throw unavailable('it is a part of a file that holds other documents');
  const content = typeof only.content === 'string' ? new TextEncoder().encode(only.content) : only.content;
  if (content.length > MOST_ORIGINAL)
    throw new RAGError('DOCUMENT_TOO_LARGE', `The original is larger than ${MOST_ORIGINAL} bytes.`);
  return { name: externalId.split('/').at(-1) ?? externalId, mediaType: only.mediaType, content };
}

const unavailable = (why: string): RAGError =>
  new RAGError('ORIGINAL_UNAVAILABLE', `The original is not given: ${why}.`);

/** A configured source, or a folder that a call named once and that this account trusts. */
async function openedSource(
  name: string,
  { config, cwd }: EngineHost,
): Promise<ConfiguredSource | undefined> {
  const configured = (await configuredSources(config)).find(({ source }) => source.name === name);
  if (configured !== undefined) return configured;
  const [root] = rememberedPaths([name], config);
  if (root === undefined) return undefined;
  assertLedgerTrusted(foldersOutside([root], config), config);
  return pathSource(root, config, cwd);
}
