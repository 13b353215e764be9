import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { record } from '../../testing/vector-store/records.js';
import { postgresError } from './postgres-errors.js';
import { adoptionSettings, storeDatabase, vectorIndexSettings } from './postgres-options.js';
import { ragDocumentRow, rowIdOf } from './rag-documents-row.js';
import { originalJson, storableJson } from './storable-json.js';
import { decodeVector, encodeVector, encodeVectors } from './vector-codec.js';

const text = fc.string({
  unit: fc.constantFrom('\0', '\u0001', '\u0002', '\\', 'u', '0', '1', '"', 'é', '😀', 'a'),
});

describe('JSON that PostgreSQL can keep', () => {
  it('comes back as it was, and holds no NUL', () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.integer(),
        fc.array(tie('value')),
        fc.dictionary(text, tie('value')),
      ),
    }));
    fc.assert(
      fc.property(value, (original) => {
        const stored = storableJson(original);
        expect(JSON.stringify(JSON.parse(stored))).not.toMatch(/(^|[^\\])(\\\\)*\\u0000/);
        expect(originalJson(stored)).toEqual(JSON.parse(JSON.stringify(original)));
      }),
    );
  });
});

describe('vectors in binary', () => {
  const vectors = fc.array(
    fc.float32Array({ noNaN: true, noDefaultInfinity: true, minLength: 1, maxLength: 9 }),
    {
      maxLength: 4,
    },
  );

  it('are laid out as array_recv and vector_recv read them', () => {
    expect(encodeVector(Float32Array.of(1, -2)).toString('hex')).toBe('00020000' + '3f800000' + 'c0000000');
    fc.assert(
      fc.property(vectors, (all) => {
        const buffer = encodeVectors(all, 4_000_000_000);
        const header = [0, 4, 12, 16].map((offset) => buffer.readInt32BE(offset));
        expect([...header, buffer.readUInt32BE(8)]).toEqual([1, 0, all.length, 1, 4_000_000_000]);
        let offset = 20;
        for (const vector of all) {
          const bytes = buffer.readInt32BE(offset);
          expect(buffer.subarray(offset + 4, offset + 4 + bytes)).toEqual(encodeVector(vector));
          offset += 4 + bytes;
        }
        expect(offset).toBe(buffer.length);
      }),
    );
  });

  it('are read from text', () => {
    expect(decodeVector('[0.1,-3,1e-07]')).toEqual(Float32Array.of(0.1, -3, 1e-7));
  });
});

describe('faults', () => {
  it('have a reason by their SQLSTATE, and a message without the data in the cause', () => {
    const reasonOf = (code: string) => {
      const cause = Object.assign(new Error('secret text'), { code, detail: 'secret row' });
      const error = postgresError(cause, { action: 'write', address: 'host:1/db' });
      expect(error.message).toContain('host:1/db');
      expect(error.message).toContain(code);
      expect(error.message).not.toContain('secret');
      return error.reason;
    };
    expect(['ECONNREFUSED', '08006', '57P01', '53300', '40P01', 'ZZ999'].map(reasonOf)).toEqual(
      Array(6).fill('STORE_UNAVAILABLE'),
    );
    expect(['57014', '55P03'].map(reasonOf)).toEqual(Array(2).fill('STORE_TIMEOUT'));
    expect(['28P01', '3D000'].map(reasonOf)).toEqual(Array(2).fill('CONFIG_INVALID'));
    expect(['42501', '25006'].map(reasonOf)).toEqual(Array(2).fill('STORE_READ_ONLY'));
    expect(['53100', '42P01', 'XX001', '54001'].map(reasonOf)).toEqual([
      'STORE_FULL',
      'COLLECTION_NOT_FOUND',
      'STORE_DAMAGED',
      'STORE_FILTER_UNSUPPORTED',
    ]);
  });
});

describe('options', () => {
  it('that are undefined keep their default', () => {
    const { settings } = storeDatabase({ host: 'h', timeoutMs: undefined });
    expect(settings).toMatchObject({ host: 'h', timeoutMs: 30_000, schema: 'ragstone' });
  });

  it('out of range are refused by name', () => {
    const refused = (name: string) =>
      expect.objectContaining({ reason: 'CONFIG_INVALID', message: expect.stringContaining(name) as string });
    expect(() => storeDatabase({ schema: 'a"; DROP' })).toThrow(refused('schema'));
    expect(() => storeDatabase({ efSearch: 1_001 })).toThrow(refused('efSearch'));
    expect(() => vectorIndexSettings({ hnswM: 40, hnswEfConstruction: 64 })).toThrow(
      refused('hnswEfConstruction'),
    );
    expect(() => adoptionSettings({ table: 'x.y' })).toThrow(refused('table'));
  });
});

describe('rows of rag_documents', () => {
  it('have a UUID of their own for every id but a UUID', () => {
    const uuid = '0b0e1f2a-1111-4222-8333-444455556666';
    expect(rowIdOf('c', uuid)).toBe(uuid);
    const ids = [rowIdOf('c', 'a'), rowIdOf('d', 'a'), rowIdOf('c', uuid.toUpperCase())];
    expect(new Set(ids).size).toBe(3);
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('fit their columns and stay apart', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('\0', 'a', '😀'), maxLength: 150 }), (source) => {
        const row = ragDocumentRow(record('x', { metadata: { source } }), 'c');
        expect(Array.from(row.source_id.replaceAll('\0', '..')).length).toBeLessThanOrEqual(100);
      }),
    );
    const idOf = (source: string) => ragDocumentRow(record('x', { metadata: { source } }), 'c').source_id;
    expect(idOf(`${'a'.repeat(120)}b`)).not.toBe(idOf(`${'a'.repeat(120)}c`));
  });
});
