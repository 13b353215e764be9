import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Engine, PushedDocument, RelatedResponse } from '../index.js';
import { createEngine } from '../index.js';

let folder: string;
let engine: Engine;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-related-'));
  engine = await createEngine({ config: { provider: 'libsql' }, dataDir: folder, cwd: folder });
});
afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const issue = (id: string, text: string, changes: Partial<PushedDocument> = {}): PushedDocument => ({
  id,
  title: `Title of ${id}`,
  text,
  metadata: { pbi_id: id },
  ...changes,
});

/** What is related, with its path in short: `A -mention-> B`. */
const waysOf = ({ item, related, documents }: RelatedResponse): string[] =>
  related.map(({ path }) =>
    path.reduce((way, { kind, to, direction, via }) => {
      const arrow = { out: `-${kind}->`, in: `<-${kind}-`, shared: `-${kind} ${via}-` }[direction];
      return `${way} ${arrow} ${documents[to]?.externalId}`;
    }, item.externalId),
  );

it('lists what is connected, each with the shortest way', async () => {
  await engine.push([
    issue('PAY-1', 'Cards fail.'),
    issue('PAY-2', 'As PAY-1, after PAY-3.', { metadata: { pbi_id: 'PAY-2', assignee: 'Ann' } }),
    issue('PAY-3', 'Other.', { metadata: { pbi_id: 'PAY-3', parent: 'PAY-4' } }),
    issue('PAY-4', 'The epic.'),
    issue('PAY-5', 'Alone.', { metadata: { pbi_id: 'PAY-5', assignee: 'ANN' } }),
    issue('PAY-6', 'PAY-7 is nowhere.'),
  ]);
  const found = await engine.related('pay-1');
  expect(found.item).toMatchObject({ externalId: 'PAY-1', title: 'Title of PAY-1' });
  expect(new Set(waysOf(found))).toEqual(
    new Set([
      'PAY-1 <-mention- PAY-2',
      'PAY-1 <-mention- PAY-2 -mention-> PAY-3',
      'PAY-1 <-mention- PAY-2 -person ann- PAY-5',
    ]),
  );
  expect(found.related.map(({ score }) => score)).toEqual(
    found.related.map(({ score }) => score).sort((a, b) => b - a),
  );
  expect(found.notices).toEqual([]);
  expect(waysOf(await engine.related({ item: 'PAY-1', hops: 1 }))).toEqual(['PAY-1 <-mention- PAY-2']);
  expect(waysOf(await engine.related({ item: 'PAY-1', limit: 1 }))).toHaveLength(1);
  expect(waysOf(await engine.related({ item: 'PAY-1', hops: 3, kinds: ['mention', 'relation'] }))).toContain(
    'PAY-1 <-mention- PAY-2 -mention-> PAY-3 -relation-> PAY-4',
  );
  expect(waysOf(await engine.related({ item: 'PAY-1', kinds: ['link'] }))).toEqual([]);
  expect(waysOf(await engine.related('PAY-6'))).toEqual([]);
});

it('follows edits and deletions at once', async () => {
  await engine.push([issue('AA-1', 'x'), issue('AA-2', 'See AA-1.'), issue('AA-3', 'See AA-2.')]);
  expect(waysOf(await engine.related('AA-1'))).toHaveLength(2);
  await engine.push([issue('AA-2', 'Nothing.')]);
  expect(waysOf(await engine.related('AA-1'))).toEqual([]);
  expect(waysOf(await engine.related('AA-2'))).toEqual(['AA-2 <-mention- AA-3']);
  await engine.delete(['AA-3']);
  expect(waysOf(await engine.related('AA-2'))).toEqual([]);
});

