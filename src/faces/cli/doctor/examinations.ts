import { constants, existsSync } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ResolvedConfig } from '../../../config/resolved-config.js';
import { messageOf } from '../../../core/errors.js';
import type { Engine, IndexStatus } from '../../../index.js';

/** What one look at a part found. */
export interface Finding {
  readonly check:
    | 'node'
    | 'configuration'
    | 'packages and models'
    | 'permissions'
    | 'disk'
    | 'ledger'
    | 'store'
    | 'model'
    | 'index'
    | 'queue';
  /** `warning`: it works, and somebody should know. */
  readonly state: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  /** What to do; absent where all is well, and where the detail says it. */
  readonly nextStep?: string;
}

const MB = 1_000_000;
/** Less lets the next run fail. */
const LEAST_BYTES = 100 * MB;
/** Less is soon too little. */
const FEW_BYTES = 1_000 * MB;

/** Whether Node is one that Ragstone runs on: `>=20.19`, as the package states it. */
export function examineNode(version: string, engines: string): Finding {
  const [least = 0, leastMinor = 0] = numbersOf(engines);
  const [major = 0, minor = 0] = numbersOf(version);
  return major > least || (major === least && minor >= leastMinor)
    ? { check: 'node', state: 'ok', detail: `Node ${version}` }
    : {
        check: 'node',
        state: 'failed',
        detail: `Node ${version} is older than ${least}.${leastMinor}.`,
        nextStep: 'Install a newer Node.js: https://nodejs.org',
      };
}

const numbersOf = (version: string): number[] => [...version.matchAll(/\d+/g)].map(([part]) => Number(part));

/** What the configuration names and this machine lacks. */
export async function examineParts(config: ResolvedConfig): Promise<Finding[]> {
  const { checkConfig } = await import('../../../features/maintenance/check-config.js');
  const { missing, notices, ocr } = await checkConfig(config);
  const found = [
    ...missing.map(({ setting, problem, stops }) => ({ detail: `${setting}: ${problem}`, stops })),
    ...notices.map((detail) => ({ detail, stops: false })),
  ].map(
    ({ detail, stops }): Finding => ({
      check: 'packages and models',
      state: stops ? 'failed' : 'warning',
      detail,
    }),
  );
  const all: Finding = {
    check: 'packages and models',
    state: 'ok',
    detail: 'All that the configuration names is here.',
  };
  return [...(found.length > 0 ? found : [all]), { check: 'packages and models', state: 'ok', detail: ocr }];
}

/** Whether the data folder, or the one that it would be made in, can be written, and by nobody else. */
export async function examinePermissions(dataDir: string): Promise<Finding> {
  const check = 'permissions';
  const folder = nearest(dataDir);
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return {
      check,
      state: 'failed',
      detail: `${folder} cannot be written by this user.`,
      nextStep: `Give it to the user that runs Ragstone (\`chown\`), or name another folder with --data.`,
    };
  }
  if (folder === dataDir && (await isOpenToOthers(dataDir)))
    return {
      check,
      state: 'warning',
      detail: `Other accounts of this machine may reach ${dataDir}, which holds indexed text.`,
      nextStep: `Run \`chmod 700 ${dataDir}\`.`,
    };
  return { check, state: 'ok', detail: `${folder} can be written.` };
}

/** Windows has other lists than modes. */
const isOpenToOthers = async (folder: string): Promise<boolean> =>
  process.platform !== 'win32' && ((await stat(folder)).mode & 0o077) !== 0;

