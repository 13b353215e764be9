import type { RawDocument } from '../../core/document.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import type { ConvertedDocument, ConvertedFormat } from '../converted-parser.js';
import { decodeText } from '../decode-text.js';
import { levelLineEnds } from '../text-range.js';
import { readTexSource } from './tex-reader.js';

/** LaTeX: sections, lists, tables, code, formulas as they are written, names that the file defines by what they stand for. Nothing is included; pictures are left out and counted. */
export const TEX_FORMAT: ConvertedFormat = { mediaType: MEDIA_TYPES.tex, convert: readTex };

function readTex({ content, externalId }: RawDocument): ConvertedDocument {
  const { text, warnings } = decodeText(content, externalId);
  const { markdown, title, author, date, pictures, inputs } = readTexSource(levelLineEnds(text));
  return {
    markdown,
    title,
    metadata: { ...(author === undefined ? {} : { author }), ...(date === undefined ? {} : { date }) },
    unread: { pictures },
    warnings: [
      ...warnings,
      ...(inputs.length === 0
        ? []
        : [`Files that it includes are not read in their place: ${inputs.slice(0, 20).join(', ')}.`]),
    ],
  };
}
