import { PBI_MEDIA_TYPE } from '../../src/core/document.js';
import {
  codeMediaType,
  MEDIA_TYPES,
  type ParsedLanguage,
  PLAIN_CODE_MEDIA_TYPE,
} from '../../src/core/media-types.js';
import { docxEntries, docxParagraph, docxTable, makeZip } from '../fixtures/documents/make-docx.js';
import { makeEpub, makeOdt, makePptx, makeXlsx } from '../fixtures/documents/make-office.js';
import { makePdf } from '../fixtures/documents/make-pdf.js';

/** A document of so many like parts, of some hundred bytes each. */
export type MakeDocument = (parts: number) => string | Uint8Array;

const numbered = (parts: number, part: (index: number) => string): string[] =>
  Array.from({ length: parts }, (_, index) => part(index));

const joined =
  (part: (index: number) => string, separator = '\n'): MakeDocument =>
  (parts) =>
    numbered(parts, part).join(separator);

const WORDS = 'Payments are retried three times, after one, two and four seconds';

const CODE: Readonly<Record<ParsedLanguage, (index: number) => string>> = {
  bash: (at) =>
    `# says hello\nhello${at}() {\n  for x in "$@"; do if [ -f "$x" ]; then echo "hi \${x}" | grep y; fi; done\n}\n`,
  c: (at) =>
    `struct node${at} { int a; };\nstatic int *find${at}(int a) { for (int i = 0; i < a; i++) { use(i); } return 0; }\n`,
  cpp: (at) =>
    `class Box${at} {\n int get() { return 1; }\n};\nint Box${at}::size(int *x) {\n  for (auto &y : z) { std::cout << y << "x"; }\n  return 1;\n}\n`,
  csharp: (at) =>
    `[Serializable]\npublic class Api${at} : B {\n  public int Size { get; set; }\n  public async Task Get<T>(int a) { var x = await foo.Bar(a, y => y + 1); }\n}\n`,
  css: (at) =>
    `.card${at} > h2 {\n color: red;\n margin: 0 1px;\n}\n@media print { .card${at} { display: none; } }\n`,
  go: (at) =>
    `func (s *Server) Start${at}(x int, y []string) (int, error) {\n\tfor i := 0; i < x; i++ {\n\t\tuse(i)\n\t}\n\treturn 0, nil\n}\n`,
  ini: (at) => `[database${at}]\nhost=a\nport=${at}\n`,
  java: (at) =>
    `/** doc */\n@Service\nclass Api${at} extends B {\n  void get(int a) { for (int i = 0; i < a; i++) { out.println("x" + i); } }\n}\n`,
  javascript: (at) =>
    `class Api${at} {\n  get(a) { for (const b of a) { console.log(\`x \${b}\`); } return [1, 2]; }\n}\nmodule.exports.find${at} = function () {};\n`,
  php: (at) =>
    `<?php\nclass Api${at} {\n public function get($a) { foreach ($a as $b => $c) { echo "x $b"; } return [1, 2]; }\n}\n?>\n`,
  powershell: (at) =>
    `function Get-Item${at} {\n param([string]$a, $b = 3)\n foreach ($x in $a) { Write-Host "hi $x" | Out-Null }\n}\n`,
  python: (at) =>
    `@cached\ndef load${at}(path, *more):\n    """Reads."""\n    for one in more:\n        print(f"x {one}")\n    return path\n`,
  ruby: (at) =>
    `class Job${at} < Base\n  # does\n  def perform(a, b = 1)\n    items.each { |x| puts "#{x} y" if x > 3 }\n  end\nend\n`,
  rust: (at) =>
    `/// Does.\n#[derive(Debug)]\npub struct Chunk${at} { a: i32 }\nimpl Display for Chunk${at} {\n    fn fmt(&self) -> R<u8> { match self.a { 1 => 2, _ => 3 } }\n}\n`,
  tsx: (at) =>
    `export function App${at}({ items }: Props) {\n  return <ul>{items.map((one) => <li key={one}>{one}</li>)}</ul>;\n}\n`,
  typescript: (at) =>
    `export class Store${at}<T> {\n  #size = 0;\n  async upsert(a: T): Promise<void> { for (const b of a) { await this.put(b); } }\n}\n`,
};

const behindBlanks: MakeDocument = (parts) => `${' '.repeat(100 * parts)}${'a;'.repeat(8 * parts)}`;

