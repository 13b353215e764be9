import stringWidth from 'string-width';

/** Where a line begins: white space, then perhaps the number or sign of a list entry, with styles around it. */
const STYLES = '(?:\\u001b\\[[\\d;]*m)*';
const LEAD = new RegExp(`^(\\s*)(${STYLES}(?:\\[\\d+\\]|\\d+\\.|[-*•])${STYLES}\\s+)?`);
const WORD = /(\s*)(\S+)/g;

/**
 * Breaks lines between words, so that none is wider than `width` columns as far as its words allow; a word is never broken. What
 * follows a break is indented like its line, or by `hang` columns more.
 */
export const wrapText = (text: string, width: number, hang = 0): string =>
  text
    .split('\n')
    .map((line) => (stringWidth(line) <= width ? line : wrapLine(line, width, hang)))
    .join('\n');

function wrapLine(line: string, width: number, hang: number): string {
  const [lead = '', space = '', mark = ''] = LEAD.exec(line) ?? [];
  const indent = ' '.repeat(Math.min(stringWidth(space) + stringWidth(mark) + hang, width >> 1));
  const lines: string[] = [];
  let current = lead;
  let isFirst = true;
  for (const [, gap = '', word = ''] of line.slice(lead.length).matchAll(WORD)) {
    if (isFirst || stringWidth(current) + stringWidth(gap) + stringWidth(word) <= width)
      current += gap + word;
    else {
      lines.push(current);
      current = indent + word;
    }
    isFirst = false;
  }
  return [...lines, current].join('\n');
}

/** The widest word of a text, in columns. */
export const widestWord = (text: string): number =>
  Math.max(0, ...text.split(/\s+/).map((word) => stringWidth(word)));

/** The widest line of a text, in columns. */
export const widestLine = (text: string): number =>
  Math.max(0, ...text.split('\n').map((line) => stringWidth(line)));
