import type { StoredChunk } from '../../core/chunk.js';

/** Longer ones are sentences. */
const LONGEST_LABEL = 60;
/** What names a release: its number behind the word for it, or behind a v. */
const RELEASE =
  /\b(?:release|version|build)\s+v?\d+(?:\.\d+)*(?:[-+][\w.]+)?(?![\w.]*\w)|\bv\d+(?:\.\d+)+(?:[-+][\w.]+)?(?![\w.]*\w)|(?:第\s*\d+(?:\.\d+)*\s*版|版本\s*v?\d+(?:\.\d+)*)/giu;
const DAY = /\b\d{4}-\d\d-\d\d\b/g;
const SENTENCE_MARK = /[.,;!?。，；！？]/u;

/**
 * The words of a passage that begins with the label of a release ("Release 1.2.0:", "## v1.2.0 (2024-05-01)"), and of the titles above
 * it, without the number and the day of the release. Undefined for other passages: numbers within sentences are what they tell.
 */
export function wordsBesidesRelease({ content, metadata }: StoredChunk): string | undefined {
  const text = content.trimStart();
  const end = text.search(/[:：\n]/u);
  if (end < 0 || end > LONGEST_LABEL) return undefined;
  const label = withoutRelease(text.slice(0, end));
  if (label === undefined || SENTENCE_MARK.test(label)) return undefined;
  const said = wordsOf(text.slice(end));
  if (said === '') return undefined;
  const titles = [metadata.title, metadata.headingPath].flat().map((title) => String(title ?? ''));
  return [...titles.map((title) => withoutRelease(title) ?? title), label]
    .map(wordsOf)
    .concat(said)
    .join('\n');
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
