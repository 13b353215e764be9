import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { RAGError } from '../../../index.js';
import { Busboy } from '../packages.js';

/** A file of a form. Its name is what the caller says, without folders; nothing is opened by it. */
export class UploadedFile {
  constructor(
    readonly name: string,
    readonly bytes: Uint8Array,
  ) {}

  /** What tells it from another one, where requests are compared. */
  toJSON(): object {
    return { name: this.name, sha256: createHash('sha256').update(this.bytes).digest('hex') };
  }
}

/** Values by the name of their field, in the order of the form. */
export type Form = ReadonlyMap<string, readonly (string | UploadedFile)[]>;

export const MOST_FILES = 20;

const LIMITS = {
  files: MOST_FILES,
  fields: 150,
  parts: 170,
  /** Bytes of a field. */
  fieldSize: 131_072,
  headerPairs: 20,
  headerSize: 8_192,
};

export interface FormBody {
  readonly contentType: string;
  readonly content: Readable;
  /** Of all parts together. */
  readonly mostBytes: number;
}

/**
 * Reads the body of a `multipart/form-data` request as it comes. Of one that is refused nothing more is kept; the connection stays,
 * so that the caller can be told why.
 *
 * @throws RAGError `REQUEST_INVALID` for what is no such form, `DOCUMENT_TOO_LARGE` for one of too many or too large parts
 */
export async function readForm({ contentType, content, mostBytes }: FormBody): Promise<Form> {
  const form = new Map<string, (string | UploadedFile)[]>();
  const add = (name: string | undefined, value: string | UploadedFile): void => {
    if (name === undefined || name === '') throw invalid('A part has no name.');
    const values = form.get(name);
    if (values === undefined) form.set(name, [value]);
    else values.push(value);
  };
  const parser = parserOf(contentType);
  let size = 0;
  try {
    await new Promise<void>((resolve, reject) => {
      const attempt = (work: () => void): void => {
        try {
          work();
        } catch (error) {
          reject(RAGError.isInstance(error) ? error : unreadable(error));
        }
      };
      parser
        .on('field', (name, value, _, isCut) =>
          attempt(() => {
            if (isCut) throw tooLarge(`A field has more than ${LIMITS.fieldSize} bytes.`);
            add(name, value);
          }),
        )
        .on('file', (name, stream, fileName) => {
          const parts: Buffer[] = [];
          stream
            .on('data', (part: Buffer) => parts.push(part))
            .on('end', () => attempt(() => add(name, new UploadedFile(fileName, Buffer.concat(parts)))))
            .on('error', reject);
        })
        .on('filesLimit', () => reject(tooLarge(`A form has at most ${LIMITS.files} files.`)))
        .on('fieldsLimit', () => reject(tooLarge(`A form has at most ${LIMITS.fields} fields.`)))
        .on('partsLimit', () => reject(tooLarge(`A form has at most ${LIMITS.parts} parts.`)))
        .on('error', reject)
        .on('finish', resolve);
      content
        .on('data', (part: Buffer) =>
          attempt(() => {
            size += part.length;
            if (size > mostBytes) throw tooLarge(`A form has at most ${mostBytes} bytes.`);
            parser.write(part);
          }),
        )
        .on('end', () => attempt(() => parser.end()))
        .on('error', reject);
    });
  } catch (error) {
    throw RAGError.isInstance(error) ? error : unreadable(error);
  } finally {
    content.removeAllListeners('data').resume();
  }
  return form;
}

function parserOf(contentType: string): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: LIMITS,
      isPartAFile: (_, __, fileName) => fileName !== undefined,
    });
  } catch (error) {
    throw unreadable(error);
  }
}

const tooLarge = (message: string): RAGError => new RAGError('DOCUMENT_TOO_LARGE', message);
const invalid = (message: string, cause?: unknown): RAGError =>
  new RAGError('REQUEST_INVALID', message, { cause });
const unreadable = (cause: unknown): RAGError =>
  invalid('The body is no whole `multipart/form-data` with the boundary that its header names.', cause);
