import {
  codeMediaType,
  MEDIA_TYPES,
  type ParsedLanguage,
  PLAIN_CODE_MEDIA_TYPE,
} from '../core/media-types.js';
import { anyCase } from './file-patterns.js';

/** What a file is, by its name. */
export interface FileType {
  readonly mediaType: string;
  /** What `filters.sourceType` compares. */
  readonly kind:
    | (
        | 'markdown'
        | 'rst'
        | 'asciidoc'
        | 'org'
        | 'tex'
        | 'text'
        | 'html'
        | 'pdf'
        | 'docx'
        | 'xlsx'
        | 'pptx'
        | 'odt'
        | 'rtf'
      )
    | ('epub' | 'mail' | 'notebook' | 'openapi' | 'csv' | 'json' | 'code');
  /** Programming language, as metadata. */
  readonly language?: string;
  /** Source code in a language without a grammar here. */
  readonly isUnparsed?: boolean;
}

/** What a person should know of how a file was cut. */
export const unparsedNotices = ({ isUnparsed, language = 'its language' }: FileType) =>
  isUnparsed === true
    ? { notices: [`A file in ${language} was cut at blank lines: there is no grammar for it here.`] }
    : {};

const PDF: FileType = { mediaType: MEDIA_TYPES.pdf, kind: 'pdf' };
const DOCX: FileType = { mediaType: MEDIA_TYPES.docx, kind: 'docx' };
const XLSX: FileType = { mediaType: MEDIA_TYPES.xlsx, kind: 'xlsx' };
const PPTX: FileType = { mediaType: MEDIA_TYPES.pptx, kind: 'pptx' };
const ODT: FileType = { mediaType: MEDIA_TYPES.odt, kind: 'odt' };
const EPUB: FileType = { mediaType: MEDIA_TYPES.epub, kind: 'epub' };
const RTF: FileType = { mediaType: MEDIA_TYPES.rtf, kind: 'rtf' };
const OPEN_API: FileType = { mediaType: MEDIA_TYPES.openApi, kind: 'openapi' };

const DOCUMENT_TYPES: Readonly<Record<string, FileType>> = {
  md: { mediaType: MEDIA_TYPES.markdown, kind: 'markdown' },
  markdown: { mediaType: MEDIA_TYPES.markdown, kind: 'markdown' },
  // MDX is Markdown with components in between; documentation sites keep half their pages in it.
  mdx: { mediaType: MEDIA_TYPES.markdown, kind: 'markdown' },
  // Quarto and R Markdown.
  qmd: { mediaType: MEDIA_TYPES.markdown, kind: 'markdown' },
  rmd: { mediaType: MEDIA_TYPES.markdown, kind: 'markdown' },
  txt: { mediaType: MEDIA_TYPES.plainText, kind: 'text' },
  text: { mediaType: MEDIA_TYPES.plainText, kind: 'text' },
  rst: { mediaType: MEDIA_TYPES.rst, kind: 'rst' },
  adoc: { mediaType: MEDIA_TYPES.asciidoc, kind: 'asciidoc' },
  asciidoc: { mediaType: MEDIA_TYPES.asciidoc, kind: 'asciidoc' },
  org: { mediaType: MEDIA_TYPES.org, kind: 'org' },
  tex: { mediaType: MEDIA_TYPES.tex, kind: 'tex' },
  html: { mediaType: MEDIA_TYPES.html, kind: 'html' },
  xhtml: { mediaType: MEDIA_TYPES.html, kind: 'html' },
  htm: { mediaType: MEDIA_TYPES.html, kind: 'html' },
  pdf: PDF,
  // With macros, templates and shows: the same parts under other types.
  ...{ docx: DOCX, docm: DOCX, dotx: DOCX, dotm: DOCX },
  ...{ xlsx: XLSX, xlsm: XLSX, xltx: XLSX, xltm: XLSX },
  ...{ pptx: PPTX, pptm: PPTX, ppsx: PPTX, ppsm: PPTX, potx: PPTX, potm: PPTX },
  odt: ODT,
  rtf: RTF,
  epub: EPUB,
  eml: { mediaType: MEDIA_TYPES.mail, kind: 'mail' },
  ipynb: { mediaType: MEDIA_TYPES.notebook, kind: 'notebook' },
};

