/** A run of text on a page, as PDF.js gives it. */
export interface PageItem {
  readonly str: string;
  readonly hasEOL: boolean;
  /** The text matrix; its last two numbers are the place of the run. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
}

/** What stands in one line without a wide gap. */
interface Segment {
  readonly items: readonly PageItem[];
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly y: number;
  readonly height: number;
}

/** A gap this much wider than letters are high parts what stands in a line. */
const GAP = 1;
/** Lines of each column, at least: fewer are as likely a table. */
const MIN_LINES = 4;
/** Share of the lines of a column that go on with a small letter, or fill its width, above which it is running text. */
const MIN_CONTINUED = 0.3;
const MIN_FILLED = 0.6;
const FILLED = 0.8;
/** Share of lines that are mostly figures, above which a column is one of a table. */
const MAX_FIGURES = 0.3;
const MIN_WORDS = 2.5;
/** Characters of a line in a script without blanks that count as much. */
const MIN_LETTERS = 8;

/**
 * The runs of a page in the order of reading: columns of running text that the file holds row by row come one after the other. Tables stay as they are: their
 * columns are short, figures, or begin no line in the middle of a sentence.
 */
export function inReadingOrder(items: readonly PageItem[]): PageItem[] {
  return orderedSegments(segmentsOf(items)).flatMap(({ items: own }) => own);
}

function segmentsOf(items: readonly PageItem[]): Segment[] {
  const segments: Segment[] = [];
  let open: PageItem[] = [];
  const close = (): void => {
    if (open.length > 0) segments.push(segmentOf(open));
    open = [];
  };
  for (const item of items) {
    const last = open.findLast(({ str }) => str.trim() !== '');
    if (last !== undefined && item.str.trim() !== '' && isApart(last, item)) close();
    open.push(item);
    if (item.hasEOL) close();
  }
  close();
  return segments;
}

const leftOf = ({ transform }: PageItem): number => transform[4] ?? 0;
const yOf = ({ transform }: PageItem): number => transform[5] ?? 0;

function isApart(last: PageItem, next: PageItem): boolean {
  const height = Math.max(last.height, next.height, 1);
  return (
    leftOf(next) - (leftOf(last) + last.width) > GAP * height || Math.abs(yOf(next) - yOf(last)) > height / 2
  );
}

function segmentOf(items: readonly PageItem[]): Segment {
  const shown = items.filter(({ str }) => str.trim() !== '');
  const of = shown.length === 0 ? items : shown;
  return {
    items,
    text: items
      .map(({ str }) => str)
      .join('')
      .trim(),
    left: Math.min(...of.map(leftOf)),
    right: Math.max(...of.map((item) => leftOf(item) + item.width)),
    y: of[0] === undefined ? 0 : yOf(of[0]),
    height: Math.max(1, ...of.map(({ height }) => height)),
  };
}

function orderedSegments(segments: readonly Segment[]): Segment[] {
  const ordered: Segment[] = [];
  let at = 0;
  while (at < segments.length) {
    const region = regionFrom(segments, at);
    if (region === undefined) {
      ordered.push(...segments.slice(at, at + 1));
      at += 1;
    } else {
      ordered.push(...(columnsOf(region)?.flat() ?? segments.slice(at, region.end)));
      at = region.end;
    }
  }
  return ordered;
}

/** A page has fewer; time would grow with their square. */
const MAX_SEGMENTS = 2_000;

interface Region {
  readonly before: readonly Segment[];
  readonly behind: readonly Segment[];
  /** Index behind its last segment. */
  readonly end: number;
}

/** What stands on both sides of a gutter that the segment at an index and the one behind it leave between them. */
function regionFrom(segments: readonly Segment[], start: number): Region | undefined {
  const [first, second] = [segments[start], segments[start + 1]];
  if (first === undefined || second === undefined || !isBeside(first, second)) return undefined;
  let divide = second.left;
  let y = first.y;
  const before: Segment[] = [];
  const behind: Segment[] = [];
  let end = start;
  for (const segment of segments.slice(start, start + MAX_SEGMENTS)) {
    if (segment.text !== '') {
      // Further up, another column or a note begins.
      if (segment.y > y + 2 * segment.height) break;
      if (segment.left >= divide - segment.height / 2) {
        behind.push(segment);
        divide = Math.min(divide, segment.left);
      } else if (segment.right <= divide - segment.height / 2) before.push(segment);
      else break;
      y = Math.min(y, segment.y);
    }
    end += 1;
  }
  return before.length < MIN_LINES || behind.length < MIN_LINES ? undefined : { before, behind, end };
}

const isBeside = (left: Segment, right: Segment): boolean =>
  right.left - left.right > GAP * Math.max(left.height, right.height) &&
  Math.abs(left.y - right.y) < Math.max(left.height, right.height) / 2;

/** The columns of a region in the order of reading; undefined where they are not running text. */
function columnsOf({ before, behind }: Region): Segment[][] | undefined {
  if (!isRunningText(before)) return undefined;
  const inner = regionFrom(behind, 0);
  const rest = inner === undefined || inner.end < behind.length ? undefined : columnsOf(inner);
  if (rest === undefined && !isRunningText(behind)) return undefined;
  const columns = [before, ...(rest ?? [behind])].map((column) => column.map(asLine));
  return columns.some((column) => column.some(({ text }) => RIGHT_TO_LEFT.test(text)))
    ? columns.reverse()
    : columns;
}

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** A segment that ends its line. */
function asLine(segment: Segment): Segment {
  const last = segment.items.at(-1);
  if (last === undefined || last.hasEOL) return segment;
  return { ...segment, items: [...segment.items.slice(0, -1), { ...last, hasEOL: true }] };
}

function isRunningText(column: readonly Segment[]): boolean {
  const share = (is: (segment: Segment) => boolean): number => column.filter(is).length / column.length;
  if (share(({ text }) => isFigures(text)) > MAX_FIGURES) return false;
  const words = column.reduce((sum, { text }) => sum + weightOf(text), 0) / column.length;
  if (words < MIN_WORDS) return false;
  const width = Math.max(...column.map(({ left, right }) => right - left));
  const isContinued = share(({ text }) => /^\p{Ll}/u.test(text)) >= MIN_CONTINUED;
  return (
    isContinued ||
    (hasNoCase(column) && share(({ left, right }) => right - left >= FILLED * width) >= MIN_FILLED)
  );
}

const isFigures = (text: string): boolean =>
  (text.match(/\p{N}/gu)?.length ?? 0) * 2 > text.replace(/\s/g, '').length;

/** Words, or what is as long in a script without blanks. */
const weightOf = (text: string): number => {
  const ideographs = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0;
  return ideographs > 0 ? (ideographs * MIN_WORDS) / MIN_LETTERS : text.split(/\s+/).length;
};

/** Scripts without small letters. */
const hasNoCase = (column: readonly Segment[]): boolean =>
  column.filter(({ text }) => /\p{Lo}/u.test(text) && !/\p{Ll}/u.test(text)).length * 2 > column.length;
