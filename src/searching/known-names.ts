import type { ExactName } from '../answering/exact-names.js';
import { indexedTextOfStored } from '../core/analysis/indexed-text.js';
import { analyzeText, termsOfName } from '../core/analysis/lexical-analyzer.js';
import { normaliseText } from '../core/analysis/normalise.js';
import { forEachWord } from '../core/analysis/tokens.js';
import type { StoredChunk } from '../core/chunk.js';
import { contains, EVERYTHING, eq } from '../core/filter.js';
import { textsOf } from '../core/metadata.js';
import { withoutUndefined } from '../core/without-undefined.js';
import type { LedgerDocument } from '../ledger/ledger.js';
import { scopeCollection } from '../stores/scoped-collection.js';
import type { VectorCollection } from '../stores/vector-store.js';
import type { ScopedRead } from './document-chunks.js';

/** Whether any passage of the scope holds a word; true where the store has no lexical lane to ask. */
export async function isKnownWord(word: string, read: ScopedRead): Promise<boolean> {
  const scoped = await scopedOf(read);
  if (!hasWords(scoped)) return true;
  const terms = termsOfName(word);
  return terms.length === 0 || (await holdersOf(terms, 1, scoped, read)).length > 0;
}

/**
 * Whether anything that the scope may read holds an identifier: as it is, spelled apart or otherwise in a text, or in the path,
 * title or metadata of a document. Looked for from the cheapest place on, so that only what is missing costs more than one question.
 */
export async function isKnownIdentifier(name: ExactName, read: ScopedRead): Promise<boolean> {
  const scoped = await scopedOf(read);
  const { signal } = read;
  const { chunks } = await scoped.list({
    filter: contains('$identifiers', name.identifier),
    limit: 1,
    ...withoutUndefined({ signal }),
  });
  if (chunks.length > 0) return true;
  // Without words it cannot be told that a text spells it otherwise.
  if (!hasWords(scoped)) return true;
  if (isOneWord(name.word) && (await isKnownWord(name.word, read))) return true;
  return (await isSpelledApart(name, scoped, read)) || (await namesADocument(name, scoped, read));
}

const isOneWord = (name: string): boolean => {
  let words = 0;
  forEachWord(normaliseText(name), () => words++);
  return words === 1;
};

/** Passages that are read for an identifier that is spelled apart. */
const MOST_READ = 100;

/**
 * Read are the passages with the rarest of its parts, all of them where they are few; else those that match all parts best. A
 * part that no text has leaves nothing to read.
 */
async function isSpelledApart(name: ExactName, scoped: VectorCollection, read: ScopedRead): Promise<boolean> {
  const terms = [...new Set(name.parts.flatMap((part) => analyzeText(part)))];
  if (terms.length === 0) return false;
  const held = await Promise.all(terms.map((term) => holdersOf([term], MOST_READ + 1, scoped, read)));
  const [rarest = []] = held.sort((a, b) => a.length - b.length);
  if (rarest.length === 0) return isVersionOfMore(name, scoped, read);
  const ids = rarest.length <= MOST_READ ? rarest : await holdersOf(terms, MOST_READ, scoped, read);
  const options = withoutUndefined({ signal: read.signal });
  const chunks: readonly StoredChunk[] = await scoped.get(ids, options);
  return (
    chunks.some((chunk) => name.standsIn(indexedTextOfStored(chunk))) || isVersionOfMore(name, scoped, read)
  );
}

const SHORT_VERSION = /^v?(\d+\.\d+)(\.0)?$/i;
const MOST_PATCHES = 40;

/** `v1.2` is known where `1.2.3` is, and `1.2.0` where `1.2` is: such numbers are words of their own. */
async function isVersionOfMore(
  { word }: ExactName,
  scoped: VectorCollection,
  read: ScopedRead,
): Promise<boolean> {
  const [, core, zero] = SHORT_VERSION.exec(word) ?? [];
  if (core === undefined) return false;
  const numbers =
    zero === undefined ? [core, ...Array.from({ length: MOST_PATCHES }, (_, i) => `${core}.${i}`)] : [core];
  const terms = numbers.flatMap((number) => [number, `v${number}`]);
  return (await holdersOf(terms, 1, scoped, read)).length > 0;
}

const PAGE = 1_000;
/** In an index of more documents it is not said that none is named so. */
const MOST_DOCUMENTS = 200_000;

/** Whether a document that the scope may read has it in its path, title or metadata. */
async function namesADocument(name: ExactName, scoped: VectorCollection, read: ScopedRead): Promise<boolean> {
  const live = await read.resources.ledger.live();
  if (live === undefined) return false;
  let after: string | undefined;
  for (let seen = 0; seen < MOST_DOCUMENTS; seen += PAGE) {
    const page = await live.reader.documents(after, PAGE);
    for (const document of page) {
      if (document.tenant !== read.scope.tenant || !isNamed(document, name)) continue;
      if ((await scoped.count(eq('$documentId', document.documentId), read.signal)) > 0) return true;
    }
    if (page.length < PAGE) return false;
    after = page.at(-1)?.documentId;
  }
  return true;
}

function isNamed({ externalId, title = '', source, metadata }: LedgerDocument, name: ExactName): boolean {
  const words = [externalId, title, ...textsOf(metadata)];
  return words.some(name.standsIn) || isNumberedPath(`${source}/${externalId}`, name);
}

/** `KEP-4939` is the folder `keps/sig-node/4939-name`: the number begins a part of the path, and the path says of what. */
function isNumberedPath(path: string, { parts: [prefix = '', number = '', ...more] }: ExactName): boolean {
  if (more.length > 0 || !/^\p{L}{2,}$/u.test(prefix) || !/^\d+$/.test(number)) return false;
  const begins = new RegExp(`(?:^|/)0*${number.replace(/^0+(?=.)/, '')}(?!\\d)`);
  return new RegExp(`(?<!\\p{L})${prefix}`, 'iu').test(path) && begins.test(path);
}

async function scopedOf({ scope, resources }: ScopedRead): Promise<VectorCollection> {
  const { collection, sealing } = await resources.stores.collection();
  return scopeCollection(collection, scope, sealing);
}

const hasWords = ({ rankText, searchText }: VectorCollection): boolean =>
  rankText !== undefined || searchText !== undefined;

/** Chunks that hold any of the terms, best first. */
async function holdersOf(
  terms: readonly string[],
  topK: number,
  { rankText, searchText }: VectorCollection,
  { signal }: ScopedRead,
): Promise<string[]> {
  const query = { terms, topK, filter: EVERYTHING, ...withoutUndefined({ signal }) };
  if (rankText !== undefined) return (await rankText(query)).map(({ id }) => id);
  return ((await searchText?.(query)) ?? []).map(({ chunk }) => chunk.id);
}
