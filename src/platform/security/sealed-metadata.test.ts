import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SEALED_KEY } from '../../core/chunk-metadata.js';
import { and, EVERYTHING, eq, exists, not, or } from '../../core/filter.js';
import type { Metadata } from '../../core/metadata.js';
import { createSealing, NO_SEALING } from './sealed-metadata.js';

const key = (id: string) => ({ id, key: randomBytes(32).toString('base64') });
const FIRST = key('k1');
const SECOND = key('k2');
const OWNER = { tenant: 'acme', documentId: 'd-1' };
const FIELDS = ['salary', 'diagnosis'];

const sealing = createSealing({ fields: FIELDS, keys: [FIRST] });

const sealedOf = (metadata: Metadata) => metadata[SEALED_KEY] as Record<string, string>;

const anyMetadata = fc.record(
  { salary: fc.jsonValue(), diagnosis: fc.jsonValue(), state: fc.jsonValue() },
  { requiredKeys: [] },
) as fc.Arbitrary<Metadata>;
const anyOwner = fc.record({ tenant: fc.string(), documentId: fc.string() });

describe('metadata', () => {
  test('is the same after it was sealed and opened, and sealing it again changes nothing', () => {
    fc.assert(
      fc.property(anyMetadata, anyOwner, (metadata, owner) => {
        const sealed = sealing.seal(metadata, owner);
        expect(JSON.stringify(sealing.open(sealed, owner), Object.keys(metadata).sort())).toBe(
          JSON.stringify(
            sealing.open(JSON.parse(JSON.stringify(sealed)), owner),
            Object.keys(metadata).sort(),
          ),
        );
        // JSON has one zero.
        expect(JSON.parse(JSON.stringify(sealing.open(sealed, owner)))).toEqual(
          JSON.parse(JSON.stringify(metadata)),
        );
        expect(sealing.seal(sealed, owner)).toEqual(sealed);
        expect(sealing.seal(metadata, owner)).toEqual(sealed);
      }),
    );
  });

  test('shows nothing of what is marked, and everything else', () => {
    const sealed = sealing.seal({ salary: 'ninety thousand', state: 'New' }, OWNER);
    expect(Object.keys(sealed)).toEqual(['state', SEALED_KEY]);
    expect(JSON.stringify(sealed)).not.toMatch(/ninety|thousand/);
    expect(sealing.seal({ state: 'New' }, OWNER)).toEqual({ state: 'New' });
  });

  test('does not decrypt in another place', () => {
    fc.assert(
      fc.property(anyOwner, anyOwner, (owner, other) => {
        fc.pre(JSON.stringify(owner) !== JSON.stringify(other));
        const sealed = sealing.seal({ salary: 1 }, owner);
        expect(() => sealing.open(sealed, other)).toThrow(/cannot be decrypted/);
      }),
    );
    const { salary = '' } = sealedOf(sealing.seal({ salary: 1 }, OWNER));
    const moved = { [SEALED_KEY]: { diagnosis: salary } };
    expect(() => sealing.open(moved, OWNER)).toThrow(/"diagnosis" of a document cannot be decrypted/);
  });

  test('does not decrypt where a bit of it was changed', () => {
    const { salary = '' } = sealedOf(sealing.seal({ salary: 'ninety thousand' }, OWNER));
    const [version, id, text = ''] = salary.split('.');
    const bytes = Buffer.from(text, 'base64url');
    fc.assert(
      fc.property(fc.nat(bytes.length * 8 - 1), (bit) => {
        const changed = Buffer.from(bytes);
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const value = [version, id, changed.toString('base64url')].join('.');
        expect(() => sealing.open({ [SEALED_KEY]: { salary: value } }, OWNER)).toThrow(/cannot be decrypted/);
      }),
    );
  });

  test('that is cut short does not decrypt', () => {
    const { salary = '' } = sealedOf(sealing.seal({ salary: 'ninety thousand' }, OWNER));
    for (let length = 'v.k1.'.length; length < salary.length; length++)
      expect(() => sealing.open({ [SEALED_KEY]: { salary: salary.slice(0, length) } }, OWNER)).toThrow();
  });
});

