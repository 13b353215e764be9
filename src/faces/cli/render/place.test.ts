import { expect, test } from 'vitest';
import { displayPath, renderPlace } from './place.js';

const context = { cwd: '/work/shop' };

test.each([
  ['/work/shop/docs/a.md', 'docs/a.md'],
  ['/work/other/a.md', '/work/other/a.md'],
  ['/work/shopping/a.md', '/work/shopping/a.md'],
  ['/work/shop/..a.md', '..a.md'],
])('%s is shown as %s, which opens from the working folder', (path, shown) => {
  expect(displayPath(context, path)).toBe(shown);
});

test('a place is a path and lines, or an id with the source that uses it', () => {
  const at = (origin: Parameters<typeof renderPlace>[0]['origin']) =>
    renderPlace({ id: 'README.md', origin, lines: '3' }, context);
  expect(at({ source: 'path:docs', path: '/work/shop/docs/README.md' })).toBe('docs/README.md:3');
  expect(at({ source: 'wiki' })).toBe('README.md:3 (wiki)');
  expect(at(undefined)).toBe('README.md:3');
});

test.each([
  [{ start: 3, end: 3 }, 'docs/tariff.pdf page 3'],
  [{ start: 2, end: 5 }, 'docs/tariff.pdf pages 2-5'],
])('of a document in pages the page is shown, for its lines can be looked up nowhere: %j', (pages, shown) => {
  const origin = { source: 'path:docs', path: '/work/shop/docs/tariff.pdf' };
  expect(renderPlace({ id: 'tariff.pdf', origin, lines: '49', pages }, context)).toBe(shown);
  expect(renderPlace({ id: 'tariff.pdf', origin: { source: 'wiki' }, lines: '49', pages }, context)).toBe(
    `${shown.slice('docs/'.length)} (wiki)`,
  );
});
