import { analyzeText } from '../core/analysis/lexical-analyzer.js';
import { exactText, textOfQuotation } from './quotation.js';
import { headedText } from './quotation-features.js';
import { asksForSteps, holdsSteps, type RankedQuotation } from './rank-quotations.js';

/** What a question asks of an error, and how the line or heading is called that says it. */
const KINDS = [
  {
    asks: /\b(?:fix(?:ed|es)?|solv(?:e[ds]?|ing)|solutions?|resolv(?:e[ds]?|ing)|resolutions?|work(?:ed)? ?arounds?|remed(?:y|ies)|get rid of|what (?:should|can|do|must) (?:I|we|you|one) do)\b/i,
    called: '(?:fix|solution|resolution|workaround|work-around|remedy|remediation|how to fix(?: it)?)',
  },
  {
    asks: /^why\b|\b(?:causes?|caused|reasons?)\b|\bwhat (?:broke|breaks|triggered|triggers|led to|went wrong)\b/i,
    called: '(?:(?:root |probable )?cause|reason)',
  },
] as const;
/** Headings that what is said of one error may be parted by. */
const PARTS = `(?:${KINDS.map(({ called }) => called).join('|')}|symptom|problem|issue|error|description|details|log|(?:stack ?)?trace|output)s?`;

const lineOf = (called: string): RegExp =>
  new RegExp(
    String.raw`^[ \t]*(?:[-*+>] +|\d{1,9}[.)] +)?[*_]{0,3}${called}s?[*_]{0,3}:[*_]{0,3}[ \t]*\S.*$`,
    'im',
  );
const isHeading = (called: string, text: string): boolean =>
  new RegExp(String.raw`^#{1,6} +${called}s?[ \t:#]*$`, 'i').test(text);

/** The same behind another sentence: `47 minutes of stale tracking. Cause: a lock.` */
const sentenceOf = (called: string): RegExp =>
  new RegExp(
    String.raw`(?<=[.!?;] {1,2})[*_]{0,3}${called}s?[*_]{0,3}:[*_]{0,3} .*?(?:[.!?](?=\s|$)|$)`,
    'im',
  );

/**
 * Where a question asks how an error is fixed, or why it comes, and the likeliest quotation shows the error alone, the next one below it goes first that is labelled
 * so (`Fix: …`, `**Root cause:** …`, `### Solution`), in its place: how likely that answers is told by the error that was found. Without one
 * the likeliest anywhere that is labelled so and holds as much of the question.
 */
export function labelledFirst(
  question: string,
  quotations: readonly RankedQuotation[],
): readonly RankedQuotation[] {
  const kind = KINDS.find(({ asks }) => asks.test(question));
  const [best, ...others] = quotations;
  if (kind === undefined || best === undefined) return quotations;
  const line = lineOf(kind.called);
  const sentence = sentenceOf(kind.called);
  const label = [line, sentence].find((each) => each.test(textOfQuotation(best)));
  if (label !== undefined) return [decidedBy(label, best), ...others];
  const [below] = others
    .filter((each) => {
      if (!isBelow(best, each)) return false;
      const headings = headingsBetween(best, each);
      if (!headings.every((heading) => isHeading(PARTS, heading))) return false;
      return line.test(textOfQuotation(each)) || isHeading(kind.called, headings.at(-1) ?? '');
    })
    .sort((a, b) => a.decisive.start - b.decisive.start);
  const isLabelled = (each: RankedQuotation): boolean =>
    [line, sentence].some((form) => form.test(textOfQuotation(each))) ||
    isHeading(kind.called, headingOver(each));
  const asked = analyzeText(question);
  const labelled = below ?? others.find((each) => isLabelled(each) && holdsAsMuch(asked, each, best));
  if (labelled === undefined || (below === undefined && isLabelled(best))) return quotations;
  const { features, probability } = best;
  const decided = decidedBy(line, { ...labelled, features, probability });
  const first = decided.decisive === labelled.decisive ? decidedBy(sentence, decided) : decided;
  return [first, best, ...others.filter((each) => each !== labelled)];
}

