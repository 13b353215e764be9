import picomatch from 'picomatch';
import { expect, test } from 'vitest';
import { makeDocumentsOf } from '../../tests/fixtures/documents/make-office.js';
import { DEFAULT_FILE_TYPES, fileTypeOf, maxBytesOf, typeOfFile } from './file-types.js';

const isRead = picomatch(DEFAULT_FILE_TYPES.map((glob) => `**/${glob}`));

test.each([
  ['README', 'text'],
  ['docs/readme', 'text'],
  ['CHANGELOG', 'text'],
  ['Dockerfile', 'code'],
  ['build/Dockerfile.dev', 'code'],
  ['worker.dockerfile', 'code'],
  ['Makefile', 'code'],
  ['GNUmakefile', 'code'],
  ['rules.mk', 'code'],
  ['Jenkinsfile', 'code'],
  ['Gemfile', 'code'],
  ['analysis.qmd', 'markdown'],
  ['analysis.Rmd', 'markdown'],
  ['notes.org', 'org'],
  ['paper.tex', 'tex'],
  ['eels.ipynb', 'notebook'],
  ['mail.eml', 'mail'],
  ['fees.xlsx', 'xlsx'],
  ['plan.pptx', 'pptx'],
  ...['a.docm', 'a.dotx', 'a.dotm'].map((name): [string, string] => [name, 'docx']),
  ...['a.xlsm', 'a.xltx', 'a.xltm'].map((name): [string, string] => [name, 'xlsx']),
  ...['a.pptm', 'a.ppsx', 'a.ppsm', 'a.potx', 'a.potm'].map((name): [string, string] => [name, 'pptx']),
  ['letter.odt', 'odt'],
  ['letter.RTF', 'rtf'],
  ['book.epub', 'epub'],
  ['page.xhtml', 'html'],
  ['schema.graphql', 'code'],
  ['api/openapi.yaml', 'openapi'],
  ['ferry.openapi.json', 'openapi'],
  ['swagger.yml', 'openapi'],
])('%s is read by default, as %s', (path, kind) => {
  expect(fileTypeOf(path).kind).toBe(kind);
  expect(isRead(path)).toBe(true);
});

test.each([
  'LICENSE',
  'server.log',
  'table.csv',
  'data.json',
  'compose.yaml',
  'bundle.zip',
  'old.doc',
  'READMEX',
  'myDockerfile',
])('%s is not read by default', (path) => {
  expect(isRead(path)).toBe(false);
});

test.each(Object.entries(makeDocumentsOf()))('%s is known by its bytes, whatever its name', (kind, bytes) => {
  expect(typeOfFile('upload.bin', bytes).kind).toBe(kind);
});

test.each([
  ['plan.pdf', 100],
  ['fees.XLSX', 100],
  ['export.csv', 100],
  ['export.jsonl', 100],
  ['notes.md', 10],
  ['main.ts', 10],
  ['page.html', 10],
  ['data.json', 10],
  ['README', 10],
])('%s is read up to %i MiB', (path, mebibytes) => {
  expect(maxBytesOf(path)).toBe(mebibytes * 1024 * 1024);
});
