import type { Block, ParsedDocument } from '../../core/document.js';
import type { GoldQuote } from '../question-set.js';

/** A document of the user's own, as questions are drawn from it. */
export interface StarterDocument extends Pick<ParsedDocument, 'text' | 'blocks'> {
  /** Relative to the root of the folder, with `/`. */
  readonly path: string;
}

/** A question that the corpus itself suggests. */
export interface SuggestedQuestion {
  readonly type: 'heading' | 'link' | 'acronym';
  readonly question: string;
  readonly gold: GoldQuote;
  readonly alternates: readonly GoldQuote[];
}

/** Shorter passages answer nothing, longer quotes would ask for more than a chunk holds. */
const MIN_QUOTE = 40;
const MAX_QUOTE = 240;

const PROSE: readonly Block['kind'][] = ['paragraph', 'list', 'quote'];

export const isProse = ({ kind }: Block): boolean => PROSE.includes(kind);

/** The first sentences of a block as a verbatim quote; undefined where it says too little. */
export function quoteOf({ path, text }: StarterDocument, { start, end }: Block): GoldQuote | undefined {
  const whole = text.slice(start, end).trim();
  const quote = whole.length <= MAX_QUOTE ? whole : firstSentences(whole);
  return quote.length < MIN_QUOTE ? undefined : { path, quote };
}

function firstSentences(text: string): string {
  const head = text.slice(0, MAX_QUOTE);
  const ends = [...head.matchAll(/[.!?](?=\s)/g)].map(({ index }) => index + 1);
  const last = ends.findLast((end) => end >= MIN_QUOTE);
  // Without a sentence end the quote stops between two words.
  return head.slice(0, last ?? Math.max(head.lastIndexOf(' '), MIN_QUOTE)).trim();
}

/** The prose that follows a heading, before the next heading; undefined where there is none. */
export function proseAfter(document: StarterDocument, heading: number): GoldQuote | undefined {
  for (const block of document.blocks.slice(heading + 1)) {
    if (block.kind === 'heading') return undefined;
    if (isProse(block)) return quoteOf(document, block);
  }
  return undefined;
}
