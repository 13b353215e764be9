import type { StoredChunk } from '../../core/chunk.js';
import { offsetsOf, titleOf } from '../../core/chunk-metadata.js';
import { allVersions } from '../../ledger/history/all-versions.js';
import { unpackChunks } from '../../ledger/history/retained-chunks.js';
import type { HistoryVersion, LedgerHistory } from '../../ledger/history.js';
import type { GenerationReader, LedgerDocument } from '../../ledger/ledger.js';
import type { Drift } from '../../operations/engine.js';
import type { MetadataSealing } from '../../platform/security/sealed-metadata.js';
import { withholdStored } from '../../resources/withheld-document.js';

type NamedDocument = Pick<LedgerDocument, 'documentId' | 'externalId' | 'title' | 'metadata'>;

/** Where marked fields stand in clear: how many documents, by place and field. */
export class ReadableFields {
  readonly #sealing: MetadataSealing;
  readonly #documents = new Map<string, Set<string>>();

  constructor(sealing: MetadataSealing) {
    this.#sealing = sealing;
  }

  /** Counts what metadata of a document say in clear. */
  addMetadata(place: string, documentId: string, metadata: LedgerDocument['metadata']): void {
    this.#add(place, documentId, this.#sealing.readable(metadata));
  }

  /** Counts what a text of a document says in clear. */
  addText(place: string, document: NamedDocument, text: string): void {
    const withheld = withholdStored({ ...document, text }, this.#sealing.fields);
    this.#add(place, document.documentId, withheld?.fields ?? []);
  }

  /** Counts what a chunk says in clear, and the text of the first, which tells what stands at the beginning of its document. */
  addChunk(chunk: StoredChunk, where = ''): void {
    const { documentId, metadata, content } = chunk;
    this.addMetadata(`the metadata of the store${where}`, documentId, metadata);
    if (metadata.chunkIndex !== 0) return;
    const document = {
      documentId,
      externalId: String(metadata.source ?? ''),
      title: titleOf(chunk),
      metadata,
    };
    // A chunk has no blanks at its end, where those of a cell that is gone may have stood.
    const text = /[|,;]$/.test(content) ? `${content}  ` : content;
    this.addText(`the texts of the store${where}`, document, text);
  }

  /** In words; no value is among them. */
  drift(): Drift[] {
    return [...this.#documents].map(([key, documents]) => {
      const [place, field] = JSON.parse(key) as [string, string];
      const count = documents.size === 1 ? '1 document' : `${documents.size} documents`;
      return {
        kind: 'field-readable',
        source: field,
        detail: `The encrypted field "${field}" of ${count} stands in clear in ${place}. Run \`ragstone index\`, then \`ragstone encryption rotate\`.`,
      };
    });
  }

  #add(place: string, documentId: string, fields: readonly string[]): void {
    for (const field of fields) {
      const key = JSON.stringify([place, field]);
      const documents = this.#documents.get(key) ?? new Set();
      this.#documents.set(key, documents.add(documentId));
    }
  }
}

/** Counts what the ledger keeps of a document in clear, in older revisions too. */
export async function addDocument(
  document: LedgerDocument,
  {
    reader,
    readable,
    where = '',
  }: { readonly reader: GenerationReader; readonly readable: ReadableFields; readonly where?: string },
): Promise<void> {
  const { documentId, metadata } = document;
  readable.addMetadata(`the metadata of the ledger${where}`, documentId, metadata);
  const texts = (await reader.texts?.(documentId)) ?? [(await reader.text(documentId)) ?? ''];
  for (const text of texts) readable.addText(`the texts of the ledger${where}`, document, text);
}

/** Counts what the history keeps in clear of a tenant, or of all without one. */
export async function addHistory(
  history: LedgerHistory | undefined,
  tenant: string | undefined,
  readable: ReadableFields,
): Promise<void> {
  for await (const version of allVersions(history, tenant)) {
    readable.addMetadata('the metadata of the history', version.documentId, version.metadata);
    readable.addText('the texts of the history', version, await textOf(version, history));
  }
}

/** Past versions that keep a marked field in clear. */
export async function readableVersions(
  history: LedgerHistory | undefined,
  sealing: MetadataSealing,
): Promise<number[]> {
  const ids: number[] = [];
  // Present versions are written anew with their documents, unless the record was broken: then they are of nobody.
  const isKept = (await history?.begins()) !== undefined;
  for await (const version of allVersions(history, undefined)) {
    if (version.to === undefined && isKept) continue;
    const text = await textOf(version, history);
    const isReadable =
      sealing.readable(version.metadata).length > 0 ||
      withholdStored({ ...version, text }, sealing.fields) !== undefined;
    if (isReadable) ids.push(version.id);
  }
  return ids;
}

/** A version's text, as far as its chunks have it. */
async function textOf(version: HistoryVersion, history: LedgerHistory | undefined): Promise<string> {
  const parts = (await history?.parts([version.id]))?.get(version.id) ?? [];
  const chunks = unpackChunks(parts, version) ?? [];
  const pieces: string[] = [];
  let at = 0;
  for (const chunk of chunks.toSorted((a, b) => placeOf(a.metadata) - placeOf(b.metadata))) {
    const start = offsetsOf(chunk)?.start ?? at;
    const end = start + chunk.content.length;
    if (end <= at) continue;
    pieces.push(start > at ? '\n' : '', chunk.content.slice(Math.max(0, at - start)));
    at = end;
  }
  return pieces.join('');
}

const placeOf = ({ chunkIndex }: HistoryVersion['metadata']): number =>
  typeof chunkIndex === 'number' ? chunkIndex : 0;
