import type { FastifyPluginAsync } from 'fastify';
import type * as z from 'zod';
import { type EngineView, type PushedDocument, RAGError } from '../../../index.js';
import { ROUTES } from '../../client/routes.js';
import { MOST_DOCUMENT_BYTES } from '../requests/body-limits.js';
import { type FormFields, takeForms } from '../requests/form-body.js';
import { type RequestContext, writeOnce } from '../requests/request-context.js';
import { limitUploads, type UploadLimits } from '../requests/upload-slots.js';
import { jsonOf } from '../schemas/common.js';
import { type UploadRequest, uploadRequest, uploadResponse } from '../schemas/uploads.js';
import { assertDeployment, assertDistinct, assertReadableBy, toPushed } from './knowledge-document.js';
import { pushAll } from './push-documents.js';
import { serve } from './serve.js';

const UPLOAD_FIELDS: FormFields = {
  lists: new Set(['file', 'tags']),
  json: new Set(['metadata', 'access']),
};

/** Files, as forms and `curl -F` send them. */
export const uploadRoutes: FastifyPluginAsync<UploadLimits> = async (app, limits) => {
  const whileHeld = limitUploads(app, limits);
  takeForms(app, UPLOAD_FIELDS);

  serve(app, {
    route: ROUTES.uploadFiles,
    // A file takes as long as `limits.parseTimeoutMs` lets it.
    access: 'write',
    limit: 'ai-batch',
    bodyLimit: MOST_DOCUMENT_BYTES,
    tags: ['Knowledge'],
    summary: 'Index files, or replace the documents of their ids',
    consumes: ['multipart/form-data'],
    body: uploadRequest,
    response: jsonOf(
      'What became of each file. One that is sent alone and cannot be indexed is a problem.',
      uploadResponse,
    ),
    answer: async ({ body, context, request }) => {
      assertDeployment(body, context.deployment);
      assertReadableBy(context.principal.scope, body);
      const uploads = uploadsOf(body);
      return whileHeld(request, () => writeOnce(request, () => indexUploads(uploads, context)));
    },
  });
};

/** A file as the document that it becomes. */
interface Upload {
  readonly fileName: string;
  readonly document: PushedDocument;
}

function uploadsOf({ file: files, ...fields }: UploadRequest): Upload[] {
  const { id, documentId, documentName } = fields;
  const isAlone = files.length === 1;
  if (!isAlone && (id !== undefined || documentName !== undefined))
    throw new RAGError(
      'REQUEST_INVALID',
      '`id` and `documentName` are of one file. Send one at a time, or leave them out: files are then called by their names.',
    );
  const uploads = files.map(({ name, bytes }) => {
    const ownId = id ?? (isAlone ? documentId : undefined) ?? name;
    return { fileName: name, document: toPushed({ ...fields, id: ownId }, { bytes, fileName: name }) };
  });
  assertDistinct(uploads.map(({ document }) => document.id));
  return uploads;
}

/** What indexing a document would do. */
interface DocumentPreview {
  /** Why it cannot be indexed. */
  readonly error?: RAGError | undefined;
  readonly unchanged: boolean;
  readonly notices: readonly string[];
  readonly redactions?: Readonly<Record<string, number>> | undefined;
}

/** Reads a document as indexing it would, and writes nothing: one that cannot be read leaves no trace in the index. */
async function previewDocument(
  document: PushedDocument,
  { view, signal }: { readonly view: EngineView; readonly signal: AbortSignal },
): Promise<DocumentPreview> {
  try {
    const { stats, notices } = await view.index({
      documents: [document],
      signal,
      options: { dryRun: true },
    });
    const [failure] = stats.errors;
    const [redactions] = Object.values(stats.redactions ?? {});
    const prefix = `${document.id}: `;
    return {
      error: failure && new RAGError(failure.reason, failure.message),
      unchanged: stats.documentsUnchanged > 0,
      // Others are of the index, and for its maintainers.
      notices: notices.flatMap((notice) => (notice.startsWith(prefix) ? notice.slice(prefix.length) : [])),
      redactions,
    };
  } catch (error) {
    if (!RAGError.isInstance(error) || !OF_THE_DOCUMENT.has(error.reason)) throw error;
    return { error, unchanged: false, notices: [] };
  }
}

/** Reasons for which a run refuses a document before it is read. */
const OF_THE_DOCUMENT: ReadonlySet<string> = new Set([
  'DOCUMENT_DUPLICATE_ID',
  'DOCUMENT_INVALID',
  'DOCUMENT_TOO_LARGE',
]);

/** What became of an upload. */
interface Outcome extends DocumentPreview {
  readonly upload: Upload;
}

/** Files that can be read are indexed together. */
async function indexUploads(
  uploads: readonly Upload[],
  context: RequestContext,
): Promise<z.infer<typeof uploadResponse>> {
  const previews: Outcome[] = [];
  for (const upload of uploads) previews.push({ upload, ...(await preview(upload, context)) });
  const readable = previews.filter(({ error }) => error === undefined);
  const documents = readable.map(({ upload }) => upload.document);
  const pushed = documents.length === 0 ? [] : await pushAll(documents, context);
  const errors = new Map(pushed.map(({ id, error }) => [id, error]));
  const outcomes = previews.map((outcome) => ({
    ...outcome,
    error: outcome.error ?? errors.get(outcome.upload.document.id),
  }));
  const [first, ...others] = outcomes;
  if (first?.error !== undefined && others.length === 0) throw first.error;
  const failed = outcomes.filter(({ error }) => error !== undefined).length;
  return { results: outcomes.map(resultOf), indexed: outcomes.length - failed, failed };
}

async function preview({ document, fileName }: Upload, context: RequestContext): Promise<DocumentPreview> {
  if (document.bytes?.length !== 0) return previewDocument(document, context);
  const error = new RAGError('DOCUMENT_INVALID', `${JSON.stringify(fileName)} is empty.`);
  return { error, unchanged: false, notices: [] };
}

const resultOf = ({ upload, error, unchanged, notices, redactions }: Outcome) => ({
  id: upload.document.id,
  fileName: upload.fileName,
  success: error === undefined,
  error: error && { reason: error.reason, message: error.message },
  unchanged,
  notices,
  redactions,
});
