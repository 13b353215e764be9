import { basename, dirname, resolve } from 'node:path';
import { RAGError, systemErrorCode } from '../core/errors.js';
import { NOT_REGULAR, readNamedFile, readRegularFile } from '../platform/security/regular-file.js';
import { type ConfigPath, formatPath, isRecord, leavesOf, valueAt } from './config-path.js';
import { configProblemsError } from './config-problems.js';
import { type ExpandedTree, expandTree } from './expand-tree.js';
import type { Environment } from './expand-variables.js';
import { CONFIG_FILES, DEFAULT_DATA_DIR, findProject } from './find-project.js';
import { mergeSettings, nestUnderRag } from './merge-settings.js';
import { keepWritten, refuseMissingVariables } from './missing-variables.js';
import { listInactiveSettings } from './not-active.js';
import type { Plugins } from './plugins.js';
import { resolveSettings } from './resolve-settings.js';
import type { ResolvedConfig, ValueOrigin } from './resolved-config.js';
import type { RAGConfigInput, RAGSettingsInput } from './schema/index.js';
import type { SecretResolver } from './secret-scheme.js';
import { type ConfigProblem, validateTree } from './validate-tree.js';
import type { YamlFile } from './yaml-file.js';

export interface LoadConfigOptions {
  /** A file to read; relative to `cwd`. Default: that of the project which `cwd` lies in; none means defaults. See `findProject`. */
  readonly file?: string | undefined;
  /** A configuration as an object, instead of a file: the content of `rag:`, or a whole file. No file is looked for. */
  readonly config?: RAGConfigInput | undefined;
  /** Settings that go over those of the file or object: what a command line states. */
  readonly overrides?: RAGSettingsInput | undefined;
  /** Data folder, relative to `cwd`. Default: `.ragstone` in the project's folder. */
  readonly dataDir?: string | undefined;
  /** Folder that relative file names start from. @default process.cwd() */
  readonly cwd?: string | undefined;
  /** Variables for `${NAME}`. @default process.env */
  readonly env?: Environment | undefined;
  /**
   * `true` trusts a configuration that is found in the folder; `'unchecked'` is for what opens nothing. A file or object that the
   * caller names is trusted. @default what `ragstone trust` recorded, and `RAGSTONE_TRUST`
   */
  readonly trust?: true | 'unchecked' | undefined;
  /** Fetch secrets that are written `scheme:name`; beside `env`, `file` and `keyvault`. */
  readonly secretResolvers?: readonly SecretResolver[] | undefined;
  /** Objects in place of or beside what the settings name. */
  readonly own?: Plugins | undefined;
}

/** Where settings were read from. */
export interface Origin {
  readonly tree: unknown;
  readonly projectRoot: string;
  readonly file?: string;
  /** It was named by nobody. */
  readonly isFound?: boolean;
  readonly yaml?: YamlFile;
}

/** Settings that stand at the root of a file, and the settings they are other spellings of. */
const FLAT_KEYS: Readonly<Record<string, ConfigPath>> = {
  rag_embedding_model: ['rag', 'embedding', 'model'],
  rag_top_k: ['rag', 'retrieval', 'topK'],
};

/** The usual path of a setting that may be written under a flat key. */
const canonicalPath = (path: ConfigPath): ConfigPath =>
  (path.length === 1 && FLAT_KEYS[String(path[0])]) || path;

/** Both spellings of one setting: which of them holds would be a guess. */
function findFlatKeyConflicts(tree: unknown): ConfigProblem[] {
  return Object.entries(FLAT_KEYS).flatMap(([flat, path]): ConfigProblem[] =>
    valueAt(tree, [flat]) !== undefined && valueAt(tree, path) !== undefined
      ? [
          {
            path: [flat],
            target: 'key',
            problem: `"${flat}" and "${formatPath(path)}" are the same setting; keep one.`,
          },
        ]
      : [],
  );
}

