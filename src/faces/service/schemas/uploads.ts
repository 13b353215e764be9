import * as z from 'zod';
import { boolean, int, string, strings } from '../../../operations/requests/outcome-fields.js';
import { MOST_FILES, UploadedFile } from '../requests/read-form.js';
import { idText } from './common.js';
import { knowledgeDocumentInput, pushedOutcome } from './knowledge.js';

const MOST_FILE_NAME = 255;

const fileName = idText.max(MOST_FILE_NAME);

const uploadedFile = z
  .custom<UploadedFile>(
    (value) => value instanceof UploadedFile && fileName.safeParse(value.name).success,
    `a file with a name of 1 to ${MOST_FILE_NAME} characters, none of them control characters`,
  )
  .meta({ type: 'string', format: 'binary' });

/** Files, with the fields of the index schema that hold for each of them. */
export const uploadRequest = knowledgeDocumentInput
  .omit({ content: true, chunkIndex: true, chunkCount: true })
  .extend({
    id: idText
      .optional()
      .describe(
        'Of one file alone. Default: `documentId` where one file is sent, else the name of the file.',
      ),
    documentName: string.max(1_000).optional().describe('Of one file alone.'),
    file: z
      .array(uploadedFile)
      .min(1)
      .max(MOST_FILES)
      .describe(
        `PDF, Word, HTML, Markdown and what else \`ragstone index\` reads, told apart by content and name.`,
      ),
  });

export type UploadRequest = z.infer<typeof uploadRequest>;

export const uploadResponse = pushedOutcome({
  fileName: string,
  unchanged: boolean.describe('It was indexed before, with the same content and fields; nothing was done.'),
  notices: strings.describe('What of the file was not read, or was cut.'),
  redactions: z
    .record(string, int)
    .optional()
    .describe('Personal data and secrets that were taken out, by type.'),
}).meta({ id: 'UploadResults' });
