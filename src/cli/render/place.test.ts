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
