import type { RawDocument } from '../../core/document.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import type { ConvertedDocument, ConvertedFormat } from '../converted-parser.js';
import { decodeText } from '../decode-text.js';
import { levelLineEnds } from '../text-range.js';
import { readTexSource } from './tex-reader.js';

/** LaTeX: sections, lists, tables, code, formulas as they are written. Nothing is expanded or included; pictures are left out and counted. */
export const TEX_FORMAT: ConvertedFormat = { mediaType: MEDIA_TYPES.tex, convert: readTex };

function readTex({ content, externalId }: RawDocument): ConvertedDocument {
  const { text, warnings } = decodeText(content, externalId);
  const { markdown, title, author, pictures, inputs } = readTexSource(levelLineEnds(text));
  return {
    markdown,
    title,
    metadata: author === undefined ? {} : { author },
    unread: { pictures },
    warnings: [
      ...warnings,
      ...(inputs.length === 0
        ? []
        : [`Files that it includes are not read in their place: ${inputs.slice(0, 20).join(', ')}.`]),
    ],
  };
}
