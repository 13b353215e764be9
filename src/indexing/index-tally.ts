import { type UnreadCounts, unreadInWords } from '../core/unread.js';
import type { IndexError, IndexResult } from '../operations/engine.js';
import type { RedactionCounts } from '../resources/document-protection.js';

/** What became of some of the items of a run, in numbers and words. */
export class IndexTally {
  documentsProcessed = 0;
  /** Of `documentsProcessed`, those that were as an earlier version wrote them. */
  documentsRenewed = 0;
  documentsUnchanged = 0;
  documentsFailed = 0;
  documentsDeleted = 0;
  /** Of `documentsDeleted`, those whose file another source has now. */
  documentsMoved = 0;
  chunksCreated = 0;
  chunksUnchanged = 0;
  vectorsIndexed = 0;
  embeddingsComputed = 0;
  /** Items that were left to workers. */
  handedOver = 0;
  readonly errors: IndexError[] = [];
  readonly #notices = new Map<string, number>();
  readonly #truncated = { chunks: 0, maxInputTokens: 0 };
  readonly #redactions = new Map<string, Map<string, number>>();
  readonly #unread = new Map<string, UnreadOfSource>();
  readonly #leftOut = new Map<string, number>();
  readonly #retention = new Map<string, RetentionCounts>();

  fail(error: IndexError): void {
    this.documentsFailed++;
    this.errors.push(error);
  }

  /** Repeated notices are counted, not repeated. */
  notice(text: string, times = 1): void {
    this.#notices.set(text, (this.#notices.get(text) ?? 0) + times);
  }

  /** Chunks that the model could not read to their end; said once. */
  countTruncated(chunks: number, maxInputTokens: number): void {
    this.#truncated.chunks += chunks;
    this.#truncated.maxInputTokens = Math.max(this.#truncated.maxInputTokens, maxInputTokens);
  }

  /** What was taken out of a document, by type. */
  countRedactions(source: string, counts: RedactionCounts): void {
    for (const [type, count] of Object.entries(counts)) {
      const ofSource = this.#redactions.get(source) ?? new Map<string, number>();
      this.#redactions.set(source, ofSource.set(type, (ofSource.get(type) ?? 0) + count));
    }
  }

  /** What of a document was met and not read, by kind. */
  countUnread(source: string, document: string, counts: UnreadCounts): void {
    this.#addUnread(source, { counts, names: [document], documents: 1 });
  }

