import type { RawDocument } from '../../core/document.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import type { ConvertedDocument, ConvertedFormat } from '../converted-parser.js';
import { decodeText } from '../decode-text.js';
import { levelLineEnds } from '../text-range.js';
import { readTexSource } from './tex-reader.js';

/** LaTeX: sections, lists, tables, code, formulas as they are written, names that the file defines by what they stand for. Nothing is included; pictures, and commands that are defined elsewhere, are left out and counted. */
export const TEX_FORMAT: ConvertedFormat = { mediaType: MEDIA_TYPES.tex, version: 2, convert: readTex };

function readTex({ content, externalId }: RawDocument): ConvertedDocument {
  const { text, warnings } = decodeText(content, externalId);
  const { markdown, title, author, date, pictures, inputs, unknown } = readTexSource(levelLineEnds(text));
  return {
    markdown,
    title,
    metadata: withoutUndefined({ author, date }),
    unread: { pictures, commands: [...unknown.values()].reduce((sum, count) => sum + count, 0) },
    warnings: [
      ...warnings,
      ...(inputs.length === 0
        ? []
        : [`Files that it includes are not read in their place: ${inputs.slice(0, 20).join(', ')}.`]),
      ...(unknown.size === 0
        ? []
        : [
            `Commands that may stand for text and are defined elsewhere were left out: ${[...unknown]
              .sort(([, one], [, other]) => other - one)
              .slice(0, 20)
              .map(([name, count]) => `\\${name}${count === 1 ? '' : ` (${count} times)`}`)
              .join(', ')}.`,
          ]),
    ],
  };
}
