import type { PageItem } from './columns.js';

/** Figures that are set smaller than what they follow, and how far above its line, in parts of its height. */
const MAX_SIZE = 0.85;
const RAISED = { least: 0.15, most: 0.8 };
/** How far behind it they begin at most. */
const MAX_DISTANCE = 0.5;
/** What has an exponent: a figure, or a unit. A word has a note. */
const HAS_EXPONENT = /(?:[\d)]|(?:^|[\s\d/\u00b7])(?:[mskgKAJNW]|[mcdk]m|kg|Pa)) *$/;

/** Whether an item is the exponent of the one before it in its line, by size and place: `10^6` would be `10 6`. */
function isExponent({ str, transform, height }: PageItem, before: PageItem, text: string): boolean {
  if (!/^\s*[-\u2212]?\d{1,3}\s*$/.test(str) || text.endsWith('\n') || before.height <= 0) return false;
  const raised = ((transform[5] ?? 0) - (before.transform[5] ?? 0)) / before.height;
  const distance = ((transform[4] ?? 0) - (before.transform[4] ?? 0) - before.width) / before.height;
  return (
    height < MAX_SIZE * before.height &&
    raised >= RAISED.least &&
    raised <= RAISED.most &&
    Math.abs(distance) <= MAX_DISTANCE &&
    HAS_EXPONENT.test(text)
  );
}

/** A gap between lines this much larger than the letters begins a paragraph. */
const PARAGRAPH_GAP = 1.6;

/** The text of one page: lines as the page has them, with a blank line where it leaves more room than usual. */
export function pageText(items: readonly PageItem[]): string {
  let text = '';
  let lineY: number | undefined;
  let lineHeight = 0;
  let before: PageItem | undefined;
  for (const item of items) {
    const { str, hasEOL, transform, height } = item;
    const y = transform[5] ?? 0;
    if (before !== undefined && isExponent(item, before, text)) {
      text = `${text.trimEnd()}^${str.trim()}${hasEOL ? '\n' : ''}`;
      continue;
    }
    if (str.trim() !== '') {
      before = item;
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
