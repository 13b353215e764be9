import { GAP_MARK } from '../context/compress.js';
import type { ContextEntry } from '../context/context-pack.js';
import { lineOfOffset } from '../context/entry-lines.js';
import { pagesBetween } from '../context/entry-pages.js';
import { newlinesIn } from '../context/passage.js';
import type { MetadataValue } from '../core/metadata.js';
import { withoutUndefined } from '../core/without-undefined.js';
import type { AnswerSource, Citation, FurtherPlace, SentenceSupport } from './answer.js';
import type { AnswerDraft } from './answer-draft.js';
import { exactText, type QuotedRange } from './quotation.js';

const BUG_ID_KEYS = ['bug_id', 'bugId', 'id'] as const;

/** What a pack's entry is to the reader of an answer. */
export function sourceOf(entry: ContextEntry): AnswerSource {
  const {
    n,
    chunkIds,
    documentId,
    revision,
    source,
    sourceType,
    title,
    url,
    date,
    headingPath,
    lines,
    pages,
    metadata,
  } = entry;
  return {
    n,
    bug_id: BUG_ID_KEYS.map((key) => textOf(metadata[key])).find((id) => id !== undefined) ?? source,
    source_type: sourceType,
    chunk_text: entry.pieces.map(({ text }) => text).join(`\n${GAP_MARK}\n`),
    similarity: entry.score,
    chunkIds,
    documentId,
    revision,
    source,
    ...withoutUndefined({ title, url, date }),
    headingPath,
    lines,
    ...withoutUndefined({ pages }),
    flags: [...new Set(entry.flags.flatMap(({ signals }) => signals))],
    ...(entry.flags.length === 0 ? {} : { flagged: flaggedIn(entry) }),
    metadata,
  };
}

const flaggedIn = ({ flags }: ContextEntry): string[] =>
  flags.toSorted((a, b) => b.score - a.score).map(({ excerpt }) => excerpt);

const textOf = (value: MetadataValue | undefined): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

/** Extracted sentences say what their source says, by construction. */
export function supportOfDraft({ sentences }: AnswerDraft): {
  readonly support: readonly SentenceSupport[];
  readonly citations: readonly Citation[];
} {
  return {
    support: sentences.map(({ text, cites }) => ({
      sentence: text,
      verdict: 'supported',
      isRemoved: false,
      score: 1,
      cites,
      problems: [],
    })),
    citations: sentences.map(({ evidence }, sentence) => ({ ...placeOf(evidence), sentence })),
  };
}

/** Where an exact quotation stands. */
export function placeOf({ entry, start, end }: QuotedRange): FurtherPlace {
  const quote = exactText({ entry, start, end });
  const line = lineOfOffset(entry, start);
  const pages = pagesBetween(entry.pageStarts ?? [], { start, end });
  return {
    n: entry.n,
    documentId: entry.documentId,
    revision: entry.revision,
    source: entry.source,
    start,
    end,
    lines: { start: line, end: line + newlinesIn(quote) },
    ...withoutUndefined({ pages }),
    quote,
  };
}
