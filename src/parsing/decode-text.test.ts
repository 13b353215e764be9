import { describe, expect, it } from 'vitest';
import { RAGError } from '../core/errors.js';
import { checkText, decodeText } from './decode-text.js';

const bytes = (...values: readonly (number | string)[]): Uint8Array =>
  Buffer.concat(values.map((value) => (typeof value === 'number' ? Buffer.of(value) : Buffer.from(value))));

const failure = (content: Uint8Array | string): RAGError => {
  try {
    decodeText(content, 'a.md');
  } catch (error) {
    if (RAGError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('It was decoded.');
};

describe('decodeText', () => {
  it('reads UTF-8 and keeps line ends as they are', () => {
    expect(decodeText(bytes('a\r\nb\rc\nä 日本 👍'), 'a.md')).toEqual({
      text: 'a\r\nb\rc\nä 日本 👍',
      warnings: [],
    });
  });

  it('removes the byte order mark of bytes and of strings', () => {
    expect(decodeText(bytes(0xef, 0xbb, 0xbf, '# A'), 'a.md').text).toBe('# A');
    expect(decodeText('\uFEFF# A', 'a.md').text).toBe('# A');
  });

  it('reads UTF-16 where a byte order mark says so', () => {
    const text = 'Größe 👍';
    const littleEndian = Buffer.from(`\uFEFF${text}`, 'utf16le');
    expect(decodeText(littleEndian, 'a.md').text).toBe(text);
    expect(decodeText(Buffer.from(littleEndian).swap16(), 'a.md').text).toBe(text);
  });

  it('names the offset of the first wrong byte, also behind real replacement characters', () => {
    expect(failure(bytes('ab\uFFFDä', 0xe4, 'c'))).toMatchObject({
      reason: 'DOCUMENT_INVALID_ENCODING',
      details: { offset: 7 },
    });
    expect(failure(bytes('abc', 0xe2, 0x82)).details).toEqual({ offset: 3 });
    expect(failure(bytes('x', 0xe4)).message).toContain('offset 1');
  });

  it('refuses binary data whatever its name', () => {
    expect(failure(bytes('PNG', 0, 1))).toMatchObject({ reason: 'DOCUMENT_NOT_TEXT' });
    expect(failure(bytes('a', 1, 2, 3, 'b')).reason).toBe('DOCUMENT_NOT_TEXT');
    expect(failure('a\0b').reason).toBe('DOCUMENT_NOT_TEXT');
    expect(failure(Buffer.from('\uFEFFa\0b', 'utf16le')).reason).toBe('DOCUMENT_NOT_TEXT');
    expect(failure(Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00])).reason).toBe(
      'DOCUMENT_INVALID_ENCODING',
    );
  });

  it('takes terminal colours for text', () => {
    expect(decodeText(bytes('\u001b[31mred\u001b[0m\tand\f'), 'a.md').text).toContain('red');
  });

  it('replaces half surrogate pairs without moving an offset, and says so', () => {
    expect(checkText('a\uD800b👍', 'a')).toEqual({
      text: 'a\uFFFDb👍',
      warnings: [expect.stringContaining('U+FFFD')],
    });
  });
});
