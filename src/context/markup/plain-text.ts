import type { Token } from 'markdown-it';

/** The words of inline tokens: what a reader of the rendered text sees, descriptions of images included. */
export const plainTextOf = (tokens: readonly Token[]): string =>
  tokens
    .map((token) =>
      token.children === null || token.children.length === 0 ? wordsOf(token) : plainTextOf(token.children),
    )
    .join('');

function wordsOf({ type, content }: Token): string {
  if (type === 'softbreak' || type === 'hardbreak') return ' ';
  return type === 'html_inline' ? '' : content;
}
