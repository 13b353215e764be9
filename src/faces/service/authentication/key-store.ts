import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { PERMISSIONS } from '../../../config/schema/server.js';
import {
  assertKeysTrusted,
  type DataFolder,
  isKeyTrusted,
  trustKey,
} from '../../../config/trust/index-reach.js';
import { isKeyFile, keyRisk, keyRisksOf, keysFolderOf } from '../../../config/trust/key-risks.js';
import { recordRevocation, revocationOf } from '../../../config/trust/revoked-keys.js';
import { type Metadata, RAGError, SYSTEM_RUNTIME } from '../../../index.js';
import { readRegularText } from '../../../platform/security/regular-file.js';
import { unauthenticated } from './presented-key.js';
import type { Permission, Principal } from './principal.js';

/** The folder alone for its owner, and its files too. */
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
/** 256 bits: a hash of it cannot be turned back by trying, so it needs no slow hash and no salt. */
const SECRET_BYTES = 32;
const ID_BYTES = 8;
const KEY = /^rsk_([0-9a-f]{16})_([\w-]{43})$/;

const KEY_ID = /^[0-9a-f]{16}$/;

/** The id of a key that is named by it or by the key itself, which is what its holder has; undefined for anything else, which may be a secret. */
export const keyIdOf = (named: string): string | undefined =>
  KEY_ID.test(named) ? named : /^rsk_([0-9a-f]{16})(?:_|$)/.exec(named)?.[1];

const recordSchema = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{16}$/),
  /** SHA-256 of the whole key, in hexadecimal digits. */
  hash: z.string(),
  name: z.string().optional(),
  tenant: z.string(),
  project: z.string().optional(),
  groups: z.array(z.string()),
  clearance: z.int(),
  permissions: z.array(z.enum(PERMISSIONS)),
  createdAt: z.string(),
  expiresAt: z.iso.datetime().optional(),
  revokedAt: z.string().optional(),
});

type KeyRecord = z.infer<typeof recordSchema>;

/** A key without what could be used of it. */
export type ApiKey = Omit<KeyRecord, 'hash'>;

/** What a new key allows. */
export interface NewKey {
  /** For people: what it is for. */
  readonly name?: string | undefined;
  readonly tenant: string;
  /** @default every project of the tenant */
  readonly project?: string | undefined;
  /** @default none */
  readonly groups?: readonly string[] | undefined;
  /** @default 0 */
  readonly clearance?: number | undefined;
  /** @default read and write */
  readonly permissions?: readonly Permission[] | undefined;
  /** From then on the key is refused. @default never */
  readonly expiresAt?: Date | undefined;
}

/**
 * Keys of callers, hashed, one file each in the data folder: making and revoking one touches no other, and holds from the next
 * request on, also of a service that runs.
 */
export class KeyStore {
  readonly #place: DataFolder;
  readonly #folder: string;
  /** Risks of keys that were found to be trusted. */
  readonly #trusted = new Set<string>();

  /** @param place the data folder of the index */
  constructor(place: DataFolder) {
    this.#place = place;
    this.#folder = keysFolderOf(place.dataDir);
  }

