import { describe, expect, test } from 'vitest';
import { OPEN_ACCESS } from '../core/scope.js';
import { createMarkdownParser } from '../parsing/markdown/markdown-parser.js';
import { documentDates } from './document-metadata.js';

const COPIED = '2026-01-01T00:00:00.000Z';
const parser = createMarkdownParser();

const datesOf = (frontMatter: string, dated: { updatedAt?: string; isDatedByFile?: boolean }) => {
  const raw = {
    ...{ externalId: 'a.md', mediaType: 'text/markdown', metadata: {}, access: OPEN_ACCESS },
    ...dated,
    content: `---\n${frontMatter}\n---\n\nText.\n`,
  };
  return documentDates(raw, parser.parse(raw));
};

describe('the date of a document', () => {
  test.each([
    ['updated: 2024-05-01\ndate: 2019-01-01', '2024-05-01'],
    ['lastmod: 2021-03-03T10:00:00+02:00', '2021-03-03T08:00:00.000Z'],
    ['date: 2019-05-01\ncreated: 2018-01-01', '2019-05-01'],
    ['Last-Modified: "2020-02-02 12:00"', '2020-02-02T12:00:00.000Z'],
    ['created: 2018-01-01', '2018-01-01'],
    ['date: 2019/5/1', '2019-05-01'],
    ['date: 01.05.2019', '2019-05-01'],
    ['date: May 1, 2019', '2019-05-01'],
    ['date: 1 May 2019', '2019-05-01'],
    ['date: 20190501', '2019-05-01'],
    ['date: "20190501"', '2019-05-01'],
    ['date: 1 Mai 2019', '2019-05-01'],
    ['date: 1. Mai 2019', '2019-05-01'],
    ['date: Mittwoch, 1. Mai 2019', '2019-05-01'],
    ['date: 3. März 2019', '2019-03-03'],
    ['date: 3. Maerz 2019', '2019-03-03'],
    ['date: 12 Dez. 2008', '2008-12-12'],
    ['date: 1er février 2019', '2019-02-01'],
    ['date: 1 de mayo de 2019', '2019-05-01'],
    ['date: 1 maggio 2019', '2019-05-01'],
    ['date: 1 mei 2019', '2019-05-01'],
    ['date: 1 мая 2019', '2019-05-01'],
    ['date: 2019年5月1日', '2019-05-01'],
    ['date: 9 Sept 2019', '2019-09-09'],
    ['date: Wed, 01 May 2019 10:00:00 GMT', '2019-05-01'],
    ['last_modified_at: 2019-05-01', '2019-05-01'],
    ['publishDate: 2019-05-01', '2019-05-01'],
    ['date:\n  created: 2018-01-01\n  updated: 2019-05-01', '2019-05-01'],
    ['updated: 2020-01-01\ndate: { updated: 2019-05-01 }', '2020-01-01'],
    ['updated: soon\ndate: 2019-05-01', '2019-05-01'],
  ])('is what front matter states, before the time of a file: %s', (frontMatter, date) => {
    expect(datesOf(frontMatter, { updatedAt: COPIED, isDatedByFile: true }).updatedAt).toBe(
      new Date(date).toISOString(),
    );
  });

  test.each([
    'date: yesterday',
    'date: 2024',
    'date: 5/1/2024',
    'date: 31.02.2024',
    'date: 2021-02-30',
    'date: 2021-02-30T10:00:00Z',
    'date: Mai 2024',
    'date: 20241301',
    'date: 2024050',
    'date: 31 Februar 2024',
    'date: 1 Foobar 2024',
    'updated: [2024-05-01]',
    'title: 2024-05-01',
  ])('is the time of its file where nothing states one: %s', (frontMatter) => {
    expect(datesOf(frontMatter, { updatedAt: COPIED, isDatedByFile: true }).updatedAt).toBe(COPIED);
  });

  test('is that of the system which keeps it, else what the text states', () => {
    expect(datesOf('updated: 2024-05-01', { updatedAt: COPIED }).updatedAt).toBe(COPIED);
    expect(datesOf('created: 2024-05-01', {})).toEqual({
      createdAt: '2024-05-01T00:00:00.000Z',
      updatedAt: '2024-05-01T00:00:00.000Z',
    });
  });
});
