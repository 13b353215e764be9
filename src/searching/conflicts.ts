import { setImmediate as nextTurn } from 'node:timers/promises';
import { dateOf } from '../context/render-pack.js';
import type { TextRange } from '../core/document.js';
import { RAGError, throwIfAborted } from '../core/errors.js';
import { compareText } from '../core/filter.js';
import { type Notice, noticesOfKind, toldNotices } from '../core/notice.js';
import type { Scope } from '../core/scope.js';
import { withoutUndefined } from '../core/without-undefined.js';
import type { GenerationReader, LedgerDocument } from '../ledger/ledger.js';
import { FIELDS } from '../operations/fields.js';
import type {
  ConflictsRequest,
  ConflictsResponse,
  Finding,
  FindingPassage,
  FindingPlace,
} from '../relations/conflicts/conflict-types.js';
import {
  type ComparedDocument,
  type FoundPassages,
  findConflicts,
  type StatementPlaces,
} from '../relations/conflicts/find-conflicts.js';
import { unpackStatements } from '../relations/conflicts/packed-statements.js';
import { aboutOf } from '../relations/conflicts/word-classes.js';
import type { EngineResources } from '../resources/engine-resources.js';
import { nothingIndexed } from '../resources/open-collection.js';
import { readableIn } from '../resources/readable-graph.js';
import { scopeCollection } from '../stores/scoped-collection.js';

/** Places of one passage that are shown. */
const SHOWN_PLACES = 20;
/** Ids of documents that were not examined. */
const SHOWN_IDS = 100;
const PAGE = 500;
/** Statements that are held in memory at once, some 150 bytes each. */
const MOST_STATEMENTS = 4_000_000;

/** Duplicates and conflicts between documents that the scope may read. */
export async function findDocumentConflicts(
  {
    kinds = ['conflict', 'duplicate'],
    document,
    limit = FIELDS.conflicts.limit.preset,
    signal,
  }: ConflictsRequest,
  scope: Scope,
  resources: EngineResources,
): Promise<ConflictsResponse> {
  if (!resources.config.rag.conflicts.enabled) throw switchedOff();
  if ((await resources.ledger.live()) === undefined) throw nothingIndexed(resources.config);
  const { collection, sealing, reader } = await resources.stores.collection();
  const readable = readableIn(reader.graph, scopeCollection(collection, scope, sealing), signal);
  const { documents, isCut } = await readDocuments({ reader, scope, readable, signal });
  const notExamined = await unexaminedIds({ reader, scope, readable, signal });
  const book = new DocumentBook(documents, reader);
  await book.open();
  const all = await findConflicts(documents, {
    slices: (document, ranges) => book.slices(document, ranges),
    about: (document) => book.about(document),
    pause: async () => {
      await nextTurn();
      throwIfAborted(signal);
    },
  });
  const found = document === undefined ? all : findingsOf(document, documents, all);
  const findings = {
    conflict: async () => conflictFindings(found, limit, book),
    duplicate: async () => duplicateFindings(found, limit, book),
  };
  return {
    findings: [
      ...(kinds.includes('conflict') ? await findings.conflict() : []),
      ...(kinds.includes('duplicate') ? await findings.duplicate() : []),
    ],
    totals: { duplicate: found.duplicates.length, conflict: found.conflicts.length },
    examined: documents.length,
    notExamined,
    ...toldNotices([
      ...noticesOfKind('conflicts-cut', [
        ...(isCut ? [TOO_MANY] : []),
        ...(found.isCut ? [MANY_ALIKE] : []),
        ...(found.forms > 0 ? [formsNotice(found.forms)] : []),
        ...(found.siblings > 0 ? [siblingsNotice(found.siblings)] : []),
      ]),
      ...notExaminedNotice(notExamined),
    ]),
  };
}