  #addUnread(source: string, { counts, names, documents }: UnreadOfSource): void {
    const before = this.#unread.get(source) ?? { counts: {}, names: [], documents: 0 };
    const sums = new Map(Object.entries(before.counts));
    for (const [kind, count] of Object.entries(counts)) sums.set(kind, (sums.get(kind) ?? 0) + count);
    this.#unread.set(source, {
      counts: Object.fromEntries(sums),
      names: [...before.names, ...names].slice(0, MOST_NAMES),
      documents: before.documents + documents,
    });
  }

  /** One more that was forgotten on purpose and is listed still. */
  leaveOut(source: string, times = 1): void {
    this.#leftOut.set(source, (this.#leftOut.get(source) ?? 0) + times);
  }

  /** What the retention of a source came to; see `IndexResult.stats.retention`. */
  countRetention(source: string, counts: Partial<RetentionCounts>): void {
    const before = this.#retention.get(source);
    const sum = (name: keyof RetentionCounts): number => (before?.[name] ?? 0) + (counts[name] ?? 0);
    this.#retention.set(source, {
      removed: sum('removed'),
      leftOut: sum('leftOut'),
      undated: sum('undated'),
      versions: sum('versions'),
    });
  }

  /** Takes in what another one counted. */
  add(other: IndexTally): void {
    for (const name of COUNTERS) this[name] += other[name];
    this.documentsRenewed += other.documentsRenewed;
    this.documentsMoved += other.documentsMoved;
    this.handedOver += other.handedOver;
    this.errors.push(...other.errors);
    for (const [text, times] of other.#notices) this.notice(text, times);
    this.countTruncated(other.#truncated.chunks, other.#truncated.maxInputTokens);
    for (const [source, times] of other.#leftOut) this.leaveOut(source, times);
    for (const [source, counts] of other.#retention) this.countRetention(source, counts);
    for (const [source, unread] of other.#unread) this.#addUnread(source, unread);
    for (const [source, counts] of other.#redactions)
      this.countRedactions(source, Object.fromEntries(counts));
  }

  counts(): Pick<IndexResult['stats'], (typeof COUNTERS)[number]> {
    const { documentsProcessed, documentsUnchanged, documentsFailed, documentsDeleted } = this;
    const { chunksCreated, chunksUnchanged, vectorsIndexed, embeddingsComputed } = this;
    return {
      documentsProcessed,
      documentsUnchanged,
      documentsFailed,
      documentsDeleted,
      chunksCreated,
      chunksUnchanged,
      vectorsIndexed,
      embeddingsComputed,
    };
  }

  renewed(): Pick<IndexResult['stats'], 'documentsRenewed'> {
    return this.documentsRenewed === 0 ? {} : { documentsRenewed: this.documentsRenewed };
  }

  moved(): Pick<IndexResult['stats'], 'documentsMoved'> {
    return this.documentsMoved === 0 ? {} : { documentsMoved: this.documentsMoved };
  }

  redactions(): Pick<IndexResult['stats'], 'redactions'> {
    if (this.#redactions.size === 0) return {};
    const bySource = [...this.#redactions].map(([source, counts]) => [source, Object.fromEntries(counts)]);
    return { redactions: Object.fromEntries(bySource) };
  }

  /** What was met and not read, by source and kind. */
  unread(): Pick<IndexResult['stats'], 'unread'> {
    if (this.#unread.size === 0) return {};
    return { unread: Object.fromEntries([...this.#unread].map(([source, { counts }]) => [source, counts])) };
  }

  /** How many of each source were forgotten on purpose and left out. */
  forgotten(): Pick<IndexResult['stats'], 'forgotten'> {
    return this.#leftOut.size === 0 ? {} : { forgotten: Object.fromEntries(this.#leftOut) };
  }

  retention(): Pick<IndexResult['stats'], 'retention'> {
    return this.#retention.size === 0 ? {} : { retention: Object.fromEntries(this.#retention) };
  }

  notices(): string[] {
    const notices = [...this.#notices].map(([text, count]) =>
      count === 1 ? text : `${text} (${count} times)`,
    );
    for (const [source, unread] of this.#unread) notices.push(unreadNotice(source, unread));
    for (const [source, count] of this.#leftOut)
      notices.push(
        `${count} forgotten ${count === 1 ? 'item' : 'items'} of "${source}" left out. \`ragstone forget --undo RECEIPT\` lets them in again.`,
      );
    for (const [source, counts] of this.#retention) notices.push(...retentionNotices(source, counts));
    const { chunks, maxInputTokens } = this.#truncated;
    if (chunks > 0)
      notices.push(
        `${chunks} chunks are longer than the ${maxInputTokens} tokens that the embedding model reads; their vectors see only the beginning. Every word is still found by the lexical lane. A lower chunking.maxSize avoids this.`,
      );
    return notices;
  }
}

/** What of a source's documents was met and not read. */
interface UnreadOfSource {
  readonly counts: UnreadCounts;
  /** Of the first documents. */
  readonly names: readonly string[];
  readonly documents: number;
}

/** Documents that a notice names. */
const MOST_NAMES = 3;

function unreadNotice(source: string, { counts, names, documents }: UnreadOfSource): string {
  const more = documents > names.length ? ` and ${documents - names.length} more` : '';
  return `Not read in "${source.replace(/^path:/, '')}": ${unreadInWords(counts)}; in ${names.join(', ')}${more}.`;
}

type RetentionCounts = NonNullable<IndexResult['stats']['retention']>[string];

function retentionNotices(
  source: string,
  { removed, leftOut, undated, versions }: RetentionCounts,
): string[] {
  const old = [
    ...(removed > 0 ? [`${removed} removed`] : []),
    ...(leftOut > 0 ? [`${leftOut} not indexed`] : []),
  ];
  return [
    ...(old.length > 0 ? [`Documents of "${source}" past their retention: ${old.join(', ')}.`] : []),
    ...(versions > 0 ? [`${versions} older texts of documents of "${source}" are past its retention.`] : []),
    ...(undated > 0
      ? [
          `${undated === 1 ? 'A document' : `${undated} documents`} of "${source}" ${undated === 1 ? 'has' : 'have'} no date that its retention can read; kept, whatever the age.`,
        ]
      : []),
  ];
}

const COUNTERS = [
  'documentsProcessed',
  'documentsUnchanged',
  'documentsFailed',
  'documentsDeleted',
  'chunksCreated',
  'chunksUnchanged',
  'vectorsIndexed',
  'embeddingsComputed',
] as const;
