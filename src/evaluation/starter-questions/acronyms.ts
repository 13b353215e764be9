import type { GoldQuote } from '../question-set.js';
import { isProse, type StarterDocument, type SuggestedQuestion } from './starter-document.js';

// Up to eight words, then the short form in parentheses: "service level objective (SLO)".
const DEFINITION = /((?:[\p{L}\p{N}][\p{L}\p{N}'’-]*\s+){2,8})\(([A-Z][A-Z0-9]{1,7})s?\)/gu;
const MAX_QUOTE = 240;

/** Definitions of acronyms as questions; the same definition elsewhere answers as well. */
export function questionsFromAcronyms(documents: readonly StarterDocument[]): SuggestedQuestion[] {
  const byAcronym = new Map<string, { long: string; quotes: GoldQuote[] }>();
  const ambiguous = new Set<string>();
  for (const document of documents) {
    for (const { acronym, long, quote } of definitionsOf(document)) {
      const known = byAcronym.get(acronym) ?? { long, quotes: [] };
      if (known.long !== long) ambiguous.add(acronym);
      known.quotes.push(quote);
      byAcronym.set(acronym, known);
    }
  }
  return [...byAcronym].flatMap(
    ([
      acronym,
      {
        quotes: [gold, ...alternates],
      },
    ]) =>
      gold === undefined || ambiguous.has(acronym)
        ? []
        : [{ type: 'acronym', question: `What does ${acronym} stand for?`, gold, alternates }],
  );
}

interface Definition {
  readonly acronym: string;
  /** Lower case. */
  readonly long: string;
  readonly quote: GoldQuote;
}

function definitionsOf({ path, text, blocks }: StarterDocument): Definition[] {
  return blocks.filter(isProse).flatMap(({ start, end }) => {
    const block = text.slice(start, end);
    return [...block.matchAll(DEFINITION)].flatMap((match): Definition[] => {
      const [whole, words = '', acronym = ''] = match;
      const long = longFormOf(words, acronym);
      if (long === undefined) return [];
      const quote = sentenceAround(block, match.index, match.index + whole.length);
      return [{ acronym, long, quote: { path, quote } }];
    });
  });
}

/** The last words before the parenthesis whose initials are the acronym; small words may be skipped. */
function longFormOf(words: string, acronym: string): string | undefined {
  const list = words
    .toLowerCase()
    .trim()
    .split(/[\s-]+/);
  for (let from = list.length - 1; from >= 0; from--) {
    const part = list.slice(from);
    const isWhole = initialsOf(part) === acronym.toLowerCase();
    const isWithoutSmall = initialsOf(part.filter((word) => !SMALL.has(word))) === acronym.toLowerCase();
    if ((isWhole || isWithoutSmall) && !SMALL.has(part[0] ?? '')) return part.join(' ');
  }
  return undefined;
}

const SMALL: ReadonlySet<string> = new Set([
  'a',
  'and',
  'as',
  'by',
  'for',
  'in',
  'of',
  'on',
  'or',
  'the',
  'to',
  'with',
]);

const initialsOf = (words: readonly string[]): string => words.map((word) => word.charAt(0)).join('');

/** The sentence that holds a range, cut to a length that a chunk can cover. */
function sentenceAround(text: string, start: number, end: number): string {
  const before = text.slice(0, start);
  const begin = Math.max(
    before.search(/[.!?]\s(?![\s\S]*[.!?]\s)/) + 2,
    before.lastIndexOf('\n') + 1,
    end - MAX_QUOTE,
  );
  const rest = text.slice(end).search(/[.!?](\s|$)|\n/);
  const stop = Math.min(rest < 0 ? text.length : end + rest + 1, begin + MAX_QUOTE);
  return text.slice(begin < 2 ? 0 : begin, Math.max(stop, end)).trim();
}
