import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RAGError } from '../../../core/errors.js';
import { readRegularText } from '../../../platform/security/regular-file.js';

const PACKAGES = { '@lancedb/lancedb': '0.37.1', 'apache-arrow': '18.1.0' } as const;

// LanceDB names two large packages as optional dependencies that Ragstone never loads (370 MB). npm can only leave them out by
// putting another, tiny package in their place; reflect-metadata is one that LanceDB installs anyway.
const STAND_IN = 'npm:reflect-metadata@0.2.2';
const OVERRIDES = { '@huggingface/transformers': STAND_IN, openai: STAND_IN } as const;

/**
 * Adds LanceDB to a project's `package.json`, with overrides that keep its unused optional dependencies out. Returns the
 * file's path, or undefined where it had all of it.
 *
 * @throws RAGError `USAGE` without a `package.json` that can be read, or where it overrides the same packages otherwise.
 */
export async function addLanceDb(folder: string): Promise<string | undefined> {
  const file = join(folder, 'package.json');
  const text = await readRegularText(file).catch((error: unknown) => {
    throw new RAGError(
      'USAGE',
      `There is no ${file}. Run "npm init -y" first, then "ragstone init --lancedb" again.`,
      {
        cause: error,
      },
    );
  });
  const updated = withLanceDb(parseManifest(text, file), file);
  const indent = /^[ \t]+/m.exec(text)?.[0] ?? '  ';
  const result = `${JSON.stringify(updated, null, indent)}\n`;
  if (JSON.stringify(updated) === JSON.stringify(JSON.parse(text))) return undefined;
  await writeFile(file, result);
  return file;
}

type Manifest = Readonly<Record<string, unknown>>;

function parseManifest(text: string, file: string): Manifest {
  try {
    const manifest: unknown = JSON.parse(text);
    if (isBlock(manifest)) return manifest;
  } catch {
    // Told below, like a manifest of another shape.
  }
  throw new RAGError('USAGE', `${file} is not a JSON object.`);
}

const isBlock = (value: unknown): value is Manifest =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const blockOf = (value: unknown): Manifest => (isBlock(value) ? value : {});

/** A manifest with LanceDB and its overrides; what it states otherwise is kept. */
export function withLanceDb(manifest: Manifest, file: string): Manifest {
  const overrides = blockOf(manifest.overrides);
  const present = overrides['@lancedb/lancedb'];
  if (present !== undefined && !isBlock(present))
    throw new RAGError(
      'USAGE',
      `${file} overrides @lancedb/lancedb already; add ${JSON.stringify(OVERRIDES)} to it by hand.`,
    );
  return {
    ...manifest,
    dependencies: { ...blockOf(manifest.dependencies), ...PACKAGES },
    overrides: { ...overrides, '@lancedb/lancedb': { ...OVERRIDES, ...present } },
  };
}
