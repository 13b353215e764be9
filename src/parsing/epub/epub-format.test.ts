import { describe, expect, it } from 'vitest';
import { makeZip } from '../../../tests/fixtures/documents/make-docx.js';
import { makeEpub } from '../../../tests/fixtures/documents/make-office.js';
import { linesAs, parseAs } from '../test-converted.js';
import { EPUB_FORMAT } from './epub-format.js';

describe('EPUB books', () => {
  it.each<[string, Uint8Array, string[]]>([
    [
      'chapters in the order of reading',
      makeEpub({ 'b.xhtml': '<h1>One</h1><p>First.</p>', 'a.xhtml': '<h1>Two</h1><p>Second.</p>' }),
      ['# One', 'First.', '# Two', 'Second.'],
    ],
    ['a book at the root', makeEpub({ 'a.xhtml': '<p>x</p>' }, { folder: '' }), ['x']],
    ['folders of chapters', makeEpub({ 'text/a.xhtml': '<p>x</p>' }), ['x']],
    ['names with blanks', makeEpub({ 'chapter one.xhtml': '<p>x</p>' }), ['x']],
    [
      'tables and lists',
      makeEpub({
        'a.xhtml':
          '<ul><li>a</li></ul><table><tr><th>b</th><th>c</th></tr><tr><td>1</td><td>2</td></tr></table>',
      }),
      ['- a', '| b | c |', '| - | - |', '| 1 | 2 |'],
    ],
    [
      'notes that are shown where somebody asks for one',
      makeEpub({
        'a.xhtml':
          '<p>High<a epub:type="noteref" href="#n1">1</a>.</p><aside epub:type="footnote" id="n1"><p>At spring tide.</p></aside><aside epub:type="endnote" hidden="hidden"><p>At neap tide.</p></aside><aside role="doc-footnote"><p>At noon.</p></aside><aside><p>Advert</p></aside>',
      }),
      ['High[1](#n1).', 'At spring tide.', 'At neap tide.', 'At noon.'],
    ],
    ['figures that are raised', makeEpub({ 'a.xhtml': '<p>10<sup>6</sup> cells</p>' }), ['10^6 cells']],
    ['entities of HTML', makeEpub({ 'a.xhtml': '<p>a&nbsp;b &eacute;</p>' }), ['a b é']],
    [
      'chapters that are not there',
      makeZip([
        { name: 'META-INF/container.xml', content: '<container><rootfile full-path="b.opf"/></container>' },
        {
          name: 'b.opf',
          content:
            '<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/><itemref idref="z"/></spine></package>',
        },
      ]),
      [],
    ],
  ])('are read: %s', async (_, content, expected) => {
    expect((await linesAs(EPUB_FORMAT, content)).map((line) => line.replace(/\u00a0/g, ' '))).toEqual(
      expected,
    );
  });

  it('state what they are called, their language and author, and count pictures', async () => {
    const facts =
      '<dc:title>Pilot handbook</dc:title><dc:language>en</dc:language><dc:creator>Ada</dc:creator>';
    const parsed = await parseAs(
      EPUB_FORMAT,
      makeEpub(
        { 'a.xhtml': '<p>x</p>' },
        { facts, items: '<item id="i" href="a.png" media-type="image/png"/>' },
      ),
    );
    expect(parsed).toMatchObject({
      title: 'Pilot handbook',
      metadata: { locale: 'en', author: 'Ada' },
      unread: { pictures: 1 },
    });
  });

  it('count a picture once, also where its file is missing or a drawing frames it', async () => {
    const { unread } = await parseAs(
      EPUB_FORMAT,
      makeEpub(
        {
          'text/a.xhtml':
            '<svg viewBox="0 0 9 9"><image xlink:href="../a.png"/></svg><img src="../b%20c.png" alt="Plan"/><img src="../b%20c.png"/><svg><path/></svg><p hidden="hidden">x</p>',
        },
        { items: '<item id="i" href="a.png" media-type="image/png"/>' },
      ),
    );
    expect(unread).toEqual({ pictures: 3, 'hidden parts': 1 });
  });

  it('are read once where they name a chapter again', async () => {
    const parsed = await parseAs(
      EPUB_FORMAT,
      makeZip([
        { name: 'META-INF/container.xml', content: '<container><rootfile full-path="b.opf"/></container>' },
        {
          name: 'b.opf',
          content: `<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine>${'<itemref idref="a"/>'.repeat(5_000)}</spine></package>`,
        },
        { name: 'a.xhtml', content: '<p>word</p>' },
      ]),
    );
    expect(parsed).toMatchObject({
      text: 'word',
      warnings: ['4999 references to parts of the file that stand in the text already were left out.'],
    });
  });

  it('leave their folder for no file', async () => {
    expect((await parseAs(EPUB_FORMAT, makeEpub({ '../../../../etc/passwd': '<p>x</p>' }))).text).toBe('');
  });

  it.each([
    ['no contents', makeZip([{ name: 'a', content: 'x' }])],
    ['no archive', Buffer.from('x')],
  ])('that are none are refused: %s', async (_, content) => {
    await expect(parseAs(EPUB_FORMAT, content)).rejects.toMatchObject({ reason: 'DOCUMENT_INVALID' });
  });
});