/** @param bytes free ones, as the file system says. @default those of the folder's */
export async function examineDisk(dataDir: string, bytes?: number): Promise<Finding> {
  const free = bytes ?? (await freeBytes(nearest(dataDir)));
  const detail = `${Math.floor(free / MB)} MB are free where the index lies.`;
  if (free >= FEW_BYTES) return { check: 'disk', state: 'ok', detail };
  return {
    check: 'disk',
    state: free < LEAST_BYTES ? 'failed' : 'warning',
    detail,
    nextStep: 'Make room, or move the data folder and name it with --data.',
  };
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** The folder, or the next one above that is there. */
function nearest(folder: string): string {
  const above = dirname(folder);
  return existsSync(folder) || above === folder ? folder : nearest(above);
}

/** Whether ledger and store answer, the model makes a vector, and there is something to find. */
export async function examineEngine(engine: Engine): Promise<Finding[]> {
  const { parts: all } = await engine.health();
  // The model is examined for itself.
  const parts = all.flatMap(({ part, ...found }) =>
    part === 'ledger' || part === 'store' ? { part, ...found } : [],
  );
  const ok = parts.every((part) => part.ok);
  const answers = parts.map(
    ({ part, ok, detail }): Finding =>
      ok
        ? { check: part, state: 'ok', detail }
        : { check: part, state: 'failed', detail, ...(part === 'store' ? STORE_STEP : LEDGER_STEP) },
  );
  if (!ok) return answers;
  return [
    ...answers,
    ...(await examineStores(engine)),
    await examineModel(engine),
    ...(await examineIndex(engine)),
  ];
}

/** Of `rag.failover`: one that is not ready is no fault, and somebody should know. */
async function examineStores(engine: Engine): Promise<Finding[]> {
  const { stores = [] } = (await engine.stores()) ?? {};
  return stores
    .filter(({ state }) => state !== 'ready')
    .map(({ name, state, detail }) => ({
      check: 'store',
      state: 'warning',
      detail: `"${name}" of rag.failover is ${state}.${detail === undefined ? '' : ` ${detail}`}`,
      nextStep: `Start its server where it has one, then run \`ragstone stores sync\`; \`ragstone stores\` shows what it lacks.`,
    }));
}

const LEDGER_STEP = {
  nextStep:
    'Start its server where it has one; a damaged file is put back by `ragstone restore`, or `ragstone index --force` builds the index anew.',
};
const STORE_STEP = {
  nextStep: 'Start the server of the store; a damaged store is mended by `ragstone verify --repair`.',
};

async function examineModel(engine: Engine): Promise<Finding> {
  try {
    const { model, dimensions } = await engine.embed({ texts: ['oak'], kind: 'query' });
    return { check: 'model', state: 'ok', detail: `${model} makes vectors of ${dimensions} numbers.` };
  } catch (error) {
    return {
      check: 'model',
      state: 'failed',
      detail: messageOf(error),
      nextStep: 'Searches by words go on without it. `ragstone config show` says which model is set.',
    };
  }
}

async function examineIndex(engine: Engine): Promise<Finding[]> {
  const status = await statusOf(engine);
  if (status === undefined || status.documents === 0)
    return [
      ...examineQueue(status),
      { check: 'index', state: 'warning', detail: 'It is empty.', nextStep: 'Run `ragstone index FOLDER`.' },
    ];
  const { documents, chunks, failures } = status;
  const held = `${documents} documents in ${chunks} chunks`;
  const index: Finding =
    failures.length === 0
      ? { check: 'index', state: 'ok', detail: held }
      : {
          check: 'index',
          state: 'warning',
          detail: `${held}; ${failures.length} failed.`,
          nextStep: '`ragstone failures` says which, and why.',
        };
  return [...examineQueue(status), index, ...examineUnread(status)];
}

/** What documents hold that is in no text is no fault, and nobody finds it. */
const examineUnread = ({ sources }: IndexStatus): Finding[] =>
  sources.flatMap(({ source, unread }) =>
    unread === undefined
      ? []
      : [
          {
            check: 'index',
            state: 'ok',
            detail: `Met and not read in "${source}": ${countsInWords(unread)}.`,
          },
        ],
  );

const countsInWords = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([kind, count]) => `${kind}: ${count}`)
    .join(', ');

/** Undefined where nothing is indexed yet. */
async function statusOf(engine: Engine): Promise<IndexStatus | undefined> {
  try {
    return await engine.status();
  } catch (error) {
    // By its shape: the library's class would load all of it.
    if (error instanceof Error && 'reason' in error && error.reason === 'INDEX_EMPTY') return undefined;
    throw error;
  }
}

function examineQueue(status: IndexStatus | undefined): Finding[] {
  if (status?.work === undefined) return [];
  if (status.work.queue.isUp) return [{ check: 'queue', state: 'ok', detail: 'Its server answers.' }];
  return [
    {
      check: 'queue',
      state: 'failed',
      detail: 'The server of the queue does not answer: workers get nothing to do.',
      nextStep: 'Start Redis, and see rag.queue.url.',
    },
  ];
}
