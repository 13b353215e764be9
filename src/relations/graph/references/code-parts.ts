/** Of HTML, which Markdown takes too. */
const COMMENT = /<!--(?:(?!<!--)[\s\S]){0,20000}?-->/g;

const FENCE = /^[ \t>]*(?:[-*+] +|\d+[.)] +)?(`{3,}|~{3,})/;

/** A page without its comments, in two parts. */
export interface CodeParts {
  /** Without fenced blocks and code spans. */
  readonly prose: string;
  /** What stands in them. */
  readonly code: string;
}

/** Parts prose from code. A fence that nobody closes goes to the end, as in Markdown. */
export function codePartsOf(given: string): CodeParts {
  const text = given.replace(COMMENT, ' ');
  if (!text.includes('`') && !text.includes('~~~')) return { prose: text, code: '' };
  let fence: string | undefined;
  const fenced: string[] = [];
  const lines = text.split('\n').filter((line) => {
    const mark = FENCE.exec(line)?.[1];
    if (fence === undefined) {
      // Three backticks and more of them in one line are a span.
      if (
        mark === undefined ||
        (mark.startsWith('`') && line.slice(line.indexOf(mark) + mark.length).includes('`'))
      )
        return true;
      fence = mark;
      return false;
    }
    if (mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length && isBare(line))
      fence = undefined;
    else fenced.push(line);
    return false;
  });
  const spans: string[] = [];
  const prose = withoutSpans(lines.join('\n'), spans);
  return { prose, code: [...fenced, ...spans].join('\n') };
}

const isBare = (line: string): boolean => /^[\s>]*[`~]+\s*$/.test(line);

/** Spans of one paragraph: an opening run of backticks and the next run that is as long. A link's own text may be code. */
const withoutSpans = (text: string, spans: string[]): string =>
  // A link of reStructuredText stands between backticks.
  text.replace(/(?<![`:])(`{1,3})(?!`)((?:(?!\n\s*\n)[^`]){1,2000})\1(?![`_])/g, (span, _, code: string) => {
    if (/<[^<>]+>$/.test(code)) return span;
    spans.push(code);
    return ' ';
  });
