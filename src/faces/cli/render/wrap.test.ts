import { describe, expect, it } from 'vitest';
import { wrapText } from './wrap.js';

describe('wrapText', () => {
  it('breaks between words alone, and keeps what fits as it is', () => {
    expect(wrapText('one two  three', 20)).toBe('one two  three');
    expect(wrapText('one two three four', 9)).toBe('one two\nthree\nfour');
    expect(wrapText('see /a/path/that/is/long now', 10)).toBe('see\n/a/path/that/is/long\nnow');
  });

  it('indents what follows like its line, its number or as it is told', () => {
    expect(wrapText('   one two three', 11)).toBe('   one two\n   three');
    expect(wrapText('[1] one two three', 11)).toBe('[1] one two\n    three');
    expect(wrapText('notice: one two', 11, 2)).toBe('notice: one\n  two');
  });

  it('gives styles no width, and wide characters two columns', () => {
    expect(wrapText('\u001b[31mone two\u001b[39m three', 7)).toBe('\u001b[31mone two\u001b[39m\nthree');
    expect(wrapText('設定 設定 a', 9)).toBe('設定 設定\na');
  });
});
