/** A citation in the text of an answer: `[2]`, `[1, 3]`, `[1-3]`; an interval or a class of characters such as `[0, 1]` is none. */
export const CITATION_MARK =
  /\[(?!\s{0,4}0)\s{0,4}(\d{1,4}(?:\s{0,4}(?:,|;|-|–)\s{0,4}\d{1,4}){0,40})\s{0,4}\]/g;

// Escaped brackets are shown as brackets. `x[1] = 0` is an element of something: an operator, or more of the expression, follows.
const QUOTED_MARK =
  /(?<word>[\p{L}\p{N}_)]?)(?<marks>(?:\\?\[\s{0,4}\d{1,4}(?:\s{0,4}[,;–-]\s{0,4}\d{1,4}){0,40}\s{0,4}\\?\])+)(?=(?<next>\s{0,4}\S{0,2}))/gu;
const EXPRESSION_GOES_ON = /^\s*[=+*/%<>&|^{]|^[)}\];?][^\s]?|^\.[\p{L}_]|^[(\p{L}\p{N}_]/u;

/** Quoted text whose own `[2]` cannot be taken for a citation of ours: `(2)`. */
export const withoutQuotedMarks = (text: string): string =>
  text.replace(QUOTED_MARK, (whole, word: string, marks: string, next: string) => {
    const isElement =
      word !== '' && !marks.includes('\\') && (/^\[0*\]/.test(marks) || EXPRESSION_GOES_ON.test(next));
    return isElement ? whole : `${word}${marks.replaceAll(/\\?\[/g, '(').replaceAll(/\\?\]/g, ')')}`;
  });
