import { hash } from 'node:crypto';

/** SHA-256 of text (as UTF-8) or bytes, in hexadecimal. */
export function contentHash(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}

/** The first half of `contentHash`, a string of its own and not a view of the whole. */
const halfHash = (content: string): string => hash('sha256', content, 'buffer').toString('hex', 0, 16);

// A separator that no part can hold unescaped, so that ('a','bc') and ('ab','c') differ.
const joinParts = (parts: readonly string[]): string =>
  parts.map((part) => `${part.length}:${part}`).join('');

/** Identity of a document inside an index: 32 hexadecimal digits. */
export function documentIdOf(tenant: string, source: string, externalId: string): string {
  return halfHash(joinParts([tenant, source, externalId]));
}

/**
 * Identity of a chunk: 32 hexadecimal digits over tenant, document, what is indexed of it, and its ordinal among
 * chunks of the document with the same indexed text. Unchanged text keeps its id and is neither embedded nor written again.
 */
export function chunkIdOf(documentId: string, indexedText: string, ordinalAmongEquals: number): string {
  return halfHash(joinParts([documentId, indexedText, String(ordinalAmongEquals)]));
}