describe('keys', () => {
  const sealed = sealing.seal({ salary: 1 }, OWNER);

  test('that are not there, or are others, are told by their ids', () => {
    const other = createSealing({ fields: FIELDS, keys: [SECOND] });
    const wrong = createSealing({ fields: FIELDS, keys: [{ ...SECOND, id: 'k1' }] });
    expect(() => other.open(sealed, OWNER)).toThrow(
      expect.objectContaining({ reason: 'ENCRYPTION_KEY_MISSING' }),
    );
    expect(() => NO_SEALING.open(sealed, OWNER)).toThrow(/"k1"/);
    expect(() => wrong.open(sealed, OWNER)).toThrow(expect.objectContaining({ reason: 'ENCRYPTION_FAILED' }));
  });

  test('after the first decrypt, and the first encrypts anew', () => {
    const both = createSealing({ fields: FIELDS, keys: [SECOND, FIRST] });
    expect([sealing.isCurrent(sealed, OWNER), both.isCurrent(sealed, OWNER)]).toEqual([true, false]);
    const anew = both.seal(sealed, OWNER);
    expect(both.isCurrent(anew, OWNER)).toBe(true);
    expect(createSealing({ fields: FIELDS, keys: [SECOND] }).open(anew, OWNER)).toEqual({ salary: 1 });
  });

  test('have 32 bytes', () => {
    const hex = randomBytes(32).toString('hex');
    expect(
      createSealing({ fields: FIELDS, keys: [{ id: 'h', key: hex }] }).seal({ salary: 1 }, OWNER),
    ).toBeDefined();
    for (const short of ['', 'password', randomBytes(16).toString('base64'), hex.slice(2)])
      expect(() => createSealing({ fields: FIELDS, keys: [{ id: 'h', key: short }] })).toThrow(/32 bytes/);
  });

  test('a field that is no longer marked is not current, and one that is marked now neither', () => {
    const unmarked = createSealing({ fields: [], keys: [FIRST] });
    expect(unmarked.isCurrent(sealed, OWNER)).toBe(false);
    expect(unmarked.seal(sealed, OWNER)).toEqual({ salary: 1 });
    expect(sealing.isCurrent({ salary: 1 }, OWNER)).toBe(false);
  });
});

test('a filter on what is encrypted is refused, wherever it stands in it', () => {
  for (const filter of [
    eq('salary', 1),
    not(exists('salary.amount')),
    and(EVERYTHING, or(eq('state', 'New'), exists('diagnosis'))),
    exists(`${SEALED_KEY}.salary`),
  ])
    expect(() => sealing.assertFilterable(filter)).toThrow(/cannot be filtered/);
  expect(() => sealing.assertFilterable(and(eq('state', 'New'), eq('salaryBand', 2)))).not.toThrow();
});

test('a part of a marked field is as marked as the field', () => {
  const sealed = sealing.seal({ 'salary.base': 'ninety', salaryBand: 2 }, OWNER);
  expect(JSON.stringify(sealed)).not.toContain('ninety');
  expect(sealed.salaryBand).toBe(2);
  expect(sealing.isCurrent(sealed, OWNER)).toBe(true);
  expect(sealing.isCurrent({ 'salary.base': 1 }, OWNER)).toBe(false);
  expect(sealing.readable({ 'salary.base': 1 })).toEqual(['salary']);
  expect(sealing.open(sealed, OWNER)).toEqual({ 'salary.base': 'ninety', salaryBand: 2 });
});

test('of a field with a dot in its name neither metadata nor filters are in clear', () => {
  const dotted = createSealing({ fields: ['salary.base'], keys: [FIRST] });
  expect(Object.keys(dotted.seal({ 'salary.base': 1, 'salary.bonus': 2 }, OWNER))).toEqual([
    'salary.bonus',
    SEALED_KEY,
  ]);
  expect(() => dotted.assertFilterable(eq('salary.base', 1))).toThrow(/cannot be filtered/);
});
