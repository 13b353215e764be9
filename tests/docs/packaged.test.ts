import { expect, test } from 'vitest';
import { packedReadme } from '../../tools/build/packed-readme.mjs';
import { deadLinks, linksOf, PAGES, readPage } from './samples.js';

/** They name tests, scripts and benchmarks as proofs of what they say. */
const NAMES_PROOFS = ['docs/backlog.md', 'docs/stores.md', 'docs/threat-model.md'];

const packaged = new Map(
  [...PAGES, 'CHANGELOG.md']
    .filter((page) => !page.startsWith('docs/research/'))
    .map((page) => [page, page === 'README.md' ? packedReadme(readPage(page)) : readPage(page)]),
);

/** What needs the repository: its scripts, and paths of its own folders. */
const CLONE_ONLY =
  /npm (?:run|test)\b.*|npx (?:tsx|vitest)\b.*|docs\/research.*|\b(?:src|tools|bench|tests\/(?:docs|e2e|hostile|pins))\/[\w-]+.*/g;

test.each([...packaged.keys()].filter((page) => !NAMES_PROOFS.includes(page)))(
  '%s says nothing that works in a clone alone',
  (page) => {
    // The configurations in it are about the reader's folders.
    const text = packaged.get(page)?.replaceAll(/^```yaml\n.*?^```$/gms, '') ?? '';
    expect(text.match(CLONE_ONLY) ?? []).toEqual([]);
  },
);

test.each([...packaged.keys()])('the links of %s lead to what is in the package', (page) => {
  const text = packaged.get(page) ?? '';
  expect(deadLinks(page, text)).toEqual([]);
  const targets = linksOf(page, text).filter(
    (target) =>
      !/^(?:docs\/(?!research\/)|LICENSE$|CHANGELOG\.md$|README\.md$|models\/builtin\/|examples\/|deploy\/|config\.schema\.json$)/.test(
        target,
      ),
  );
  expect(targets).toEqual([]);
});

test('the README of the package is the one of the repository but for what is for a clone', () => {
  const readme = readPage('README.md');
  expect(packedReadme(readme)).not.toContain('in a clone');
  expect(packedReadme(readme)).toContain('## Use');
  expect(packedReadme(packedReadme(readme))).toBe(packedReadme(readme));
});