const HOSTILE_CODE: Readonly<Partial<Record<ParsedLanguage, Readonly<Record<string, MakeDocument>>>>> = {
  go: {
    'a long receiver': (parts) =>
      `package a\nfunc (s ${'A'.repeat(10 * parts)},) X() {\n${' '.repeat(99)}}\n`,
  },
  javascript: { 'one line behind blanks': behindBlanks },
  python: { 'one line behind blanks': behindBlanks },
  java: { 'read in many ways': (parts) => 'a=>\n'.repeat(parts) },
  typescript: { modifiers: (parts) => `${'declare '.repeat(parts)}class A {}` },
};

/** Elements around nothing that is read. */
const EMPTY_ELEMENTS = [
  '<b></b>',
  '<i> </i> ',
  '<code></code>',
  '<a href="x"></a>',
  '<b><i></i></b>',
  '<foo></foo>',
];

const oneParagraphOf = (pieces: readonly string[]): Readonly<Record<string, MakeDocument>> =>
  Object.fromEntries(
    pieces.map((piece) => [
      `one paragraph of ${piece} alone`,
      (parts: number) => `<p>${piece.repeat(2 * parts)}</p>`,
    ]),
  );

const record = (id: number): object => ({ id, name: `thing ${id}`, note: 'plain' });
/** Small ones, so that there are many. */
const records = (parts: number): object[] => Array.from({ length: 4 * parts }, (_, at) => record(at));

