import { expect, test } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { docxEntries, docxParagraph, makeZip } from '../../tests/fixtures/documents/make-docx.js';
import { makeXlsx } from '../../tests/fixtures/documents/make-office.js';
import { makePdf } from '../../tests/fixtures/documents/make-pdf.js';
import { createEngine } from '../engine/create-engine.js';

const chart = '<w:p><w:r><w:drawing><c:chart r:id="a"/></w:drawing></w:r></w:p>';
const FILES = {
  'docs/a.docx': makeZip(docxEntries(docxParagraph('Valves.') + chart + chart)),
  'docs/b.xlsx': makeXlsx({
    sheets: { S: '<row><c t="inlineStr"><is><t>Fees</t></is></c><c><f>A1</f></c></row>' },
    more: [{ name: 'xl/charts/chart1.xml', content: '<c/>' }],
  }),
  'docs/c.pdf': makePdf([['Text'], [], []]),
  'docs/d.pdf': makePdf([['Text'], []]),
  'docs/e.md': '---\nunread: 7\n---\n\nPlain text.\n',
};

test('what parsers met and did not read is counted by source, names its documents, and stays with the index', async () => {
  const engine = await createEngine({ config: { provider: 'libsql' }, cwd: temporaryFolder(FILES) });
  try {
    const { stats, notices } = await engine.index({ paths: ['docs'] });
    const counts = { charts: 3, formulas: 1, 'pages without text': 3 };
    expect(Object.values(stats.unread ?? {})).toEqual([counts]);
    expect(notices).toContainEqual(
      expect.stringMatching(
        /^Not read in "docs": charts: 3, formulas: 1, pages without text: 3; in a\.docx, b\.xlsx, c\.pdf and 1 more\.$/,
      ),
    );
    expect((await engine.status()).sources[0]?.unread).toEqual(counts);
    expect((await engine.index({ paths: ['docs'] })).stats.unread).toBeUndefined();
    expect((await engine.status()).sources[0]?.unread).toEqual(counts);
    const [found] = (await engine.search('Valves')).results;
    expect(found?.metadata.unread).toEqual({ charts: 2 });
  } finally {
    await engine.close();
  }
});
