import { withoutMarksInCode } from '../context/citation-marks.js';
import type { ContextEntry } from '../context/context-pack.js';
import { neutralise } from '../context/neutralise.js';
import type { AnswerDraft, DraftSentence } from './answer-draft.js';
import { apart, exactText, type QuotedPart, type QuotedRange } from './quotation.js';
import type { RankedQuotation } from './rank-quotations.js';

/** Places beside the quoted one that are named. */
const FURTHER_PLACES = 2;

/** The best quotation as an answer, and the next best places. */
export interface ExtractedAnswer extends AnswerDraft {
  /** How the sentence that answers best is shown; absent where it is not shown in one stretch. */
  readonly decisive?: string;
  readonly further: readonly QuotedRange[];
}

/**
 * The quotation that answers best with its citation, and no language model: nothing in it was not written by the sources.
 * Undefined where there is nothing to quote.
 */
export function extractAnswer(ranked: readonly RankedQuotation[]): ExtractedAnswer | undefined {
  const [best, ...others] = apart(ranked, 1 + FURTHER_PLACES);
  if (best === undefined) return undefined;
  const { entry } = best;
  const parts = best.ranges.map((part) => quoted(entry, part));
  const decisive = shown(exactText({ entry, ...best.decisive }));
  // Ranges are apart in a table alone: its head, and rows further down.
  const body = parts.map((part) => part.text).join('\n');
  const text = [...(best.isCut.before ? ['…'] : []), body, ...(best.isCut.after ? ['…'] : [])].join('\n\n');
  return {
    text: `${text}${endsInBlock(text) ? '\n\n' : ' '}[${entry.n}]`,
    sentences: parts,
    ...(decisive !== '' && text.includes(decisive) ? { decisive } : {}),
    further: others.map(({ entry: from, decisive: range }) => ({ entry: from, ...range })),
  };
}

function quoted(entry: ContextEntry, { start, end, isInsideCode }: QuotedPart): DraftSentence {
  const evidence = { entry, start, end };
  const quote = exactText(evidence);
  return { text: isInsideCode ? asCode(quote) : shown(quote), cites: [entry.n], evidence };
}

/** Only the marks that are put behind it look like citations, for who reads the answer may look for them anywhere in it. */
const shown = (quote: string): string => withoutMarksInCode(neutralise(quote));

/** Lines out of the middle of a block of code, which nothing would show as code otherwise. */
function asCode(lines: string): string {
  const fence = '`'.repeat(Math.max(3, ...(lines.match(/`+/g) ?? []).map(({ length }) => length + 1)));
  return shown(`${fence}\n${lines}\n${fence}`);
}

const endsInBlock = (text: string): boolean =>
  /(?:^|\n)\s{0,3}(?:`{3,}|~{3,}|\|.*\|\s*$|[-*+] |\d{1,9}[.)] |…$)[^\n]*$/.test(text);
