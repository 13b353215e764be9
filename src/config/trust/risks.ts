import { resolve } from 'node:path';
import { splitModelName } from '../../platform/providers/provider-table.js';
import { isPathInside, realPathOf } from '../../platform/security/path-containment.js';
import { type ConfigPath, formatPath, isRecord, leavesOf, valueAt } from '../config-path.js';
import type { ExpandedTree } from '../expand-tree.js';
import { isChoice } from '../json-schema.js';
import { maskUrlCredentials } from '../mask-url.js';

/** Something that a configuration makes Ragstone do beyond its own folder. */
export interface Risk {
  /** The setting: `rag.modelProviders.openai.baseUrl`. */
  readonly key: string;
  /** What it does, in words: `connects to https://host`. Without passwords. */
  readonly what: string;
}

/** A configuration as it is written, and where. */
export interface WrittenConfig {
  readonly tree: ExpandedTree;
  /** Before the expansion: what is shown, and recorded, holds no value of a variable. */
  readonly raw: unknown;
  readonly projectRoot: string;
  /** Absent where the caller names one: then it is not the configuration's choice. */
  readonly dataDir?: string | undefined;
}

/** Settings that name a file or folder, however they are written. */
const PATH_KEYS: ReadonlySet<string> = new Set([
  'root',
  'path',
  'file',
  'instructions',
  'repository',
  'upgradeQuestions',
  'exportPath',
]);
/** Stores and sources that stay on this machine; any other connects somewhere. */
const LOCAL_STORES: ReadonlySet<unknown> = new Set([
  undefined,
  'auto',
  'lancedb',
  'libsql',
  'memory',
  'usearch',
  'faiss',
]);
const LOCAL_SOURCES: ReadonlySet<unknown> = new Set(['markdown', 'files', 'pbi_json', 'git']);
/** Whether a store of this name connects nowhere and starts no program. */
export const isLocalStore = (provider: unknown): boolean => LOCAL_STORES.has(provider);
/** Settings that name a place on the network without an address. */
const HOST_KEYS: ReadonlySet<string> = new Set(['host', 'resourceName', 'organization']);
const MODEL_KEYS: ReadonlySet<string> = new Set(['model', 'upgrade', 'rag_embedding_model']);
const ADDRESS = /\b[a-z][a-z0-9+.-]{0,31}:\/\/[^\s?#]*/gi;
/** What an address may hold anywhere and a parser of addresses leaves out (URL Standard, 4.4): the host is not the one that is seen. */
const LEFT_OUT_OF_ADDRESSES = /[\t\n\r]/g;
const LOOKS_ABROAD = /^(?:[/~\\]|[a-z]:[\\/])|(?:^|[\\/])\.\.(?:[\\/]|$)/i;
/** `host:path` and `user@host:path`, as ssh takes them. */
const SSH_ADDRESS = /^(?:[^\s/@]{1,200}@)?[^\s/:]{2,200}:(?!\/\/)/;
const MODEL_FOLDER = /^(?:onnx|transformers|cross-encoder):/;

/**
 * What a configuration that is not the user's own could do to the user: connect to a host (which then gets texts, questions and
 * keys), reach outside its folder, start a program. Where it connects, the variables of the environment that it uses too; elsewhere those in texts. What is
 * known by no setting's name is told by its look, so that a new setting errs on the side of a question.
 */
export function risksOf({ tree, raw, projectRoot, dataDir }: WrittenConfig): Risk[] {
  const root = realPathOf(projectRoot);
  const risks: Risk[] = [];
  const add = (path: ConfigPath, what: string): void => {
    risks.push({ key: formatPath(path), what });
  };
  const reach = (path: ConfigPath, target: string, shown = target): void => {
    const real = realPathOf(resolve(projectRoot, target.replace(/^~(?=$|[\\/])/, '/~')));
    if (!isPathInside(root, real)) add(path, `${REACHES} ${shown}, outside of its folder`);
  };
  // Where a variable is not set yet, the text as it is written has to do.
  const unset = tree.missing.flatMap(({ path }) => {
    const text = valueAt(raw, path);
    return typeof text === 'string' ? [{ path, text }] : [];
  });
  for (const { path, text } of [...textsOf(tree.value), ...unset]) {
    const written = valueAt(raw, path);
    const shown = typeof written === 'string' && written.includes('$') ? written : undefined;
    readText(path, text, { shown, add, reach });
  }
  readKinds(tree.value, add);
  const connects = risks.some(({ what }) => what.startsWith(CONNECTS));
  if (dataDir !== undefined) reach(['(data folder)'], dataDir);
  return [...risks, ...(connects ? variablesOf(tree) : textVariablesOf(tree))];
}

const CONNECTS = 'connects to';
const REACHES = 'reaches';

/** Whether it is a path that leads out of the folder of the configuration. */
export const isReach = ({ what }: Risk): boolean => what.startsWith(REACHES);

/** No host to connect to: see `readKinds`. */
const LISTENS_AT = 'rag.server.host';
/** A path of the service, and none of this machine. */
const ANSWERS_AT = 'rag.monitoring.healthCheck.endpoint';
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/;

interface Findings {
  /** The text as it is written, where it names a variable. */
  readonly shown: string | undefined;
  readonly add: (path: ConfigPath, what: string) => void;
  readonly reach: (path: ConfigPath, target: string, shown?: string) => void;
}

function* textsOf(tree: unknown): Generator<{ readonly path: ConfigPath; readonly text: string }> {
  for (const [path, value] of leavesOf(tree)) {
    if (typeof value === 'string') yield { path, text: value };
    if (!Array.isArray(value)) continue;
    for (const [index, text] of value.entries())
      if (typeof text === 'string') yield { path: [...path, index], text };
  }
}

function readText(path: ConfigPath, text: string, { shown, add, reach }: Findings): void {
  const key = String(path.findLast((part) => typeof part === 'string'));
  const addresses = addressesIn(text);
  for (const address of addresses) add(path, `${CONNECTS} ${shown ?? maskUrlCredentials(address)}`);
  if (HOST_KEYS.has(key) && formatPath(path) !== LISTENS_AT) add(path, `${CONNECTS} ${shown ?? text}`);
  if (text.startsWith('keyvault:')) add(path, `${CONNECTS} an Azure Key Vault for ${shown ?? text}`);
  if (key === 'repository' && addresses.length === 0 && SSH_ADDRESS.test(text))
    add(path, `${CONNECTS} ${shown ?? text} by ssh`);
  const service = MODEL_KEYS.has(key) ? splitModelName(text.replace(/^llm:/, '')) : undefined;
  if (service !== undefined)
    add(path, `${CONNECTS} the service "${service.provider}", with its key where the environment has one`);
  if (addresses.length > 0 || formatPath(path) === ANSWERS_AT) return;
  const target = text.replace(/^file:/, '').replace(MODEL_FOLDER, '');
  if (PATH_KEYS.has(key) || target !== text || LOOKS_ABROAD.test(target)) reach(path, target, shown);
}

/** As the text is written, and as a parser of addresses reads it. */
function addressesIn(text: string): string[] {
  const read = text.replace(LEFT_OUT_OF_ADDRESSES, '');
  return [...new Set([text, read].flatMap((form) => form.match(ADDRESS) ?? []))];
}

/** What a kind of store, ledger or source connects to or starts, also where no address is stated. */
function readKinds(tree: unknown, add: Findings['add']): void {
  const at = (...path: ConfigPath): unknown => valueAt(tree, path);
  const provider = at('rag', 'provider');
  if (provider === 'chroma' && at('rag', 'storage', 'server') === undefined)
    add(['rag', 'provider'], 'starts the server program `chroma`');
  if (!isLocalStore(provider)) add(['rag', 'provider'], `${CONNECTS} a server of ${String(provider)}`);
  for (const place of ['primary', 'secondary'] as const) {
    const stated = at('rag', 'failover', place);
    const kind = isRecord(stated) ? stated.provider : stated;
    if (kind !== undefined && !isLocalStore(kind))
      add(['rag', 'failover', place], `${CONNECTS} a server of ${String(kind)}`);
  }
  if (at('rag', 'ledger', 'type') === 'postgres')
    add(['rag', 'ledger', 'type'], `${CONNECTS} a PostgreSQL server`);
  if (at('rag', 'embedding', 'allowRemote') === true)
    add(['rag', 'embedding', 'allowRemote'], `${CONNECTS} the Hugging Face hub and runs models from there`);
  const host = at('rag', 'server', 'host');
  if (typeof host === 'string' && !LOOPBACK.test(host))
    add(['rag', 'server', 'host'], `listens at ${host}, where other machines may reach it`);
  const sources = at('rag', 'sources');
  for (const [index, source] of (Array.isArray(sources) ? sources : []).entries()) {
    if (!isRecord(source)) continue;
    const isLocal = LOCAL_SOURCES.has(source.type) || (source.type === 'sql' && source.path !== undefined);
    if (!isLocal) add(['rag', 'sources', index, 'type'], `${CONNECTS} a ${String(source.type)} service`);
  }
}

/**
 * Variables whose values could be read later where nothing is connected to: texts come to stand in the index, in names of files and in
 * messages. A variable that is not set, so that the file's own default is taken, tells nothing.
 */
const textVariablesOf = ({ value, variables, missing }: ExpandedTree): Risk[] => {
  const used = new Map([...variables].map(([key, found]) => [key, { used: found.used, defaulted: [] }]));
  return variablesOf({ variables: used, missing }).filter(({ key }) => !isChoice(parsePath(key), value));
};

/** Of a formatted path; a key with a dot in it comes apart, and then leads nowhere. */
const parsePath = (formatted: string): ConfigPath =>
  (formatted.match(/[^.[\]]+/g) ?? []).map((part) => (/^\d+$/.test(part) ? Number(part) : part));

function variablesOf({ variables, missing }: Pick<ExpandedTree, 'variables' | 'missing'>): Risk[] {
  const used = [...variables].flatMap(([key, found]) =>
    [...found.used, ...found.defaulted].map((name) => ({ key, name })),
  );
  const unset = missing.map(({ path, variable }) => ({ key: formatPath(path), name: variable }));
  return [...used, ...unset].map(({ key, name }) => ({ key, what: `uses the environment variable ${name}` }));
}