function holdsAsMuch(asked: readonly string[], one: RankedQuotation, other: RankedQuotation): boolean {
  const held = new Set(analyzeText(headedText(one)));
  const least = new Set(analyzeText(headedText(other)));
  return asked.every((term) => held.has(term) || !least.has(term));
}

/** The heading that a quotation stands under, as it is written. */
function headingOver({ entry, decisive }: RankedQuotation): string {
  const piece = entry.pieces.find(({ start, end }) => start <= decisive.start && decisive.start < end);
  const above = piece?.text.slice(0, decisive.start - piece.start).match(/^#{1,6} .*$/gm) ?? [];
  return above.at(-1) ?? `# ${entry.headingPath.at(-1) ?? ''}`;
}

const PAGE =
  '(?:page|runbook|playbook|document|guide|article|chapter|tutorial|manual|procedure|topic|how-?to)';
const TELLS =
  '(?:describes?|explains?|shows?|covers?|outlines?|details?|tells?|documents?|demonstrates?|teach(?:es)?|walks? you through|learn|see|is about)';
/** `This runbook describes how to restart it.`, `In this guide you will learn how to …` */
const announces = (of: string): RegExp =>
  new RegExp(
    String.raw`^(?:the purpose of )?(?:in )?(?:this|the following) ${of},? (?:(?:you|we)(?:'ll| will| can)? |is to )?${TELLS}\b.*\bhow\b`,
    'i',
  );
const ANNOUNCES_PAGE = announces(PAGE);
const ANNOUNCES_SECTION = announces('section');

/**
 * Where a question asks how something is done, and the likeliest quotation only announces that its page or section says so, the next steps below it
 * go first, in its place.
 */
export function stepsFirst(
  question: string,
  quotations: readonly RankedQuotation[],
): readonly RankedQuotation[] {
  const [best, ...others] = quotations;
  if (best === undefined || !asksForSteps(question)) return quotations;
  const said = textOfQuotation(best).trim();
  const isOfSection = ANNOUNCES_SECTION.test(said);
  if (said !== best.sentence.sentence.text.trim() || !(isOfSection || ANNOUNCES_PAGE.test(said)))
    return quotations;
  const [steps] = others
    .filter((each) => isBelow(best, each) && holdsSteps(each))
    .filter((each) => !isOfSection || headingsBetween(best, each).length === 0)
    .sort((a, b) => a.decisive.start - b.decisive.start);
  if (steps === undefined) return quotations;
  const { features, probability } = best;
  return [{ ...steps, features, probability }, ...others.filter((each) => each !== steps), best];
}

const isBelow = (above: RankedQuotation, { entry, decisive }: RankedQuotation): boolean =>
  entry.documentId === above.entry.documentId && decisive.start > above.decisive.start;

/** The labelled line decides, where the quotation has it in one stretch. */
function decidedBy(line: RegExp, quotation: RankedQuotation): RankedQuotation {
  for (const { start, end } of quotation.ranges) {
    const found = line.exec(exactText({ entry: quotation.entry, start, end }));
    if (found === null) continue;
    const from = start + found.index + (found[0].length - found[0].trimStart().length);
    return { ...quotation, decisive: { start: from, end: start + found.index + found[0].trimEnd().length } };
  }
  return quotation;
}

function headingsBetween(above: RankedQuotation, below: RankedQuotation): string[] {
  const pieces =
    above.entry === below.entry ? above.entry.pieces : [...above.entry.pieces, ...below.entry.pieces];
  return pieces.flatMap(({ text, start }) => {
    const between = text.slice(
      Math.max(0, above.decisive.end - start),
      Math.max(0, below.decisive.start - start),
    );
    return between.match(/^#{1,6} .*$/gm) ?? [];
  });
}
