/**
 * Sentences that say what was decided, or what was learnt. Rules over words, not a model: they miss what is said in other words, and
 * what they give is always a sentence of the text.
 *
 * @module
 */

const DECIDED = new RegExp(
  [
    // People who decide.
    String.raw`\b(?:we|they|team)\s+(?:(?:have|had)\s+)?(?:\w+ly\s+)?(?:decided|agreed|chose|chosen|opted|rejected|settled on|will (?:not )?(?:use|support|adopt))\b`,
    String.raw`\b(?:was|were|has been|have been)\s+(?:\w+ly\s+)?(?:decided|agreed)\b`,
    // Programs choose and reject, too: of a passive the subject says what it is.
    String.raw`\b(?:proposal|option|approach|idea|alternative|rewrite|plan|design|suggestion|migration|solution)s?\b[^.;]{0,40}\b(?:was|were|has been|have been)\s+(?:\w+ly\s+)?(?:chosen|rejected|dropped)\b`,
    String.raw`^\W*(?:decision|decided|agreed)\s*:`,
    // As a field of a tracker it says `Fixed`.
    String.raw`^\W*(?:resolution|outcome)\s*:(?:\s+\S+){4}`,
    String.raw`\b(?:won['’]t (?:fix|do)|by design|superseded by)\b`,
  ].join('|'),
  'i',
);

const LEARNT =
  /\b(?:root cause|caused by|turned out|turns out|lessons? learn(?:ed|t)|learn(?:ed|t) that|workaround|work around|should have|took (?:longer|more)|underestimated|overestimated|regression|blocked by|broke|fixed by|the fix|the problem (?:is|was)|the reason (?:is|was)|because)\b/i;

/** A heading that is nothing else, or the title of a record: not `Decision tree is slow`, nor `DNS resolution fails`. */
const DECISION_HEADING =
  /^[\d.\s]*(?:(?:the|our)\s+)?(?:decisions?|decision outcome|what (?:we|was) decided|resolution|outcome)\s*:?$|^[\d.\s]*decisions?(?:\s+record)?\s*(?:\d|[:–—-]\s)|\badr[-_ ]?\d+\b/i;

/** Longest sentence that is quoted whole, in characters. */
const QUOTED = 400;

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'sentence' });

/** The name of a field, as a backlog item becomes text: `description: ...`. What names a decision says so. */
const FIELD = /^(?!decision|resolution|decided|agreed|outcome)[a-z][a-z_]*: /;

/** Sentences of a text, without headings and marks of Markdown; lines end one too. */
function sentencesOf(text: string): string[] {
  return withoutFrontMatter(text)
    .split(/\n+/)
    .filter((line) => !/^\s*#{1,6}\s/.test(line))
    .map((line) => line.replace(FIELD, ''))
    .flatMap((line) => [...SEGMENTER.segment(line)].map(({ segment }) => segment))
    .map((sentence) =>
      sentence
        .replace(/^[\s>#*+-]+/, '')
        .replaceAll('**', '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((sentence) => /\p{L}/u.test(sentence));
}

/** A passage at the beginning of a Markdown file holds its front matter. */
export const withoutFrontMatter = (text: string): string => text.replace(/^---\n.*?^---(?:\n+|$)/ms, '');

const quoted = (sentence: string): string =>
  sentence.length <= QUOTED ? sentence : `${sentence.slice(0, QUOTED - 1).trimEnd()}…`;

/** Sentences that tell what came out of a piece of work, or what was in its way. @default limit 3 */
export const learningsOf = (text: string, limit = 3): string[] =>
  [
    ...new Set(
      sentencesOf(text)
        .filter((sentence) => LEARNT.test(sentence))
        .map(quoted),
    ),
  ].slice(0, limit);

/**
 * The sentence in which a passage says what was decided. A passage is a decision where one of its sentences says so (`we decided`,
 * `was rejected`, `Decision: ...`), or where it stands below a heading or title of decisions (`Decision`, `ADR-7`): then it is its first sentence.
 */
export function decisionOf(passage: {
  readonly text: string;
  readonly title: string;
  readonly headings: readonly string[];
}): string | undefined {
  const sentences = sentencesOf(passage.text);
  const stated = sentences.find((sentence) => DECIDED.test(sentence));
  if (stated !== undefined) return quoted(stated);
  const isBelowDecision = [passage.title, ...passage.headings].some((heading) =>
    DECISION_HEADING.test(heading),
  );
  // A title that stands in the passage itself says nothing, nor does that of an underlined heading.
  const own = new Set([passage.title, ...passage.headings].map((heading) => heading.trim()));
  const first = isBelowDecision ? sentences.find((sentence) => !own.has(sentence)) : undefined;
  return first === undefined ? undefined : quoted(first);
}
