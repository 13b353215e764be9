import assert from 'node:assert/strict';
import fc from 'fast-check';
import { neutralise, neutraliseAnswer, neutraliseLine } from '../../src/context/neutralise.js';
import { analyzeQuery, analyzeText } from '../../src/core/analysis/lexical-analyzer.js';
import { passageUnits } from '../../src/core/analysis/passage-units.js';
import { RAGError } from '../../src/core/errors.js';
import { MEDIA_TYPES } from '../../src/core/media-types.js';
import { OPEN_ACCESS } from '../../src/core/scope.js';
import { gateMetadata } from '../../src/indexing/document-metadata.js';
import { createParsers } from '../../src/parsing/create-parsers.js';
import { createRedactor } from '../../src/platform/security/redaction/redactor.js';
import { PIECES } from './format-pieces.js';

/** Something that reads text from outside. */
export interface FuzzTarget {
  readonly name: string;
  /** What its grammar is made of. */
  readonly pieces: readonly string[];
  /** A text made of pieces, as the target takes it. */
  readonly wrap: (text: string) => string;
  readonly use: (text: string) => unknown;
}

const parsers = createParsers();
const parse = (mediaType: string) => async (content: string) => {
  const raw = { externalId: 'a', mediaType, content, metadata: {}, access: OPEN_ACCESS };
  try {
    const parsed = await parsers.get(mediaType)?.parse(raw);
    for (const { start, end } of parsed?.blocks ?? []) {
      assert(start <= end && end <= (parsed?.text.length ?? 0), `a block from ${start} to ${end}`);
    }
    gateMetadata(parsed?.metadata ?? {});
  } catch (error) {
    if (!RAGError.isInstance(error)) throw error;
  }
};
const redactor = createRedactor();

const asItIs = (text: string): string => text;
const target = (
  name: string,
  pieces: readonly string[],
  use: FuzzTarget['use'],
  wrap = asItIs,
): FuzzTarget => ({ name, pieces, use, wrap });

export const FUZZ_TARGETS: readonly FuzzTarget[] = [
  target('Markdown', PIECES.markdown, parse(MEDIA_TYPES.markdown)),
  target('HTML', PIECES.html, parse(MEDIA_TYPES.html)),
  target(
    'front matter',
    PIECES.frontMatter,
    parse(MEDIA_TYPES.markdown),
    (text) => `---\n${text}\n---\n# A\n`,
  ),
  target('a mapping of many keys', ['k'], parse(MEDIA_TYPES.markdown), (text) => {
    const keys = Array.from({ length: text.length / 4 }, (_, at) => `k${at}`);
    return `---\na: {${keys.join(',')}}\n---\n# A\n`;
  }),
  target('reStructuredText', PIECES.rst, parse(MEDIA_TYPES.rst)),
  target('AsciiDoc', PIECES.asciidoc, parse(MEDIA_TYPES.asciidoc)),
  target('RTF', PIECES.rtf, parse(MEDIA_TYPES.rtf), (text) => `{\\rtf1 ${text}`),
  target('Org', PIECES.org, parse(MEDIA_TYPES.org)),
  target('LaTeX', PIECES.tex, parse(MEDIA_TYPES.tex)),
  target('CSV', PIECES.csv, parse(MEDIA_TYPES.csv)),
  target('JSON', PIECES.json, parse(MEDIA_TYPES.json)),
  target('redaction', PIECES.secrets, (text) => redactor.redactText(text)),
  target('neutralise', PIECES.markdown, (text) => [
    neutralise(text),
    neutraliseAnswer(text),
    neutraliseLine(text),
  ]),
  target('units of passages', PIECES.markdown, (text) => [
    passageUnits(text),
    passageUnits(text, { symbols: [] }),
    passageUnits(text, { columns: ['a'], rowCount: 1 }),
  ]),
  target('query analysis', PIECES.query, (text) => [analyzeQuery(text), analyzeText(text)]),
];

/** Texts of the pieces in any order, and a few of them over and over. */
export function textsOf({ pieces, wrap }: FuzzTarget): fc.Arbitrary<string> {
  const some = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(''));
  const repeated = fc
    .tuple(
      fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 400 }),
      some,
    )
    .map(([parts, times, end]) => parts.join('').repeat(times) + end);
  return fc.oneof(some, repeated).map(wrap);
}
