import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Engine, PushedDocument, SearchQuery } from '../index.js';
import { createEngine } from '../index.js';

let folder: string;
let engine: Engine;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-graph-search-'));
  engine = await createEngine({
    config: { provider: 'libsql', retrieval: { fusion: { candidates: 3 } } },
    dataDir: folder,
    cwd: folder,
  });
});
afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const page = (id: string, text: string, changes: Partial<PushedDocument> = {}): PushedDocument => ({
  id,
  title: id,
  text,
  ...changes,
});

/** Many pages about lanterns, one of which leads to a page that says nothing of them. */
const world = (access?: PushedDocument['access']): PushedDocument[] => [
  page('lantern.md', 'The lantern burns at dusk: lantern, dusk, dawn. See [the store](store.md) .'),
  page('store.md', 'Barrels of oil stand behind the shed. See [the key](key.md).', access && { access }),
  page('key.md', 'Under the third stone.'),
  ...Array.from({ length: 20 }, (_, i) => page(`other-${i}.md`, `Lantern number ${i} is in room ${i}.`)),
];

const asked = (options: SearchQuery['options']): SearchQuery => ({
  text: 'lantern at dusk and dawn',
  options: {
    topK: 10,
    minSimilarity: 0,
    rerank: false,
    explainScore: true,
    nearDuplicates: 'keep',
    ...options,
  },
});

const found = async (options: SearchQuery['options'], view: Pick<Engine, 'search'> = engine) => {
  const { results, lanes } = await view.search(asked(options));
  return { results, names: results.map(({ metadata }) => metadata.source), lanes };
};

it('brings what is connected with the first hits, and says by which way', async () => {
  await engine.push(world());
  expect((await found({})).names).not.toContain('store.md');
  const { results, names, lanes } = await found({ mode: 'graph', hops: 2 });
  expect(names[0]).toBe('lantern.md');
  expect(names).toEqual(expect.arrayContaining(['store.md', 'key.md']));
  expect(lanes.find(({ lane }) => lane === 'graph')).toMatchObject({
    status: 'ran',
    weight: expect.any(Number),
  });
  const key = results.find(({ metadata }) => metadata.source === 'key.md');
  expect(key?.explanation?.path?.map(({ fromName, kind, toName }) => [fromName, kind, toName])).toEqual([
    ['lantern.md', 'link', 'store.md'],
    ['store.md', 'link', 'key.md'],
  ]);
  const sum = (key?.explanation?.contributions ?? []).reduce((total, { value }) => total + value, 0);
  expect(sum).toBeCloseTo(key?.score ?? -1, 9);
  expect((await found({ mode: 'graph' })).names).not.toContain('key.md');
});

it('keeps to the filters, and to the mode', async () => {
  await engine.push(world().map((document) => ({ ...document, metadata: { tags: [document.id ?? ''] } })));
  const { results } = await engine.search({
    ...asked({ mode: 'graph', hops: 2 }),
    filters: { tags: ['key.md'] },
  });
  expect(results.map(({ metadata }) => metadata.source)).toEqual(['key.md']);
  const { lanes } = await found({ mode: 'hybrid' });
  expect(lanes.map(({ lane }) => lane)).not.toContain('graph');
});

it('refuses steps that no mode walks', async () => {
  await engine.push(world());
  for (const mode of [undefined, 'hybrid', 'lexical'] as const)
    await expect(found({ ...(mode && { mode }), hops: 2 })).rejects.toMatchObject({
      reason: 'QUERY_INVALID',
      message: expect.stringContaining('mode: "graph", --mode graph'),
    });
});

it('says where there is nothing to walk along', async () => {
  await engine.push(
    world().map(({ text, ...document }) => ({ ...document, text: text?.replace(/See.*/, '') })),
  );
  const { lanes, names } = await found({ mode: 'graph' });
  expect(lanes.find(({ lane }) => lane === 'graph')).toMatchObject({
    status: 'empty',
    reason: 'Nothing is connected with what was found.',
  });
  expect(names).toEqual((await found({ mode: 'hybrid' })).names);
});