/** Those that a document has a part in. */
function findingsOf(
  documentId: string,
  documents: readonly ComparedDocument[],
  found: FoundPassages,
): FoundPassages {
  const at = documents.findIndex((document) => document.documentId === documentId);
  const isIn = ({ places }: StatementPlaces): boolean => places.some(({ document }) => document === at);
  return {
    ...found,
    conflicts: found.conflicts.filter(({ first, second }) => isIn(first) || isIn(second)),
    duplicates: found.duplicates.filter(isIn),
  };
}

const switchedOff = (): RAGError =>
  new RAGError(
    'CONFLICTS_OFF',
    'Duplicates and conflicts are switched off. Set rag.conflicts.enabled to true and run `ragstone index`; nothing is embedded for that.',
    { details: { key: 'rag.conflicts.enabled' } },
  );

const TOO_MANY = `More was indexed than is compared at once: ${MOST_STATEMENTS} statements are the most.`;
const MANY_ALIKE = 'Some statements were not compared with all others, because very many share their words.';
const formsNotice = (count: number): string =>
  `${count === 1 ? '1 pair was' : `${count} pairs were`} left out as forms: sentences that many documents fill in, each with its own value.`;

const siblingsNotice = (count: number): string =>
  `${count === 1 ? '1 pair was' : `${count} pairs were`} left out as sibling pages: documents about two things that share most of their sentences.`;

/** Told where documents that may be read have not been examined. */
function notExaminedNotice(ids: readonly string[]): Notice[] {
  if (ids.length === 0) return [];
  const count =
    ids.length >= SHOWN_IDS
      ? `${SHOWN_IDS} documents or more have`
      : ids.length === 1
        ? '1 document has'
        : `${ids.length} documents have`;
  return noticesOfKind('conflicts-incomplete', [
    `${count} not been examined yet. Run \`ragstone index\` to do it; nothing is embedded for that.`,
  ]);
}

interface Reading {
  readonly reader: GenerationReader;
  readonly scope: Scope;
  readonly readable: (documentIds: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly signal: AbortSignal | undefined;
}

/** What the scope may read, in the order of ids: nothing else takes part, so that it changes nothing. */
async function readDocuments({
  reader,
  scope,
  readable,
  signal,
}: Reading): Promise<{ documents: ComparedDocument[]; isCut: boolean }> {
  const documents: ComparedDocument[] = [];
  let statements = 0;
  for (let after: string | undefined; ; ) {
    throwIfAborted(signal);
    const page = await reader.statements.packed(scope.tenant, pageAfter(after));
    const seen = await readable(page.map(({ documentId }) => documentId));
    for (const { documentId, revision, packed } of page) {
      if (!seen.has(documentId)) continue;
      const own = unpackStatements(packed);
      statements += own.length;
      if (statements > MOST_STATEMENTS) return { documents, isCut: true };
      documents.push({ documentId, revision, statements: own });
    }
    if (page.length < PAGE) return { documents, isCut: false };
    after = page.at(-1)?.documentId;
  }
}

const pageAfter = (after: string | undefined): { readonly limit: number; readonly after?: string } => ({
  limit: PAGE,
  ...withoutUndefined({ after }),
});

async function unexaminedIds({ reader, scope, readable, signal }: Reading): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | undefined; ids.length < SHOWN_IDS; ) {
    throwIfAborted(signal);
    const page = await reader.statements.unread(scope.tenant, pageAfter(after));
    const seen = await readable(page);
    ids.push(...page.filter((id) => seen.has(id)));
    if (page.length < PAGE) break;
    after = page.at(-1);
  }
  return ids.slice(0, SHOWN_IDS);
}

/** Facts and texts of the documents that are compared. */
class DocumentBook {
  readonly #documents: readonly ComparedDocument[];
  readonly #reader: GenerationReader;
  readonly #facts = new Map<number, LedgerDocument>();

  constructor(documents: readonly ComparedDocument[], reader: GenerationReader) {
    this.#documents = documents;
    this.#reader = reader;
  }

  async open(): Promise<void> {
    for (const [at, { documentId, revision }] of this.#documents.entries()) {
      const facts = await this.#reader.document(documentId);
      if (facts?.revision === revision) this.#facts.set(at, facts);
    }
  }