describe('an item is named', () => {
  it('by id, key, or the end of a path, and one that several are called by is refused', async () => {
    await engine.push([
      issue('docs/a.md', 'x', { metadata: {} }),
      issue('AA-1', '[a](docs/a.md)'),
      issue('copy', 'y', { metadata: { pbi_id: 'BB-1' } }),
      issue('BB-1', 'z'),
    ]);
    const item = await engine.related('docs/a.md');
    for (const name of [item.item.id, './docs/a.md', 'repo/docs/a.md', 'docs/a'])
      expect((await engine.related(name)).item).toEqual(item.item);
    expect((await engine.related('copy')).item.externalId).toBe('copy');
    await expect(engine.related('bb-1')).rejects.toMatchObject({
      reason: 'USAGE',
      message: expect.stringMatching(/"bb-1" is the name of 2 documents: .*Give the id/),
    });
  });

  it('and an unknown one is said to be', async () => {
    await expect(engine.related('AA-1')).rejects.toMatchObject({ reason: 'INDEX_EMPTY' });
    await engine.push([issue('AA-1', 'x')]);
    await expect(engine.related('AA-2')).rejects.toMatchObject({ reason: 'DOCUMENT_NOT_FOUND' });
    await expect(engine.related({ item: 'AA-1', hops: 4 })).rejects.toMatchObject({ reason: 'USAGE' });
  });
});

describe('what may not be read', () => {
  const secret = { groups: ['staff'], level: 2 };
  const STAFF = { tenant: 'default', groups: ['staff'], clearance: 2 };

  /** Documents that mention each other, with a hidden one between them, and many hidden ones around. */
  const world = (hidden: PushedDocument['access']): PushedDocument[] => [
    issue('AA-1', 'x'),
    issue('AA-2', 'See AA-1 and AA-3.', { access: hidden }),
    issue('AA-3', 'y'),
    issue('AA-4', 'See AA-1.'),
    issue('AA-5', 'See AA-1.'),
    ...Array.from({ length: 150 }, (_, i) => issue(`HH-${i}`, 'See AA-1.', { access: hidden })),
  ];

  it('is no item, no result, no step on the way, and weighs nothing', async () => {
    const admin = engine.as(STAFF);
    await admin.push(world(secret));
    expect(waysOf(await admin.related('AA-3'))).toContain('AA-3 <-mention- AA-2 -mention-> AA-1');
    const seen = await engine.related('AA-1');
    expect(waysOf(seen).sort()).toEqual(['AA-1 <-mention- AA-4', 'AA-1 <-mention- AA-5']);
    await expect(engine.related('AA-2')).rejects.toMatchObject({ reason: 'DOCUMENT_NOT_FOUND' });
    // The same as where the hidden documents do not exist.
    const bare = await createEngine({
      config: { provider: 'libsql' },
      dataDir: join(folder, 'bare'),
      cwd: folder,
    });
    try {
      await bare.push(world(secret).filter(({ access }) => access === undefined));
      expect(await bare.related('AA-1')).toEqual(seen);
    } finally {
      await bare.close();
    }
  });

  it('is of another tenant or project', async () => {
    await engine.push([issue('AA-1', 'x')]);
    const other = engine.as({ tenant: 'other' });
    await other.push([issue('AA-1', 'x'), issue('AA-2', 'See AA-1.')]);
    const project = engine.as({ tenant: 'default', project: 'p' });
    await project.push([issue('PP-1', 'See AA-1.')]);
    expect(waysOf(await other.related('AA-1'))).toEqual(['AA-1 <-mention- AA-2']);
    expect(waysOf(await engine.related('AA-1'))).toEqual(['AA-1 <-mention- PP-1']);
    expect(waysOf(await project.related('PP-1'))).toEqual([]);
    await expect(project.related('AA-1')).rejects.toMatchObject({ reason: 'DOCUMENT_NOT_FOUND' });
  });
});

it('leads from a page to the file that defines what it names, and to the section that it links to', async () => {
  await engine.push([
    { id: 'guide.md', text: 'Call `createEngine`, see [how](other.md#how-to).' },
    { id: 'src/engine.ts', text: 'export function createEngine() {}\n' },
    { id: 'other.md', text: '# Other\n\n## How to\n\nSo.' },
  ]);
  const { related } = await engine.related('guide.md');
  const steps = new Map(related.map(({ externalId, path }) => [externalId, path[0]]));
  expect(steps.get('src/engine.ts')).toMatchObject({ kind: 'symbol', direction: 'out' });
  expect(steps.get('other.md')).toMatchObject({ kind: 'link', section: 'how-to' });
  await engine.delete([related.find(({ externalId }) => externalId === 'src/engine.ts')?.id ?? '']);
  const after = await engine.related('guide.md');
  expect(after.related.map(({ externalId }) => externalId)).toEqual(['other.md']);
});
