import { type FSWatcher, type Stats, watch as watchOnDisk } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { systemErrorCode } from '../../../core/errors.js';
import { repeat } from '../../../core/runtime.js';
import type { WatchedPlace } from '../../../sources/watched-place.js';

/** How one folder is watched: as `fs.watch`. */
export type WatchFolder = (
  path: string,
  listener: (event: 'rename' | 'change', name: string | null) => void,
) => Pick<FSWatcher, 'close' | 'on'>;

/** What became known of a place. */
export type PlaceNews =
  /** Something in it changed. */
  | { readonly kind: 'changed' }
  /** It is not there any more, or was not there when the watch began. */
  | { readonly kind: 'gone' }
  /** It is there again, or another folder lies in its place. */
  | { readonly kind: 'returned' }
  /** It cannot be watched; nothing is told of it any more. */
  | { readonly kind: 'unwatchable'; readonly error: unknown };

interface PlaceWatchOptions {
  readonly onNews: (news: PlaceNews) => void;
  /** @default `fs.watch` */
  readonly watchFolder?: WatchFolder | undefined;
}

interface WatchedFolder {
  /** Tells a folder from another one that took its place under its name. */
  readonly identity: string;
  readonly watcher: Pick<FSWatcher, 'close' | 'on'>;
}

/** A mount, or a folder that is replaced whole, is not told: it is looked for this often, in milliseconds. */
const CHECK_MS = 1_000;

const watchThis: WatchFolder = (path, listener) => watchOnDisk(path, { persistent: false }, listener);

/**
 * Watches a place as long as it is asked to, whatever becomes of it meanwhile. Each folder has one watch of the system, and its files none, so
 * that 100,000 files in 1,000 folders take 1,000 watches. A folder that appears is watched before it is looked through, so that nothing in
 * it is missed; a listing then sees what was told, and what was not told comes later.
 */
export class PlaceWatch {
  readonly #place: WatchedPlace;
  readonly #onNews: (news: PlaceNews) => void;
  readonly #watchFolder: WatchFolder;
  /** By their path relative to the place, '' for itself. */
  readonly #folders = new Map<string, WatchedFolder>();
  /** Names that appeared or vanished, to be looked at. */
  readonly #pending = new Set<string>();
  #root: { readonly path: string; readonly file?: string } | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isOver = false;
  #stopChecks = (): void => undefined;

  constructor(place: WatchedPlace, { onNews, watchFolder = watchThis }: PlaceWatchOptions) {
    this.#place = place;
    this.#onNews = onNews;
    this.#watchFolder = watchFolder;
  }

  /** Folders that are watched now. */
  get folders(): number {
    return this.#folders.size;
  }

  /** Resolves when all that is there is watched. */
  async start(): Promise<void> {
    await this.#enterRoot();
    if (this.#root === undefined) this.#tell({ kind: 'gone' });
    this.#stopChecks = repeat(() => this.#inTurn(() => this.#checkRoot()), CHECK_MS);
  }

  async stop(): Promise<void> {
    this.#end();
    await this.#looking;
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    this.#stopChecks();
    this.#leave('');
  }

  #tell(news: PlaceNews): void {
    if (!this.#isOver) this.#onNews(news);
  }

  /** What is looked at on the disk is looked at one after the other, so that no answer overtakes another one. */
  #inTurn(work: () => Promise<void>): void {
    this.#looking = this.#looking.then(async () => {
      if (this.#isOver) return;
      try {
        await work();
      } catch (error) {
        if (this.#isOver) return;
        this.#tell({ kind: 'unwatchable', error });
        this.#end();
      }
    });
  }

