/** A part of a text and the words in it that match, as offsets into `text`. */
export interface Snippet {
  readonly text: string;
  readonly matches: readonly { readonly start: number; readonly end: number }[];
  /** Something was cut away before or after. */
  readonly isCutBefore: boolean;
  readonly isCutAfter: boolean;
}

export interface SnippetOptions {
  /** Terms of the query, stemmed. */
  readonly terms: ReadonlySet<string>;
  /** Terms of one word, in the same analysis. */
  readonly termsOf: (word: string) => readonly string[];
  /** Longest snippet, in UTF-16 code units. */
  readonly maxLength: number;
}

interface Match {
  readonly start: number;
  readonly end: number;
  readonly term: string;
}

const WORD = /[\p{L}\p{M}\p{N}]+(?:['_.-]+[\p{L}\p{M}\p{N}]+)*/gu;

/**
 * The window of a passage that holds the most distinct terms of the query (then the most matches, then the earliest), cut at
 * word boundaries, with every matching word marked, whatever its inflection.
 */
export function bestSnippet(content: string, options: SnippetOptions): Snippet {
  const text = content.trim();
  const matches = findMatches(text, options);
  if (text.length <= options.maxLength) return cut(text, 0, text.length, matches);
  const best = bestWindow(matches, options.maxLength);
  const from = wordStart(text, Math.max(0, Math.min(best - LEAD, text.length - options.maxLength)));
  const to = wordEnd(text, Math.min(text.length, from + options.maxLength));
  return cut(text, from, to, matches);
}

// Characters shown before the first match of the window, so that it does not begin in the middle of a thought.
const LEAD = 40;

function findMatches(text: string, { terms, termsOf }: SnippetOptions): Match[] {
  const matches: Match[] = [];
  for (const found of text.matchAll(WORD)) {
    const term = termsOf(found[0]).find((candidate) => terms.has(candidate));
    if (term !== undefined) matches.push({ start: found.index, end: found.index + found[0].length, term });
  }
  return matches;
}

/** Where the best window begins: at one of the matches, or at 0 where there are none. Linear time. */
function bestWindow(matches: readonly Match[], maxLength: number): number {
  const counts = new Map<string, number>();
  let best = { start: 0, distinct: 0, total: 0 };
  let next = 0;
  for (const [index, first] of matches.entries()) {
    while (next < matches.length) {
      const candidate = matches[next];
      if (candidate === undefined || candidate.end - first.start > maxLength - LEAD) break;
      counts.set(candidate.term, (counts.get(candidate.term) ?? 0) + 1);
      next++;
    }
    const total = next - index;
    if (counts.size > best.distinct || (counts.size === best.distinct && total > best.total))
      best = { start: first.start, distinct: counts.size, total };
    const left = (counts.get(first.term) ?? 1) - 1;
    if (left <= 0) counts.delete(first.term);
    else counts.set(first.term, left);
    next = Math.max(next, index + 1);
  }
  return best.start;
}

// A word longer than this is data; it may be cut.
const LONGEST_WORD = 40;

function wordStart(text: string, position: number): number {
  if (position === 0) return 0;
  const space = text.slice(position, position + LONGEST_WORD).search(/\s/);
  return space < 0 ? position + (isInsidePair(text, position) ? 1 : 0) : position + space + 1;
}

function wordEnd(text: string, position: number): number {
  if (position >= text.length) return text.length;
  const before = text.slice(Math.max(0, position - LONGEST_WORD), position);
  const space = before.search(/\s\S*$/);
  if (space >= 0) return position - before.length + space;
  return position - (isInsidePair(text, position) ? 1 : 0);
}

/** Whether cutting here would leave half a surrogate pair on each side. */
function isInsidePair(text: string, position: number): boolean {
  const unit = text.charCodeAt(position);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function cut(text: string, from: number, to: number, matches: readonly Match[]): Snippet {
  return {
    text: text.slice(from, to),
    matches: matches
      .filter(({ start, end }) => start >= from && end <= to)
      .map(({ start, end }) => ({ start: start - from, end: end - from })),
    isCutBefore: from > 0,
    isCutAfter: to < text.length,
  };
}
