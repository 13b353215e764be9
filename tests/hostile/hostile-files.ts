import { codeMediaType, MEDIA_TYPES } from '../../src/core/media-types.js';
import { docxEntries, docxParagraph, makeZip } from '../fixtures/documents/make-docx.js';
import { makePdf } from '../fixtures/documents/make-pdf.js';

/** `read`: a document comes of it; else one of the reasons for which it is refused. */
export type Outcome =
  | 'read'
  | 'DOCUMENT_INVALID'
  | 'DOCUMENT_TOO_LARGE'
  | 'DOCUMENT_NOT_TEXT'
  | 'DOCUMENT_INVALID_ENCODING';

export interface HostileFile {
  readonly name: string;
  readonly mediaType: string;
  readonly content: string | Uint8Array;
  readonly expected: Outcome;
}

const file =
  (mediaType: string) =>
  (name: string, content: string | Uint8Array, expected: Outcome): HostileFile => ({
    name,
    mediaType,
    content,
    expected,
  });
const docx = file(MEDIA_TYPES.docx);
const pdf = file(MEDIA_TYPES.pdf);
const html = file(MEDIA_TYPES.html);
const markdown = file(MEDIA_TYPES.markdown);
const json = file(MEDIA_TYPES.json);
const rst = file(MEDIA_TYPES.rst);
const asciidoc = file(MEDIA_TYPES.asciidoc);
const csv = file(MEDIA_TYPES.csv);
const python = file(codeMediaType('python'));
const typescript = file(codeMediaType('typescript'));
const text = file(MEDIA_TYPES.plainText);

const VALID_DOCX = makeZip(docxEntries(docxParagraph('Words.')));
const VALID_PDF = makePdf([['Words of a page.']]);
const part = (share: number, bytes: Uint8Array): Uint8Array =>
  bytes.slice(0, Math.floor(bytes.length * share));
const withDocument = (content: string): Uint8Array =>
  makeZip(
    docxEntries('').map((entry) => (entry.name === 'word/document.xml' ? { ...entry, content } : entry)),
  );
