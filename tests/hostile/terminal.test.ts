import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inert, inertJson, Terminal } from '../../src/faces/cli/terminal.js';
import { steeringIn } from './steering.js';

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\x1b[31m',
        '\x1b[8m',
        '\x1b]8;;http://evil.example\x1b\\',
        '\x9b2J',
        '\x1b]0;title\x07',
        '\r',
        '\x08',
      ),
      fc.constantFrom(
        '\u202e',
        '\u2066',
        '\u200f',
        '\u2028',
        '\u0085',
        '\u{e0041}',
        '\n',
        '\t',
        'text',
        'שלום',
      ),
      fc.string({ unit: 'binary', maxLength: 5 }),
    ),
  )
  .map((parts) => parts.join(''));

/** A stream that looks like a terminal, and what was written to it. */
function terminal(isTTY: boolean): { terminal: Terminal; written: () => string } {
  const pieces: string[] = [];
  const stream = Object.assign(new PassThrough(), { isTTY });
  stream.on('data', (piece: Buffer) => pieces.push(piece.toString('utf8')));
  return {
    terminal: new Terminal(stream, isTTY),
    written: () => pieces.join(''),
  };
}

describe('what goes to a terminal', () => {
  it('steers nothing, whatever a text holds, and keeps the rest', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(steeringIn(inert(text))).toBeUndefined();
        expect(inert(text)).toBe(inert(inert(text)));
      }),
    );
    expect(inert('a\tb\nשלום 日本 👩‍👩‍👧')).toBe('a\tb\nשלום 日本 👩‍👩‍👧');
    expect(inert('one\u2028two')).toBe('one two');
  });

  it('keeps our styles, and no sequence of a document beside them or within', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const { terminal: shown, written } = terminal(true);
        shown.write(shown.colours.bold(text));
        const [begin, end] = ['\x1b[1m', '\x1b[22m'];
        expect(written().startsWith(begin) && written().endsWith(end)).toBe(true);
        expect(steeringIn(written().slice(begin.length, -end.length))).toBeUndefined();
      }),
    );
  });

  it('measures a style as nothing', () => {
    const { terminal: shown } = terminal(true);
    expect(stripVTControlCharacters(shown.colours.red('word'))).toBe('word');
    expect(terminal(false).terminal.colours.red('word')).toBe('word');
  });

  it('shows a message of several lines as one message', () => {
    const { terminal: shown, written } = terminal(false);
    shown.writeMessage('notice: a\nerror: forged');
    expect(written()).toBe('notice: a\n  error: forged\n');
  });

  it('is the same value as JSON', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const json = inertJson({ [text]: text });
        expect(steeringIn(json)).toBeUndefined();
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ [text]: text })));
      }),
    );
  });
});
