import type { Collection, EmbeddingFunction } from 'chromadb';
import { RAGError } from '../../core/errors.js';
import type { ForeignDocument, ForeignDocuments, ForeignPiece } from '../foreign-documents.js';
import { type CallOptions, ChromaConnection, type ChromaServerOptions } from './chroma-connection.js';
import { isNotFound } from './chroma-errors.js';
import { VERSION_KEY } from './chroma-names.js';

/** Records of one request. */
const PAGE = 300;

/** The collection names the model of its program, which the client would load and which is not needed. */
const NO_MODEL: EmbeddingFunction = {
  generate: async () => {
    throw new Error('No model is loaded to read a collection.');
  },
};

interface StoredRecord {
  readonly id: string;
  readonly metadata: ForeignPiece['metadata'];
}

/**
 * The documents of a collection that another program made. A record with a `source_id` and a `chunk_index` is a piece of the document of that
 * name, and `project_id` says of which project; any other record is a document by itself. Vectors are not read.
 *
 * Throws `COLLECTION_NOT_FOUND`, and `CONFIG_INVALID` for a collection of Ragstone's own.
 */
export async function openForeignCollection(
  options: ChromaServerOptions,
  name: string,
  onClose: () => Promise<void> = async () => undefined,
): Promise<ForeignDocuments> {
  const connection = new ChromaConnection(options);
  const close = async (): Promise<void> => {
    await connection.close();
    await onClose();
  };
  try {
    const { id, records } = await find(connection, name);
    return {
      place: `collection ${JSON.stringify(name)} of Chroma at ${connection.address}`,
      records,
      documents: (signal) => documentsOf(readerOf(connection, id, signal)),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function find(connection: ChromaConnection, name: string): Promise<{ id: string; records: number }> {
  const call = { action: `open collection ${JSON.stringify(name)}`, isIdempotent: true };
  return connection.call(call, async (client) => {
    const collection = await client
      .getCollection({ name, embeddingFunction: NO_MODEL })
      .catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
    if (collection === undefined) {
      const names = (await client.listCollections()).map((one) => JSON.stringify(one.name));
      const there = names.length === 0 ? 'It has none.' : `It has ${names.join(', ')}.`;
      throw new RAGError(
        'COLLECTION_NOT_FOUND',
        `Chroma at ${connection.address} has no collection ${JSON.stringify(name)}. ${there} Name one with --collection.`,
      );
    }
    if (collection.metadata?.[VERSION_KEY] !== undefined)
      throw new RAGError(
        'CONFIG_INVALID',
        `Collection ${JSON.stringify(name)} was made by Ragstone: \`ragstone migrate\` copies it, with its vectors.`,
      );
    return { id: collection.id, records: await collection.count() };
  });
}

interface Reader {
  /** Ids and metadata of everything, a page at a time. */
  facts(): AsyncIterable<readonly StoredRecord[]>;
  texts(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

function readerOf(connection: ChromaConnection, id: string, signal: AbortSignal | undefined): Reader {
  const call: CallOptions = { action: 'read the collection', signal, isIdempotent: true };
  const on = <T>(run: (collection: Collection) => Promise<T>): Promise<T> => connection.callOn(id, call, run);
  return {
    async *facts() {
      for (let offset = 0; ; offset += PAGE) {
        const page = await on((collection) =>
          collection.get({ limit: PAGE, offset, include: ['metadatas'] }),
        );
        yield page.ids.map((one, i) => ({ id: one, metadata: page.metadatas[i] ?? {} }));
        if (page.ids.length < PAGE) return;
      }
    },
    async texts(ids) {
      const page = await on((collection) => collection.get({ ids: [...ids], include: ['documents'] }));
      return new Map(page.ids.map((one, i) => [one, page.documents[i] ?? '']));
    },
  };
}

/** Where each piece belongs is known only when all metadata were read; texts follow, as many as fit a request. */
async function* documentsOf(reader: Reader): AsyncGenerator<ForeignDocument[]> {
  const groups = new Map<string, { readonly id: string; readonly records: StoredRecord[] }>();
  for await (const page of reader.facts())
    for (const record of page) {
      const id = documentIdOf(record) ?? record.id;
      const key = JSON.stringify([projectOf(record.metadata), id]);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { id, records: [record] });
      else group.records.push(record);
    }
  let batch: { id: string; records: StoredRecord[] }[] = [];
  let size = 0;
  for (const group of groups.values()) {
    batch.push(group);
    size += group.records.length;
    if (size < PAGE) continue;
    yield await withTexts(reader, batch);
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield await withTexts(reader, batch);
}

async function withTexts(
  reader: Reader,
  groups: readonly { readonly id: string; readonly records: readonly StoredRecord[] }[],
): Promise<ForeignDocument[]> {
  const ids = groups.flatMap(({ records }) => records.map(({ id }) => id));
  const texts = new Map<string, string>();
  for (let start = 0; start < ids.length; start += PAGE)
    for (const [id, text] of await reader.texts(ids.slice(start, start + PAGE))) texts.set(id, text);
  return groups.map(({ id, records }) => documentOf(id, records, texts));
}

function documentOf(
  id: string,
  records: readonly StoredRecord[],
  texts: ReadonlyMap<string, string>,
): ForeignDocument {
  const ordered = [...records].sort((a, b) => indexOf(a) - indexOf(b));
  const [first] = ordered;
  const total = Math.max(0, ...ordered.map(({ metadata }) => numberOf(metadata.chunk_total) ?? 0));
  return {
    id,
    project: first === undefined ? undefined : projectOf(first.metadata),
    pieces: ordered.map((record) => ({ text: texts.get(record.id) ?? '', metadata: record.metadata })),
    missing: Math.max(0, total - new Set(ordered.map(indexOf)).size),
  };
}

/** The document that a record is a piece of; undefined where it is one itself. */
const documentIdOf = ({ metadata }: StoredRecord): string | undefined =>
  typeof metadata.source_id === 'string' && numberOf(metadata.chunk_index) !== undefined
    ? metadata.source_id
    : undefined;

const projectOf = ({ project_id: project }: ForeignPiece['metadata']): string | undefined =>
  typeof project === 'string' && project !== '' ? project : undefined;

const indexOf = ({ metadata }: StoredRecord): number => numberOf(metadata.chunk_index) ?? 0;

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
