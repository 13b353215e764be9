import { expect, test } from 'vitest';
import type { PageItem } from './columns.js';
import { pageText } from './page-text.js';

const item = (str: string, x: number, y: number, height = 11): PageItem => ({
  ...{ str, hasEOL: false, transform: [1, 0, 0, 1, x, y], height },
  width: str.length * height * 0.5,
});
const blank = (x: number, y: number): PageItem => item(' ', x, y, 0);

test.each([
  ['10', '6', 5, '10^6 Pa'],
  ['10', '-3', 5, '10^-3 Pa'],
  ['5 m', '2', 5, '5 m^2 Pa'],
  ['see note', '2', 5, 'see note 2 Pa'],
  ['10', '6', 0, '10 6 Pa'],
  ['10', '6', 14, '10 6 Pa'],
])('figures above their line are exponents: %s %s, raised by %d', (base, figure, raised, expected) => {
  const at = 60 + base.length * 5.5;
  const items = [
    item(base, 60, 560),
    blank(at, 560),
    item(figure, at + 2, 560 + raised, 7),
    blank(at + 8, 560),
    item('Pa', at + 12, 560),
  ];
  expect(pageText(items)).toBe(expected);
});
