import { rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Document, isScalar, parseDocument } from 'yaml';
import { RAGError, systemErrorCode } from '../core/errors.js';
import { readRegularText } from '../platform/security/regular-file.js';
import { type ConfigPath, leavesOf } from './config-path.js';
import { CONFIG_FILES, findProject } from './find-project.js';
import type { RAGSettingsInput } from './schema/index.js';

/** The file that `loadConfig` would read, or the one to make where there is none. */
export async function configFileToWrite(cwd: string, file: string | undefined): Promise<string> {
  if (file !== undefined) return resolve(cwd, file);
  const project = findProject(cwd);
  for (const name of CONFIG_FILES) {
    const found = resolve(project, name);
    if ((await readIfThere(found)) !== undefined) return found;
  }
  return resolve(project, CONFIG_FILES.at(-1) ?? 'ragstone.yaml');
}

/** Settings as the YAML of a configuration file. */
export const settingsToYaml = (settings: RAGSettingsInput): string =>
  new Document({ rag: settings }).toString();

/**
 * Puts settings into a configuration file; comments, order, variables and every other setting stay as they are. A file
 * that is not there is made.
 *
 * @param removed settings to take out, each as its path within `rag`
 *
 * @throws RAGError `CONFIG_INVALID` where the file is not one YAML document, or cannot be read or written.
 */
export async function writeSettings(
  file: string,
  settings: RAGSettingsInput,
  removed: readonly ConfigPath[] = [],
): Promise<void> {
  const text = await readIfThere(file);
  const document = text === undefined ? new Document({}) : parseDocument(text);
  const [problem] = document.errors;
  if (problem !== undefined)
    throw new RAGError(
      'CONFIG_INVALID',
      `${file} is not valid YAML, so nothing was written: ${problem.message}`,
      {
        details: { file },
      },
    );
  if (document.contents === null) document.contents = document.createNode({});
  for (const path of removed.map((within) => ['rag', ...within]))
    if (document.hasIn(path)) document.deleteIn(path);
  for (const [path, value] of leavesOf({ rag: settings })) {
    fillSections(document, path);
    document.setIn(path, value);
  }
  try {
    await writeFile(file, document.toString());
  } catch (cause) {
    throw new RAGError(
      'CONFIG_INVALID',
      `${file} cannot be written (${systemErrorCode(cause) ?? 'unknown'}).`,
      {
        cause,
        details: { file },
      },
    );
  }
}

/** A section with nothing in it (`retrieval:`) takes settings as one that is not there does; its comment stays. */
function fillSections(document: Document, path: ConfigPath): void {
  for (const depth of path.keys()) {
    const section = path.slice(0, depth);
    const node = document.getIn(section, true);
    if (!isScalar(node) || node.value !== null) continue;
    const filled = document.createNode({});
    filled.commentBefore = node.comment ?? null;
    document.setIn(section, filled);
  }
}

/** Writes settings and does what needs them; where that fails, the file is put back as it was. */
export async function replacingSettings(
  file: string,
  {
    settings,
    removed = [],
  }: { readonly settings: RAGSettingsInput; readonly removed?: readonly ConfigPath[] },
  work: () => Promise<void>,
): Promise<void> {
  const before = await readIfThere(file);
  await writeSettings(file, settings, removed);
  try {
    await work();
  } catch (error) {
    if (before === undefined) await rm(file, { force: true });
    else await writeFile(file, before);
    throw error;
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readRegularText(file);
  } catch (cause) {
    const code = systemErrorCode(cause);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new RAGError('CONFIG_INVALID', `${file} cannot be read (${code ?? 'unknown error'}).`, {
      cause,
      details: { file },
    });
  }
}
