import { describe, expect, it } from 'vitest';
import { makeZip } from '../../../tests/fixtures/documents/make-docx.js';
import { makePptx, PRESENTATION, relations } from '../../../tests/fixtures/documents/make-office.js';
import { linesAs, parseAs } from '../test-converted.js';
import { PPTX_FORMAT } from './pptx-format.js';

const paragraph = (text: string): string => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`;
const shape = (text: string, type?: string): string =>
  `<p:sp><p:nvSpPr><p:nvPr>${type === undefined ? '' : `<p:ph type="${type}"/>`}</p:nvPr></p:nvSpPr><p:txBody>${text.startsWith('<') ? text : paragraph(text)}</p:txBody></p:sp>`;

describe('presentations', () => {
  it.each<[string, string[], string[]]>([
    [
      'titles and text',
      [shape('Dredging plan', 'title') + shape('The basin is dredged in October.')],
      ['## Dredging plan', 'The basin is dredged in October.'],
    ],
    ['slides in their order', [shape('One', 'ctrTitle'), shape('Two', 'title')], ['## One', '## Two']],
    ['a slide without a title', [shape('Only text.')], ['## Slide 1', 'Only text.']],
    [
      'paragraphs and their runs',
      [
        shape(
          `<a:p><a:r><a:t>One </a:t></a:r><a:r><a:t>line</a:t></a:r><a:br/><a:r><a:t>more</a:t></a:r></a:p>${paragraph('Two')}`,
        ),
      ],
      ['## Slide 1', 'One line more', 'Two'],
    ],
    ['groups', [`<p:grpSp><p:grpSp>${shape('Deep.')}</p:grpSp></p:grpSp>`], ['## Slide 1', 'Deep.']],
    [
      'tables',
      [
        `<p:graphicFrame><a:graphic><a:tbl><a:tr><a:tc><a:txBody>${paragraph('Berth')}</a:txBody></a:tc><a:tc><a:txBody>${paragraph('Fee')}</a:txBody></a:tc></a:tr><a:tr><a:tc><a:txBody>${paragraph('N 4')}</a:txBody></a:tc><a:tc><a:txBody>${paragraph('310')}</a:txBody></a:tc></a:tr></a:tbl></a:graphic></p:graphicFrame>`,
      ],
      ['## Slide 1', '| Berth | Fee |', '| - | - |', '| N 4 | 310 |'],
    ],
    [
      'merged cells',
      [
        `<a:tbl><a:tr><a:tc gridSpan="2"><a:txBody>${paragraph('Both')}</a:txBody></a:tc><a:tc hMerge="1"/></a:tr><a:tr><a:tc><a:txBody>${paragraph('a')}</a:txBody></a:tc><a:tc><a:txBody>${paragraph('b')}</a:txBody></a:tc></a:tr></a:tbl>`,
      ],
      ['## Slide 1', '| Both | Both |', '| - | - |', '| a | b |'],
    ],
    [
      'numbers and dates of slides, which are left out',
      [shape('3', 'sldNum') + shape('2025', 'dt') + shape('Ferry Ltd', 'ftr') + shape('Text.')],
      ['## Slide 1', 'Text.'],
    ],
    ['signs', [shape('a &lt; b &amp; # c')], ['## Slide 1', 'a < b & # c']],
    [
      'what is raised and lowered',
      [
        shape(
          '<a:p><a:r><a:t>10</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>6</a:t></a:r><a:r><a:t> Pa in p</a:t></a:r><a:r><a:rPr baseline="-25000"/><a:t>max</a:t></a:r></a:p>',
          'title',
        ) + shape('<a:p><a:r><a:t>5 m</a:t></a:r><a:r><a:rPr baseline="30%"/><a:t>3</a:t></a:r></a:p>'),
      ],
      ['## 10^6 Pa in p_max', '5 m^3'],
    ],
    [
      'what is said of pictures',
      ['<p:pic><p:nvPicPr><p:cNvPr id="5" name="x" descr="Diagram of the basin"/></p:nvPicPr></p:pic>'],
      ['## Slide 1', '![Diagram of the basin]()'],
    ],
    ['fields', [shape('<a:p><a:fld type="x"><a:t>Field</a:t></a:fld></a:p>')], ['## Slide 1', 'Field']],
  ])('are read: %s', async (_, slides, expected) => {
    expect(await linesAs(PPTX_FORMAT, makePptx(slides))).toEqual(expected);
  });

  it('have notes and comments below their slide', async () => {
    const more = [
      {
        name: 'ppt/slides/_rels/slide1.xml.rels',
        content: relations(
          ['a', 'notesSlide', '../notesSlides/n1.xml'],
          ['b', 'comments', '../comments/c1.xml'],
        ),
      },
      {
        name: 'ppt/notesSlides/n1.xml',
        content: `<p:notes ${PRESENTATION}>${shape('1', 'sldNum')}${shape('Tell the ferry company first.', 'body')}</p:notes>`,
      },
      {
        name: 'ppt/comments/c1.xml',
        content: `<p:cmLst ${PRESENTATION}><p:cm><p:text>Is October right?</p:text></p:cm></p:cmLst>`,
      },
    ];
    expect(await linesAs(PPTX_FORMAT, makePptx([shape('Plan', 'title')], more))).toEqual([
      '## Plan',
      'Notes: Tell the ferry company first.',
      'Comment: Is October right?',
    ]);
  });

  it('are called by their first title, and count pictures, charts and drawings', async () => {
    const parsed = await parseAs(
      PPTX_FORMAT,
      makePptx([
        shape('Plan', 'title') +
          '<p:pic/><p:pic/><p:graphicFrame><c:chart/></p:graphicFrame><p:graphicFrame><dgm:relIds/></p:graphicFrame>',
        shape('x'),
      ]),
    );
    expect(parsed).toMatchObject({
      title: 'Plan',
      metadata: { slideCount: 2 },
      unread: { pictures: 2, charts: 1, drawings: 1 },
    });
  });

  it('leave out hidden slides, and count them', async () => {
    const parsed = await parseAs(
      PPTX_FORMAT,
      makeZip([
        {
          name: 'ppt/presentation.xml',
          content: `<p:presentation ${PRESENTATION}><p:sldId r:id="a"/></p:presentation>`,
        },
        { name: 'ppt/_rels/presentation.xml.rels', content: relations(['a', 'slide', 'slides/a.xml']) },
        { name: 'ppt/slides/a.xml', content: `<p:sld ${PRESENTATION} show="0">${shape('word')}</p:sld>` },
      ]),
    );
    expect(parsed).toMatchObject({ text: '', unread: { 'hidden parts': 1 } });
  });

  it('are read once where they name a slide again', async () => {
    const parsed = await parseAs(
      PPTX_FORMAT,
      makeZip([
        {
          name: 'ppt/presentation.xml',
          content: `<p:presentation ${PRESENTATION}>${'<p:sldId r:id="a"/>'.repeat(20_000)}</p:presentation>`,
        },
        { name: 'ppt/_rels/presentation.xml.rels', content: relations(['a', 'slide', 'slides/a.xml']) },
        { name: 'ppt/slides/a.xml', content: `<p:sld ${PRESENTATION}>${shape('word')}</p:sld>` },
      ]),
    );
    expect(parsed).toMatchObject({
      text: '## Slide 1\n\nword\n',
      metadata: { slideCount: 1 },
      warnings: ['19999 references to parts of the file that stand in the text already were left out.'],
    });
  });

  it('that are none are refused', async () => {
    await expect(parseAs(PPTX_FORMAT, makeZip([{ name: 'a.txt', content: 'x' }]))).rejects.toMatchObject({
      reason: 'DOCUMENT_INVALID',
    });
    await expect(parseAs(PPTX_FORMAT, makePptx(['<p:sp>']))).rejects.toMatchObject({
      reason: 'DOCUMENT_INVALID',
    });
  });
});