it('never passes through what the asker may not read', async () => {
  const STAFF = { tenant: 'default', groups: ['staff'], clearance: 1 };
  await engine.as(STAFF).push(world({ groups: ['staff'], level: 1 }));
  expect((await found({ mode: 'graph', hops: 2 }, engine.as(STAFF))).names).toContain('key.md');
  const seen = await found({ mode: 'graph', hops: 2 });
  expect(seen.names).not.toContain('key.md');
  expect(seen.names).not.toContain('store.md');
});

/** A page that links to another one, of which two sections say nothing of the question. */
const sections = (anchor: string): PushedDocument[] => [
  page('lantern.md', `The lantern burns at dusk: lantern, dusk, dawn. See [oil](oil.md${anchor}).`),
  page(
    'oil.md',
    `# Oil\n\nBarrels.\n\n## Where it stands\n\n${'Behind the shed. '.repeat(80)}\n\n## Who has it\n\n${'Ask the keeper. '.repeat(80)}\n`,
    { mediaType: 'text/markdown' },
  ),
  ...Array.from({ length: 20 }, (_, i) => page(`other-${i}.md`, `Lantern number ${i} is in room ${i}.`)),
];

it('shows the section that a link leads to', async () => {
  for (const [anchor, text] of [
    ['#who-has-it', 'Ask the keeper.'],
    ['#where-it-stands', 'Behind the shed.'],
  ]) {
    await engine.push(sections(anchor ?? ''));
    const { results } = await found({ mode: 'graph' });
    const oil = results.find(({ metadata }) => metadata.source === 'oil.md');
    expect(oil?.content).toContain(text);
    expect(oil?.explanation?.path?.map(({ toName, section }) => [toName, section])).toEqual([
      ['oil.md', anchor?.slice(1)],
    ]);
  }
});

it('puts what the best passage links to before what only matches, with a score of what it passed', async () => {
  await engine.push(world());
  const reranked = { mode: 'graph', rerank: true } as const;
  const { results, names } = await found(reranked);
  expect(names.indexOf('store.md')).toBeLessThan(4);
  const scores = results.map(({ score }) => score);
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  const store = results.find(({ metadata }) => metadata.source === 'store.md');
  const sum = (store?.explanation?.contributions ?? []).reduce((total, { value }) => total + value, 0);
  expect(sum).toBeCloseTo(store?.score ?? -1, 9);
  expect((await found({ rerank: true })).names).not.toContain('store.md');
  // What matches keeps its place where links have no say, as in answers.
  const plain = (await found({ ...reranked, connectedFirst: false })).names;
  const matching = (await found({ rerank: true })).names.slice(0, 3);
  expect(plain.slice(0, 3)).toEqual(matching);
  expect(names.slice(0, 3)).not.toEqual(matching);
});

it('is as it would be without what the asker may not read', async () => {
  const STAFF = { tenant: 'default', groups: ['staff'], clearance: 1 };
  await engine.push(world());
  // What words weigh counts what is hidden too, so the rest may change places; what the graph adds may not.
  const connected = async () => {
    const { results } = await found({ mode: 'graph', rerank: true, hops: 2 });
    return results.flatMap(({ metadata, explanation }, rank) =>
      explanation?.path === undefined ? [] : [{ name: metadata.source, rank, path: explanation.path }],
    );
  };
  const before = await connected();
  expect(before.map(({ name }) => name)).toContain('store.md');
  await engine.as(STAFF).push(
    Array.from({ length: 30 }, (_, i) =>
      page(`hidden/${i}.md`, 'Barrels: [the store](../store.md), [key](../key.md), `lampOf`.', {
        access: { groups: ['staff'], level: 1 },
      }),
    ),
  );
  const seenByStaff = await found({ mode: 'graph', hops: 2 }, engine.as(STAFF));
  expect(seenByStaff.names.some((name) => String(name).startsWith('hidden/'))).toBe(true);
  expect(await connected()).toEqual(before);
});

it('says where a walk was cut', async () => {
  await engine.push([
    ...world(),
    ...Array.from({ length: 45 }, (_, i) => page(`leads-${i}.md`, `No. ${i}: [it](lantern.md).`)),
  ]);
  const { notices } = await engine.search(asked({ mode: 'graph' }));
  expect(notices).toContain(
    'More is connected than was looked at: 150 documents are the most, and 40 of each name.',
  );
});
