/** Media types of documents, which pick the parser. Sources name them and parsers claim them. */
export const MEDIA_TYPES = {
  markdown: 'text/markdown',
  plainText: 'text/plain',
  rst: 'text/x-rst',
  asciidoc: 'text/asciidoc',
  html: 'text/html',
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  odt: 'application/vnd.oasis.opendocument.text',
  rtf: 'application/rtf',
  epub: 'application/epub+zip',
  mail: 'message/rfc822',
  notebook: 'application/x-ipynb+json',
  org: 'text/org',
  tex: 'application/x-tex',
  openApi: 'application/vnd.oai.openapi',
  json: 'application/json',
  jsonLines: 'application/jsonl',
  /** XHTML with the `ac:` and `ri:` elements of Confluence. */
  confluenceStorage: 'application/vnd.atlassian.confluence.storage+xml',
} as const;

/** Formats that are stored as the Markdown that is made of them. */
export const CONVERTED_MEDIA_TYPES: ReadonlySet<string> = new Set([
  ...[MEDIA_TYPES.html, MEDIA_TYPES.confluenceStorage, MEDIA_TYPES.docx, MEDIA_TYPES.xlsx, MEDIA_TYPES.pptx],
  ...[MEDIA_TYPES.odt, MEDIA_TYPES.rtf, MEDIA_TYPES.epub, MEDIA_TYPES.mail, MEDIA_TYPES.notebook],
  ...[MEDIA_TYPES.org, MEDIA_TYPES.tex, MEDIA_TYPES.openApi],
]);

/** Programming languages that are cut along their syntax tree. */
export const PARSED_LANGUAGES = [
  'bash',
  'c',
  'cpp',
  'csharp',
  'css',
  'go',
  'ini',
  'java',
  'javascript',
  'php',
  'powershell',
  'python',
  'ruby',
  'rust',
  'tsx',
  'typescript',
] as const;
export type ParsedLanguage = (typeof PARSED_LANGUAGES)[number];

/** Media type of a source file, such as `text/x-source.rust`. */
export const codeMediaType = (language: string): string => `text/x-source.${language}`;

/** Media type of source files in a language without a grammar here: they are cut at blank lines. */
export const PLAIN_CODE_MEDIA_TYPE = codeMediaType('other');

export const isCodeMediaType = (mediaType: string): boolean => mediaType.startsWith(codeMediaType(''));
