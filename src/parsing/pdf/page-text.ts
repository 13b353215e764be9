/** A run of text on a page, as PDF.js gives it. */
export interface PageItem {
  readonly str: string;
  readonly hasEOL: boolean;
  /** The text matrix; its last two numbers are the place of the run. */
  readonly transform: readonly number[];
  readonly height: number;
}

/** A gap between lines this much larger than the letters begins a paragraph. */
const PARAGRAPH_GAP = 1.6;

/** The text of one page: lines as the page has them, with a blank line where it leaves more room than usual. */
export function pageText(items: readonly PageItem[]): string {
  let text = '';
  let lineY: number | undefined;
  let lineHeight = 0;
  for (const { str, hasEOL, transform, height } of items) {
    const y = transform[5] ?? 0;
    if (str.trim() !== '') {
      const gap = lineY === undefined ? 0 : lineY - y;
      const isBelow = text.endsWith('\n') && gap > PARAGRAPH_GAP * Math.max(height, lineHeight, 1);
      // A page in columns goes up again where the next one starts.
      const isNextColumn = text.endsWith('\n') && gap < 0;
      if (isBelow || isNextColumn) text += '\n';
      lineY = y;
      lineHeight = height;
    }
    // Characters without meaning in text are ligature or font artefacts.
    text += str.replace(/[\0\uFFFE\uFFFF]/g, '') + (hasEOL ? '\n' : '');
  }
  return text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