const plainCode = (language: string): FileType => ({
  mediaType: PLAIN_CODE_MEDIA_TYPE,
  kind: 'code',
  language,
});

/** Files that are called by their whole name, or by what it begins with. Licences are of nobody in particular. */
const NAMED_TYPES: readonly { readonly names: readonly string[]; readonly type: FileType }[] = [
  {
    names: [
      'README',
      'CHANGELOG',
      'CHANGES',
      'NEWS',
      'HISTORY',
      'CONTRIBUTING',
      'INSTALL',
      'TODO',
      'ROADMAP',
      'NOTES',
    ],
    type: { mediaType: MEDIA_TYPES.plainText, kind: 'text' },
  },
  { names: ['Dockerfile', 'Containerfile', 'Dockerfile.*', '*.dockerfile'], type: plainCode('dockerfile') },
  { names: ['Makefile', 'GNUmakefile', 'Makefile.*', '*.mk'], type: plainCode('makefile') },
  { names: ['Jenkinsfile'], type: plainCode('groovy') },
  {
    names: ['Rakefile', 'Gemfile', 'Vagrantfile'],
    type: { mediaType: codeMediaType('ruby'), kind: 'code', language: 'ruby' },
  },
  {
    names: ['openapi', 'swagger', '*.openapi', '*.swagger'].flatMap((name) =>
      ['yaml', 'yml', 'json'].map((ending) => `${name}.${ending}`),
    ),
    type: OPEN_API,
  },
];

/** Read where a pattern names them: folders are full of data and settings that nobody asks about. */
const DATA_TYPES: Readonly<Record<string, FileType>> = {
  csv: { mediaType: MEDIA_TYPES.csv, kind: 'csv' },
  tsv: { mediaType: MEDIA_TYPES.tsv, kind: 'csv' },
  json: { mediaType: MEDIA_TYPES.json, kind: 'json' },
  jsonl: { mediaType: MEDIA_TYPES.jsonLines, kind: 'json' },
  ndjson: { mediaType: MEDIA_TYPES.jsonLines, kind: 'json' },
};

const PARSED_EXTENSIONS: Readonly<Record<ParsedLanguage, string>> = {
  bash: 'sh bash zsh',
  c: 'c h',
  cpp: 'cc cpp cxx hh hpp hxx ipp',
  csharp: 'cs',
  css: 'css',
  go: 'go',
  ini: 'ini',
  java: 'java',
  javascript: 'js mjs cjs jsx',
  php: 'php',
  powershell: 'ps1 psm1',
  python: 'py pyi',
  ruby: 'rb rake',
  rust: 'rs',
  tsx: 'tsx',
  typescript: 'ts mts cts',
};

/** Languages without a grammar here. */
const UNPARSED_EXTENSIONS: Readonly<Record<string, string>> = {
  clojure: 'clj cljs cljc',
  cuda: 'cu',
  dart: 'dart',
  elixir: 'ex exs',
  erlang: 'erl hrl',
  fortran: 'f90 f95 f03',
  fsharp: 'fs fsx',
  graphql: 'graphql gql',
  groovy: 'groovy gradle',
  haskell: 'hs',
  julia: 'jl',
  kotlin: 'kt kts',
  lua: 'lua',
  nim: 'nim',
  'objective-c': 'm mm',
  ocaml: 'ml mli',
  perl: 'pl pm',
  protobuf: 'proto',
  r: 'r',
  scala: 'scala',
  scss: 'scss sass less',
  solidity: 'sol',
  sql: 'sql',
  svelte: 'svelte',
  swift: 'swift',
  terraform: 'tf hcl',
  'visual basic': 'vb',
  vue: 'vue',
  zig: 'zig',
};

const codeTypes = (
  extensions: Readonly<Record<string, string>>,
  toType: (language: string) => FileType,
): [string, FileType][] =>
  Object.entries(extensions).flatMap(([language, list]) =>
    list.split(' ').map((extension): [string, FileType] => [extension, toType(language)]),
  );