/** One document that its parser reads for each media type, and others that once took long. */
export const LONG_DOCUMENTS: Readonly<Record<string, Readonly<Record<string, MakeDocument>>>> = {
  [MEDIA_TYPES.markdown]: {
    sections: joined(
      (at) => `## Part ${at}\n\n${WORDS}.\n\n- one\n- [two](#x)\n\n| a | b |\n|---|---|\n| 1 | ${at} |\n`,
    ),
    'one paragraph': joined((at) => `${WORDS} (${at}).`, ' '),
    'one table': (parts) =>
      `| a | b |\n|---|---|\n${numbered(parts, (at) => `| ${at} | ${WORDS} |`).join('\n')}`,
  },
  [MEDIA_TYPES.plainText]: {
    paragraphs: joined((at) => `${WORDS} (${at}).`, '\n\n'),
    'one line': joined((at) => `${WORDS} (${at}).`, ' '),
  },
  [MEDIA_TYPES.rst]: {
    sections: joined(
      (at) => `Part ${at}\n========\n\n${WORDS}.\n\n- one\n- two\n\n.. note::\n\n   ${WORDS}\n`,
    ),
    'a table of many columns and short rows': (parts) =>
      `${'= '.repeat(parts)}=\n${'a\n'.repeat(parts)}${'= '.repeat(parts)}=\n`,
    'tables in a note that nothing closes': (parts) =>
      `.. note::\n\n${'   === ===\n   a\n\n'.repeat(3 * parts)}`,
    'blanks before the mark of code': (parts) => `a${' '.repeat(10 * parts)}b::\n`,
    'blanks behind the name of a directive, a field and a substitution': (parts) =>
      `.. note::${' '.repeat(10 * parts)}a\u2028a\n\n:a:${' '.repeat(10 * parts)}a\u2028a\n\n.. |a| replace::${' '.repeat(10 * parts)}a\u2028a\n`,
  },
  [MEDIA_TYPES.asciidoc]: {
    sections: joined((at) => `== Part ${at}\n\n${WORDS}.\n\n* one\n* two\n\n|===\n|a |b\n|===\n`),
    'brackets behind an image': (parts) => `image::${'['.repeat(10 * parts)}`,
    'brackets behind a condition': (parts) => `ifdef::a${'['.repeat(10 * parts)}x`,
    'rows on one line': (parts) => `[cols="1"]\n|===\n${'|a '.repeat(10 * parts)}\n|===\n`,
    'blanks behind the name of an attribute': (parts) => `:a:${' '.repeat(10 * parts)}a\u2028a\n`,
  },
  [MEDIA_TYPES.html]: {
    sections: joined(
      (at) => `<h2>Part ${at}</h2><p>${WORDS}.</p><ul><li>one</li></ul><table><tr><td>a</td></tr></table>`,
    ),
    ...Object.fromEntries(
      [
        (text: string) => `<span>${text}</span>`,
        (text: string) => `<b></b><x-word><font>${text}</font></x-word>`,
        (text: string) => `<q>${text}</q>`,
        (text: string) => `${text}<wbr>`,
        (text: string) => `${text}<!-- -->`,
      ].map((part) => [
        `one paragraph of ${part('')}`,
        (parts: number) => `<p>${numbered(4 * parts, (at) => part(`w${at} text `)).join('')}`,
      ]),
    ),
    ...oneParagraphOf(EMPTY_ELEMENTS),
    ...oneParagraphOf(['<i>a</i>x', '<b>a</b><b>b</b>', '<b>a</b><i>b</i>', '<s>a</s>x', '<kbd>a</kbd>']),
    'a table whose cells span a thousand': (parts) =>
      `<table>${'<tr><td colspan=1000 rowspan=1000>a'.repeat(parts)}</table>`,
    'a table of one long row and many short': (parts) =>
      `<table><tr>${'<td>a'.repeat(parts)}${'<tr><td>b'.repeat(parts)}</table>`,
    'paragraphs in deep lists': (parts) => `${'<ul><li>'.repeat(parts / 20)}${'<p>a</p>'.repeat(parts)}`,
  },
  [MEDIA_TYPES.confluenceStorage]: {
    sections: joined(
      (at) =>
        `<h2>Part ${at}</h2><p>${WORDS}.</p><ac:structured-macro ac:name="info"><ac:rich-text-body><p>a</p></ac:rich-text-body></ac:structured-macro>`,
    ),
    ...oneParagraphOf([...EMPTY_ELEMENTS, '<i hidden="">a</i> ', '<title>a</title>']),
    'a table whose cells span a thousand': (parts) =>
      `<table>${'<tr><td colspan="1000" rowspan="1000">a</td></tr>'.repeat(parts)}</table>`,
    ...Object.fromEntries(
      ['<button> </button> ', '<iframe> </iframe> '].map((piece) => [
        `one cell of ${piece} alone`,
        (parts: number) => `<table><tr><td>${piece.repeat(2 * parts)}</td></tr></table>`,
      ]),
    ),
    'lines of code in a cell': (parts) =>
      `<table><tr><td><pre>${'a\n'.repeat(parts)}</pre></td></tr></table>`,
  },
  [MEDIA_TYPES.csv]: { rows: joined((at) => `${at},thing ${at},"${WORDS}, ""again"""`) },
  [MEDIA_TYPES.tsv]: { rows: joined((at) => `${at}\tthing ${at}\t${WORDS}`) },
  [MEDIA_TYPES.json]: {
    'one line': (parts) => JSON.stringify({ items: records(parts) }),
    'many lines': (parts) =>
      JSON.stringify(
        Array.from({ length: parts }, (_, at) => record(at)),
        null,
        2,
      ),
    members: (parts) =>
      JSON.stringify(
        Object.fromEntries(numbered(parts, (at) => `k${at}`).map((key, at) => [key, record(at)])),
      ),
  },
  [MEDIA_TYPES.jsonLines]: {
    records: joined((at) => JSON.stringify(record(at))),
    'long records': (parts) => JSON.stringify({ items: records(parts) }),
  },
  [PBI_MEDIA_TYPE]: {
    'long fields': (parts) =>
      JSON.stringify({
        id: 'P-1',
        title: 'a',
        description: numbered(parts, (at) => `${WORDS} ${at}.`).join('\n\n'),
        tasks: Array.from({ length: parts }, (_, at) => record(at)),
      }),
    'many fields': (parts) =>
      JSON.stringify({
        id: 'P-1',
        title: 'a',
        ...Object.fromEntries(numbered(parts, (at) => `field_${at}`).map((key) => [key, WORDS])),
      }),
  },
  [MEDIA_TYPES.pdf]: {
    pages: (parts) =>
      makePdf(Array.from({ length: Math.ceil(parts / 10) }, () => Array.from({ length: 10 }, () => WORDS))),
  },
  [MEDIA_TYPES.docx]: {
    paragraphs: (parts) =>
      makeZip(
        docxEntries(
          numbered(
            parts,
            (at) =>
              `${docxParagraph(`Part ${at}`, 'Heading2')}${docxParagraph(WORDS)}${docxTable([['a', 'b']])}`,
          ).join(''),
        ),
      ),
  },
  [MEDIA_TYPES.xlsx]: {
    rows: (parts) =>
      makeXlsx({
        sheets: {
          S: numbered(
            parts,
            (at) =>
              `<row><c t="inlineStr"><is><t>${WORDS}</t></is></c><c><v>${at}</v></c></row>${at % 9 === 0 ? `<row r="${at * 2 + parts}"/>` : ''}`,
          ).join(''),
        },
      }),
  },
  [MEDIA_TYPES.pptx]: {
    slides: (parts) =>
      makePptx(
        numbered(
          Math.ceil(parts / 10),
          () => `<p:sp><p:txBody>${`<a:p><a:r><a:t>${WORDS}</a:t></a:r></a:p>`.repeat(10)}</p:txBody></p:sp>`,
        ),
      ),
  },
  [MEDIA_TYPES.odt]: {
    'lists in lists': (parts) => {
      const [begin, end] = ['<text:list><text:list-item>', '</text:list-item></text:list>'];
      return makeOdt(
        `${begin.repeat(200)}<text:p>x</text:p>${end.repeat(200)}`.repeat(Math.ceil(parts / 100)),
      );
    },
    paragraphs: (parts) =>
      makeOdt(
        numbered(
          parts,
          (at) => `<text:h text:outline-level="2">Part ${at}</text:h><text:p>${WORDS}.</text:p>`,
        ).join(''),
      ),
  },
  [MEDIA_TYPES.epub]: {
    chapters: (parts) =>
      makeEpub({ 'a.xhtml': numbered(parts, (at) => `<h2>Part ${at}</h2><p>${WORDS}.</p>`).join('') }),
  },
  [MEDIA_TYPES.rtf]: {
    paragraphs: (parts) =>
      `{\\rtf1\\ansi ${numbered(parts, (at) => `{\\b Part ${at}}\\par ${WORDS}.\\par\n`).join('')}}`,
    rows: (parts) => `{\\rtf1 ${'\\trowd\\cellx100\\intbl a\\cell\\row '.repeat(2 * parts)}}`,
    cells: (parts) => `{\\rtf1 \\intbl ${'a\\cell '.repeat(4 * parts)}\\row}`,
    'bytes of letters': (parts) => `{\\rtf1 ${"\\'e9".repeat(20 * parts)}}`,
  },
  [MEDIA_TYPES.mail]: {
    parts: (parts) =>
      `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(10 * parts)}--b--`,
    groups: (parts) => `To: ${'g: a@b, '.repeat(4 * parts)}\r\n\r\nx`,
    lines: (parts) => `Subject: a\r\n\r\n${numbered(parts, (at) => `${WORDS} ${at}.`).join('\r\n\r\n')}`,
  },
  [MEDIA_TYPES.notebook]: {
    'marks of code': (parts) =>
      JSON.stringify({ cells: [{ cell_type: 'code', source: '` '.repeat(40 * parts) }] }),
    cells: (parts) =>
      JSON.stringify({
        cells: numbered(parts, () => WORDS).map((source) => ({
          cell_type: 'code',
          source,
          outputs: [{ output_type: 'stream', text: WORDS }],
        })),
      }),
  },
  [MEDIA_TYPES.org]: {
    sections: joined(
      (at) => `* Part ${at}\n\n${WORDS}.\n\n- one :: two\n\n| a | b |\n|---+---|\n| 1 | 2 |\n`,
    ),
    marks: (parts) => '*a '.repeat(10 * parts),
    'open links': (parts) => '[['.repeat(10 * parts),
  },
  [MEDIA_TYPES.tex]: {
    sections: joined(
      (at) =>
        `\\section{Part ${at}}\n${WORDS} \\emph{again}.\n\\begin{itemize}\\item one\\end{itemize}\n\\begin{tabular}{ll}a & b \\\\\\end{tabular}\n`,
    ),
    'blanks alone': (parts) => ' '.repeat(20 * parts),
    'open groups': (parts) => '\\textbf{'.repeat(parts),
    'open environments': (parts) => '\\begin{center}'.repeat(parts),
    'open listings': (parts) => '\\begin{verbatim}'.repeat(10 * parts),
    'open lists': (parts) => '\\begin{itemize}\\item '.repeat(parts),
    'signs of formulas': (parts) => '$a'.repeat(10 * parts),
  },
  [MEDIA_TYPES.openApi]: {
    operations: (parts) =>
      JSON.stringify({
        openapi: '3.0.0',
        paths: Object.fromEntries(
          numbered(parts, (at) => `/part/${at}`).map((path) => [
            path,
            { get: { summary: WORDS, responses: { 200: { description: WORDS } } } },
          ]),
        ),
      }),
  },
  [PLAIN_CODE_MEDIA_TYPE]: { paragraphs: joined((at) => `fun a${at}() {\n  ${WORDS}\n}\n`) },
  ...Object.fromEntries(
    Object.entries(CODE).map(([language, part]) => [
      codeMediaType(language),
      {
        definitions: joined(part, ''),
        'one line': (parts: number) => joined(part, '')(parts).toString().replace(/\n/g, ' '),
        ...HOSTILE_CODE[language as ParsedLanguage],
      },
    ]),
  ),
};