/** A tree without the flat keys whose setting `overrides` state. */
function dropOverriddenFlatKeys(tree: unknown, overrides: unknown): unknown {
  if (!isRecord(tree)) return tree;
  return Object.fromEntries(
    Object.entries(tree).filter(([key]) => {
      const path = Object.hasOwn(FLAT_KEYS, key) ? FLAT_KEYS[key] : undefined;
      return path === undefined || valueAt(overrides, path) === undefined;
    }),
  );
}

/**
 * Reads, expands, checks and completes a configuration. The only reader of the process's environment.
 *
 * @throws RAGError `CONFIG_NOT_FOUND`; `CONFIG_INVALID` with every problem, each with file, line, column and the name that
 * was probably meant; `SECRET_MISSING` where a value in use refers to a variable that is not set; for one of a source that is said where it is opened.
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<ResolvedConfig> {
  const cwd = resolve(options.cwd ?? process.cwd());
  const environment = options.env ?? process.env;
  const origin = await readSettings(options, cwd);
  const written = expandTree(origin.tree, environment);
  const overrides = expandTree({ rag: options.overrides ?? {} }, environment);
  const tree: ExpandedTree = {
    value: mergeSettings(dropOverriddenFlatKeys(written.value ?? {}, overrides.value), overrides.value),
    variables: written.variables,
    missing: written.missing,
    problems: [...written.problems, ...overrides.problems],
  };
  const refuse = (problems: readonly ConfigProblem[]): never => {
    throw configProblemsError(problems, origin);
  };
  if (tree.problems.length > 0)
    refuse(
      tree.problems.map(({ path, problem }) => ({
        path,
        target: 'value',
        problem: `${formatPath(path)}: ${problem}.`,
      })),
    );
  const unset = refuseMissingVariables(tree, origin);
  const strategies = (options.own?.chunkers ?? []).map(({ strategy }) => strategy);
  const known = { ...tree, value: keepWritten(tree.value, tree.missing, origin.tree) };
  const checked = validateTree(known, strategies);
  // A value that is not known cannot be judged.
  const [firstUnset] = unset.values();
  if ('problems' in checked && firstUnset !== undefined) throw firstUnset;
  if ('problems' in checked) return refuse(checked.problems);
  const conflicts = findFlatKeyConflicts(written.value);
  if (conflicts.length > 0) refuse(conflicts);

  const dataDir =
    options.dataDir === undefined
      ? resolve(origin.projectRoot, DEFAULT_DATA_DIR)
      : resolve(cwd, options.dataDir);
  const resolved = resolveSettings(checked.config, { projectRoot: origin.projectRoot, dataDir });
  if (resolved.problems.length > 0) refuse(resolved.problems);
  const isFound = origin.isFound === true && options.trust === undefined;
  const reaching = isFound ? await checkTrust(written, origin, options, environment) : undefined;
  return {
    rag: resolved.settings,
    origins: originsOf({ written, overrides, origin }),
    projectRoot: origin.projectRoot,
    dataDir,
    ...(origin.file === undefined ? {} : { file: origin.file }),
    isFound,
    reaching,
    notActive: listInactiveSettings(valueAt(checked.stated, ['rag']) ?? {}),
    environment,
    ...(unset.size === 0 ? {} : { unset }),
    ...(options.secretResolvers === undefined ? {} : { secretResolvers: options.secretResolvers }),
    own: options.own,
  };
}

/** Nothing of the configuration is used before. Returns the settings that are trusted with a path beyond its folder. */
async function checkTrust(
  tree: ExpandedTree,
  { tree: raw, file = '', projectRoot }: Origin,
  { dataDir }: LoadConfigOptions,
  environment: Environment,
): Promise<ReadonlySet<string>> {
  const { isReach, risksOf } = await import('./trust/risks.js');
  const { assertTrusted } = await import('./trust/check-trust.js');
  const own = dataDir === undefined ? resolve(projectRoot, DEFAULT_DATA_DIR) : undefined;
  const risks = risksOf({ tree, raw, projectRoot, dataDir: own });
  assertTrusted({ file, folder: projectRoot, risks }, environment);
  return new Set(risks.filter(isReach).map(({ key }) => key));
}

