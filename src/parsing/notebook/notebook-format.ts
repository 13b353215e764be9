import * as z from 'zod';
import type { RawDocument } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import type { ConvertedDocument, ConvertedFormat } from '../converted-parser.js';
import { decodeText } from '../decode-text.js';
import { htmlToMarkdown } from '../html-to-markdown.js';

/** Jupyter notebooks: cells in order, code and its outputs, tables of HTML as Markdown. Pictures and charts are left out and counted. */
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
  attachments: z.record(z.string(), z.unknown()).optional().catch(undefined),
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

async function readNotebook({ content, externalId }: RawDocument): Promise<ConvertedDocument> {
  const { text, warnings } = decodeText(content, externalId);
  const { metadata, ...body } = parseNotebook(text, externalId);
  const all = body.cells ?? body.worksheets?.flatMap((sheet) => sheet.cells) ?? [];
  const language = metadata?.language_info?.name ?? metadata?.kernelspec?.language ?? 'python';
  const parts: string[] = [];
  let [pictures, charts] = [0, 0];
  for (const one of all) {
    const source = one.source ?? one.input ?? '';
    pictures += source.match(EMBEDDED)?.length ?? 0;
    pictures += Object.keys(one.attachments ?? {}).length;
    parts.push(...written(one, source.replace(EMBEDDED, ''), language));
    if (one.cell_type !== 'code') continue;
    for (const shown of one.outputs) {
      const isPicture = Object.keys(shown.data ?? {}).some((type) => type.startsWith('image/'));
      if (isPicture) pictures += 1;
      const said = await outputPart(shown, externalId);
      if (said.trim() === '' && !isPicture && Object.keys(shown.data ?? {}).length > 0) charts += 1;
      parts.push(said);
    }
  }
  return {
    markdown: parts.filter((part) => part.trim() !== '').join('\n\n'),
    title: metadata?.title,
    metadata: { language },
    unread: { pictures, charts },
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

function written({ cell_type: type, level }: Cell, source: string, language: string): string[] {
  if (type === 'heading') return [`${'#'.repeat(Math.min(6, level ?? 1))} ${source}`];
  return [type === 'code' ? fenced(source, language) : source];
}

/** What Python shows of an object that shows itself in another way. */
const MERE_NAME = /^<[\w.]+(?: object)?(?: at 0x[\da-f]+)?>$/;

async function outputPart({ text, data = {}, traceback }: Output, name: string): Promise<string> {
  const of = (type: string): string => lines.safeParse(data[type]).data ?? '';
  const [html, latex] = [of('text/html'), of('text/latex')];
  const plain = of('text/plain');
  const isNamed = (html !== '' || latex !== '') && MERE_NAME.test(plain.trim());
  const shown = traceback?.join('\n') ?? text ?? (plain === '' || isNamed ? of('text/markdown') : plain);
  if (shown !== '') return fenced(withoutPictures(shown), 'text');
  if (html !== '') return (await htmlToMarkdown(withoutPictures(html), name)).markdown;
  if (latex !== '') return withoutPictures(latex);
  const json = data['application/json'];
  return json === undefined ? '' : fenced(withoutPictures(JSON.stringify(json, undefined, 2)), 'json');
}

const withoutPictures = (text: string): string => text.replace(COLOURS, '').replace(EMBEDDED, '');

function fenced(code: string, language: string): string {
  if (code.trim() === '') return '';
  const longest = (code.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${code.trimEnd()}\n${fence}`;
}
