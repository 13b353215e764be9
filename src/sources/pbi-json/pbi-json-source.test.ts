import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isUnreadable, type ReadResult } from '../source.js';
import { findPbis } from './find-pbis.js';
import { createPbiJsonSource, type PbiJsonSourceOptions } from './pbi-json-source.js';
import type { PbiSchema } from './pbi-schema.js';

const FIXTURES = join(import.meta.dirname, '../../../tests/fixtures/pbi');

async function readFixture(id: string, options: Partial<PbiJsonSourceOptions> = {}): Promise<ReadResult> {
  return createPbiJsonSource({ name: 'outputs', root: FIXTURES, ...options }).read({ id, version: '' });
}

const idsOf = ({ documents }: ReadResult): string[] => documents.map(({ externalId }) => externalId);
const reasonsOf = ({ failures }: ReadResult): [string, string][] =>
  failures.map(({ externalId, error }) => [externalId, error.reason]);

describe('the pipeline outputs of the fixtures', () => {
  it('lists files by the patterns of the seed', async () => {
    const source = createPbiJsonSource({
      name: 'outputs',
      root: join(FIXTURES, '..'),
      include: ['./pbi/run-*/final-output.json', './pbi/run-*/step-*.json'],
    });
    const ids: string[] = [];
    for await (const item of source.list()) if (!isUnreadable(item)) ids.push(item.id);
    expect(ids).toEqual([
      'pbi/run-1/final-output.json',
      'pbi/run-1/step-3-scored.json',
      'pbi/run-2/step-1-transcript.json',
      'pbi/run-2/step-4-enriched.json',
    ]);
    expect(source.preferredChunking).toBe('pbi_aware');
  });

  it('makes a document of each PBI of a wrapper', async () => {
    const result = await readFixture('run-1/final-output.json', { metadata: { category: 'historical' } });
    expect(result.failures).toEqual([]);
    expect(idsOf(result)).toEqual(['run-1/final-output.json#PBI-101', 'run-1/final-output.json#PBI-102']);
    const [first] = result.documents;
    expect(first).toMatchObject({
      mediaType: 'application/vnd.ragstone.pbi+json',
      title: 'Resume interrupted uploads',
      createdAt: '2025-03-12T14:05:00.000Z',
      metadata: {
        sourceType: 'pbi',
        category: 'historical',
        pbi_id: 'PBI-101',
        timestamp: '2025-03-12T15:05:00+01:00',
        quality_score: 0.82,
      },
    });
    expect(JSON.parse(String(first?.content))).toMatchObject({ id: 'PBI-101', related_pbis: ['PBI-102'] });
    expect(result.documents[1]?.metadata).not.toHaveProperty('timestamp');
  });

  it('takes the inner pbi of scored items, optional fields missing or null', async () => {
    const result = await readFixture('run-1/step-3-scored.json');
    expect(result.failures).toEqual([]);
    expect(result.documents.map(({ content }) => JSON.parse(String(content)).scores)).toEqual([
      undefined,
      undefined,
    ]);
    expect(idsOf(result)).toEqual(['run-1/step-3-scored.json#PBI-101', 'run-1/step-3-scored.json#PBI-103']);
  });

  it('keeps the first of duplicates, merges equal copies, reports what is wrong where', async () => {
    const result = await readFixture('run-2/step-4-enriched.json');
    const file = 'run-2/step-4-enriched.json';
    const at = '$.enrichedPBIs.enriched_pbis';
    expect(idsOf(result)).toEqual([`${file}#PBI-201`]);
    expect(reasonsOf(result)).toEqual([
      [`${file}#${at}[5]`, 'DOCUMENT_INVALID'],
      [`${file}#PBI-201 (${at}[2].pbi)`, 'DOCUMENT_DUPLICATE_ID'],
      [`${file}#${at}[3].pbi`, 'DOCUMENT_INVALID'],
      [`${file}#PBI-202`, 'DOCUMENT_INVALID'],
    ]);
    const messages = result.failures.map(({ error }) => error.message);
    expect(messages[2]).toContain(`${at}[3].pbi.id must be string, is number`);
    expect(messages[3]).toContain(`${at}[4].pbi.acceptance_criteria[1] must be string, is number`);
    expect(messages[3]).toContain(`${at}[4].pbi.acceptance_criteria[2] must be string, is null`);
    expect(messages.join()).not.toContain('Mixed criteria');
  });

  it('says that a file has no place for PBIs, which is no failure, or is silent when told to', async () => {
    const result = await readFixture('run-2/step-1-transcript.json');
    expect(result).toMatchObject({ documents: [], failures: [] });
    expect(result.notices).toEqual([expect.stringMatching(/step-1-transcript\.json.*holds no PBI/)]);
    const ignored = await readFixture('run-2/step-1-transcript.json', { unrecognised: 'ignore' });
    expect(ignored.notices).toEqual([]);
  });

  it('reads NDJSON around a broken line', async () => {
    const result = await readFixture('archive.ndjson');
    expect(idsOf(result)).toEqual(['archive.ndjson#PBI-1', 'archive.ndjson#PBI-2', 'archive.ndjson#PBI-4']);
    expect(reasonsOf(result)).toEqual([['archive.ndjson#line 4', 'DOCUMENT_INVALID']]);
    expect(result.failures[0]?.error.message).toMatch(/truncated JSON: it ends at line 4, column 33/);
    expect(result.documents[0]?.createdAt).toBe('2024-01-02T00:00:00.000Z');
  });
});

