import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { canonicalJson } from '../../core/canonical-json.js';
import { CHUNK_KEYS, ENGINE_KEYS, SEALED_KEY } from '../../core/chunk-metadata.js';
import { RAGError } from '../../core/errors.js';
import { and, exists, type Filter, not } from '../../core/filter.js';
import {
  callersName,
  holdsMarked,
  isMarkedName,
  type Metadata,
  type MetadataValue,
} from '../../core/metadata.js';
import {
  FOLDED_KEY,
  isFolded,
  liftFields,
  UNLIFTED_KEY,
  withFolded,
  withoutFolded,
} from '../../core/pushed-fields.js';

/** A key, as plain data. */
export interface SealingKey {
  /** It stands beside each value that the key encrypted. */
  readonly id: string;
  /** 32 bytes, in base64 or as 64 hexadecimal digits. */
  readonly key: string;
}

/** Which metadata is encrypted, and by what. */
export interface SealingSettings {
  readonly fields: readonly string[];
  /** The first encrypts, all decrypt. */
  readonly keys: readonly SealingKey[];
}

/** Whose metadata it is: a value that is put to another document, tenant or field does not decrypt. */
export interface SealedOwner {
  readonly tenant: string;
  readonly documentId: string;
}

/** Metadata as a reader may see it. */
export interface ShownMetadata {
  readonly metadata: Metadata;
  /** Fields that cannot be decrypted: their keys are not there, or their values were changed or moved. They are left out. */
  readonly undecryptable: readonly string[];
}

/** Encrypts what is marked in the metadata of documents, and decrypts it. */
export interface MetadataSealing {
  /** Names of the marked fields. */
  readonly fields: readonly string[];
  /** Metadata as it may be stored. */
  seal(metadata: Metadata, owner: SealedOwner): Metadata;
  /**
   * Metadata as a reader may see it.
   *
   * @throws RAGError `ENCRYPTION_KEY_MISSING`, or `ENCRYPTION_FAILED` for a wrong key and for a value that was changed or moved
   */
  open(metadata: Metadata, owner: SealedOwner): Metadata;
  /** The same for what is found: one value that cannot be decrypted is no reason to show nothing. */
  show(metadata: Metadata, owner: SealedOwner): ShownMetadata;
  /** Names of marked fields whose values stand in it in clear. */
  readable(metadata: Metadata): readonly string[];
  /** Whether everything that is marked is encrypted by the first key. */
  isCurrent(metadata: Metadata, owner: SealedOwner): boolean;
  /**
   * Refuses a filter that asks for what is encrypted, for no store can compare it.
   *
   * @throws RAGError `QUERY_INVALID`; it names the field and not the value
   */
  assertFilterable(filter: Filter): void;
  /**
   * The filter as a store is asked it, which admits no more documents than it would if values that are encrypted were known. Comparisons
   * with them are false, so what a negation says of them would be true: documents that hold such a field encrypted are left out where a
   * negation names it.
   */
  storable(filter: Filter): Filter;
  /** Documents of earlier versions may hold fields under `knowledgeMetadata`, where a filter misses names with dots and metadata that is a text. */
  readonly isOverFolded: boolean;
}

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Of what a sealed value is: algorithm, derivation and layout. */
const VERSION = '1';

interface DerivedKey {
  readonly id: string;
  readonly encryption: Buffer;
  readonly nonce: Buffer;
}

