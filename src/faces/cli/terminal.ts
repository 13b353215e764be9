import { randomInt } from 'node:crypto';
import type { Interface } from 'node:readline/promises';
import type { Writable } from 'node:stream';
import pc from 'picocolors';
import { maskUrlCredentials } from '../../config/mask-url.js';
import { wrapText } from './render/wrap.js';

/** Select Graphic Rendition codes that begin and end a style (ECMA-48, 8.3.117). */
const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** Styles for text; plain where colours are not shown. */
export type Colours = Readonly<Record<keyof typeof STYLES, (text: string) => string>>;

// A style is written as a colour sequence with numbers that only this process knows, so that a sequence in a document can never
// be taken for one of ours. It stays one, with no width, for whatever measures text meanwhile.
const MARK = Array.from({ length: 4 }, () => randomInt(1_000, 10_000)).join(';');

/**
 * What steers a terminal or the direction of text: controls (C0 but tab and line feed, DEL, C1), bidirectional controls
 * (UAX #9, 2), line and paragraph separators, and tag characters, which nothing shows.
 */
const STEERING =
  '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]|\\udb40[\\udc00-\\udc7f]';
const MARKED_OR_STEERING = new RegExp(`\\u001b\\[${MARK};(\\d+)m|${STEERING}`, 'g');
const STEERING_ALONE = new RegExp(STEERING, 'g');
const SEPARATORS = new Set(['\u2028', '\u2029', '\u0085']);

/** Untrusted text as it may go to a terminal: our styles remain, nothing else that steers does. */
export const inert = (text: string): string =>
  text.replaceAll(MARKED_OR_STEERING, (found, code?: string) => {
    if (code !== undefined) return `\u001b[${code}m`;
    return SEPARATORS.has(found) ? ' ' : '';
  });

/** JSON with the same value in which nothing steers; `JSON.stringify` escapes C0 alone. */
export const inertJson = (document: unknown, indent = 2): string =>
  JSON.stringify(document, null, indent).replaceAll(STEERING_ALONE, (found) =>
    Array.from({ length: found.length }, (_, at) => escaped(found.charCodeAt(at))).join(''),
  );

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;

/** A terminal that says less is taken to have so many. */
const LEAST_COLUMNS = 40;
/** Of one that does not tell, or says 0. */
export const UNKNOWN_COLUMNS = 80;
const MESSAGE_INDENT = 2;

/** Where a command writes; a terminal says so and tells its width in columns. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** One of the two streams of a command. Everything that a command writes goes through `write`; lint rules keep it so. */
export class Terminal {
  /** For libraries that draw by themselves: they must be given `inert` text alone. */
  readonly stream: OutputStream;
  readonly colours: Colours;

  constructor(stream: OutputStream, isColoured = pc.isColorSupported && stream.isTTY === true) {
    this.stream = stream;
    this.colours = coloursFor(isColoured);
  }

  /** Columns that a line may fill: those of the terminal; what goes to a file or a program is not wrapped. */
  get width(): number {
    const { isTTY = false, columns } = this.stream;
    return isTTY ? Math.max(LEAST_COLUMNS, columns || UNKNOWN_COLUMNS) : Infinity;
  }

  write(text: string): void {
    this.stream.write(inert(text));
  }

  /** Whole lines for a person: they wrap between words, indented by `hang` columns after a break. */
  writeLines(text: string, hang = 0): void {
    this.stream.write(`${wrapText(inert(text), this.width, hang)}\n`);
  }

  /** Lines after the first are indented, so that a message cannot pass for two; passwords in addresses are masked. */
  writeMessage(text: string): void {
    const [first = '', ...others] = maskUrlCredentials(text).split('\n');
    this.writeLines(first, MESSAGE_INDENT);
    for (const line of others) this.writeLines(' '.repeat(MESSAGE_INDENT) + line);
  }

  writeJson(document: unknown): void {
    this.stream.write(`${inertJson(document)}\n`);
  }

  /** The same on one line, for one of many. */
  writeJsonLine(document: unknown): void {
    this.stream.write(`${inertJson(document, 0)}\n`);
  }

  /** What a person types, line by line. */
  async openInput(
    input: NodeJS.ReadableStream,
    options: { readonly terminal?: boolean } = {},
  ): Promise<Interface> {
    const { createInterface } = await import('node:readline/promises');
    return createInterface({ input, output: this.stream, ...options });
  }
}

export const standardOutput = (stream: OutputStream = process.stdout): Terminal => new Terminal(stream);
export const standardError = (stream: OutputStream = process.stderr): Terminal => new Terminal(stream);

function coloursFor(isSeen: boolean): Colours {
  const style =
    ([begin, end]: readonly [number, number]) =>
    (text: string): string =>
      isSeen ? `\u001b[${MARK};${begin}m${text}\u001b[${MARK};${end}m` : text;
  return {
    bold: style(STYLES.bold),
    dim: style(STYLES.dim),
    red: style(STYLES.red),
    green: style(STYLES.green),
    yellow: style(STYLES.yellow),
    cyan: style(STYLES.cyan),
  };
}
