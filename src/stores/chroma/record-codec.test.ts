import { describe, expect, it } from 'vitest';
import { axis, record } from '../../testing/vector-store/records.js';
import { storedChunkOf } from '../record-fields.js';
import { chromaId, chromaName, ownId } from './chroma-names.js';
import { decodeRow, encodeRecord } from './record-codec.js';

describe('the metadata of a record', () => {
  it('have the names that other readers expect', () => {
    const { id, document, metadata } = encodeRecord(
      record('c1', {
        documentId: 'doc-1',
        project: 'apollo',
        content: 'Text',
        metadata: {
          source: 'docs/a.md',
          sourceType: 'markdown',
          title: 'A',
          createdAt: '2026-01-01T00:00:00.000Z',
          updatedAt: '2026-01-02T00:00:00.000Z',
          chunkIndex: 2,
          chunkTotal: 5,
          tags: ['x', 'y'],
        },
      }),
    );
    expect({ id, document }).toEqual({ id: 'c1', document: 'Text' });
    expect(metadata).toMatchObject({
      source_id: 'doc-1',
      source_type: 'markdown',
      source_path: 'docs/a.md',
      chunk_index: 2,
      chunk_total: 5,
      title: 'A',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-02T00:00:00.000Z',
      project_id: 'apollo',
      tags: ['x', 'y'],
    });
  });

  it('always have the same readable keys, because an upsert merges', () => {
    const readable = (keys: object) => Object.keys(keys).filter((key) => !/^(v|o\d):/.test(key));
    const bare = encodeRecord(record('a')).metadata;
    const full = encodeRecord(record('a', { project: 'p', metadata: { title: 'T', tags: ['x'] } })).metadata;
    expect(readable(bare)).toEqual(readable(full));
  });

  it('give the record and its vector back', () => {
    const long = axis(0).map((x) => x * 1_000);
    for (const vector of [axis(1), long, new Float32Array(8)]) {
      const original = record('a', { vector, metadata: { deep: [{ x: null }] } });
      const { document, metadata, embedding } = encodeRecord(original);
      const row = { document, metadata, embedding: Array.from(embedding) };
      expect(decodeRow(row)).toEqual({ ...storedChunkOf(original), vector });
      expect([0, 1]).toContain(Math.hypot(...embedding));
    }
  });

  it('of another writer are STORE_DAMAGED', () => {
    for (const row of [{}, { document: 'x', metadata: {} }, { document: 'x', metadata: { record: '{' } }])
      expect(() => decodeRow(row)).toThrow(expect.objectContaining({ reason: 'STORE_DAMAGED' }));
  });
});

describe('names', () => {
  it('are kept where Chroma takes them, and never meet otherwise', () => {
    expect(chromaName('asdlc_documents')).toBe('asdlc_documents');
    const names = ['a', 'ab', '_a_', '-x', 'a-', 'abc'];
    expect(new Set(names.map(chromaName)).size).toBe(names.length);
    for (const name of names) expect(chromaName(name)).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]+[A-Za-z0-9]$/);
  });

  it('of records come back, the empty one too', () => {
    const ids = ['', '~', '~~', 'a', '~a', '\u0000'];
    expect(ids.map(chromaId).map(ownId)).toEqual(ids);
    expect(new Set(ids.map(chromaId)).size).toBe(ids.length);
    expect(ids.map(chromaId)).not.toContain('');
  });
});