/** @throws RAGError `CONFIG_INVALID` for a key that is none */
export function createSealing({ fields, keys }: SealingSettings): MetadataSealing {
  const derived = new Map(keys.map((key) => [key.id, derive(key)]));
  const current = derived.get(keys[0]?.id ?? '');
  // What could not become fields may hold any of them.
  const sealable = fields.length === 0 ? [] : [...fields, UNLIFTED_KEY];
  /** A field that holds a marked one is encrypted whole. */
  const isSealable = (name: string, value: MetadataValue, names: readonly string[] = sealable): boolean =>
    isMarkedName(name, names) || (!ENGINE_KEYS.has(name) && holdsMarked(value, names));
  const open = (given: Metadata, owner: SealedOwner): Metadata => {
    const metadata = liftFields(given);
    const sealed = metadata[SEALED_KEY];
    if (sealed === undefined) return metadata;
    const { [SEALED_KEY]: _, ...rest } = metadata;
    const opened = Object.entries(entriesOf(sealed)).map(([field, text]) => [
      field,
      openValue(text, { ...owner, field }, derived),
    ]);
    return { ...rest, ...(Object.fromEntries(opened) as Metadata) };
  };
  return {
    fields,
    isOverFolded: false,
    readable: (metadata) => {
      const entries = Object.entries(liftFields(metadata));
      return sealable.filter((field) => entries.some(([name, value]) => isSealable(name, value, [field])));
    },
    open,
    show: (given, owner) => {
      const metadata = liftFields(given);
      const sealed = metadata[SEALED_KEY];
      if (sealed === undefined) return { metadata, undecryptable: [] };
      const { [SEALED_KEY]: _, ...rest } = metadata;
      const opened: [string, MetadataValue][] = [];
      const undecryptable: string[] = [];
      for (const [field, text] of Object.entries(entriesOf(sealed)))
        try {
          opened.push([field, openValue(text, { ...owner, field }, derived)]);
        } catch {
          undecryptable.push(field);
        }
      return { metadata: { ...rest, ...Object.fromEntries(opened) }, undecryptable };
    },
    seal: (given, owner) => {
      if (current === undefined) return liftFields(given);
      const metadata = open(given, owner);
      const marked = Object.entries(metadata).flatMap(([name, value]) =>
        isSealable(name, value) ? [name] : [],
      );
      if (marked.length === 0) return metadata;
      const rest = Object.fromEntries(Object.entries(metadata).filter(([key]) => !marked.includes(key)));
      const sealed = marked.map((field) => [
        field,
        sealValue(metadata[field] ?? null, { ...owner, field }, current),
      ]);
      return { ...rest, [SEALED_KEY]: Object.fromEntries(sealed) as Metadata };
    },
    isCurrent: (metadata, owner) => {
      if (isFolded(metadata)) return false;
      const { [SEALED_KEY]: sealed = {}, ...clear } = metadata;
      if (Object.entries(clear).some(([name, value]) => isSealable(name, value))) return false;
      return Object.entries(entriesOf(sealed)).every(([field, text]) => {
        if (!text.startsWith(`${VERSION}.${keys[0]?.id}.`)) return false;
        return (
          isMarkedName(field, sealable) || isSealable(field, openValue(text, { ...owner, field }, derived))
        );
      });
    },
    storable: (filter) => {
      const lifted = withoutFolded(filter);
      return and(lifted, ...sealedNegations(lifted));
    },
    assertFilterable: (filter) => {
      const asked = fieldsOf(filter).find((path) => {
        const [root = ''] = path.split('.', 1);
        // An index of an earlier version holds marked fields in there.
        return (
          root === SEALED_KEY || isMarkedName(path, sealable) || (fields.length > 0 && root === FOLDED_KEY)
        );
      });
      if (asked === undefined) return;
      throw new RAGError(
        'QUERY_INVALID',
        `The field ${JSON.stringify(callersName(asked))} is encrypted (\`rag.security.encryption.fields\`) and cannot be filtered. Filter by another field.`,
      );
    },
  };
}

/** Where nothing is configured: nothing is encrypted, and what was encrypted before is not shown. */
export const NO_SEALING: MetadataSealing = createSealing({ fields: [], keys: [] });

/** Metadata as it is stored, for what is shown to nobody: what can no longer be decrypted can still be replaced and deleted. */
export const LEFT_SEALED: MetadataSealing = {
  ...NO_SEALING,
  open: (metadata) => metadata,
  show: (metadata) => ({ metadata, undecryptable: [] }),
};

/** The same over an index in which documents of earlier versions may hold fields under `knowledgeMetadata`. */
export const overFolded = (sealing: MetadataSealing): MetadataSealing => ({
  ...sealing,
  isOverFolded: true,
  storable: (filter) => withFolded(sealing.storable(filter)),
});

