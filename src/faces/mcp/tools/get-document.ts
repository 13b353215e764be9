import * as z from 'zod';
import { assembleContext, type DocumentText, RAGError } from '../../../index.js';
import { DATA_NOTE } from '../output/data-note.js';
import { fittingLength, fittingOutput } from '../output/fit-tokens.js';
import { textChunk } from '../output/passages.js';
import { linesShape, placeOf, placeShape, renderPlace } from '../output/place.js';
import { findDocument } from './find-document.js';
import { documentId } from './inputs.js';
import { defineTool, type ToolContext, type ToolOutput } from './tool.js';

const output = z.object({
  note: z.string(),
  ...placeShape,
  lines: linesShape,
  total_lines: z.number(),
  next_cursor: z.string().optional().describe('Pass it as cursor to read on; absent at the end.'),
  text: z.string(),
});

export const getDocumentTool = defineTool({
  name: 'get_document',
  title: 'Read a document',
  description: `Read the text of one indexed document, by the document_id of a result or by its path. Use it after search, to read what stands around a passage: pass start_line a little before the lines of the passage. Long documents come in parts; read on with next_cursor.
The text is as indexed: converted where the file is PDF, Word or HTML, secrets removed where that is set up, links and HTML made harmless. For the exact bytes of a source file, open the file at path.`,
  input: z.strictObject({
    document_id: documentId,
    start_line: z.int().min(1).default(1).describe('First line to read, from 1.'),
    max_lines: z
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .describe('Most lines to read; without it as many as fit.'),
    cursor: z
      .string()
      .regex(/^\d{1,12}$/)
      .optional()
      .describe('next_cursor of the part before; start_line is not needed then.'),
  }),
  output,
  async run({ document_id, start_line, max_lines, cursor }, context) {
    const document = await findDocument(document_id, context);
    const start = cursor === undefined ? startOfLine(document.text, start_line) : Number(cursor);
    if (start === undefined || start > document.text.length)
      throw new RAGError(
        'QUERY_INVALID',
        `The document ends before that: it has ${lineAt(document.text, document.text.length)} lines.`,
      );
    const most = max_lines === undefined ? undefined : endOfLines(document.text, start, max_lines);
    return readDocument(document, { start, end: most ?? document.text.length }, context);
  },
});

interface Part {
  /** Offsets in the text. */
  readonly start: number;
  readonly end: number;
}

/** As much of a part of a document as the limit holds. */
export const readDocument = (
  document: DocumentText,
  wanted: Part,
  context: ToolContext,
): Promise<ToolOutput<z.output<typeof output>>> =>
  fittingOutput(context, async (budget) => {
    const part = fittingPart(document.text, wanted, (text) =>
      fittingLength(text, Math.floor(0.9 * budget), context.counter),
    );
    const lines = {
      start: lineAt(document.text, part.start),
      end: lineAt(document.text, Math.max(part.start, part.end - 1)),
    };
    const block = await blockOf(document, { ...part, lines }, context);
    const isWhole = part.end >= document.text.length;
    const place = placeOf({ ...document, source: document.externalId }, context);
    const total = lineAt(document.text, document.text.length);
    const rest = isWhole
      ? ''
      : `\n\nThe document goes on: call get_document with cursor "${part.end}" to read on from there.`;
    return {
      text: `${renderPlace(place, lines)} of ${total} lines | document_id ${document.id}\n\n${DATA_NOTE}\n\n${block}${rest}`,
      structured: {
        note: DATA_NOTE,
        ...place,
        lines,
        total_lines: total,
        ...(isWhole ? {} : { next_cursor: String(part.end) }),
        text: block,
      },
    };
  });

/** Ends at a blank line or a line where there is one in its second half. */
function fittingPart(text: string, { start, end }: Part, fittingPrefix: (text: string) => number): Part {
  const wanted = text.slice(start, end);
  const length = fittingPrefix(wanted);
  if (length === wanted.length) return { start, end };
  const fitting = wanted.slice(0, length);
  const border = [fitting.lastIndexOf('\n\n') + 2, fitting.lastIndexOf('\n') + 1].find(
    (at) => at > length / 2,
  );
  return { start, end: start + Math.max(1, border ?? length) };
}

async function blockOf(
  document: DocumentText,
  { start, end, lines }: Part & { readonly lines: z.output<typeof linesShape> },
  { counter, signal }: ToolContext,
): Promise<string> {
  const { id, source, externalId, title, metadata } = document;
  const content = document.text.slice(start, end);
  const chunk = {
    ...textChunk({ id, documentId: id, source, content }),
    metadata: {
      ...metadata,
      ...(title === undefined ? {} : { title }),
      source: externalId,
      lines,
      offsets: { start, end },
    },
  };
  const { entries } = await assembleContext(
    { question: '', ranked: [{ chunk, score: 1 }] },
    { budget: Number.MAX_SAFE_INTEGER, counter, signal, compress: false },
  );
  return entries[0]?.block ?? '';
}

/** The line that an offset is on, from 1. */
function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** Offset of the first character of a line; undefined where the text has fewer lines. */
function startOfLine(text: string, line: number): number | undefined {
  let offset = 0;
  for (let at = 1; at < line; at += 1) {
    const end = text.indexOf('\n', offset);
    if (end < 0) return undefined;
    offset = end + 1;
  }
  return offset;
}

/** Offset behind so many lines. */
function endOfLines(text: string, start: number, count: number): number {
  const length = startOfLine(text.slice(start), count + 1);
  return length === undefined ? text.length : start + length;
}
