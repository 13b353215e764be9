import { describe, expect, it } from 'vitest';
import { RAGError } from '../../src/core/errors.js';
import { codeMediaType, MEDIA_TYPES } from '../../src/core/media-types.js';
import { OPEN_ACCESS } from '../../src/core/scope.js';
import { seededRandom } from '../../src/evaluation/random.js';
import { createParsers } from '../../src/parsing/create-parsers.js';
import { isolateParsers } from '../../src/parsing/worker/parsing-threads.js';
import { docxEntries, docxParagraph, docxTable, makeZip } from '../fixtures/documents/make-docx.js';
import { makePdf } from '../fixtures/documents/make-pdf.js';
import { IS_LONG } from '../long-forms.js';

/** In all; a tenth of it unless `RAGSTONE_SLOW` asks for more. */
const MUTATIONS = IS_LONG ? 10_000 : 1_000;
const TIMEOUT = 600_000;
/** Files of a few hundred bytes that take seconds or hundreds of megabytes. */
const UNEXPECTED: ReadonlySet<string> = new Set([
  'DOCUMENT_PARSE_TIMEOUT',
  'DOCUMENT_PARSE_MEMORY',
  'INTERNAL',
]);

const VALID: readonly { readonly mediaType: string; readonly bytes: Uint8Array }[] = [
  { mediaType: MEDIA_TYPES.pdf, bytes: makePdf([['One.', 'Two.'], ['Three.']], { title: 'Title' }) },
  {
    mediaType: MEDIA_TYPES.docx,
    bytes: makeZip(docxEntries(docxParagraph('Words.') + docxTable([['a', 'b']]))),
  },
  {
    mediaType: MEDIA_TYPES.html,
    bytes: Buffer.from('<main><h1>A</h1><p>B <b>c</b></p><table><tr><td>1</td></tr></table></main>'),
  },
  {
    mediaType: MEDIA_TYPES.markdown,
    bytes: Buffer.from(
      '---\na: 1\n---\n# A\n\n- b\n\n| c | d |\n| --- | --- |\n| 1 | 2 |\n\n```ts\ne\n```\n',
    ),
  },
  { mediaType: MEDIA_TYPES.json, bytes: Buffer.from('{"a": [1, 2, {"b": "c"}], "d": null}') },
  { mediaType: MEDIA_TYPES.csv, bytes: Buffer.from('a,b\n1,"2, 3"\n4,"5\n6"\n') },
  {
    mediaType: codeMediaType('python'),
    bytes: Buffer.from('class A:\n    def b(self):\n        return 1\n'),
  },
];

/** One to eight changes: a byte, a stretch taken out, doubled or moved. */
function mutate(bytes: Uint8Array, random: () => number): Uint8Array {
  let changed = Buffer.from(bytes);
  const below = (limit: number): number => Math.floor(random() * limit);
  for (let count = 1 + below(8); count > 0; count -= 1) {
    const at = below(changed.length);
    const stretch = changed.subarray(at, at + 1 + below(20));
    const rest = changed.subarray(at + stretch.length);
    const kind = below(4);
    if (kind === 0 && changed.length > 0) changed[at] = below(256);
    else if (kind === 1) changed = Buffer.concat([changed.subarray(0, at), rest]);
    else if (kind === 2) changed = Buffer.concat([changed.subarray(0, at), stretch, stretch, rest]);
    else changed = Buffer.concat([rest, changed.subarray(0, at), stretch]);
  }
  return changed;
}

describe('random changes of valid files', () => {
  it(
    `are read, or refused with a reason: ${MUTATIONS}`,
    async () => {
      const parsers = isolateParsers(createParsers(), {}, { timeoutMs: 30_000, memoryMb: 1_024 });
      const random = seededRandom(7);
      const unreasoned: string[] = [];
      let refused = 0;
      for (let index = 0; index < MUTATIONS; index += 1) {
        const { mediaType, bytes } = VALID[index % VALID.length] ?? {
          mediaType: '',
          bytes: new Uint8Array(),
        };
        const content = mutate(bytes, random);
        try {
          await parsers
            .get(mediaType)
            ?.parse({ externalId: 'm', mediaType, content, metadata: {}, access: OPEN_ACCESS });
        } catch (error) {
          refused += 1;
          // A library that throws behind our backs ends its thread (`DOCUMENT_PARSE_STOPPED`), which is a reason too.
          if (!RAGError.isInstance(error) || UNEXPECTED.has(error.reason))
            unreasoned.push(`${mediaType} ${Buffer.from(content).toString('base64')}: ${String(error)}`);
        }
      }
      expect(unreasoned).toEqual([]);
      expect(refused).toBeGreaterThan(0);
    },
    TIMEOUT,
  );
});