/** What keeps out documents that hold encrypted what a negation names. */
function sealedNegations(filter: Filter): Filter[] {
  const roots = new Set(negatedFields(filter).flatMap((path) => rootOf(path)));
  return [...roots].map((root) => not(exists(`${SEALED_KEY}.${root}`)));
}

const rootOf = (path: string): string[] => {
  const [root = ''] = path.split('.');
  return root.startsWith('$') || CHUNK_KEYS.has(root) ? [] : [root];
};

function negatedFields(filter: Filter): string[] {
  if ('filters' in filter) return filter.filters.flatMap(negatedFields);
  return 'filter' in filter ? fieldsOf(filter.filter) : [];
}

interface SealedPlace extends SealedOwner {
  readonly field: string;
}

const boundTo = ({ tenant, documentId, field }: SealedPlace): Buffer =>
  Buffer.from(JSON.stringify(['ragstone metadata', VERSION, tenant, documentId, field]));

/**
 * The nonce is made of the value and its place by a keyed hash (as synthetic nonces are, RFC 8452): the same value in the same place is
 * the same text, so a document that did not change is not written again, and no two values share a nonce.
 */
function sealValue(value: MetadataValue, place: SealedPlace, { id, encryption, nonce }: DerivedKey): string {
  const plain = Buffer.from(canonicalJson(value));
  const bound = boundTo(place);
  const iv = createHmac('sha256', nonce)
    .update(`${bound.length}:`)
    .update(bound)
    .update(plain)
    .digest()
    .subarray(0, NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, encryption, iv).setAAD(bound);
  const text = Buffer.concat([cipher.update(plain), cipher.final()]);
  return `${VERSION}.${id}.${Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')}`;
}

function openValue(sealed: string, place: SealedPlace, keys: ReadonlyMap<string, DerivedKey>): MetadataValue {
  const { field, documentId } = place;
  const [version, id = '', text = ''] = sealed.split('.');
  const key = version === VERSION ? keys.get(id) : undefined;
  if (key === undefined)
    throw new RAGError(
      'ENCRYPTION_KEY_MISSING',
      `The field ${JSON.stringify(field)} of a document is encrypted with the key ${JSON.stringify(id)}, which \`rag.security.encryption.keys\` does not hold. Add it there, after the key that new values are encrypted with.`,
      { details: { field, documentId, keyId: id } },
    );
  const bytes = Buffer.from(text, 'base64url');
  try {
    const decipher = createDecipheriv(ALGORITHM, key.encryption, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(boundTo(place))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const plain = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
    return JSON.parse(Buffer.concat(plain).toString('utf8')) as MetadataValue;
  } catch (cause) {
    throw new RAGError(
      'ENCRYPTION_FAILED',
      `The field ${JSON.stringify(field)} of a document cannot be decrypted: what is under the id ${JSON.stringify(id)} in \`rag.security.encryption.keys\` is not the key that encrypted it, or the value was changed or belongs to another document.`,
      { cause, details: { field, documentId, keyId: id } },
    );
  }
}

function derive({ id, key }: SealingKey): DerivedKey {
  const bytes = /^[0-9a-f]{64}$/i.test(key) ? Buffer.from(key, 'hex') : Buffer.from(key, 'base64');
  if (bytes.length !== KEY_BYTES)
    throw new RAGError(
      'CONFIG_INVALID',
      `The key ${JSON.stringify(id)} of \`rag.security.encryption.keys\` is not 32 bytes in base64 or hexadecimal digits. \`openssl rand -base64 32\` makes one.`,
    );
  const part = (use: string): Buffer =>
    Buffer.from(hkdfSync('sha256', bytes, '', `ragstone metadata ${use}`, KEY_BYTES));
  return { id, encryption: part('encryption'), nonce: part('nonce') };
}

function entriesOf(sealed: MetadataValue): Readonly<Record<string, string>> {
  if (typeof sealed !== 'object' || sealed === null || Array.isArray(sealed)) return {};
  return Object.fromEntries(Object.entries(sealed).map(([field, text]) => [field, String(text)]));
}

function fieldsOf(filter: Filter): string[] {
  if ('filters' in filter) return filter.filters.flatMap(fieldsOf);
  if ('filter' in filter) return fieldsOf(filter.filter);
  return [filter.field];
}