  /** Makes a key. It is given back once, here, and kept by its hash alone. */
  async create({
    name,
    tenant,
    project,
    groups = [],
    clearance = 0,
    permissions = ['read', 'write'],
    expiresAt,
  }: NewKey) {
    if (tenant.trim() === '') throw new RAGError('USAGE', 'A key needs the name of a tenant.');
    const id = randomBytes(ID_BYTES).toString('hex');
    const key = `rsk_${id}_${randomBytes(SECRET_BYTES).toString('base64url')}`;
    const record: KeyRecord = {
      id,
      hash: hashOf(key).toString('hex'),
      name,
      tenant,
      project,
      groups: [...groups],
      clearance,
      permissions: [...permissions],
      createdAt: new Date(SYSTEM_RUNTIME.now()).toISOString(),
      ...(expiresAt === undefined ? {} : { expiresAt: expiresAt.toISOString() }),
    };
    await mkdir(this.#folder, { recursive: true, mode: PRIVATE_FOLDER });
    await this.#write(record);
    trustKey(keyRisk(plain(record)), this.#place);
    return { key, ...withoutHash(record) };
  }

  /** All keys, revoked ones too, oldest first. */
  async list(): Promise<ApiKey[]> {
    const records = await Promise.all((await this.#files()).map((file) => this.#read(file)));
    return records
      .flatMap((record) => (record === undefined ? [] : [withoutHash(record)]))
      .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  }

  /** Stops where the folder holds keys that this account has neither made nor trusted. @throws RAGError `INDEX_UNTRUSTED` */
  assertTrusted(): void {
    assertKeysTrusted(keyRisksOf(this.#place.dataDir), this.#place);
  }

  /** Records what the files say, which another account may have revoked, as far as it can be. */
  async rememberRevocations(): Promise<void> {
    for (const { id, revokedAt } of await this.list()) {
      if (revokedAt === undefined) continue;
      try {
        recordRevocation(id, this.#place.environment);
      } catch {
        // The file refuses the key.
      }
    }
  }

  /** Whether a key was ever made, so that revoking the last one opens nothing. */
  async isEmpty(): Promise<boolean> {
    return (await this.#files()).length === 0;
  }

  /**
   * The key, named by its id or by itself, is refused from now on, also where an older file of it comes back (`revoked-keys.ts`).
   *
   * @throws RAGError `USAGE` where there is none of this id, `INDEX_UNAVAILABLE` where only the file could be changed
   */
  async revoke(named: string): Promise<ApiKey> {
    const id = keyIdOf(named);
    const record = id === undefined ? undefined : await this.#read(`${id}.json`);
    if (id === undefined || record === undefined)
      throw new RAGError(
        'USAGE',
        `There is no ${id === undefined ? 'such key' : `key ${id}`}. \`ragstone keys list\` shows the ids of all.`,
      );
    const revoked = {
      ...record,
      revokedAt: record.revokedAt ?? new Date(SYSTEM_RUNTIME.now()).toISOString(),
    };
    await this.#write(revoked);
    try {
      recordRevocation(id, this.#place.environment);
    } catch (error) {
      throw new RAGError(
        'INDEX_UNAVAILABLE',
        `The key ${id} is refused now, but that could not be recorded outside of the data folder: an older file of it that is put back would admit it again. Make the state folder of this account writable (\`XDG_STATE_HOME\`), and revoke the key once more.`,
        { cause: error },
      );
    }
    return withoutHash(revoked);
  }

  /** Who holds a key; undefined for a text that is none. Throws `UNAUTHENTICATED` for one that is unknown, revoked or expired, in the same words. */
  async find(key: string): Promise<Principal | undefined> {
    const id = KEY.exec(key)?.[1];
    if (id === undefined) return undefined;
    const record = await this.#read(`${id}.json`);
    const isRight = timingSafeEqual(hashOf(key), Buffer.from(record?.hash ?? '0'.repeat(64), 'hex'));
    if (record === undefined || !isRight || isOver(record) || !this.#isTrusted(record))
      throw unauthenticated('The key is unknown, revoked or expired.');
    const { tenant, project, groups, clearance, permissions } = record;
    return { name: id, scope: { tenant, project, groups, clearance }, permissions };
  }

  // A file may be put there while the service runs.
  #isTrusted(record: KeyRecord): boolean {
    const risk = keyRisk(plain(record));
    if (!this.#trusted.has(risk.what) && isKeyTrusted(risk, this.#place)) this.#trusted.add(risk.what);
    return this.#trusted.has(risk.what);
  }

  async #files(): Promise<string[]> {
    try {
      return (await readdir(this.#folder)).filter(isKeyFile);
    } catch (error) {
      if (isMissing(error)) return [];
      throw unreadable(this.#folder, error);
    }
  }

  async #read(file: string): Promise<KeyRecord | undefined> {
    const path = join(this.#folder, file);
    try {
      const record = recordSchema.parse(JSON.parse(await readRegularText(path)));
      return { ...record, revokedAt: record.revokedAt ?? this.#revokedBefore(basename(file, '.json')) };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw unreadable(path, error);
    }
  }

  // The file may be older than the revocation.
  #revokedBefore(id: string): string | undefined {
    return revocationOf(id, this.#place.environment)?.toISOString();
  }

  /** At once or not at all. */
  async #write(record: KeyRecord): Promise<void> {
    const path = join(this.#folder, `${record.id}.json`);
    const draft = `${path}.${SYSTEM_RUNTIME.uniqueName()}`;
    await writeFile(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: PRIVATE_FILE });
    await rename(draft, path);
  }
}

/** As it stands in the file. */
const plain = (record: KeyRecord): Metadata => JSON.parse(JSON.stringify(record)) as Metadata;

const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest();

const isOver = ({ revokedAt, expiresAt }: KeyRecord): boolean =>
  revokedAt !== undefined || (expiresAt !== undefined && Date.parse(expiresAt) <= SYSTEM_RUNTIME.now());

const withoutHash = ({ hash: _, ...key }: KeyRecord): ApiKey => key;

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** A key that cannot be read admits nobody. */
const unreadable = (path: string, cause: unknown): RAGError =>
  new RAGError(
    'INDEX_UNAVAILABLE',
    `The keys in ${path} cannot be read. Mend its permissions, or remove the file.`,
    {
      cause,
    },
  );