  /** The place itself: a folder, or a file, of which its folder tells. */
  async #enterRoot(): Promise<void> {
    const facts = await stat(this.#place.path).catch(ifMissing);
    if (facts === undefined || this.#isOver) return;
    const file = facts.isDirectory() ? undefined : await realpath(this.#place.path);
    this.#root =
      file === undefined ? { path: this.#place.path } : { path: dirname(file), file: basename(file) };
    if (!(await this.#enter(''))) this.#root = undefined;
  }

  async #checkRoot(isSuspect = false): Promise<void> {
    const before = isSuspect ? undefined : this.#folders.get('')?.identity;
    const path = this.#root?.path ?? this.#place.path;
    const now = await stat(path).catch(ifMissing);
    if (before !== undefined && now !== undefined && identityOf(now) === before) return;
    if (before === undefined && now === undefined && this.#root === undefined) return;
    this.#leave('');
    this.#root = undefined;
    await this.#enterRoot();
    this.#tell({ kind: this.#root === undefined ? 'gone' : 'returned' });
  }

  /** Watches a folder and all in it that may concern the source. False where it is not there. */
  async #enter(folder: string): Promise<boolean> {
    const root = this.#root;
    if (root === undefined || this.#isOver) return false;
    const path = join(root.path, folder);
    const facts = await stat(path).catch(ifMissing);
    if (facts?.isDirectory() !== true || this.#isOver || this.#isWatched(identityOf(facts))) return false;
    let watcher: WatchedFolder['watcher'];
    try {
      watcher = this.#watchFolder(path, (event, name) => this.#notice(folder, event, name));
    } catch (error) {
      if (isGone(error)) return false;
      throw error;
    }
    // A folder that goes is told by the one above it.
    watcher.on('error', () => undefined);
    this.#folders.set(folder, { identity: identityOf(facts), watcher });
    if (root.file !== undefined) return true;
    for (const entry of (await readdir(path, { withFileTypes: true }).catch(ifMissing)) ?? []) {
      const inner = below(folder, entry.name);
      const mayLead = entry.isDirectory() || (entry.isSymbolicLink() && this.#place.followSymlinks);
      if (mayLead && this.#place.enters(inner)) await this.#enter(inner);
    }
    return true;
  }

  /** Links may lead to a folder twice, and in circles. */
  #isWatched(identity: string): boolean {
    return (
      this.#place.followSymlinks && [...this.#folders.values()].some((known) => known.identity === identity)
    );
  }

  #leave(folder: string): void {
    for (const [path, { watcher }] of this.#folders) {
      if (folder !== '' && path !== folder && !path.startsWith(`${folder}/`)) continue;
      watcher.close();
      this.#folders.delete(path);
    }
  }

  #notice(folder: string, event: 'rename' | 'change', name: string | null): void {
    if (this.#isOver) return;
    if (name === null) {
      this.#tell({ kind: 'changed' });
      return;
    }
    const path = below(folder, name);
    const { file } = this.#root ?? {};
    if (file === undefined ? this.#place.concerns(path) : path === file) this.#tell({ kind: 'changed' });
    if (event !== 'rename') return;
    // Told of the folder itself when it is deleted or moved away, by its name.
    if (folder === '' && name === basename(this.#root?.path ?? '')) this.#inTurn(() => this.#checkRoot(true));
    if (file !== undefined) return;
    if (!this.#folders.has(path) && !this.#place.enters(path)) return;
    // Many names of one moment are looked at together.
    if (this.#pending.size === 0) this.#inTurn(() => this.#lookAtPending());
    this.#pending.add(path);
  }

  async #lookAtPending(): Promise<void> {
    const names = [...this.#pending];
    this.#pending.clear();
    for (const name of names) await this.#lookAt(name);
  }

  /** A name that appeared, vanished, or stands for something else now. */
  async #lookAt(name: string): Promise<void> {
    if (this.#root === undefined) return;
    const path = join(this.#root.path, name);
    const facts = await (this.#place.followSymlinks ? stat(path) : lstat(path)).catch(ifMissing);
    // Even where a folder of that name is there: it went and came, and its number may be that of the one before.
    const known = this.#folders.get(name);
    if (known !== undefined) this.#leave(name);
    const isEntered = facts?.isDirectory() === true && this.#place.enters(name) && (await this.#enter(name));
    if (known !== undefined || isEntered) this.#tell({ kind: 'changed' });
  }
}

const below = (folder: string, name: string): string => {
  const local = sep === '\\' ? name.replaceAll('\\', '/') : name;
  return folder === '' ? local : `${folder}/${local}`;
};

/** The number of a folder that was deleted may be given to the next one. */
const identityOf = ({ dev, ino, birthtimeMs }: Stats): string => `${dev}:${ino}:${birthtimeMs}`;

const isGone = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '');

/** A folder that cannot be read is told by the listing. */
const ifMissing = (error: unknown): undefined => {
  if (isGone(error) || ['EACCES', 'EPERM', 'ESTALE', 'EIO'].includes(systemErrorCode(error) ?? ''))
    return undefined;
  throw error;
};
