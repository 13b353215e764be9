import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  docxEntries,
  docxParagraph,
  docxTable,
  makeZip,
  type ZipEntry,
} from '../../../tests/fixtures/documents/make-docx.js';
import type { ParsedDocument } from '../../core/document.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { OPEN_ACCESS } from '../../core/scope.js';
import { createMarkdownParser } from '../markdown/markdown-parser.js';
import { createDocxParser } from './docx-parser.js';

const parse = async (content: Uint8Array): Promise<ParsedDocument> =>
  createDocxParser({
    markdown: createMarkdownParser(),
    limits: { maxTotalBytes: 1_000_000, maxEntries: 50 },
  }).parse({ externalId: 'a.docx', mediaType: MEDIA_TYPES.docx, content, metadata: {}, access: OPEN_ACCESS });

const BODY = [
  docxParagraph('Runbook', 'Heading1'),
  docxParagraph('Restart the service &amp; wait.'),
  docxParagraph('Limits', 'Heading2'),
  docxTable([
    ['name', 'value'],
    ['retries', '5'],
  ]),
].join('');

const with_ = (entries: readonly ZipEntry[], name: string, change: Partial<ZipEntry>): ZipEntry[] =>
  entries.map((entry) => (entry.name === name ? { ...entry, ...change } : entry));

describe('Word documents', () => {
  it('keep headings, text and tables', async () => {
    const { text, blocks, title, warnings } = await parse(makeZip(docxEntries(BODY)));
    expect(text).toContain('Restart the service & wait.');
    expect(title).toBe('Runbook');
    expect(blocks.map(({ kind }) => kind)).toEqual(['heading', 'paragraph', 'heading', 'table']);
    expect(text).toMatch(/\| retries \| 5 +\|/);
    expect(warnings).toEqual([]);
  });

  it('say when they hold no text', async () => {
    expect((await parse(makeZip(docxEntries('')))).warnings).toEqual([expect.stringContaining('no text')]);
  });

  const declared = { name: 'docProps/core.xml', content: '<cp><dc:title>Boiler manual</dc:title></cp>' };
  const sections =
    docxParagraph('Limits', 'Heading1') + docxParagraph('Nine bar.') + docxParagraph('Prices', 'Heading1');
  it.each([
    ['what has the style Title', docxParagraph('Valves', 'Title') + sections, 'Valves'],
    ['what their properties declare, where several sections stand at the top', sections, 'Boiler manual'],
    ['the lone heading at the top', BODY, 'Runbook'],
  ])('are called by %s', async (_, body, title) => {
    const document = await parse(makeZip([...docxEntries(body), declared]));
    expect(document.title).toBe(title);
    expect(document.text).toContain(title === 'Boiler manual' ? '# Limits' : `# ${title}`);
  });

  it('take the title of their properties where no heading gives one', async () => {
    const core = { name: 'docProps/core.xml', content: '<cp><dc:title>A &amp; B</dc:title></cp>' };
    const document = await parse(makeZip([...docxEntries(docxParagraph('x')), core]));
    expect(document.title).toBe('A & B');
  });
});

describe('hostile Word documents', () => {
  const bomb = 'x'.repeat(2_000_000);
  it.each<[string, Uint8Array, string]>([
    ['a decompression bomb', makeZip(docxEntries(`<w:p>${bomb}</w:p>`)), 'DOCUMENT_TOO_LARGE'],
    [
      'a bomb that claims to be small',
      makeZip([...docxEntries(BODY), { name: 'word/media/a.png', content: bomb, claimedBytes: 10 }]),
      'DOCUMENT_TOO_LARGE',
    ],
    [
      'a bomb in many parts',
      makeZip([
        ...docxEntries(BODY),
        ...Array.from({ length: 40 }, (_, i) => ({ name: `x${i}`, content: bomb.slice(0, 60_000) })),
      ]),
      'DOCUMENT_TOO_LARGE',
    ],
    [
      'too many entries',
      makeZip([
        ...docxEntries(BODY),
        ...Array.from({ length: 60 }, (_, i) => ({ name: `x${i}`, content: '' })),
      ]),
      'DOCUMENT_TOO_LARGE',
    ],
    [
      'entities',
      makeZip(
        with_(docxEntries(BODY), 'word/document.xml', {
          content: '<!DOCTYPE a [<!ENTITY b "b">]><w:document>&b;</w:document>',
        }),
      ),
      'DOCUMENT_INVALID',
    ],
    ['no ZIP file', Buffer.from('hello'), 'DOCUMENT_INVALID'],
    ['an empty file', Buffer.from(''), 'DOCUMENT_INVALID'],
    ['a ZIP file of something else', makeZip([{ name: 'a.txt', content: 'a' }]), 'DOCUMENT_INVALID'],
  ])('%s is refused', async (_, bytes, reason) => {
    await expect(parse(bytes)).rejects.toMatchObject({ reason });
  });

  it('a truncated or altered file is read or refused, never a crash', async () => {
    const valid = makeZip(docxEntries(BODY));
    const change = fc.array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(change, fc.nat(valid.length), async (changes, length) => {
        const bytes = Uint8Array.from(valid);
        for (const [at, value] of changes) bytes[at] = value;
        await parse(bytes.subarray(0, length % 3 === 0 ? length : valid.length)).then(
          ({ text }) => expect(typeof text).toBe('string'),
          (error: unknown) => expect(error).toMatchObject({ code: 'E003' }),
        );
      }),
      { numRuns: 80 },
    );
  });
});
