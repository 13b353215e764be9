import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../operations/engine.js';

const NOTES: Readonly<Record<string, string>> = {
  list: '---\ntags:\n  - Sport\n  - Water\n---\n',
  brackets: '---\ntags: [SPORT, water]\n---\n',
  commas: '---\ntags: sport, open air\n---\n',
  words: '---\ntags: sport outside\n---\n',
  hashes: '---\ntags: "#sport #water"\n---\n',
  bare: '---\ntags: #sport #water\n---\n',
  capital: '---\nTags: sport\n---\n',
  single: '---\ntag: Sport\n---\n',
  nested: '---\ntags: [sport/ball]\n---\n',
  toml: '+++\ntags = ["Sport"]\n+++\n',
  json: '{\n  "tags": "sport; water"\n}\n\n',
  zola: '+++\ntitle = "Hall"\n[taxonomies]\ntags = ["Sport", "hall"]\n+++\n',
  params: '---\nparams:\n  tags: [sport]\n---\n',
  objects: '---\ntags:\n  - name: Sport\n  - name: hall\n---\n',
  slugs: '---\ntags:\n  - slug: sport\n    colour: red\n---\n',
  labels: '{\n  "tags": [{ "label": "Sport" }]\n}\n\n',
  other: '---\ntags: [transport, sporting]\n---\n',
};

describe('a filter by tags', () => {
  let engine: Engine;
  const folder = mkdtempSync(join(tmpdir(), 'tags-'));
  beforeAll(async () => {
    engine = await createEngine({ config: { provider: 'libsql' }, dataDir: folder });
    await engine.push(
      Object.entries(NOTES).map(([id, head]) => ({
        id,
        text: `${head}\nThe hall opens at six.\n`,
        mediaType: 'text/markdown',
      })),
    );
    await engine.push([{ id: 'pushed', text: 'The hall opens.', metadata: { tags: ['iOS', 'Sport'] } }]);
  });
  afterAll(async () => {
    await engine.close();
    rmSync(folder, { recursive: true });
  });

  const foundBy = async (query: Parameters<Engine['search']>[0]) =>
    typeof query === 'string'
      ? []
      : [
          ...new Set(
            (await engine.search({ ...query, options: { topK: 50, nearDuplicates: 'keep' } })).results.map(
              ({ metadata }) => metadata.source,
            ),
          ),
        ].toSorted();

  const ALL = [...Object.keys(NOTES).filter((name) => name !== 'other'), 'pushed'].toSorted();

  it.each(['sport', 'Sport', 'SPORT', '#sport', '#Sport'])(
    'finds it however it is written: %s',
    async (tag) => {
      expect(await foundBy({ text: 'hall', filters: { tags: [tag] } })).toEqual(ALL);
      expect(await foundBy({ text: 'hall', filters: { metadata: { tags: tag } } })).toEqual(ALL);
      expect(await foundBy({ text: 'hall', filter: { op: 'eq', field: 'tags', value: tag } })).toEqual(ALL);
    },
  );

  it('wants every tag of several, and leaves out what has one that is not wanted', async () => {
    expect(await foundBy({ text: 'hall', filters: { tags: ['Sport', 'WATER'] } })).toEqual(
      ['bare', 'brackets', 'hashes', 'json', 'list'].toSorted(),
    );
    const filter = { op: 'not', filter: { op: 'contains', field: 'tags', value: 'SPORT' } } as const;
    expect(await foundBy({ text: 'hall', filter })).toEqual(['other']);
  });

  it('keeps tags as they were given', async () => {
    const { results } = await engine.search({ text: 'hall', filters: { tags: ['ios'] } });
    expect(results[0]?.metadata).toMatchObject({ source: 'pushed', tags: ['iOS', 'Sport'] });
  });
});