  async text(document: number): Promise<string | undefined> {
    const { documentId, revision } = this.#documents[document] ?? {};
    return documentId === undefined || !this.#facts.has(document)
      ? undefined
      : this.#reader.text(documentId, revision);
  }

  async slices(document: number, ranges: readonly TextRange[]): Promise<string[] | undefined> {
    const text = await this.text(document);
    return text === undefined ? undefined : ranges.map(({ start, end }) => text.slice(start, end));
  }

  about(document: number): ReadonlySet<string> {
    const { title = '', externalId = '' } = this.#facts.get(document) ?? {};
    return aboutOf(title, externalId);
  }

  /** A passage with its places; undefined where no text of it is there any more. */
  async passage(
    places: readonly { readonly document: number; readonly range: TextRange }[],
  ): Promise<FindingPassage | undefined> {
    const shown: FindingPlace[] = [];
    const quotes = new Map<FindingPlace, string>();
    const known = places
      .flatMap(({ document, range }) => {
        const facts = this.#facts.get(document);
        return facts === undefined ? [] : [{ document, range, facts, date: dateOf(facts.metadata) }];
      })
      .sort((a, b) => byDate(a.date, b.date) || compareText(a.facts.documentId, b.facts.documentId));
    for (const { document, range, facts, date } of known.slice(0, SHOWN_PLACES)) {
      const text = await this.text(document);
      if (text === undefined) continue;
      const place = placeOf(facts, { date, range, text });
      quotes.set(place, text.slice(range.start, range.end));
      shown.push(place);
    }
    const [first] = shown;
    return first === undefined
      ? undefined
      : { quote: quotes.get(first) ?? '', places: shown, more: known.length - shown.length };
  }
}

function placeOf(
  { documentId, source, externalId, title, metadata }: LedgerDocument,
  {
    date,
    range,
    text,
  }: { readonly date: string | undefined; readonly range: TextRange; readonly text: string },
): FindingPlace {
  const lineAt = (offset: number): number => text.slice(0, offset).split(/\r\n|\n|\r/).length;
  return {
    documentId,
    source,
    externalId,
    ...withoutUndefined({ title }),
    ...(typeof metadata.url === 'string' ? { url: metadata.url } : {}),
    ...withoutUndefined({ date }),
    offsets: range,
    lines: { start: lineAt(range.start), end: lineAt(Math.max(range.start, range.end - 1)) },
  };
}

/** The newest first, what has no date last. */
function byDate(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1;
  return compareText(b, a);
}

const dateOfPassage = ({ places }: FindingPassage): string | undefined => places[0]?.date;

async function conflictFindings(
  { conflicts }: FoundPassages,
  limit: number,
  book: DocumentBook,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const surest = conflicts.toSorted((a, b) => b.agreement - a.agreement);
  for (const { agreement, differences, first, second } of surest) {
    if (findings.length === limit) break;
    const [a, b] = [await book.passage(first.places), await book.passage(second.places)];
    if (a === undefined || b === undefined) continue;
    const isTurned = byDate(dateOfPassage(a), dateOfPassage(b)) > 0;
    findings.push({
      kind: 'conflict',
      agreement,
      differences: isTurned
        ? differences.map(({ kind, first: was, second: is }) => ({ kind, first: is, second: was }))
        : differences,
      passages: isTurned ? [b, a] : [a, b],
    });
  }
  return findings;
}

async function duplicateFindings(
  { duplicates }: FoundPassages,
  limit: number,
  book: DocumentBook,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { places } of duplicates.toSorted((a, b) => b.words - a.words)) {
    if (findings.length === limit) break;
    const passages: FindingPassage[] = [];
    for (const place of places) {
      const passage = await book.passage([place]);
      if (passage !== undefined) passages.push(passage);
    }
    if (passages.length < 2) continue;
    passages.sort((a, b) => byDate(dateOfPassage(a), dateOfPassage(b)));
    findings.push({ kind: 'duplicate', agreement: 1, differences: [], passages });
  }
  return findings;
}
