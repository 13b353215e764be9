import { canonicalJson } from '../../core/canonical-json.js';
import { PUSHED_DATE_FIELD } from '../../core/date-fields.js';
import { RAGError } from '../../core/errors.js';
import { contentHash } from '../../core/ids.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import type { Metadata } from '../../core/metadata.js';
import { momentOf } from '../../core/moment.js';
import { type AccessControl, OPEN_ACCESS } from '../../core/scope.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import { typeOfFile } from '../file-types.js';
import type { ListedChange, ReadResult, Source, SourceItem } from '../source.js';

/** A document handed in by the caller: text, or bytes that a parser reads. Its tenant and project are those of the scope. */
export interface PushedDocument {
  /** Stable identity: pushing the same id again replaces the document. */
  readonly id: string;
  /** Either this or `bytes`. */
  readonly text?: string | undefined;
  /** A file's content, at most `limits.maxFileBytes`; `mediaType` says of which kind. */
  readonly bytes?: Uint8Array | undefined;
  readonly title?: string | undefined;
  readonly url?: string | undefined;
  /**
   * Shown and filtered by. `sourceType` and `source` stand for the engine's own (`document` and `id`). `timestamp` (ISO-8601,
   * UTC where it names no zone; or a number since 1970) is the document's `updatedAt` where neither that nor `createdAt` is stated.
   */
  readonly metadata?: Metadata | undefined;
  /** Text beside the document where it is itself a piece of a larger one: matched with it, never shown. */
  readonly surroundings?: readonly string[] | undefined;
  /** Default: that of `fileName`, else `text/plain`. */
  readonly mediaType?: string | undefined;
  /**
   * Name of the file that the document is from. Name and first bytes say which parser reads it, its kind is the default of
   * `metadata.sourceType`, and the name that of `title`. It is never opened as a path.
   */
  readonly fileName?: string | undefined;
  /** Who may read it; access rules of the configuration can only narrow it. Default: as before where it replaces a document, else everyone in the tenant. */
  readonly access?: { readonly [Key in keyof AccessControl]?: AccessControl[Key] | undefined } | undefined;
}

export interface PushSourceOptions {
  readonly name: string;
  readonly documents: readonly PushedDocument[];
  /** `complete`: what is not in `documents` is deleted. `incremental`: it stays. */
  readonly listing: Source['listing'];
  /** Of an incremental listing: ids of documents that were pushed before and are to be deleted; unknown ones are none. */
  readonly deleted?: readonly string[] | undefined;
}

/** @throws RAGError `DOCUMENT_DUPLICATE_ID` for two documents under one id, `USAGE` for one that is deleted too */
export function assertDistinct(
  name: string,
  { documents, deleted = [] }: Pick<PushSourceOptions, 'documents' | 'deleted'>,
): void {
  const ids = new Set(documents.map(({ id }) => id));
  if (ids.size < documents.length)
    throw new RAGError('DOCUMENT_DUPLICATE_ID', `Two of the documents pushed to "${name}" have the same id.`);
  const both = deleted.find((id) => ids.has(id));
  if (both !== undefined)
    throw new RAGError(
      'USAGE',
      `The document ${JSON.stringify(both)} is both pushed and deleted; do one of the two.`,
    );
}

/** Documents from memory. Throws as `assertDistinct` does. */
export function createPushSource({ name, documents, listing, deleted = [] }: PushSourceOptions): Source {
  assertDistinct(name, { documents, deleted });
  const byId = new Map(documents.map((document) => [document.id, document]));
  const items = [...byId.values()].map(
    (document): SourceItem => ({
      id: document.id,
      version: versionOf(document),
      bytes: contentOf(document).length,
    }),
  );
  const source: Source = {
    name,
    type: 'push',
    listing,
    async *list(): AsyncGenerator<SourceItem> {
      yield* items;
    },
    read: async (item) => toReadResult(item, byId.get(item.id)),
  };
  if (listing === 'complete') return source;
  return {
    ...source,
    itemIds: [...byId.keys(), ...deleted],
    async *listChanges(): AsyncGenerator<ListedChange> {
      yield* items;
      for (const id of deleted) yield { id, isDeleted: true };
    },
  };
}

/** What came later is added only where it is stated, so that documents of earlier versions are not done again. */
function versionOf(document: PushedDocument): string {
  const { id, text, bytes, title, url, metadata, mediaType, fileName, surroundings, access } = document;
  const stated = {
    ...(bytes === undefined ? {} : { bytes: contentHash(bytes) }),
    ...withoutUndefined({ fileName }),
    ...(access === undefined ? {} : { access: accessOf(document) }),
    ...placeOf(document),
  };
  return contentHash(
    canonicalJson([
      id,
      text ?? null,
      title ?? null,
      url ?? null,
      metadata ?? {},
      mediaType ?? null,
      ...(surroundings === undefined ? [] : [[...surroundings]]),
      ...(Object.keys(stated).length === 0 ? [] : [stated]),
    ]),
  );
}

const contentOf = ({ text, bytes }: PushedDocument): string | Uint8Array => bytes ?? text ?? '';

const accessOf = ({ access = {} }: PushedDocument): { groups: string[]; level: number } => ({
  groups: [...(access.groups ?? OPEN_ACCESS.groups)],
  level: access.level ?? OPEN_ACCESS.level,
});

/** What the pusher's own words say of where the document is from, and from when. */
function placeOf({ metadata = {} }: PushedDocument): {
  sourceType?: string;
  location?: string;
  updatedAt?: string;
} {
  const { sourceType, source, [PUSHED_DATE_FIELD]: timestamp, createdAt, updatedAt } = metadata;
  const date = (updatedAt ?? createdAt) === undefined ? momentOf(timestamp) : undefined;
  return {
    ...withoutUndefined({ updatedAt: date }),
    ...(typeof sourceType === 'string' ? { sourceType } : {}),
    ...(typeof source === 'string' ? { location: source } : {}),
  };
}

function toReadResult(item: SourceItem, document: PushedDocument | undefined): ReadResult {
  if (document === undefined) {
    throw new RAGError('DOCUMENT_VANISHED', `"${item.id}" is not among the pushed documents any more.`);
  }
  const { id, fileName, url, surroundings, metadata = {} } = document;
  const type = fileName === undefined ? undefined : typeOfFile(fileName, contentOf(document));
  const { title = fileName, mediaType = type?.mediaType ?? MEDIA_TYPES.plainText } = document;
  return {
    documents: [
      {
        externalId: id,
        mediaType,
        content: contentOf(document),
        ...withoutUndefined({ title, url, surroundings }),
        ...(type === undefined ? {} : { sourceType: type.kind }),
        ...placeOf(document),
        metadata: { ...(type?.language === undefined ? {} : { language: type.language }), ...metadata },
        access: accessOf(document),
      },
    ],
    failures: [],
  };
}