const CODE_TYPES: ReadonlyMap<string, FileType> = new Map([
  ...codeTypes(UNPARSED_EXTENSIONS, (language) => ({
    mediaType: PLAIN_CODE_MEDIA_TYPE,
    kind: 'code',
    language,
    isUnparsed: true,
  })),
  ...codeTypes(PARSED_EXTENSIONS, (language) => ({
    mediaType: codeMediaType(language),
    kind: 'code',
    language: language === 'tsx' ? 'typescript' : language,
  })),
]);

const TYPES: ReadonlyMap<string, FileType> = new Map([
  ...Object.entries(DOCUMENT_TYPES),
  ...Object.entries(DATA_TYPES),
  ...CODE_TYPES,
]);

/** What is read of a file that a pattern names and whose extension says nothing: plain text. */
export const PLAIN_TEXT: FileType = { mediaType: MEDIA_TYPES.plainText, kind: 'text' };

const NAMES = NAMED_TYPES.flatMap(({ names, type }) =>
  names.map((name) => ({
    pattern: new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '.+')}$`, 'i'),
    type,
  })),
);

/** The type that a file's name or extension says, in any case. */
export function fileTypeOf(path: string): FileType {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const named = NAMES.find(({ pattern }) => pattern.test(name));
  if (named !== undefined) return named.type;
  const extension = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase();
  return (extension === undefined ? undefined : TYPES.get(extension)) ?? PLAIN_TEXT;
}

const MIB = 1024 * 1024;
/** Larger files are not read unless that is configured: text that a person writes is smaller. In bytes. */
const DEFAULT_MAX_FILE_BYTES = 10 * MIB;
/** The same for formats that hold pictures or are written by programs, whose parsers are bounded by memory. */
const DEFAULT_MAX_LARGE_BYTES = 100 * MIB;
const LARGE: ReadonlySet<string> = new Set([
  ...[
    MEDIA_TYPES.pdf,
    MEDIA_TYPES.docx,
    MEDIA_TYPES.xlsx,
    MEDIA_TYPES.pptx,
    MEDIA_TYPES.odt,
    MEDIA_TYPES.epub,
  ],
  ...[MEDIA_TYPES.mail, MEDIA_TYPES.csv, MEDIA_TYPES.tsv, MEDIA_TYPES.jsonLines],
]);

/** Largest file of a name that is read, unless that is configured. In bytes. */
export const maxBytesOf = (path: string): number =>
  LARGE.has(fileTypeOf(path).mediaType) ? DEFAULT_MAX_LARGE_BYTES : DEFAULT_MAX_FILE_BYTES;

/** The type of a file that somebody hands in: first bytes that leave no doubt count for more than its name. */
export function typeOfFile(name: string, content: string | Uint8Array): FileType {
  const bytes = Buffer.from(content);
  const begins = (signature: string): boolean =>
    bytes.subarray(0, signature.length).toString('latin1') === signature;
  if (begins('%PDF-')) return PDF;
  if (begins('{\\rtf')) return RTF;
  // Names of entries are not packed. What is none of these is refused by the parser.
  if (begins('PK\u0003\u0004')) return ARCHIVES.find(({ mark }) => bytes.includes(mark))?.type ?? DOCX;
  return fileTypeOf(name);
}

const ARCHIVES: readonly { readonly mark: string; readonly type: FileType }[] = [
  { mark: 'word/document.xml', type: DOCX },
  { mark: 'xl/workbook.xml', type: XLSX },
  { mark: 'ppt/presentation.xml', type: PPTX },
  { mark: MEDIA_TYPES.epub, type: EPUB },
  { mark: MEDIA_TYPES.odt, type: ODT },
];

/** Globs of what a folder stands for: documents and source code, not data. */
export const DEFAULT_FILE_TYPES: readonly string[] = [...Object.keys(DOCUMENT_TYPES), ...CODE_TYPES.keys()]
  .map((extension) => `*.${anyCase(extension)}`)
  .concat(NAMED_TYPES.flatMap(({ names }) => names.map(anyCase)));
