import type { StoredChunk } from '../../core/chunk.js';
import { literalPattern } from '../../core/literal-pattern.js';

/** Longer ones are sentences. */
const LONGEST_LABEL = 60;
/** What names a release: its number behind the word for it, or behind a v. */
const RELEASE =
  /\b(?:release|version|build)\s+v?\d+(?:\.\d+)*(?:[-+][\w.]+)?(?![\w.]*\w)|\bv\d+(?:\.\d+)+(?:[-+][\w.]+)?(?![\w.]*\w)|(?:第\s*\d+(?:\.\d+)*\s*版|版本\s*v?\d+(?:\.\d+)*)/giu;
const DATE = String.raw`(?:\d{4}-\d\d-\d\d|\d{1,2}\.? \p{L}+ \d{4}|\p{L}+ \d{1,2}, \d{4}|\d{1,2}[./]\d{1,2}[./]\d{4})`;
const DAY = new RegExp(String.raw`(?<![\p{L}\p{N}])${DATE}(?![\p{L}\p{N}])`, 'gu');
/** A line or a title that names a release by its number alone, or behind a name: `Buzzard 5.1`, `[6.1.0] - 2024-06-01`. */
const TITLE = new RegExp(
  String.raw`^([\s#*]*(?:\p{L}[\p{L}\p{N}_-]* ){0,4}?)\[?v?(\d+(?:\.\d+){1,2}(?:[-+][\w.]+)?)\]?((?:\s*[-–—(]?\s*${DATE}\)?)?[\s*]*)$`,
  'u',
);
/** What is no release where a number stands behind it. */
const PLACE =
  /(?:^|\s)(?:room|section|chapter|step|table|figure|part|article|page|form|minutes|level|floor|item|exercise|example|raum|abschnitt|kapitel|tabelle)\s*$/i;
/** When a release was made, in a sentence or on a line of its own. */
const RELEASED = new RegExp(
  String.raw`\b(?:released|published|release date|date)(?:\s+on|:)?\s+${DATE}`,
  'giu',
);
const FRONT_MATTER = /^---\n([\s\S]{0,2000}?)\n---\n/;
const SENTENCE_MARK = /[.,;!?。，；！？]/u;

/**
 * The words of a passage that begins with the label of a release ("Release 1.2.0:", "## v1.2.0 (2024-05-01)", "# Buzzard 5.1"), and of the
 * titles above it, without the number and the day of the release. Undefined for other passages: numbers within sentences are what they tell.
 */
export function wordsBesidesRelease({ content, metadata }: StoredChunk): string | undefined {
  const [front = '', fields = ''] = FRONT_MATTER.exec(content) ?? [];
  const text = content.slice(front.length).trimStart();
  const line = /^.*/.exec(text)?.[0] ?? '';
  const byTitle = line.length > LONGEST_LABEL ? undefined : withoutTitleRelease(line);
  const end = byTitle === undefined ? text.search(/[:：\n]/u) : line.length;
  if (end < 0 || end > LONGEST_LABEL) return undefined;
  const label = byTitle ?? withoutRelease(text.slice(0, end));
  if (label === undefined || SENTENCE_MARK.test(label)) return undefined;
  const said = wordsOf(withoutOwnNumber(text.slice(end), text.slice(0, end)).replace(RELEASED, ' '));
  if (said === '') return undefined;
  const titles = [metadata.title, metadata.headingPath].flat().map((title) => String(title ?? ''));
  const stated = fields.split('\n').map((field) => {
    const [, name = '', value = ''] = /^([\w-]+:)\s*["']?(.*?)["']?$/.exec(field) ?? [];
    return `${name} ${besidesRelease(value).replace(DAY, ' ')}`;
  });
  return [...titles.map(besidesRelease), label, ...stated].map(wordsOf).concat(said).join('\n');
}

const besidesRelease = (title: string): string =>
  withoutTitleRelease(title) ?? withoutRelease(title) ?? title;

function withoutTitleRelease(line: string): string | undefined {
  const [, before, , after] = TITLE.exec(line) ?? [];
  if (before === undefined || after === undefined || PLACE.test(before)) return undefined;
  return `${before} ${after.replace(DAY, ' ')}`.replace(/[-–—]\s*$/u, '');
}

/** Notes name their own release again. */
function withoutOwnNumber(text: string, label: string): string {
  const [number] = /\d+(?:\.\d+)+(?:[-+][\w.]+)?/.exec(label) ?? [];
  if (number === undefined) return text;
  return text.replace(new RegExp(String.raw`(?<![\w.])v?${literalPattern(number)}(?![\w]|\.\d)`, 'g'), ' ');
}

function withoutRelease(label: string): string | undefined {
  const rest = label.replace(RELEASE, ' ');
  return rest === label ? undefined : rest.replace(DAY, ' ');
}

/** Signs count, but for those of punctuation: 3.5 is not 35, nor -5 the same as 5. */
const wordsOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[#*_()[\]\s]+|[.,:;!?](?!\w)|[：。，；！？]/gu, ' ')
    .replace(/ +/g, ' ')
    .trim();
