import { expect, test } from 'vitest';
import { RowMapping } from './row-mapping.js';

const ROW = { id: '7', band: 'zirconflorin', note: 'Ann works here.' };

test('a column of a marked field stands in no text, title or address, and is metadata', () => {
  const mapping = new RowMapping(
    {
      key: ['id'],
      content: ['note', 'band'],
      title: 'Row {id} {band}',
      link: 'https://rows.example/{band}',
      fields: { salary_band: 'band' },
      markedFields: ['salary_band'],
    },
    'rows',
  );
  const { content, title, url, metadata } = mapping.toDocument('7', ROW);
  expect([content, title, url].join()).not.toContain('zirconflorin');
  expect([content, title, url]).toEqual(['## note\n\nAnn works here.\n', 'Row 7', undefined]);
  expect(metadata).toEqual({ salary_band: 'zirconflorin' });
});

test('a key cannot be a marked field', () => {
  const options = { key: ['band'], text: '{note}', fields: { salary_band: 'band' } };
  expect(() => new RowMapping({ ...options, markedFields: ['salary_band'] }, 'rows')).toThrow(/another key/);
  expect(() => new RowMapping({ ...options, markedFields: ['band'] }, 'rows')).toThrow(/another key/);
  expect(() => new RowMapping(options, 'rows')).not.toThrow();
});

test('a column that is called like a marked field is one in every case of letters', () => {
  const options = { key: ['id'], content: ['note', 'BAND'], markedFields: ['band'] };
  const row = { id: '7', BAND: 'zirconflorin', note: 'Ann works here.' };
  expect(new RowMapping(options, 'rows').toDocument('7', row).content).not.toContain('zirconflorin');
  expect(() => new RowMapping({ ...options, key: ['BAND'] }, 'rows')).toThrow(/another key/);
});

test.each([{ q: 'band' }, { band: 'note', Q: 'BAND' }])(
  'a column that is called like a marked field has no open name: %j',
  (fields) => {
    const options = { key: ['id'], text: '{note}', fields };
    expect(() => new RowMapping({ ...options, markedFields: ['band'] }, 'rows')).toThrow(/Encrypt "/);
    expect(() => new RowMapping(options, 'rows')).not.toThrow();
    // Metadata are encrypted under their names in whatever letters.
    expect(
      () => new RowMapping({ ...options, fields: ['BAND'], markedFields: ['band'] }, 'rows'),
    ).not.toThrow();
  },
);

test.each([
  { fields: { salary: 'band', pay: 'band' } },
  { fields: { salary: 'band', pay: 'BAND' } },
  { fields: { 'salary.base': 'band', pay: 'band' } },
  { fields: { pay: 'band', salary: 'band' } },
  { fields: { salary: 'band' }, createdAt: 'band' },
  { fields: { salary: 'band' }, updatedAt: 'Band' },
])('a column of a marked field has no open name: %j', (mapped) => {
  const options = { key: ['id'], text: '{note}', ...mapped };
  expect(() => new RowMapping({ ...options, markedFields: ['salary'] }, 'rows')).toThrow(
    expect.objectContaining({ reason: 'CONFIG_INVALID', message: expect.stringMatching(/Encrypt "/) }),
  );
  expect(() => new RowMapping({ ...options, markedFields: ['team'] }, 'rows')).not.toThrow();
});

test('a column of a marked field may have several names that are all marked', () => {
  const options = { key: ['id'], text: '{note}', fields: { salary: 'band', pay: 'band' } };
  expect(() => new RowMapping({ ...options, markedFields: ['salary', 'pay'] }, 'rows')).not.toThrow();
});

test.each(['salary.base', 'SALARY.Base', 'salary.'])(
  'a column that is called like a part of a marked field stands in no text, title or address: %s',
  (column) => {
    const row = { id: '7', note: 'Ann works here.', [column]: 'zirconflorin' };
    const common = { key: ['id'], markedFields: ['salary'] };
    const templated = {
      text: `{note} {${column}}`,
      title: `{id} {${column}}`,
      link: `https://x.example/{${column}}`,
    };
    for (const options of [templated, { content: ['note', column] }]) {
      const { content, title, url } = new RowMapping({ ...common, ...options }, 'rows').toDocument('7', row);
      expect([content, title, url].join()).not.toContain('zirconflorin');
      expect(content).toContain('Ann works here.');
    }
    const open = (options: object) => () => new RowMapping({ ...common, text: '{note}', ...options }, 'rows');
    expect(open({ fields: { pay: column } })).toThrow(/Encrypt "pay"/);
    expect(open({ key: [column] })).toThrow(/another key/);
    expect(open({ fields: { 'salary.base': column } })).not.toThrow();
  },
);
