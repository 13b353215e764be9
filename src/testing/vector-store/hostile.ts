import assert from 'node:assert/strict';
import { EVERYTHING, eq, oneOf, prefix } from '../../core/filter.js';
import type { Metadata } from '../../core/metadata.js';
import type { ContractPart } from './contract.js';
import { idsOf, record, stored } from './records.js';

/** Text that breaks quoting, encodings, paths and query languages somewhere. */
const HOSTILE_TEXTS = [
  '',
  ' ',
  "'",
  "''; DROP TABLE chunks; --",
  "' OR '1'='1",
  '"',
  '`',
  '\\',
  "\\'",
  '%',
  '_',
  '$1',
  '#{x}',
  '{{x}}',
  '?',
  ':id',
  '/* */',
  '../../etc/passwd',
  'a/b\\c',
  'NULL',
  'true',
  '1',
  'line\nbreak\r\ntab\t',
  'nul\u0000byte',
  '\u0001\u001f\u007f',
  '\u{1f469}\u200d\u{1f52c}',
  'e\u0301',
  '\u00e9',
  '\u202eright to left',
  '\ufeffbom',
  '\u2028\u2029',
  '\uffff\ufffe',
  '\u{10ffff}',
  'مرحبا',
  'x'.repeat(20_000),
];

const METADATA: readonly Metadata[] = [
  {},
  { empty: '', nothing: null, yes: true, no: false, zero: 0, list: [], object: {} },
  { numbers: [1, -1, 0.1, 1e-300, 1.797_693_134_862_315_7e308, 5e-324, 9_007_199_254_740_991] },
  { created: '2026-01-05T10:00:00.000Z', date: '2026-01-05' },
  { nested: { deep: { er: [{ a: [[], [null], [[1]]] }, 'x', null, 2] } } },
  {
    '': 'empty key',
    'a.b': 'dots',
    'a b': 'space',
    '\u{1f600}': 'emoji',
    "it's": 'quote',
    'nul\u0000': 'nul',
  },
  JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1, "toString": "x"}') as Metadata,
  { text: HOSTILE_TEXTS },
  { long: 'x'.repeat(200_000) },
];

/** Ids, text and metadata that are legal and awkward. */
export const testHostileInput: ContractPart = (test) => {
  test('an id may be any Unicode text', async ({ open, settle }) => {
    const collection = await open();
    await collection.upsert(HOSTILE_TEXTS.map((id) => record(id, { content: `of ${id}` })));
    await settle();
    assert.equal(await collection.count(EVERYTHING), HOSTILE_TEXTS.length);
    assert.deepEqual(idsOf(await collection.get(HOSTILE_TEXTS)), HOSTILE_TEXTS);
    for (const id of HOSTILE_TEXTS) {
      assert.equal(await collection.count(eq('$chunkId', id)), 1, id);
      await collection.upsert([record(id, { content: `again ${id}` })]);
      await settle();
      assert.equal((await collection.get([id]))[0]?.content, `again ${id}`);
      assert.equal(await collection.delete(oneOf('$chunkId', [id])), 1, id);
    }
    await settle();
    assert.equal(await collection.count(EVERYTHING), 0);
  });

  test('every text field comes back as it was and is found by its value', async ({ open, settle }) => {
    const collection = await open();
    const records = HOSTILE_TEXTS.map((text, i) =>
      record(`r${String(i).padStart(2, '0')}`, {
        documentId: text,
        tenant: text,
        project: text,
        source: text,
        content: text,
        searchText: text,
        identifiers: [text, 'x'],
        access: { groups: [text], level: i },
        metadata: { text },
      }),
    );
    await collection.upsert(records);
    await settle();
    assert.deepEqual((await collection.list({ filter: EVERYTHING, limit: 99 })).chunks, stored(...records));
    for (const [i, text] of HOSTILE_TEXTS.entries())
      for (const field of ['$documentId', '$tenant', '$project', '$source', 'text']) {
        const { chunks } = await collection.list({ filter: eq(field, text), limit: 9 });
        assert.deepEqual(idsOf(chunks), [records[i]?.id], `${field} ${text.slice(0, 30)}`);
        assert.ok((await collection.count(prefix(field, text))) >= 1);
      }
  });

  test('metadata comes back unchanged, types included', async ({ open, settle }) => {
    const collection = await open();
    const records = METADATA.map((metadata, i) => record(`r${i}`, { metadata }));
    await collection.upsert(records);
    await settle();
    const ids = records.map(({ id }) => id);
    assert.deepEqual(await collection.get(ids), stored(...records));
    await collection.optimize();
    assert.deepEqual(await collection.get(ids), stored(...records));
    assert.equal(Object.hasOwn({}, 'polluted'), false);
  });

  test('what was given out or handed in can change without changing the store', async ({ open, settle }) => {
    const collection = await open();
    const metadata = { list: [1], state: 'open' };
    const vector = new Float32Array(8).fill(0.5);
    await collection.upsert([record('a', { metadata, vector })]);
    await settle();
    metadata.list.push(2);
    metadata.state = 'closed';
    vector.fill(0);
    const [chunk] = await collection.get(['a'], { includeVectors: true });
    assert.deepEqual(chunk?.metadata, { list: [1], state: 'open' });
    chunk?.vector?.fill(9);
    const [again] = await collection.get(['a'], { includeVectors: true });
    assert.equal(again?.vector?.[0], 0.5);
  });

  test('a megabyte of content and of search text is kept', async ({ open, settle }) => {
    const collection = await open();
    const content = 'Ünïcödé \u{1f600} text\n'.repeat(50_000);
    const searchText = Array.from({ length: 100_000 }, (_, i) => `w${i}`).join(' ');
    await collection.upsert([record('big', { content, searchText }), record('small')]);
    await settle();
    assert.equal((await collection.get(['big']))[0]?.content, content);
    const hits = await collection.searchText?.({ terms: ['w99999'], topK: 3, filter: EVERYTHING });
    if (hits !== undefined) assert.deepEqual(idsOf(hits), ['big']);
  });

  test('hostile query terms find nothing and break nothing', async ({ open, settle }) => {
    const collection = await open();
    await collection.upsert([record('a', { searchText: 'plain words' })]);
    await settle();
    const terms = HOSTILE_TEXTS.filter((text) => text !== '' && !/\s/u.test(text));
    for (const term of terms) {
      const hits = await collection.searchText?.({ terms: [term], topK: 3, filter: EVERYTHING });
      assert.deepEqual(hits ?? [], [], term);
    }
    const hits = await collection.searchText?.({ terms: [...terms, 'words'], topK: 3, filter: EVERYTHING });
    if (hits !== undefined) assert.deepEqual(idsOf(hits), ['a']);
  });
};