async function readSettings(options: LoadConfigOptions, cwd: string): Promise<Origin> {
  if (options.config !== undefined && options.file !== undefined)
    throw new RAGError(
      'CONFIG_INVALID',
      'Both a configuration and a configuration file are given; give one.',
    );
  if (options.config !== undefined) return { tree: nestUnderRag(options.config), projectRoot: cwd };
  if (options.file !== undefined) {
    const file = resolve(cwd, options.file);
    // The caller may name a pipe, which has a writer.
    const text = await readIfThere(file, readNamedFile);
    if (text === undefined)
      throw new RAGError('CONFIG_NOT_FOUND', `There is no configuration file ${file}.`, {
        details: { file },
      });
    return parseSettings(text, file);
  }
  return findConfig(findProject(cwd));
}

/** The configuration that lies in a folder; an empty one where there is none. */
export async function findConfig(folder: string): Promise<Origin> {
  for (const name of CONFIG_FILES) {
    const file = resolve(folder, name);
    const text = await readIfThere(file, readRegularFile);
    if (text !== undefined) return { ...(await parseSettings(text, file)), isFound: true };
  }
  return { tree: {}, projectRoot: folder };
}

async function readIfThere(
  file: string,
  read: (path: string) => Promise<Uint8Array>,
): Promise<string | undefined> {
  try {
    const bytes = await read(file);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const why =
      code === 'EISDIR'
        ? 'is a folder'
        : code === NOT_REGULAR
          ? 'is a pipe, a device or a socket, and no file'
          : code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
            ? 'is not UTF-8 text'
            : `cannot be read (${code ?? 'unknown error'})`;
    throw new RAGError('CONFIG_INVALID', `The configuration file ${file} ${why}.`, {
      cause: error,
      details: { file },
    });
  }
}

async function parseSettings(text: string, file: string): Promise<Origin> {
  const { parseYamlFile } = await import('./yaml-file.js');
  const yaml = parseYamlFile(text, file);
  if (yaml.value !== null && yaml.value !== undefined && !isRecord(yaml.value))
    throw new RAGError(
      'CONFIG_INVALID',
      `${file}:1:1: The file must hold a block of settings under "rag:".`,
      {
        details: { file, line: 1, column: 1 },
      },
    );
  const folder = dirname(file);
  // `config/rag-config.yaml` belongs to the folder that holds `config`, so its paths start there.
  const projectRoot = basename(folder) === 'config' ? dirname(folder) : folder;
  return { tree: yaml.value ?? {}, projectRoot, file, yaml };
}

function originsOf({
  written,
  overrides,
  origin,
}: {
  written: ExpandedTree;
  overrides: ExpandedTree;
  origin: Origin;
}): Map<string, ValueOrigin> {
  const origins = new Map<string, ValueOrigin>();
  for (const [path] of leavesOf(written.value)) {
    const value = originOfWritten(path, written, origin);
    origins.set(formatPath(canonicalPath(path)), value);
  }
  for (const [path] of leavesOf(overrides.value)) origins.set(formatPath(path), { kind: 'option' });
  return origins;
}

function originOfWritten(path: ConfigPath, written: ExpandedTree, origin: Origin): ValueOrigin {
  // A list may hold an expanded text anywhere inside.
  const name = formatPath(path);
  const variables = [...written.variables].filter(
    ([place]) => place === name || place.startsWith(`${name}[`),
  );
  const used = variables.flatMap(([, found]) => found.used);
  if (used.length > 0) return { kind: 'environment', variables: [...new Set(used)] };
  if (origin.yaml === undefined) return { kind: 'option' };
  const defaulted = variables.flatMap(([, found]) => found.defaulted);
  const position = origin.yaml.positionOf(path);
  return { kind: 'file', position, ...(defaulted.length > 0 ? { defaulted } : {}) };
}
