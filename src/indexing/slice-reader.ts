import type { ReadSlice } from '../chunking/chunker.js';
import { lastAtOrBefore } from '../core/last-at-or-before.js';

/** Code units of a window. */
const WINDOW = 65_536;
/** Windows that are kept as text: a document is read from its start to its end, with short ways back. */
const REMEMBERED = 2;

/**
 * Reads slices of a long text, `text.slice(start, end)`, from whichever takes less memory: the string, a byte a character where
 * all are ASCII, or its UTF-8, for one other character makes two bytes of every one in the string.
 *
 * @param utf8 the text as UTF-8; it must hold no half of a surrogate pair
 */
export const sliceReader = (text: string, utf8: Uint8Array, window: number = WINDOW): ReadSlice =>
  utf8.length === text.length
    ? stringReader(text)
    : windowReader(windowsOf(text, window), Buffer.from(utf8.buffer, utf8.byteOffset, utf8.length));

/** Reads slices of a string. */
export const stringReader =
  (text: string): ReadSlice =>
  (start, end) =>
    text.slice(start, end);

/** Where windows begin, in code units and in bytes; the last entry is the end. */
interface Windows {
  readonly starts: readonly number[];
  readonly offsets: readonly number[];
}

function windowsOf(text: string, window: number): Windows {
  const starts = [0];
  const offsets = [0];
  let from = 0;
  let bytes = 0;
  while (from < text.length) {
    const to = wholeCharacters(text, from + window);
    bytes += Buffer.byteLength(text.slice(from, to));
    starts.push(to);
    offsets.push(bytes);
    from = to;
  }
  return { starts, offsets };
}

/** An offset that divides no pair of surrogates: the given one or the next. */
function wholeCharacters(text: string, offset: number): number {
  const unit = text.charCodeAt(offset);
  return unit >= 0xdc00 && unit <= 0xdfff ? offset + 1 : Math.min(offset, text.length);
}

function windowReader({ starts, offsets }: Windows, utf8: Buffer): ReadSlice {
  const windows = new Map<number, string>();
  const textOf = (window: number): string => {
    const text = windows.get(window) ?? utf8.toString('utf8', offsets[window], offsets[window + 1]);
    // Asked for last, forgotten last.
    windows.delete(window);
    windows.set(window, text);
    const oldest = windows.size > REMEMBERED ? windows.keys().next().value : undefined;
    if (oldest !== undefined) windows.delete(oldest);
    return text;
  };
  return (start, end) => {
    let slice = '';
    for (let window = lastAtOrBefore(starts, start, (at) => at); window + 1 < starts.length; window += 1) {
      const from = starts[window] ?? 0;
      if (from >= end) break;
      slice += textOf(window).slice(Math.max(0, start - from), end - from);
    }
    return slice;
  };
}
