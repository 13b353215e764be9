import { expect, it } from 'vitest';
import { pageAddress } from './page-address.js';

it.each([
  ['https://x.org/', 'a/b.md', 'https://x.org/a/b'],
  ['https://x.org/docs', 'a/index.md', 'https://x.org/docs/a'],
  ['https://x.org/docs/', 'README.md', 'https://x.org/docs/'],
  ['https://x.org', 'a b/ü.rst', 'https://x.org/a%20b/%C3%BC'],
  ['https://x.org', 'src/index.ts', 'https://x.org/src/index.ts'],
  ['https://x.org/{page}.html', 'a/index.md', 'https://x.org/a/index.html'],
])('%s and %s are the page %s', (site, path, address) => {
  expect(pageAddress(site, path)).toBe(address);
});
