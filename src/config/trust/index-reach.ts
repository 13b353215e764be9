import { RAGError } from '../../core/errors.js';
import { splitModelName } from '../../platform/providers/provider-table.js';
import { isPathInside, realPathOf } from '../../platform/security/path-containment.js';
import { isLedgerElsewhere, projectOfIndex } from '../find-project.js';
import type { ResolvedConfig } from '../resolved-config.js';
import { BUILT_PROVIDERS } from '../schema/storage.js';
import { findOddEntries } from './odd-entries.js';
import { isLocalStore, type Risk } from './risks.js';
import { isTrustedByEnvironment, trustAlso, untrusted } from './trust-store.js';

/*
 * A data folder is data, whatever its origin: it may have come with a repository, and a pull may have replaced what is in it. What it says
 * reaches beyond the project only where this account named the very same for it: by a command, a configuration that is trusted, or
 * `ragstone trust`. That is recorded outside of it, so nothing that is put into it counts.
 */

/** Folders that an index remembers and that lie outside of its project, or are behind a link there. */
export const foldersOutside = (paths: readonly string[], config: ResolvedConfig): Risk[] =>
  outsideOf(projectOfIndex(config) ?? realPathOf(config.projectRoot), paths);

/** What a caller names for an index, so that it may be read from wherever a later command runs. */
export const foldersNamed = (paths: readonly string[], config: ResolvedConfig): Risk[] =>
  outsideOf(projectOfIndex(config), paths);

function outsideOf(folder: string | undefined, paths: readonly string[]): Risk[] {
  const places = paths.map(realPathOf).filter((path) => folder === undefined || !isPathInside(folder, path));
  return [...new Set(places)].map((path) => indexRisk(`remembers ${path}, outside of the project`));
}

/** A hosted model that an index was made with: it gets the questions. */
export const hostedModel = (model: string): Risk => indexRisk(`was made with the hosted model ${model}`);

/** A model that an index was upgraded to by a name: a service gets the questions, and a folder's network is run. */
export const modelNamed = (model: string): Risk[] =>
  splitModelName(model) === undefined
    ? model === 'builtin'
      ? []
      : [indexRisk(`was upgraded to the model ${model}`)]
    : [hostedModel(model)];

/** A store that an index is kept in, where it is a server or starts one. */
export const storeAbroad = (provider: string): Risk[] =>
  isLocalStore(provider) || !isBuilt(provider) ? [] : [indexRisk(`is kept in a server of ${provider}`)];

/** Another one has to be handed in by a program. */
const isBuilt = (provider: string): boolean => BUILT_PROVIDERS.some((name) => name === provider);

/** Symbolic links in the place of what an index writes and reads: they may lead to any file. */
export const linksOf = (config: ResolvedConfig): Risk[] =>
  [...findOddEntries(config).links].map(symbolicLink);

// Where it leads is part of it: another target is another link.
const symbolicLink = (link: string): Risk =>
  indexRisk(`holds the symbolic link ${link}, to ${realPathOf(link)}`);

/** A risk by its words, which errors tell. */
export const indexRisk = (what: string): Risk => ({ key: '(data folder)', what });

/**
 * Stops before what a ledger says reaches what this account has not named for it.
 *
 * @throws RAGError `INDEX_UNTRUSTED`
 */
export function assertLedgerTrusted(risks: readonly Risk[], config: ResolvedConfig): void {
  // A ledger elsewhere is named by what is trusted already.
  if (!isLedgerElsewhere(config)) assertTrusted(risks, config);
}

/** Stops before callers are let in by keys that this account has not made. @throws RAGError `INDEX_UNTRUSTED` */
export const assertKeysTrusted = (keys: readonly Risk[], config: DataFolder): void =>
  assertTrusted(keys, config);

/** Stops before documents go to servers that this account has not named for them. @throws RAGError `INDEX_UNTRUSTED` */
export const assertDeploymentsTrusted = (deployments: readonly Risk[], config: DataFolder): void =>
  assertTrusted(deployments, config);

/** Records that this account named a server for documents of a tenant. Throws the system's error. */
export const trustDeployment = (deployment: Risk, { dataDir, environment }: DataFolder): void =>
  trustAlso(dataDir, [deployment], environment);

/** Whether this account made a key, or trusted it. */
export const isKeyTrusted = (key: Risk, { dataDir, projectRoot, environment }: DataFolder): boolean =>
  isTrustedByEnvironment(projectRoot, environment) || untrusted(dataDir, [key], environment).length === 0;

/** Records that this account made a key. Throws the system's error. */
export const trustKey = (key: Risk, { dataDir, environment }: DataFolder): void =>
  trustAlso(dataDir, [key], environment);

/** A data folder, and whose environment says what is trusted. */
export type DataFolder = Pick<ResolvedConfig, 'dataDir' | 'projectRoot' | 'environment'>;

function assertTrusted(risks: readonly Risk[], { dataDir, projectRoot, environment }: DataFolder): void {
  if (isTrustedByEnvironment(projectRoot, environment)) return;
  const open = untrusted(dataDir, risks, environment);
  if (open.length === 0) return;
  throw new RAGError(
    'INDEX_UNTRUSTED',
    `The index in ${dataDir} ${open.map(({ what }) => what).join(', and ')}. This account has not named that for it: somebody else made or changed it, it was moved, or an earlier version made it. If you trust it, run \`ragstone trust\` in ${projectRoot} (or the command with --trust); else delete the folder, or use another with --data.`,
    { details: { folder: projectRoot, dataDir, risks: open.map(({ what }) => what) } },
  );
}

/** Records what the caller has named himself for an index. */
export function trustNamed(risks: readonly Risk[], config: ResolvedConfig): void {
  if (risks.length === 0 || isLedgerElsewhere(config)) return;
  try {
    trustAlso(config.dataDir, risks, config.environment);
  } catch {
    // Without a home to keep it in nothing is remembered: what would need it asks for trust.
  }
}

/**
 * Stops before anything is opened in a data folder that holds links this account has not named, or what is no file (a driver that opens a pipe
 * waits for ever), or that cannot be listed, so that its content is unknown.
 *
 * @throws RAGError `INDEX_UNTRUSTED`, `INDEX_DAMAGED`
 */
export function assertPlainDataFolder(config: ResolvedConfig): void {
  const { links, notFiles, notFolders, unlisted } = findOddEntries(config);
  if (unlisted.size > 0)
    throw new RAGError(
      'INDEX_DAMAGED',
      `The data folder ${config.dataDir} cannot be listed, so what stands in it cannot be checked: ${[...unlisted].join(', ')}. Give this account the right to list it (chmod u+rwx), or name another folder with \`--data\`.`,
      { details: { paths: [...unlisted] } },
    );
  if (notFiles.size > 0)
    throw new RAGError(
      'INDEX_DAMAGED',
      `The data folder ${config.dataDir} holds what is no file (a pipe, a device or a socket): ${[...notFiles].join(', ')}. Remove it.`,
      { details: { paths: [...notFiles] } },
    );
  if (notFolders.size > 0)
    throw new RAGError(
      'INDEX_DAMAGED',
      `The data folder ${config.dataDir} holds files in the place of folders: ${[...notFolders].join(', ')}. Remove them.`,
      { details: { paths: [...notFolders] } },
    );
  assertTrusted([...links].map(symbolicLink), config);
}
