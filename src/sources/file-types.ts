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
  readonly kind: 'markdown' | 'rst' | 'asciidoc' | 'text' | 'html' | 'pdf' | 'docx' | 'csv' | 'json' | 'code';
  /** Programming language, as metadata. */
  readonly language?: string;
  /** Source code in a language without a grammar here. */
  readonly isUnparsed?: boolean;
}

const PDF: FileType = { mediaType: MEDIA_TYPES.pdf, kind: 'pdf' };
const DOCX: FileType = { mediaType: MEDIA_TYPES.docx, kind: 'docx' };

const DOCUMENT_TYPES: Readonly<Record<string, FileType>> = {
  md: { mediaType: MEDIA_TYPES.markdown, kind: 'markdown' },
  markdown: { mediaType: MEDIA_TYPES.markdown, kind: 'markdown' },
  // MDX is Markdown with components in between; documentation sites keep half their pages in it.
  mdx: { mediaType: MEDIA_TYPES.markdown, kind: 'markdown' },
  txt: { mediaType: MEDIA_TYPES.plainText, kind: 'text' },
  text: { mediaType: MEDIA_TYPES.plainText, kind: 'text' },
  rst: { mediaType: MEDIA_TYPES.rst, kind: 'rst' },
  adoc: { mediaType: MEDIA_TYPES.asciidoc, kind: 'asciidoc' },
  asciidoc: { mediaType: MEDIA_TYPES.asciidoc, kind: 'asciidoc' },
  html: { mediaType: MEDIA_TYPES.html, kind: 'html' },
  htm: { mediaType: MEDIA_TYPES.html, kind: 'html' },
  pdf: PDF,
  docx: DOCX,
};

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

/** The type that a file's extension says, in any case. */
export function fileTypeOf(path: string): FileType {
  const extension = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase();
  return (extension === undefined ? undefined : TYPES.get(extension)) ?? PLAIN_TEXT;
}

/** The type of a file that somebody hands in: first bytes that leave no doubt count for more than its name. */
export function typeOfFile(name: string, content: string | Uint8Array): FileType {
  const known = SIGNATURES.find(({ bytes }) => bytes.every((byte, index) => content[index] === byte));
  return known?.type ?? fileTypeOf(name);
}

/** How files begin. Word documents are the only archives that are read; the parser refuses others. */
const SIGNATURES: readonly { readonly bytes: readonly number[]; readonly type: FileType }[] = [
  { bytes: [...Buffer.from('%PDF-')], type: PDF },
  { bytes: [0x50, 0x4b, 0x03, 0x04], type: DOCX },
];

/** Globs of what a folder stands for: documents and source code, not data. */
export const DEFAULT_FILE_TYPES: readonly string[] = [
  ...Object.keys(DOCUMENT_TYPES),
  ...CODE_TYPES.keys(),
].map((extension) => `*.${anyCase(extension)}`);
