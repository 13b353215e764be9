import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RAGError } from '../../../core/errors.js';

const FILE = 'ragstone.yaml';

/**
 * Writes a commented `ragstone.yaml` that reads what "ragstone index ." reads, and returns its path.
 *
 * @throws RAGError `USAGE` where the file is there and `force` is not given.
 */
export async function writeStarterConfig(
  folder: string,
  { force }: { readonly force: boolean },
): Promise<string> {
  const file = join(folder, FILE);
  try {
    // In place of what is there, and not through it: that may be a link to another file.
    if (force) await rm(file, { force: true });
    await writeFile(file, STARTER_CONFIG, { flag: 'wx' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      throw new RAGError('USAGE', `${file} is there already; say --force to replace it.`, { cause: error });
    throw error;
  }
  return file;
}

/** The text of a starter configuration; every comment is true of the defaults. */
export const STARTER_CONFIG = `# Configuration of Ragstone; every setting is in docs/configuration.md of the package.
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
      type: files
      # Documents of every kind and source code, as "ragstone index ." reads them. Fewer: ['docs/**', 'README.md'].
      # Data and settings are read where they are named: ['**', '**/*.json'].
      paths: ['**']
      # .gitignore files are honoured.
      exclude: ['**/CHANGELOG.*']

    # Work items in JSON files:
    # - name: backlog
    #   type: pbi_json
    #   paths: ['./output/run-*/final-output.json']
    #   metadata:
    #     sourceType: pbi
`;
