import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CommittedFile, committedFiles, contentOf, privateFolder } from './git.js';
import { type KnowledgeStore, KnowledgeStoreConfig } from './knowledge-store.js';

/** What followed a commit. */
export interface Followed {
  readonly indexed: number;
  readonly deleted: number;
  readonly unchanged: number;
}

/** Files that are documents. */
const DOCUMENT = /\.(md|rst|adoc|txt)$/i;
/** Documents that are written together, and recorded as written. */
const BATCH = 50;
const LOCK_WAIT_MS = 120_000;

/**
 * Brings a knowledge store in step with the last commit of a repository: what was changed since is indexed, what was deleted is deleted. What is
 * where stands in Git's own folder, by content, and is recorded after each batch; so a run that died is finished by the next one, and a
 * backend that is new gets everything.
 */
export async function followRepository(store: KnowledgeStore, repository: string): Promise<Followed> {
  const folder = await privateFolder(repository);
  return alone(join(folder, 'asdlc.lock'), async () => {
    const state = readState(folder);
    const files = (await committedFiles(repository)).filter(({ path }) => DOCUMENT.test(path));
    const changed = files.filter(({ path, blob }) => state.get(path) !== blob);
    for (let start = 0; start < changed.length; start += BATCH) {
      const some = changed.slice(start, start + BATCH);
      // Not known to be there, until it is.
      for (const { path } of some) state.delete(path);
      writeState(folder, state);
      await store.index_documents(await Promise.all(some.map((file) => documentOf(repository, file))));
      for (const { path, blob } of some) state.set(path, blob);
      writeState(folder, state);
    }
    const paths = new Set(files.map(({ path }) => path));
    const gone = [...state.keys()].filter((path) => !paths.has(path));
    for (const path of gone) {
      await store.delete(path);
      state.delete(path);
      writeState(folder, state);
    }
    return { indexed: changed.length, deleted: gone.length, unchanged: files.length - changed.length };
  });
}

/** As the design has it: the path is the id, and says type and epic. */
async function documentOf(repository: string, file: CommittedFile) {
  const [type = '', ...rest] = file.path.split('/');
  const epic = rest.find((part) => /^E\d+$/.test(part));
  return {
    doc_id: file.path,
    content: await contentOf(repository, file),
    metadata: {
      source: file.path,
      type: rest.length === 0 ? 'root' : type,
      ...(epic === undefined ? {} : { epic_id: epic }),
    },
  };
}

/** By path, the content that the store has. Each backend and collection has a state of its own. */
type State = Map<string, string>;

function stateFile(folder: string): string {
  const { backend = 'default', collectionName, host, port, url } = KnowledgeStoreConfig.from_env();
  // Of an address the place alone: it may hold a password.
  const place = url === undefined ? `${host}-${port}` : new URL(url).host.replace(':', '-');
  return join(folder, `asdlc-${backend}-${place}-${collectionName}.json`);
}

function readState(folder: string): State {
  try {
    return new Map(
      Object.entries(JSON.parse(readFileSync(stateFile(folder), 'utf8')) as Record<string, string>),
    );
  } catch {
    // None yet, or cut off by a crash: everything is indexed again.
    return new Map();
  }
}

function writeState(folder: string, state: State): void {
  const file = stateFile(folder);
  writeFileSync(`${file}.new`, JSON.stringify(Object.fromEntries(state)));
  renameSync(`${file}.new`, file);
}

/** One process at a time: two commits in a row must not overtake each other. */
async function alone<Outcome>(lock: string, work: () => Promise<Outcome>): Promise<Outcome> {
  for (const end = Date.now() + LOCK_WAIT_MS; ; await sleep(50)) {
    if (take(lock)) break;
    if (Date.now() > end) throw new Error(`Another process follows this repository (${lock}).`);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function take(lock: string): boolean {
  try {
    mkdirSync(lock);
    writeFileSync(join(lock, 'pid'), String(process.pid));
    return true;
  } catch {
    if (isDead(lock)) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

function isDead(lock: string): boolean {
  try {
    process.kill(Number(readFileSync(join(lock, 'pid'), 'utf8')), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
