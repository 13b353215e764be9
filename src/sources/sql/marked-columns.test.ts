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
