import { existsSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import * as z from 'zod';
import { DATA_FOLDERS } from '../../core/data-folder.js';
import { RAGError, systemErrorCode } from '../../core/errors.js';
import { isoNow, runtime } from '../../core/runtime.js';
import type { ForgetReceipt } from '../../operations/forget-types.js';
import { makePrivateFolder, PRIVATE_FILE } from '../../platform/security/private-files.js';
import { flushFolderSync, readRegularFileSync } from '../../platform/security/regular-file.js';
import type { ForgettingPlan } from './forgetting-plan.js';

/** Below it: what was begun, with the names that are needed to finish it. */
const UNFINISHED = 'unfinished';
const ID = /^forget-[0-9TZ]+-[0-9a-f]+$/;

const receiptSchema: z.ZodType<ForgetReceipt> = z.object({
  format: z.literal(1),
  id: z.string().regex(ID),
  state: z.enum(['begun', 'done', 'dry']),
  tenant: z.string(),
  project: z.string().optional(),
  startedAt: z.string(),
  finishedAt: z.string().optional(),
  by: z.string().optional(),
  asked: z.object({ source: z.boolean(), documents: z.number(), filterFields: z.array(z.string()) }),
  documents: z.number(),
  chunks: z.number(),
  keptOut: z.number(),
  names: z.object({ key: z.string(), hashes: z.array(z.string()) }).optional(),
  undoneAt: z.string().optional(),
  removed: z.array(z.object({ place: z.string(), what: z.string(), count: z.number() })),
  left: z.array(z.object({ where: z.string(), detail: z.string() })),
  key: z.string(),
  traces: z.array(z.string()),
});

/** A name for a receipt that no other has. */
export function newReceiptId(): string {
  const time = isoNow().replaceAll(/[-:]|\.\d+/g, '');
  return `forget-${time}-${runtime().uniqueName().replaceAll('-', '').slice(0, 12)}`;
}

/** The receipts of a data folder, and what was begun and not finished. For its owner alone. */
export class Receipts {
  readonly #folder: string;

  constructor(dataDir: string) {
    this.#folder = join(dataDir, DATA_FOLDERS.receipts);
  }

  static unfinishedFolder(dataDir: string): string {
    return join(dataDir, DATA_FOLDERS.receipts, UNFINISHED);
  }

  pathOf(id: string): string {
    return join(this.#folder, `${id}.json`);
  }

  /** What is about to be done is on the disk before it is. */
  begin(plan: ForgettingPlan): void {
    this.#write(join(this.#folder, UNFINISHED), plan.receipt.id, plan);
  }

  /** Replaces the plan, which names what was forgotten, by the receipt, which does not. */
  finish(receipt: ForgetReceipt): void {
    this.#write(this.#folder, receipt.id, receipt);
    const unfinished = join(this.#folder, UNFINISHED);
    rmSync(join(unfinished, `${receipt.id}.json`), { force: true });
    try {
      rmdirSync(unfinished);
    } catch (error) {
      // Another one is unfinished.
      if (!/ENOTEMPTY|EEXIST|ENOENT/.test(systemErrorCode(error) ?? '')) throw error;
    }
  }

  /** What was begun and not finished, oldest first. */
  unfinished(): ForgettingPlan[] {
    const folder = join(this.#folder, UNFINISHED);
    if (!existsSync(folder)) return [];
    return namesIn(folder).map((name) => this.#plan(join(folder, name)));
  }

  /** Ids of what was begun and not finished. */
  unfinishedIds(): string[] {
    const folder = join(this.#folder, UNFINISHED);
    return existsSync(folder) ? namesIn(folder).map((name) => name.slice(0, -'.json'.length)) : [];
  }

  exist(): boolean {
    return existsSync(this.#folder);
  }

  /** All that were carried out, oldest first. */
  all(): ForgetReceipt[] {
    if (!this.exist()) return [];
    return namesIn(this.#folder).map((name) => this.read(name.slice(0, -'.json'.length), this.#folder));
  }

  /** Replaces a receipt. */
  update(receipt: ForgetReceipt): void {
    this.#write(this.#folder, receipt.id, receipt);
  }

  /** A receipt by its id, or by the path of its file. Throws `USAGE` where there is none. */
  read(idOrPath: string, cwd: string): ForgetReceipt {
    const isId = ID.test(idOrPath);
    const path = isId ? this.pathOf(idOrPath) : isAbsolute(idOrPath) ? idOrPath : resolve(cwd, idOrPath);
    if (isId && !existsSync(path)) {
      const begun = this.unfinished().find(({ receipt }) => receipt.id === idOrPath);
      if (begun !== undefined) return begun.receipt;
    }
    try {
      return receiptSchema.parse(JSON.parse(readRegularFileSync(path).toString('utf8')));
    } catch (cause) {
      throw new RAGError(
        'USAGE',
        `There is no receipt "${idOrPath}". Give its id or its file; receipts are kept in ${this.#folder}.`,
        { cause },
      );
    }
  }

  #plan(path: string): ForgettingPlan {
    try {
      const plan = JSON.parse(readRegularFileSync(path).toString('utf8')) as ForgettingPlan;
      receiptSchema.parse(plan.receipt);
      return plan;
    } catch (cause) {
      throw new RAGError(
        'INDEX_DAMAGED',
        `What was being forgotten cannot be read in ${path}. Say it again (\`ragstone forget\`), and remove this file.`,
        { cause },
      );
    }
  }

  #write(folder: string, id: string, content: unknown): void {
    makePrivateFolder(folder);
    const path = join(folder, `${id}.json`);
    const draft = `${path}.draft`;
    writeFileSync(draft, `${JSON.stringify(content, undefined, 1)}\n`, { mode: PRIVATE_FILE, flush: true });
    renameSync(draft, path);
    flushFolderSync(folder);
  }
}

const namesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => ID.test(name.slice(0, -'.json'.length)) && name.endsWith('.json'))
    .sort();

/** Throws `USAGE` for a receipt of another tenant, as for none. */
export function assertOfTenant({ id, tenant }: ForgetReceipt, scope: { readonly tenant: string }): void {
  if (tenant !== scope.tenant)
    throw new RAGError('USAGE', `There is no receipt "${id}" of this tenant. Name the tenant that it is of.`);
}

/** Whether something was begun in a data folder and is not finished; asked often, so it costs one look. */
export const isUnfinished = (dataDir: string): boolean => existsSync(Receipts.unfinishedFolder(dataDir));

/** What is said of a forgetting that was begun and not finished. */
export const unfinishedNotice = (id: string, reason?: string): string =>
  `A forgetting was begun and is not finished (${id})${reason === undefined ? '' : `: ${reason}`} The next \`ragstone index\` or \`ragstone forget --resume\` goes on with it.`;