describe('hand-made files', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'ragstone-pbi-'));
  });
  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  async function read(content: string | Uint8Array, options: Partial<PbiJsonSourceOptions> = {}) {
    await writeFile(join(root, 'a.json'), content);
    return createPbiJsonSource({ name: 'outputs', root, ...options }).read({ id: 'a.json', version: '' });
  }
  const pbi = (id: string, more: object = {}) => ({ id, title: `Title of ${id}`, ...more });

  it.each<[string, unknown, string[]]>([
    ['one PBI', pbi('A'), ['a.json#A']],
    ['one PBI with related PBIs', pbi('A', { description: '', related_pbis: [pbi('B')] }), ['a.json#A']],
    ['an array', [pbi('A'), pbi('B')], ['a.json#A', 'a.json#B']],
    ['an array of wrapped PBIs', [{ pbi: pbi('A'), scores: {} }], ['a.json#A']],
    [
      'an array of outputs',
      [{ scored_pbis: [{ pbi: pbi('A') }] }, { pbis: [pbi('B')] }],
      ['a.json#A', 'a.json#B'],
    ],
    ['a wrapper inside an array', { steps: [{ output: { pbis: [pbi('A')] } }] }, ['a.json#A']],
    ['a root with pbi', { pbi: pbi('A') }, ['a.json#A']],
    [
      'nothing inside a PBI',
      {
        item: pbi('A', { description: '', related_pbis: [pbi('B')] }),
        pbis: [pbi('C', { split_pbis: [pbi('D')] })],
      },
      ['a.json#C'],
    ],
    ['an empty container', { pbis: [] }, []],
    ['an empty array', [], []],
  ])('finds %s', async (_, value, ids) => {
    const result = await read(JSON.stringify(value));
    expect(result.failures).toEqual([]);
    expect(idsOf(result)).toEqual(ids);
  });

  it('takes NDJSON under a .json name, byte order mark and CRLF', async () => {
    const result = await read(`\uFEFF${JSON.stringify(pbi('A'))}\r\n${JSON.stringify(pbi('B'))}\r\n`);
    expect(result.failures).toEqual([]);
    expect(idsOf(result)).toEqual(['a.json#A', 'a.json#B']);
  });

  it.each<[string, string | Uint8Array, RegExp]>([
    ['truncated JSON', '{"pbis": [\n  {"id": "A", "ti', /truncated JSON: it ends at line 2, column 18/],
    ['a stray character', '[\n1,,2]', /unexpected character at line 2, column 3/],
    ['an empty file', '', /truncated JSON/],
    ['depth', '['.repeat(200_000), /deeper than 100 levels/],
    ['a PBI without title', '{"id": "A"}', /\$\.title must be string, is missing/],
    ['an empty id', '{"id": "", "title": "t"}', /\$\.id must be text, is empty/],
    [
      'text for a list',
      '{"id": "A", "title": "t", "acceptance_criteria": "one"}',
      /must be string\[\], is string/,
    ],
  ])('reports %s', async (_, content, message) => {
    const result = await read(content);
    expect(result.documents).toEqual([]);
    expect(result.failures).toHaveLength(1);
    expect(result.failures[0]?.error.reason).toBe('DOCUMENT_INVALID');
    expect(result.failures[0]?.error.message).toMatch(message);
  });

  it('says that a scalar holds no PBI', async () => {
    const result = await read('"text"');
    expect(result).toMatchObject({ documents: [], failures: [] });
    expect(result.notices).toEqual([expect.stringMatching(/holds no PBI/)]);
  });

  it('reports bytes that are not UTF-8', async () => {
    const result = await read(Uint8Array.of(0x22, 0xff, 0x22));
    expect(reasonsOf(result)).toEqual([['a.json', 'DOCUMENT_INVALID_ENCODING']]);
  });

  it('honours a schema and extractors of its own', async () => {
    const options: Partial<PbiJsonSourceOptions> = {
      schema: { points: 'number', tags: 'any[]' },
      extractors: [
        { field: 'team.name', to: 'team' },
        { field: 'absent', to: 'absent' },
      ],
    };
    const fine = await read(
      JSON.stringify(pbi('A', { points: 3, tags: [1, 'x'], team: { name: 'core' } })),
      options,
    );
    expect(fine.documents[0]?.metadata).toEqual({ sourceType: 'pbi', pbi_id: 'A', team: 'core' });
    const wrong = await read(JSON.stringify(pbi('A', { points: '3' })), options);
    expect(wrong.failures[0]?.error.message).toContain('$.points must be number, is string');
  });

  it('extracts what it always does beside what is configured, unless that has the same name', async () => {
    const [{ metadata } = {}] = (
      await read(JSON.stringify(pbi('A', { created_at: '2026-01-02', key: 'K-1', points: 3 })), {
        extractors: [
          { field: 'key', to: 'pbi_id' },
          { field: 'points', to: 'points' },
        ],
      })
    ).documents;
    expect(metadata).toEqual({ sourceType: 'pbi', timestamp: '2026-01-02', pbi_id: 'K-1', points: 3 });
  });

  it('has the dates that an item states, and none of its file', async () => {
    const [bare, dated] = (
      await read(JSON.stringify([pbi('A'), pbi('B', { updated_at: '2026-01-02T03:04:05Z' })]))
    ).documents;
    expect(bare).not.toHaveProperty('updatedAt');
    expect(bare).not.toHaveProperty('createdAt');
    expect(dated?.updatedAt).toBe('2026-01-02T03:04:05.000Z');
  });

  it('keeps id and title text whatever the schema says, and finds no inherited fields', async () => {
    const schema = JSON.parse('{"id": "number", "toString": "string"}') as PbiSchema;
    const fine = await read(JSON.stringify(pbi('A')), { schema });
    expect(idsOf(fine)).toEqual(['a.json#A']);
    const wrong = await read('{"id": 7, "title": "t"}', { schema });
    expect(wrong.failures[0]?.error.message).toContain('$.id must be string, is number');
  });

  it('shows the first mismatches of many', async () => {
    const result = await read(JSON.stringify(pbi('A', { acceptance_criteria: Array(9).fill(0) })));
    expect(result.failures[0]?.error.message).toMatch(/\[4\] must be string, is number; and 4 more\./);
  });

  it('is not harmed by __proto__ and inherited names', async () => {
    const result = await read(
      '{"id": "A", "title": "t", "__proto__": {"polluted": true, "acceptance_criteria": 1}}',
      {
        extractors: [
          { field: '__proto__', to: '__proto__' },
          { field: 'toString', to: 'x' },
        ],
      },
    );
    expect(result.failures).toEqual([]);
    const metadata = result.documents[0]?.metadata ?? {};
    expect(Object.keys(metadata)).toEqual(['sourceType', 'pbi_id', '__proto__']);
    expect(Object.getPrototypeOf(metadata)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(String(result.documents[0]?.content)).toContain('"__proto__":{"polluted":true');
  });

  it('reports a too large file when listing', async () => {
    await writeFile(join(root, 'big.json'), 'x'.repeat(11));
    for await (const item of createPbiJsonSource({ name: 'o', root, maxFileBytes: 10 }).list())
      expect(isUnreadable(item) && item.error.reason).toBe('DOCUMENT_TOO_LARGE');
    expect.assertions(1);
  });
});

it('findPbis survives any JSON and names only paths that exist', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 5 }),
      fc.constantFrom('pbis', 'scored_pbis', 'pbi', 'id'),
      (value, key) => {
        const file = JSON.parse(JSON.stringify({ [key]: [value, { pbi: value }] }));
        for (const { path, pbi } of findPbis(file).candidates) expect(lookup(file, path)).toBe(pbi);
      },
    ),
  );
});

function lookup(value: unknown, path: string): unknown {
  const steps = path.matchAll(/\.([\w$]+)|\[(\d+|"(?:[^"\\]|\\.)*")\]/g);
  let at = value;
  for (const [, name, index] of steps) {
    const key = name ?? String(JSON.parse(index ?? ''));
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}