const ENTITIES = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 9 }, (_, level) => `<!ENTITY ${String.fromCharCode(98 + level)} "${`&${String.fromCharCode(97 + level)};`.repeat(10)}">`).join('')}]><x>&j;</x>`;
const changePdf = (from: string, to: string): Uint8Array =>
  Buffer.from(Buffer.from(VALID_PDF).toString('latin1').replaceAll(from, to), 'latin1');
const NUL_BYTES = new Uint8Array(10_000);
/** Behind its byte order mark. */
const HALF_PAIR = Uint8Array.from([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00]);
const INVALID_UTF8 = Uint8Array.from([0x61, 0xff, 0xfe, 0xc3, 0x28, 0x61]);

/** Formats that are archives of XML: their main part, and what becomes of one that says nothing. */
const ARCHIVES: readonly { readonly mediaType: string; readonly main: string; readonly rootless: Outcome }[] =
  [
    { mediaType: MEDIA_TYPES.xlsx, main: 'xl/workbook.xml', rootless: 'read' },
    { mediaType: MEDIA_TYPES.pptx, main: 'ppt/presentation.xml', rootless: 'read' },
    { mediaType: MEDIA_TYPES.odt, main: 'content.xml', rootless: 'DOCUMENT_INVALID' },
    { mediaType: MEDIA_TYPES.epub, main: 'META-INF/container.xml', rootless: 'DOCUMENT_INVALID' },
  ];

/** Files that were made to harm the parser that opens them, by format; made here, so that none lies in the repository. */
export const HOSTILE_FILES: readonly HostileFile[] = [
  docx('empty', '', 'DOCUMENT_INVALID'),
  docx('no ZIP', 'PK but no more', 'DOCUMENT_INVALID'),
  docx('half', part(0.5, VALID_DOCX), 'DOCUMENT_INVALID'),
  docx('cut directory', part(0.95, VALID_DOCX), 'DOCUMENT_INVALID'),
  docx('bytes of zero', NUL_BYTES, 'DOCUMENT_INVALID'),
  docx('a PDF', VALID_PDF, 'DOCUMENT_INVALID'),
  docx('no document part', makeZip([{ name: 'a.txt', content: 'x' }]), 'DOCUMENT_INVALID'),
  docx(
    'bomb of 200 MB',
    makeZip([{ name: 'word/document.xml', content: Buffer.alloc(200_000_000) }]),
    'DOCUMENT_TOO_LARGE',
  ),
  docx(
    'bomb that claims one byte',
    makeZip([{ name: 'word/document.xml', content: Buffer.alloc(200_000_000), claimedBytes: 1 }]),
    'DOCUMENT_TOO_LARGE',
  ),
  docx(
    '6,000 entries',
    makeZip(Array.from({ length: 6_000 }, (_, index) => ({ name: `${index}`, content: '' }))),
    'DOCUMENT_TOO_LARGE',
  ),
  docx('entity bomb', withDocument(ENTITIES), 'DOCUMENT_INVALID'),
  docx(
    'external entity',
    withDocument('<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>'),
    'DOCUMENT_INVALID',
  ),
  docx('XML cut short', withDocument('<w:document><w:body><w:p>'), 'DOCUMENT_INVALID'),
  docx(
    'path out of the archive',
    makeZip([...docxEntries(docxParagraph('Words.')), { name: '../../etc/x', content: 'x' }]),
    'read',
  ),
  docx(
    'absolute path',
    makeZip([...docxEntries(docxParagraph('Words.')), { name: '/etc/x', content: 'x' }]),
    'read',
  ),
  docx(
    'name of __proto__',
    makeZip([...docxEntries(docxParagraph('Words.')), { name: '__proto__', content: 'x' }]),
    'read',
  ),
  docx(
    'script in the text',
    makeZip(docxEntries(docxParagraph('&lt;script&gt;alert(1)&lt;/script&gt;'))),
    'read',
  ),
  docx('no paragraphs', makeZip(docxEntries('')), 'read'),

  pdf('empty', '', 'DOCUMENT_INVALID'),
  pdf('only a header', '%PDF-1.7\n', 'DOCUMENT_INVALID'),
  pdf('text', 'no pdf at all', 'DOCUMENT_INVALID'),
  pdf('bytes of zero', NUL_BYTES, 'DOCUMENT_INVALID'),
  pdf('a ZIP', VALID_DOCX, 'DOCUMENT_INVALID'),
  pdf('no reference table', changePdf('startxref', 'startxxxx'), 'read'),
  pdf('wrong reference table', changePdf('startxref\n', 'startxref\n9'), 'read'),
  pdf('page tree that holds itself', changePdf('/Kids [', '/Kids [2 0 R '), 'DOCUMENT_INVALID'),
  pdf('a billion pages', changePdf('/Count 1', '/Count 1000000000'), 'read'),
  pdf('negative count of pages', changePdf('/Count 1', '/Count -1'), 'read'),
  pdf('no catalogue', changePdf('/Type /Catalog', '/Type /Xatalog'), 'read'),
  pdf('bytes before the header', Buffer.concat([Buffer.alloc(500, 0x20), VALID_PDF]), 'read'),
  pdf('rubbish after the end', Buffer.concat([VALID_PDF, Buffer.alloc(50_000, 0xff)]), 'read'),
  pdf(
    'action of JavaScript',
    changePdf('/Type /Catalog', '/Type /Catalog /OpenAction << /S /JavaScript /JS (app.alert(1)) >>'),
    'read',
  ),

  html('empty', '', 'read'),
  html('20,000 elements deep', `<main>${'<div>'.repeat(20_000)}x`, 'DOCUMENT_INVALID'),
  html('20,000 tables deep', `<main>${'<table><tr><td>'.repeat(20_000)}x`, 'DOCUMENT_INVALID'),
  html('20,000 lists deep', `<main>${'<ul><li>'.repeat(20_000)}x`, 'DOCUMENT_INVALID'),
  html('too large', `<main>${'x'.repeat(11 * 1024 * 1024)}</main>`, 'DOCUMENT_TOO_LARGE'),
  html(
    'scripts and frames',
    '<main><script>fetch("http://x")</script><iframe src="file:///etc/passwd"></iframe>Words</main>',
    'read',
  ),
  html(
    'entities of a document type',
    `<!DOCTYPE x [<!ENTITY a "b">]><main>&a;${'&amp;'.repeat(50_000)}</main>`,
    'read',
  ),
  html('tag never closed', `<main><a href="${'x'.repeat(100_000)}`, 'read'),
  html('comment never closed', `<main>Words<!-- ${'-'.repeat(100_000)}`, 'read'),
  html(
    '30,000 attributes',
    `<main><p ${Array.from({ length: 30_000 }, (_, index) => `a${index}="1"`).join(' ')}>Words</main>`,
    'read',
  ),
  html('invalid UTF-8', INVALID_UTF8, 'read'),
  html('encoding that is none', '<meta charset="no-such"><main>Words</main>', 'read'),

  rst('a million backticks', '`'.repeat(1_000_000), 'read'),
  rst('a million backticks with blanks', '` '.repeat(500_000), 'read'),
  rst('a million characters of underline', `a\n${'='.repeat(1_000_000)}\n`, 'read'),
  rst('half a million titles', 'a\n=\n'.repeat(250_000), 'read'),
  rst(
    '1,400 indents deep',
    Array.from({ length: 1_400 }, (_, depth) => `${' '.repeat(depth)}x`).join('\n'),
    'read',
  ),
  rst(
    '500 directives deep',
    Array.from({ length: 500 }, (_, depth) => `${'   '.repeat(depth)}.. note::\n`).join('\n'),
    'read',
  ),
  rst('a table of 200,000 rows', `=== ===\n${'a   b\n'.repeat(200_000)}=== ===\n`, 'read'),
  rst('100,000 tables that never close', '=== ===\na   b\n\n'.repeat(100_000), 'read'),
  rst('a grid of 100,000 rows', '+--+\n|a |\n'.repeat(100_000), 'read'),
  rst('a directive that includes a file', '.. include:: /etc/passwd\n', 'read'),
  rst('a NUL byte', new Uint8Array([0x61, 0, 0x62]), 'read'),
  rst('invalid UTF-8', INVALID_UTF8, 'read'),

  asciidoc('a million backticks', '`'.repeat(1_000_000), 'read'),
  asciidoc('a table of 200,000 rows', `|===\n${'|a |b\n'.repeat(200_000)}|===\n`, 'read'),
  asciidoc('a block never closed', `----\n${'a\n'.repeat(200_000)}`, 'read'),
  asciidoc('100,000 items', '* a\n+\nb\n\n'.repeat(100_000), 'read'),
  asciidoc('a directive that includes a file', 'include::/etc/passwd[]\n', 'read'),
  asciidoc('invalid UTF-8', INVALID_UTF8, 'read'),

  markdown('10,000 quotes deep', `${'>'.repeat(10_000)} x`, 'read'),
  markdown('10,000 brackets', '['.repeat(10_000), 'read'),
  markdown('10,000 stars', '*a '.repeat(10_000), 'read'),
  markdown(
    'front matter of aliases',
    `---\na: &a [x,x]\nb: &b [*a,*a,*a]\nc: &c [*b,*b,*b]\n---\nWords`,
    'read',
  ),
  markdown('front matter never closed', '---\na: 1\nWords', 'read'),
  markdown('invalid UTF-8', INVALID_UTF8, 'read'),
  markdown('one line of a million characters', 'word '.repeat(200_000), 'read'),

  json('empty', '', 'read'),
  json('cut short', '{"a": [1, 2', 'DOCUMENT_INVALID'),
  json('10,000 lists deep', '['.repeat(10_000) + ']'.repeat(10_000), 'read'),
  json('key of __proto__', '{"__proto__": {"polluted": true}}', 'read'),
  json('number beyond all numbers', '{"a": 1e999999}', 'read'),

  csv('quote never closed', `a,b\n"${'x\n'.repeat(10_000)}`, 'read'),
  csv('20,000 columns', `${'a,'.repeat(20_000)}\n${'1,'.repeat(20_000)}\n`, 'read'),
  csv('a record of 2 million empty fields', `a,b\n${','.repeat(2_000_000)}\n`, 'DOCUMENT_INVALID'),
  csv('a field of 2 million characters', `a,b\n${'x'.repeat(2_000_000)}\n`, 'DOCUMENT_INVALID'),
  csv('300,000 rows', 'a\n'.repeat(300_000), 'read'),
  csv('bytes of zero', NUL_BYTES, 'DOCUMENT_NOT_TEXT'),

  file(codeMediaType('java'))('read in more ways than there is memory for', 'a=>\n'.repeat(50_000), 'read'),
  python('20,000 brackets deep', `x = ${'('.repeat(20_000)}`, 'read'),
  python('one line of half a million characters', `x = "${'a'.repeat(500_000)}"`, 'read'),
  typescript('5,000 functions deep', `${'function a() {'.repeat(5_000)}`, 'read'),
  typescript('nothing but errors', '}{)(][ @#$ '.repeat(2_000), 'read'),
  typescript('bytes of zero', NUL_BYTES, 'DOCUMENT_NOT_TEXT'),
  text('bytes of zero', NUL_BYTES, 'DOCUMENT_NOT_TEXT'),
  text('invalid UTF-8', INVALID_UTF8, 'read'),
  text('invalid UTF-16', HALF_PAIR, 'DOCUMENT_INVALID_ENCODING'),

  ...ARCHIVES.flatMap(({ mediaType, main, rootless }) => {
    const archive = file(mediaType);
    return [
      archive('empty', '', 'DOCUMENT_INVALID'),
      archive('half', part(0.5, makeZip([{ name: main, content: '<a/>' }])), 'DOCUMENT_INVALID'),
      archive('bytes of zero', NUL_BYTES, 'DOCUMENT_INVALID'),
      archive('no part of it', makeZip([{ name: 'a.txt', content: 'x' }]), 'DOCUMENT_INVALID'),
      archive('another root', makeZip([{ name: main, content: '<a/>' }]), rootless),
      archive(
        'bomb of 200 MB',
        makeZip([{ name: main, content: Buffer.alloc(200_000_000) }]),
        'DOCUMENT_TOO_LARGE',
      ),
      archive('entity bomb', makeZip([{ name: main, content: ENTITIES }]), 'DOCUMENT_INVALID'),
      archive(
        '10,000 elements deep',
        makeZip([{ name: main, content: `${'<a>'.repeat(10_000)}${'</a>'.repeat(10_000)}` }]),
        'DOCUMENT_INVALID',
      ),
    ];
  }),

  file(MEDIA_TYPES.notebook)('cut short', '{"cells": [', 'DOCUMENT_INVALID'),
  file(MEDIA_TYPES.notebook)(
    'lists without end',
    `{"cells": ${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
    'DOCUMENT_INVALID',
  ),
  file(MEDIA_TYPES.mail)(
    'parts within parts',
    `Content-Type: multipart/mixed; boundary=a\r\n\r\n${'--a\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n'.repeat(2_000)}`,
    'DOCUMENT_INVALID',
  ),
  file(MEDIA_TYPES.mail)('nothing', '', 'read'),
  file(MEDIA_TYPES.rtf)('groups without end', `{\\rtf1${'{'.repeat(100_000)}`, 'DOCUMENT_INVALID'),
  file(MEDIA_TYPES.rtf)('a million bytes of a picture', `{\\rtf1{\\pict ${'ff'.repeat(500_000)}}}`, 'read'),
  file(MEDIA_TYPES.openApi)('aliases of aliases', 'a: &a [x,x]\nb: &b [*a,*a,*a]\nopenapi: 3.0.0\n', 'read'),
  file(MEDIA_TYPES.tex)('a command that defines itself', '\\newcommand{\\a}{\\a\\a}\\a', 'read'),
];
