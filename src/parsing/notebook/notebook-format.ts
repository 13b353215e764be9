import * as z from 'zod';
import type { RawDocument } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import type { ConvertedDocument, ConvertedFormat } from '../converted-parser.js';
import { decodeText } from '../decode-text.js';

/** Jupyter notebooks: cells in order, code and its text outputs in fences. Pictures are left out and counted. */
export const NOTEBOOK_FORMAT: ConvertedFormat = { mediaType: MEDIA_TYPES.notebook, convert: readNotebook };

const lines = z.union([z.string(), z.array(z.string())]).transform((text) => [text].flat().join(''));
const output = z.looseObject({
  text: lines.optional().catch(undefined),
  data: z.record(z.string(), z.unknown()).optional().catch(undefined),
  traceback: z.array(z.string()).optional().catch(undefined),
});
const cell = z.looseObject({
  cell_type: z.string().catch('raw'),
  source: lines.optional().catch(undefined),
  /** In place of `source` until version 3 of the format. */
  input: lines.optional().catch(undefined),
  level: z.int().optional().catch(undefined),
  outputs: z.array(output).catch([]),
});
const cells = z.array(cell);
/** nbformat 4; nbformat 3 has its cells in worksheets. */
const notebook = z.looseObject({
  cells: cells.optional(),
  worksheets: z.array(z.looseObject({ cells })).optional(),
  metadata: z
    .looseObject({
      title: z.string().optional().catch(undefined),
      language_info: z.looseObject({ name: z.string() }).optional().catch(undefined),
      kernelspec: z.looseObject({ language: z.string() }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});
type Cell = z.output<typeof cell>;
type Output = z.output<typeof output>;

const EMBEDDED = /data:[\w/.+-]{1,100};base64,[\w+/=\s]*/g;
const COLOURS = /\p{Cc}\[[\d;]*m/gu;

function readNotebook({ content, externalId }: RawDocument): ConvertedDocument {
  const { text, warnings } = decodeText(content, externalId);
  const { metadata, ...body } = parseNotebook(text, externalId);
  const all = body.cells ?? body.worksheets?.flatMap((sheet) => sheet.cells) ?? [];
  const language = metadata?.language_info?.name ?? metadata?.kernelspec?.language ?? 'python';
  let pictures = 0;
  const parts = all.flatMap((one) => {
    pictures += one.outputs.filter(({ data }) =>
      Object.keys(data ?? {}).some((type) => type.startsWith('image/')),
    ).length;
    const source = one.source ?? one.input ?? '';
    pictures += source.match(EMBEDDED)?.length ?? 0;
    return written(one, source.replace(EMBEDDED, ''), language);
  });
  return {
    markdown: parts.filter((part) => part.trim() !== '').join('\n\n'),
    title: metadata?.title,
    metadata: { language },
    unread: { pictures },
    warnings,
  };
}

function parseNotebook(text: string, name: string): z.output<typeof notebook> {
  try {
    return notebook.parse(JSON.parse(text));
  } catch (cause) {
    throw new RAGError(
      'DOCUMENT_INVALID',
      `"${name}" is not a Jupyter notebook. Save it again, or exclude it.`,
      { cause },
    );
  }
}

function written({ cell_type: type, level, outputs }: Cell, source: string, language: string): string[] {
  if (type === 'heading') return [`${'#'.repeat(Math.min(6, level ?? 1))} ${source}`];
  if (type !== 'code') return [source];
  return [fenced(source, language), ...outputs.map((one) => fenced(outputText(one), 'text'))];
}

function outputText({ text, data, traceback }: Output): string {
  const plain = data?.['text/plain'] ?? data?.['text/markdown'];
  const shown = traceback?.join('\n') ?? text ?? lines.safeParse(plain).data ?? '';
  return shown.replace(COLOURS, '').replace(EMBEDDED, '');
}

function fenced(code: string, language: string): string {
  if (code.trim() === '') return '';
  const longest = (code.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${code.trimEnd()}\n${fence}`;
}
