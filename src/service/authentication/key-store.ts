import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { PERMISSIONS } from '../../config/schema/server.js';
import { RAGError, SYSTEM_RUNTIME } from '../../index.js';
import { readRegularText } from '../../security/regular-file.js';
import { unauthenticated } from './bearer-token.js';
import type { Permission, Principal } from './principal.js';

/** The folder alone for its owner, and its files too. */
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
/** 256 bits: a hash of it cannot be turned back by trying, so it needs no slow hash and no salt. */
const SECRET_BYTES = 32;
const ID_BYTES = 8;
const KEY = /^rsk_([0-9a-f]{16})_([\w-]{43})$/;
const FILE = /^[0-9a-f]{16}\.json$/;

const recordSchema = z.strictObject({
  id: z.string(),
  /** SHA-256 of the whole key, in hexadecimal digits. */
  hash: z.string(),
  name: z.string().optional(),
  tenant: z.string(),
  project: z.string().optional(),
  groups: z.array(z.string()),
  clearance: z.int(),
  permissions: z.array(z.enum(PERMISSIONS)),
  createdAt: z.string(),
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
}

/**
 * Keys of callers, hashed, one file each in the data folder: making and revoking one touches no other, and holds from the next
 * request on, also of a service that runs.
 */
export class KeyStore {
  readonly #folder: string;

  /** @param dataDir the data folder of the index */
  constructor(dataDir: string) {
    this.#folder = join(dataDir, 'keys');
  }

  /** Makes a key. It is given back once, here, and kept by its hash alone. */
  async create({
    name,
    tenant,
    project,
    groups = [],
    clearance = 0,
    permissions = ['read', 'write'],
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
    };
    await mkdir(this.#folder, { recursive: true, mode: PRIVATE_FOLDER });
    await this.#write(record);
    return { key, ...withoutHash(record) };
  }

  /** All keys, revoked ones too, oldest first. */
  async list(): Promise<ApiKey[]> {
    const records = await Promise.all((await this.#files()).map((file) => this.#read(file)));
    return records
      .flatMap((record) => (record === undefined ? [] : [withoutHash(record)]))
      .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  }

  /** Whether a key was ever made, so that revoking the last one opens nothing. */
  async isEmpty(): Promise<boolean> {
    return (await this.#files()).length === 0;
  }

  /** The key is refused from now on. Throws `USAGE` where there is none of this id. */
  async revoke(id: string): Promise<ApiKey> {
    const record = FILE.test(`${id}.json`) ? await this.#read(`${id}.json`) : undefined;
    if (record === undefined)
      throw new RAGError('USAGE', `There is no key ${JSON.stringify(id)}. \`ragstone keys list\` shows all.`);
    const revoked = {
      ...record,
      revokedAt: record.revokedAt ?? new Date(SYSTEM_RUNTIME.now()).toISOString(),
    };
    await this.#write(revoked);
    return withoutHash(revoked);
  }

  /** Who holds a key; undefined for a text that is none. Throws `UNAUTHENTICATED` for one that is unknown or revoked, in the same words. */
  async find(key: string): Promise<Principal | undefined> {
    const id = KEY.exec(key)?.[1];
    if (id === undefined) return undefined;
    const record = await this.#read(`${id}.json`);
    const isRight = timingSafeEqual(hashOf(key), Buffer.from(record?.hash ?? '0'.repeat(64), 'hex'));
    if (record === undefined || !isRight || record.revokedAt !== undefined)
      throw unauthenticated('The key is unknown or revoked.');
    const { tenant, project, groups, clearance, permissions } = record;
    return { name: id, scope: { tenant, project, groups, clearance }, permissions };
  }

  async #files(): Promise<string[]> {
    try {
      return (await readdir(this.#folder)).filter((name) => FILE.test(name));
    } catch (error) {
      if (isMissing(error)) return [];
      throw unreadable(this.#folder, error);
    }
  }

  async #read(file: string): Promise<KeyRecord | undefined> {
    const path = join(this.#folder, file);
    try {
      return recordSchema.parse(JSON.parse(await readRegularText(path)));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw unreadable(path, error);
    }
  }

  /** At once or not at all. */
  async #write(record: KeyRecord): Promise<void> {
    const path = join(this.#folder, `${record.id}.json`);
    const draft = `${path}.${SYSTEM_RUNTIME.uniqueName()}`;
    await writeFile(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: PRIVATE_FILE });
    await rename(draft, path);
  }
}

const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest();

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
