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

  const run = (text: string): string => `<w:r><w:t>${text}</w:t></w:r>`;
  it.each([
    [
      'simple fields',
      `${run('Table ')}<w:fldSimple w:instr=" SEQ Table &gt; ">${run('7')}</w:fldSimple>`,
      'Table 7',
    ],
    ['a direction that is forced', `${run('Berth ')}<w:bdo w:val="ltr">${run('N4')}</w:bdo>`, 'Berth N4'],
    ['a direction within', `<w:dir w:val="rtl">${run('N5')}</w:dir>`, 'N5'],
    [
      'text below its reading',
      `<w:r><w:ruby><w:rubyPr/><w:rt>${run('みなと')}</w:rt><w:rubyBase>${run('港')}</w:rubyBase></w:ruby></w:r>${run('へ')}`,
      '港へ',
    ],
  ])('keep %s', async (_, runs, expected) => {
    const { text } = await parse(makeZip(docxEntries(`<w:p>${runs}</w:p>`)));
    expect(text.trim()).toBe(expected);
  });

  it('leave out hidden text, and count its stretches', async () => {
    const hidden = (text: string, set = '<w:vanish/>'): string =>
      `<w:r><w:rPr>${set}</w:rPr><w:t>${text}</w:t></w:r>`;
    const styles = {
      name: 'word/styles.xml',
      content:
        '<w:styles><w:style w:type="character" w:styleId="Secret"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>',
    };
    const body = `<w:p>${run('a')}${hidden('b')}${hidden('c')}${hidden('d', '<w:vanish w:val="0"/>')}${hidden('e', '<w:rStyle w:val="Secret"/>')}${hidden('f', '<w:b/>')}</w:p>`;
    const parsed = await parse(makeZip([...docxEntries(body), styles]));
    expect(parsed.text.trim()).toBe('ad**f**');
    expect(parsed.unread).toEqual({ 'hidden parts': 2 });
  });

  it('count text that a change takes out, and headers and footers with words', async () => {
    const deleted = '<w:del w:id="1" w:author="a"><w:r><w:delText>gone</w:delText></w:r></w:del>';
    const body = `<w:p><w:pPr><w:rPr><w:del w:id="2" w:author="a"/></w:rPr></w:pPr>${run('a')}${deleted}</w:p><w:p>${run('b')}</w:p>`;
    const parts = [
      { name: 'word/header1.xml', content: `<w:hdr><w:p>${run('Internal')}</w:p></w:hdr>` },
      { name: 'word/footer1.xml', content: `<w:ftr><w:p>${run('3')}</w:p></w:ftr>` },
    ];
    const parsed = await parse(makeZip([...docxEntries(body), ...parts]));
    expect(parsed.text.trim()).toBe('ab');
    expect(parsed.unread).toEqual({ 'hidden parts': 1, 'headers and footers': 1 });
  });

  it('state the author of their properties', async () => {
    const core = { name: 'docProps/core.xml', content: '<cp><dc:creator>Ada &amp; Bo</dc:creator></cp>' };
    const { metadata } = await parse(makeZip([...docxEntries(docxParagraph('x')), core]));
    expect(metadata).toEqual({ author: 'Ada & Bo' });
  });

  it('keep what is said of pictures', async () => {
    const picture = (descr: string): string =>
      `<w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><wp:docPr id="7" name="p" descr="${descr}"/><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill><a:blip xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:embed="p"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`;
    const parts = [
      {
        name: 'word/_rels/document.xml.rels',
        content:
          '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="p" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/a.png"/></Relationships>',
      },
      { name: 'word/media/a.png', content: 'x' },
    ];
    const body = `<w:p>${run('a ')}${picture('Photo of the valve')}${picture('')}</w:p>`;
    const parsed = await parse(makeZip([...docxEntries(body), ...parts]));
    expect(parsed.text.trim()).toBe('a ![Photo of the valve]()');
    expect(parsed.unread).toEqual({ pictures: 2 });
  });

  it('say when they hold no text', async () => {
    expect((await parse(makeZip(docxEntries('')))).warnings).toEqual([expect.stringContaining('no text')]);
  });

  it.each([
    ['', 'is empty (0 bytes)'],
    ['Notes of the meeting', 'is plain text, and not what its name says'],
    ['%PDF-1.7', 'is a PDF, and not what its name says'],
    ['PK\u0003\u0004\u0000', 'is cut short'],
  ])('says what a file is that is no Word document: %j', async (content, said) => {
    await expect(parse(Buffer.from(content))).rejects.toThrow(said);
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

const M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"';
const mathRun = (text: string): string => `<m:r><m:t>${text}</m:t></m:r>`;
const math = (inside: string): string => `<m:oMath ${M}>${inside}</m:oMath>`;
const textOf = async (body: string, others: readonly ZipEntry[] = []): Promise<string> =>
  (await parse(makeZip([...docxEntries(body), ...others]))).text;

describe('formulas of Word documents', () => {
  const e = (inside: string): string => `<m:e>${inside}</m:e>`;
  it.each([
    [
      'a fraction',
      `${mathRun('Q = k A ')}<m:f><m:num>${mathRun('T1 - T2')}</m:num><m:den>${mathRun('d')}</m:den></m:f>`,
      'Q = k A (T1 - T2)/d',
    ],
    ['a power', `<m:sSup>${e(mathRun('x'))}<m:sup>${mathRun('2')}</m:sup></m:sSup>`, 'x^2'],
    ['an index', `<m:sSub>${e(mathRun('p'))}<m:sub>${mathRun('max')}</m:sub></m:sSub>`, 'p_max'],
    [
      'both',
      `<m:sSubSup>${e(mathRun('x'))}<m:sub>${mathRun('i')}</m:sub><m:sup>${mathRun('n+1')}</m:sup></m:sSubSup>`,
      'x_i^(n+1)',
    ],
    ['a root', `<m:rad><m:deg/>${e(mathRun('2gh'))}</m:rad>`, 'sqrt(2gh)'],
    ['a cube root', `<m:rad><m:deg>${mathRun('3')}</m:deg>${e(mathRun('V'))}</m:rad>`, 'root_3(V)'],
    [
      'a sum',
      `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${mathRun('i=1')}</m:sub><m:sup>${mathRun('n')}</m:sup>${e(mathRun('a'))}</m:nary>`,
      '∑_(i=1)^n a',
    ],
    [
      'brackets',
      `<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr>${e(mathRun('a+b'))}</m:d>`,
      '\\[a+b]',
    ],
    ['a function', `<m:func><m:fName>${mathRun('sin')}</m:fName>${e(mathRun('x'))}</m:func>`, 'sin x'],
    [
      'a matrix',
      `<m:m><m:mr>${e(mathRun('a'))}${e(mathRun('b'))}</m:mr><m:mr>${e(mathRun('c'))}${e(mathRun('d'))}</m:mr></m:m>`,
      '\\[a, b; c, d]',
    ],
    ['signs of XML', mathRun('a &lt; b &amp; c'), 'a < b & c'],
  ])('%s is text in its sentence', async (_, inside, expected) => {
    const text = await textOf(
      `<w:p><w:r><w:t xml:space="preserve">So </w:t></w:r>${math(inside)}<w:r><w:t> holds.</w:t></w:r></w:p>`,
    );
    expect(text.trim()).toBe(`So ${expected} holds.`);
  });

  it('one on a line of its own is read', async () => {
    const body = `<w:p><m:oMathPara ${M}><m:oMathParaPr><m:jc m:val="left"/></m:oMathParaPr>${math(mathRun('E = m'))}</m:oMathPara></w:p>`;
    expect((await textOf(body)).trim()).toBe('E = m');
  });
});

describe('numbers of Word documents', () => {
  const level = (index: number, text: string, format = 'decimal', more = ''): string =>
    `<w:lvl w:ilvl="${index}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
  const numbering = (
    levels: string,
    nums = '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
  ): ZipEntry[] => [
    {
      name: 'word/numbering.xml',
      content: `<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:abstractNum w:abstractNumId="0">${levels}</w:abstractNum>${nums}</w:numbering>`,
    },
    {
      name: 'word/_rels/document.xml.rels',
      content:
        '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="n" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/numbering" Target="numbering.xml"/></Relationships>',
    },
  ];
  const item = (text: string, ilvl = 0, style = '', numId = 1): string =>
    `<w:p><w:pPr>${style === '' ? '' : `<w:pStyle w:val="${style}"/>`}<w:numPr><w:ilvl w:val="${ilvl}"/><w:numId w:val="${numId}"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;

  it('headings begin with theirs', async () => {
    const body = [
      item('Scope', 0, 'Heading1'),
      item('Limits', 1, 'Heading2'),
      item('Prices', 1, 'Heading2'),
      item('Place', 0, 'Heading1'),
      item('Dock', 1, 'Heading2'),
    ].join('');
    const text = await textOf(body, numbering(level(0, '%1') + level(1, '%1.%2')));
    expect(text.match(/^#.*/gm)).toEqual([
      '# 1 Scope',
      '## 1.1 Limits',
      '## 1.2 Prices',
      '# 2 Place',
      '## 2.1 Dock',
    ]);
  });

  it('headings that are numbered by their style begin with theirs', async () => {
    const levels = level(0, '%1.', 'upperRoman', '<w:pStyle w:val="Heading1"/>');
    const text = await textOf(
      docxParagraph('Scope', 'Heading1') + docxParagraph('Place', 'Heading1'),
      numbering(levels),
    );
    expect(text.match(/^#.*/gm)).toEqual(['# I. Scope', '# II. Place']);
  });

  it.each([
    ['paragraphs of a law', '§ %1', 'decimal', ['§ 1 One', '§ 2 Two']],
    ['letters', '%1)', 'lowerLetter', ['a) One', 'b) Two']],
    ['numerals', '(%1)', 'lowerRoman', ['(i) One', '(ii) Two']],
    ['articles', 'Article %1:', 'decimal', ['Article 1: One', 'Article 2: Two']],
    ['two digits', '%1.', 'decimalZero', ['01. One', '02. Two']],
  ])('%s keep theirs', async (_, text, format, expected) => {
    const parsed = await textOf(item('One') + item('Two'), numbering(level(0, text, format)));
    expect(parsed.split('\n').filter((line) => line !== '')).toEqual(expected);
  });

  it('items of several levels keep the numbers of all', async () => {
    const body = item('One') + item('Inner', 1) + item('Second', 1) + item('Two') + item('Last', 1);
    const text = await textOf(body, numbering(level(0, '%1.') + level(1, '%1.%2')));
    expect(text.split('\n').filter((line) => line !== '')).toEqual([
      '1. One',
      '1.1 Inner',
      '1.2 Second',
      '2. Two',
      '2.1 Last',
    ]);
  });

  it('a list that goes on after a paragraph goes on counting', async () => {
    const text = await textOf(item('One') + docxParagraph('Wait.') + item('Two'), numbering(level(0, '%1.')));
    expect(text).toContain('2. Two');
  });

  it('a list that begins anew counts from one, and a plain one stays a list', async () => {
    const nums =
      '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>';
    const body =
      item('One') + item('Two') + docxParagraph('Wait.') + item('First', 0, '', 2) + item('Second', 0, '', 2);
    const text = await textOf(body, numbering(level(0, '%1.'), nums));
    expect(text).toContain('1. One\n2. Two\n');
    expect(text).toContain('1. First\n2. Second\n');
  });
});

describe('what stands beside the text of Word documents', () => {
  const related = (kind: string): ZipEntry => ({
    name: 'word/_rels/document.xml.rels',
    content: `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="n" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${kind}" Target="${kind}.xml"/></Relationships>`,
  });
  const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

  it('comments are read behind it, and leave no mark in it', async () => {
    const body =
      '<w:p><w:r><w:t xml:space="preserve">The supplier </w:t></w:r><w:r><w:commentReference w:id="0"/></w:r><w:r><w:t>delivers.</w:t></w:r></w:p>';
    const comments = {
      name: 'word/comments.xml',
      content: `<w:comments ${W}><w:comment w:id="0" w:initials="Q">${docxParagraph('It is now Gullwing.')}</w:comment></w:comments>`,
    };
    const text = await textOf(body, [related('comments'), comments]);
    expect(text).toBe('The supplier delivers.\n\nComment Q1: It is now Gullwing.\n');
  });

  it('footnotes are read behind it, with their number', async () => {
    const body = '<w:p><w:r><w:t>Pay in May.</w:t></w:r><w:r><w:footnoteReference w:id="1"/></w:r></w:p>';
    const notes = {
      name: 'word/footnotes.xml',
      content: `<w:footnotes ${W}><w:footnote w:id="1">${docxParagraph('Not in a leap year.')}</w:footnote></w:footnotes>`,
    };
    const text = await textOf(body, [related('footnotes'), notes]);
    expect(text).toContain('Pay in May.');
    expect(text).toContain('1. Not in a leap year.');
    expect(text).not.toContain('↑');
  });

  it('charts, drawings, embedded files and macros are counted', async () => {
    const body =
      docxParagraph('x') +
      '<w:p><w:r><w:drawing><c:chart r:id="a"/></w:drawing><w:drawing><dgm:relIds r:dm="b"/></w:drawing><w:object><o:OLEObject ProgID="x"/></w:object></w:r></w:p>';
    const document = [...docxEntries(body), { name: 'word/vbaProject.bin', content: 'x' }];
    expect((await parse(makeZip(document))).unread).toEqual({
      ...{ charts: 1, drawings: 1, 'embedded files': 1, macros: 1 },
    });
    expect((await parse(makeZip(docxEntries(docxParagraph('x'))))).unread).toBeUndefined();
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
