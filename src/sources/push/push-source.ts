import { canonicalJson } from '../../core/canonical-json.js';
import { RAGError } from '../../core/errors.js';
import { contentHash } from '../../core/ids.js';
import type { Metadata } from '../../core/metadata.js';
import { OPEN_ACCESS } from '../../core/scope.js';
import type { ListedChange, ReadResult, Source, SourceItem } from '../source.js';

/** A document handed in by the caller. */
export interface PushedDocument {
  /** Stable identity: pushing the same id again replaces the document. */
  readonly id: string;
  readonly text: string;
  readonly title?: string;
  readonly url?: string;
  readonly metadata?: Metadata;
  /** Text beside the document where it is itself a piece of a larger one: matched with it, never shown. */
  readonly surroundings?: readonly string[];
  /** @default 'text/plain' */
  readonly mediaType?: string;
}

export interface PushSourceOptions {
  readonly name: string;
  readonly documents: readonly PushedDocument[];
  /** `complete`: what is not in `documents` is deleted. `incremental`: it stays. */
  readonly listing: Source['listing'];
  /** Of an incremental listing: ids of documents that were pushed before and are to be deleted; unknown ones are none. */
  readonly deleted?: readonly string[];
}

/** Documents from memory. Two documents under one id are refused with `DOCUMENT_DUPLICATE_ID`, one that is deleted too with `USAGE`. */
export function createPushSource({ name, documents, listing, deleted = [] }: PushSourceOptions): Source {
  const byId = new Map(documents.map((document) => [document.id, document]));
  if (byId.size < documents.length) {
    throw new RAGError('DOCUMENT_DUPLICATE_ID', `Two of the documents pushed to "${name}" have the same id.`);
  }
  const both = deleted.find((id) => byId.has(id));
  if (both !== undefined) {
    throw new RAGError(
      'USAGE',
      `The document ${JSON.stringify(both)} is both pushed and deleted; do one of the two.`,
    );
  }
  const items = [...byId.values()].map(
    (document): SourceItem => ({
      id: document.id,
      version: versionOf(document),
      bytes: document.text.length,
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
    async *listChanges(): AsyncGenerator<ListedChange> {
      yield* items;
      for (const id of deleted) yield { id, isDeleted: true };
    },
  };
}

const versionOf = ({ id, text, title, url, metadata, mediaType, surroundings }: PushedDocument): string =>
  contentHash(
    canonicalJson([
      id,
      text,
      title ?? null,
      url ?? null,
      metadata ?? {},
      mediaType ?? null,
      ...(surroundings === undefined ? [] : [[...surroundings]]),
    ]),
  );

function toReadResult(item: SourceItem, document: PushedDocument | undefined): ReadResult {
  if (document === undefined) {
    throw new RAGError('DOCUMENT_VANISHED', `"${item.id}" is not among the pushed documents any more.`);
  }
  const { id, text, title, url, surroundings, metadata = {}, mediaType = 'text/plain' } = document;
  return {
    documents: [
      {
        externalId: id,
        mediaType,
        content: text,
        ...(title === undefined ? {} : { title }),
        ...(url === undefined ? {} : { url }),
        ...(surroundings === undefined ? {} : { surroundings }),
        metadata,
        access: OPEN_ACCESS,
      },
    ],
    failures: [],
  };
}
