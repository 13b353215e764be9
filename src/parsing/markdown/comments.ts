import type { TextRange } from '../../core/document.js';

/** Longest comment, in characters: what is never closed is looked for no further. */
const LONGEST = 20_000;

const within = (opening: string, closing: string): string =>
  String.raw`${opening}(?:(?!${closing}|${opening})[\s\S]){0,${LONGEST}}?${closing}`;

/** HTML and most dialects; MDX; Liquid; templates and shortcodes of Hugo; CriticMarkup; Obsidian, inside a line or over lines of their own. */
const COMMENTS = [
  within('<!--', '-->'),
  within(String.raw`\{/\*`, String.raw`\*/\}`),
  within(String.raw`\{%-?\s*comment\s*-?%\}`, String.raw`\{%-?\s*endcomment\s*-?%\}`),
  within(String.raw`\{\{-?\s*/\*`, String.raw`\*/\s*-?\}\}`),
  within(String.raw`\{\{[<%]\s*comment\s*[>%]\}\}`, String.raw`\{\{[<%]\s*/comment\s*[>%]\}\}`),
  within(String.raw`\{>>`, String.raw`<<\}`),
  String.raw`(?<=^|\s)%%(?:(?!%%|\n[ \t]*\n)[\s\S]){1,${LONGEST}}?%%(?=[\s.,;:!?]|$)`,
  String.raw`(?<=^|\n)[ \t]*%%(?:(?!%%)[\s\S]){1,${LONGEST}}?%%[ \t]*(?=\n|$)`,
  String.raw`(?<=^|\n)[ \t]*%%[ \t]*\n(?:(?!\n[ \t]*%%)[\s\S]){0,${LONGEST}}?\n[ \t]*%%[ \t]*(?=\n|$)`,
  // A definition that nothing refers to, by its customary names.
  String.raw`(?<=^|\n) {0,3}\[(?://|comment|_comment)\]:[ \t]*(?:#|<>)[ \t]*(?:\([^\n]*\)|"[^"\n]*"|'[^'\n]*')[ \t]*(?=\n|$)`,
];
/** MyST: a line of its own, or several. */
const MYST_COMMENT = String.raw`(?<=^|\n[ \t]*\n)(?:%[ \t][^\n]*(?:\n|$))+`;
const COMMENT = new RegExp(COMMENTS.join('|'), 'g');
const COMMENT_OF_MYST = new RegExp([...COMMENTS, MYST_COMMENT].join('|'), 'g');

/** Directives, roles, targets and front matter that only MyST has; in other dialects a sign of percent at the beginning of a line is text. */
const MYST =
  /^[ \t]*(?:`{3,}|~{3,}|:{3,})\{[\w:.+-]+\}|\{[a-z][\w:+-]*\}`[^`\n]|^\([\w-]+\)=[ \t]*$|^(?:jupytext|myst|kernelspec|myst_[\w]+):/m;

/** Whether a text is one of MyST (Markedly Structured Text), by what only that has. */
export const isMyst = (text: string): boolean => MYST.test(text);

const MAY_BE_COMMENT = /<!--|\{\/\*|\{%|\{\{|\{>>|%%|\]:[ \t]*(?:#|<>)|^%[ \t]/m;

const FENCE = /^(?:[ \t>]|[-*+] +|\d{1,9}[.)] +){0,20}(`{3,}|~{3,})([^\n]*)$/;

/** Where comments of a Markdown text are, outside of its code; in order. Linear time. */
export function commentRanges(text: string, isOfMyst = isMyst(text)): TextRange[] {
  if (!MAY_BE_COMMENT.test(text)) return [];
  const prose = withoutCode(text);
  return Array.from(prose.matchAll(isOfMyst ? COMMENT_OF_MYST : COMMENT), ({ 0: comment, index }) => ({
    start: index,
    end: index + comment.length,
  }));
}

/** As long as it was, with another character in place of code, so that nothing in it is a comment or a role. */
export function withoutCode(text: string): string {
  let fence: string | undefined;
  // A comment of several lines may hold a fence, which opens nothing.
  let isInComment = false;
  const lines = text.split('\n').map((line) => {
    const [, mark, rest = ''] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      if (mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length && rest.trim() === '')
        fence = undefined;
      return 'x'.repeat(line.length);
    }
    if (!isInComment && mark !== undefined && !(mark.startsWith('`') && rest.includes('`'))) {
      fence = mark;
      return 'x'.repeat(line.length);
    }
    const opening = line.lastIndexOf('<!--');
    const closing = line.lastIndexOf('-->');
    if (opening >= 0 || closing >= 0) isInComment = opening > closing;
    return line;
  });
  return lines.join('\n').replace(SPAN, (span) => 'x'.repeat(span.length));
}

const SPAN =
  /(?<!`)``(?!`)(?:[^`\n]|(?<!`)`(?!`)){1,500}``(?!`)|(?<!`)(`{1,3})(?!`)((?:(?!\n\s*\n)[^`]){1,2000})\1(?!`)/g;

const PICTURE =
  /!\[[^\]\n]{0,500}\](?=[([])|<img\b(?=[\s/>])|!\[\[[^\]\n]{1,500}?\.(?:png|jpe?g|gif|svg|webp|avif|bmp|tiff?)(?=[\]|#])/gi;

/** How many pictures a Markdown text shows, outside of its code. Linear time. */
export const countPictures = (text: string): number =>
  /!\[|<img\b/.test(text) ? (withoutCode(text).match(PICTURE)?.length ?? 0) : 0;
