import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testChunk } from '../../context/test-chunks.js';
import { linkedIds, linksTo } from './passage-links.js';

const chunkOf = (content: string, metadata = {}) =>
  testChunk({ content, document: 'guides/start.md', metadata }).chunk;

describe('links of a passage', () => {
  it('are those that share words with the question, best first, each address once', () => {
    const passage = chunkOf(
      'See [retention of audit logs](../audit/retention.md#days) there.\nPrices: [pricing](price.md).\nOr [audit](../audit/retention.md), [Picture](audit-logs.png).',
    );
    expect(linksTo('How long are audit logs kept?', passage)).toMatchObject([
      { href: '../audit/retention.md', anchor: 'retention of audit logs' },
    ]);
  });

  it('leave the source only where its documents have addresses, and then stay at their host', () => {
    const text =
      '[audit logs](https://docs.example/audit) [audit logs](https://evil.example/audit) [audit](javascript:alert)';
    expect(linksTo('audit logs', chunkOf(text))).toEqual([]);
    const links = linksTo('audit logs', chunkOf(text, { url: 'https://docs.example/start' }));
    expect(links.map(({ href }) => href)).toEqual(['https://docs.example/audit']);
  });

  it('are read in time that grows with the text', () => {
    for (const piece of ['[', '](', '[a](', '[a](b "', '[a](<'])
      expect(linksTo('audit', chunkOf(piece.repeat(100_000)))).toEqual([]);
  });
});

describe('where a link leads', () => {
  it.each([
    ['guides/start.md', '../audit/retention.md', 'audit/retention.md'],
    ['guides/start.md', 'next', 'guides/next.md'],
    ['guides/start.md', './next/', 'guides/next/index.md'],
    ['guides/start.md', '/audit', 'audit/README.md'],
    ['guides/start.md', 'a%20b.md', 'guides/a b.md'],
    ['guides/start.md', '..', 'index.md'],
    ['guides/start.md', 'next.html', 'guides/next.md'],
  ])('%s, %s: %s', (path, href, id) => expect(linkedIds(path, href)).toContain(id));

  it('is nowhere outside of the source', () => {
    expect(linkedIds('guides/start.md', '../../etc/passwd')).toEqual([]);
    expect(linkedIds('guides/start.md', 'https://example.com/a.md')).toEqual([]);
    expect(linkedIds('guides/start.md', '//example.com/a.md')).toEqual([]);
  });

  it('is never above its root nor the passage itself, and never throws', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.string({ maxLength: 60 }), (path, href) => {
        for (const id of linkedIds(path, href)) {
          expect(id.split('/')).not.toContain('..');
          expect(id).not.toBe(path);
        }
      }),
    );
  });
});
