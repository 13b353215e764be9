/**
 * What stands in a data folder: every file and folder there that is opened by name. Beside a file may be others that begin with its
 * name: those of SQLite, and drafts.
 */
export const DATA_FILES = {
  ledger: 'ledger.db',
  writerLock: 'writer.lock',
  writerHolder: 'writer.json',
  /** Held by a writer while ledger and store may differ, and by who copies the folder. */
  copyingLock: 'copying.lock',
  /** There while somebody waits to copy: a writer that works for long makes room. */
  copyingWanted: 'copying.wanted',
  modelRegistry: 'models.json',
  searchProfile: 'profile.json',
  rolloutTotals: 'rollout.db',
  searchResults: 'results.db',
  serviceValues: 'service.db',
  /** Redis servers that settings name or named, without passwords. */
  servers: 'servers.json',
} as const;

export const DATA_FOLDERS = {
  store: 'store',
  words: 'words',
  lexical: 'lexical',
  cache: 'cache',
  models: 'models',
  clones: 'git',
  keys: 'keys',
  receipts: 'receipts',
  deployments: 'deployments',
  audit: 'audit',
  feedback: 'feedback',
  failover: 'failover',
  sync: 'sync',
  adoption: 'adoption',
  /** Each has data folders of its own in it. */
  knowledge: 'knowledge',
  tries: 'try',
} as const;

/** Whether an entry of a data folder is one that an index may open. */
export const isDataEntry = (name: string): boolean =>
  isDataFolder(name) || FILE_NAMES.some((file) => name.startsWith(file));

/** Whether it is a folder there. */
export const isDataFolder = (name: string): boolean => FOLDER_NAMES.has(name);

const FOLDER_NAMES: ReadonlySet<string> = new Set(Object.values(DATA_FOLDERS));
const FILE_NAMES: readonly string[] = Object.values(DATA_FILES);
