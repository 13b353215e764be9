import { constants, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeText, encodeText } from './text-encoding.js';

it('any text comes back as it was', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(decodeText(encodeText(text))).toBe(text);
      expect(decodeText(encodeText(`${text}\ud800`))).toBe(`${text}\ud800`);
    }),
  );
});

it('a long text is deflated', () => {
  const text = 'a line of some words é\n'.repeat(400_000);
  const stored = encodeText(text);
  expect(stored.encoding).toBe('deflate');
  expect(decodeText(stored) === text).toBe(true);
});

it('an encoding that nobody writes is a damaged index', () => {
  expect(() => decodeText({ encoding: 'latin1', bytes: Buffer.from('x') })).toThrow(
    expect.objectContaining({ reason: 'INDEX_DAMAGED' }),
  );
});

it('bytes that are damaged, or claim to be more than any text, are a damaged index', () => {
  // Blocks that end on a whole byte and stand one behind the other are one stream, so one of them is deflated.
  const block = deflateRawSync(Buffer.alloc(32 * 1024 * 1024), {
    level: 1,
    finishFlush: constants.Z_FULL_FLUSH,
  });
  const bomb = Buffer.concat(Array.from({ length: 19 }, () => block));
  for (const bytes of [Buffer.from('not deflated'), bomb])
    expect(() => decodeText({ encoding: 'deflate', bytes })).toThrow(
      expect.objectContaining({ reason: 'INDEX_DAMAGED' }),
    );
});
