import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RAGError } from '../../index.js';

const FILE = 'ragstone.yaml';

/**
 * Writes a commented `ragstone.yaml` that fits what is in a folder, and returns its path.
 *
 * @throws RAGError `USAGE` where the file is there and `force` is not given.
 */
export async function writeStarterConfig(
  folder: string,
  { force }: { readonly force: boolean },
): Promise<string> {
  const file = join(folder, FILE);
  const text = starterConfig(await findDocumentPaths(folder));
  try {
    // In place of what is there, and not through it: that may be a link to another file.
    if (force) await rm(file, { force: true });
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      throw new RAGError('USAGE', `${file} is there already; say --force to replace it.`, { cause: error });
    throw error;
  }
  return file;
}

/** `docs` and the like where they exist, with the README beside; else every Markdown file. */
async function findDocumentPaths(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of ['docs', 'doc', 'documentation', 'wiki', 'adr'])
    if ((await kindOf(join(folder, name))) === 'folder') found.push(`./${name}/**/*.md`);
  for (const name of ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'])
    if (found.length > 0 && (await kindOf(join(folder, name))) === 'file') found.push(`./${name}`);
  return found.length > 0 ? found : ['./**/*.md'];
}

async function kindOf(path: string): Promise<'file' | 'folder' | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  return found.isDirectory() ? 'folder' : 'file';
}

/** The text of a starter configuration; every comment is true of the defaults. */
export function starterConfig(paths: readonly string[]): string {
  return `# Configuration of Ragstone; every setting is in docs/configuration.md of the package.
# "ragstone config check" says what is wrong, "ragstone config show" prints what is in force.
# yaml-language-server: $schema=node_modules/ragstone/config.schema.json
rag:
  # Store of the index: auto takes lancedb where it is installed, else libsql.
  provider: auto

  embedding:
    # The model that ships with the package. Others: ragstone model add PATH.
    model: builtin

  retrieval:
    topK: 5
    # Results with a relevance below this are left out; 0 shows all.
    minSimilarity: 0

  sources:
    - name: documents
      type: markdown
      paths:
${paths.map((path) => `        - '${path}'`).join('\n')}
      exclude:
        - '**/CHANGELOG.md'
      metadata:
        sourceType: documentation

    # Work items in JSON files:
    # - name: backlog
    #   type: pbi_json
    #   paths: ['./output/run-*/final-output.json']
    #   metadata:
    #     sourceType: pbi
`;
}
