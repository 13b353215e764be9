import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { withTestServer } from '../../../tests/with-test-server.js';
import { analyzeText } from '../../core/analysis/lexical-analyzer.js';
import type { ScoredChunk } from '../../core/chunk.js';
import { EVERYTHING } from '../../core/filter.js';
import { direction, record } from '../../testing/vector-store/records.js';
import { createMemoryStore } from '../memory/memory-store.js';
import type { VectorStore } from '../vector-store.js';
import { documentOf } from './chunk-document.js';
import { indexDefinition } from './collection-index.js';
import { ELASTICSEARCH, OPENSEARCH } from './dialect.js';
import { createElasticsearchStore, createOpenSearchStore } from './elasticsearch-store.js';
import { STATISTICS_FIELDS } from './word-fields.js';

const SPEC = { name: 'old', dimensions: 8, fingerprint: 'm' };
const SERVERS = [
  { dialect: ELASTICSEARCH, variable: 'RAGSTONE_TEST_ELASTICSEARCH_URL', create: createElasticsearchStore },
  { dialect: OPENSEARCH, variable: 'RAGSTONE_TEST_OPENSEARCH_URL', create: createOpenSearchStore },
];

const textOf = (i: number): string => `harbour ${'lantern '.repeat(i % 7)}number${i % 10}`;

/** More than is read at a time. */
const RECORDS = Array.from({ length: 1_203 }, (_, i) =>
  record(`r${String(i).padStart(4, '0')}`, {
    tenant: i % 3 === 0 ? 'mine' : 'theirs',
    content: textOf(i),
    searchText: analyzeText(textOf(i)).join(' '),
    vector: i % 11 === 0 ? direction(0) : direction(1, i),
  }),
);

for (const { dialect, variable, create } of SERVERS)
  withTestServer({ describe, it }, { store: `${dialect.name}, version 1`, variable }, (url) => {
    const prefix = `test-${randomUUID()}-`;
    const alias = `${prefix}${SPEC.name}`;
    const call = async (method: string, path: string, body: string) => {
      const headers = {
        'content-type': path.endsWith('_bulk') ? 'application/x-ndjson' : 'application/json',
      };
      const answer = await fetch(new URL(path, url), { method, headers, body });
      const text = await answer.text();
      assert.ok(answer.ok && !text.includes('"errors":true'), text);
    };

    /** The index as version 1 made it, with so many of the records as it wrote them. */
    const makeOldIndex = async () => {
      const description = { spec: SPEC, vectorIndex: 'hnsw', schemaVersion: 1 } as const;
      const definition = JSON.stringify(indexDefinition(dialect, description, { alias }));
      const mapping = JSON.parse(definition) as { mappings: { properties: Record<string, unknown> } };
      for (const field of Object.keys(STATISTICS_FIELDS)) delete mapping.mappings.properties[field];
      await call('PUT', `/${alias}@1`, JSON.stringify(mapping));
      const lines = RECORDS.flatMap((one) => {
        const document = JSON.parse(documentOf(one)) as Record<string, unknown>;
        for (const field of Object.keys(STATISTICS_FIELDS)) delete document[field];
        return [JSON.stringify({ index: { _id: one.id } }), JSON.stringify(document)];
      });
      await call('POST', `/${alias}/_bulk`, `${lines.join('\n')}\n`);
      await call('POST', `/${alias}/_refresh`, '');
    };

    it('is brought up to date by whoever opens it first, also by two at once', async () => {
      await makeOldIndex();
      const [first, second]: VectorStore[] = [
        create({ url, indexPrefix: prefix }),
        create({ url, indexPrefix: prefix }),
      ];
      assert.ok(first !== undefined && second !== undefined);
      const [collection] = await Promise.all([first.open(SPEC), second.open(SPEC)]);
      const oracle = await createMemoryStore().open(SPEC);
      await oracle.upsert(RECORDS);
      const query = { terms: analyzeText('lantern number3'), topK: 20, filter: EVERYTHING, tenant: 'mine' };
      const rounded = (hits: readonly ScoredChunk[] = []) =>
        hits.map(({ chunk, score }) => [chunk.id, score.toFixed(3)]);
      expect(rounded(await collection.searchText?.(query))).toEqual(
        rounded(await oracle.searchText?.(query)),
      );
      const all = { filter: EVERYTHING, limit: 2_000 };
      expect(await collection.list(all)).toEqual(await oracle.list(all));
      const ids = ['r0000', 'r0001'];
      expect(await collection.get(ids, { includeVectors: true })).toEqual(
        await oracle.get(ids, { includeVectors: true }),
      );
      const near = { vector: direction(1, 5), topK: 5, filter: EVERYTHING };
      expect(rounded(await collection.searchVector(near))).toEqual(rounded(await oracle.searchVector(near)));
      expect(await first.describe(SPEC.name)).toEqual(SPEC);
      await first.drop(SPEC.name);
      await Promise.all([first.close(), second.close()]);
    });
  });
