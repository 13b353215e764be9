import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { readRegularFileSync } from '../../platform/security/regular-file.js';
import { filesWith } from '../../testing/files-with.js';
import { createKnowledgeDeployments } from './create-knowledge-deployments.js';
import type { KnowledgeDeploymentInput } from './deployment-config.js';
import type { OpenCustomerStore } from './deployment-settings.js';
import type { KnowledgeDeploymentService } from './knowledge-deployment-service.js';

/** Words of the tenant's documents, said nowhere else. */
const WORDS = ['zirconflorin', 'quagganote', 'vexillumtitle', 'ombudsfact', 'palimpsesthead'];
export const DOCUMENT = {
  id: 'g',
  title: 'The vexillumtitle',
  text: '# A palimpsesthead\n\nThe zirconflorin is kept in the archive. The quagganote lies beside it.',
  mediaType: 'text/markdown',
  metadata: { client: 'ombudsfact' },
};

/** Words that stand in any file below a folder. */
export function wordsIn(folder: string): string[] {
  const bytes = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readRegularFileSync(join(entry.parentPath, entry.name)).toString('latin1').toLowerCase());
  return WORDS.filter((word) => bytes.some((text) => text.includes(word)));
}

export interface Operator {
  readonly folder: string;
  readonly open: () => Promise<KnowledgeDeploymentService>;
}

interface OperatorOptions {
  readonly secret?: string;
  /** Store of the shared index. */
  readonly provider?: 'libsql' | 'lancedb' | 'usearch';
}

export function operator(
  customerStores: Readonly<Record<string, OpenCustomerStore>>,
  { secret = 'customers-own-key', provider = 'libsql' }: OperatorOptions = {},
): Operator {
  const folder = temporaryFolder();
  const open = async (): Promise<KnowledgeDeploymentService> => {
    const deployments = await createKnowledgeDeployments(
      {
        cwd: folder,
        config: {
          provider,
          deployments: { secrets: ['vault:*'] },
          retrieval: { cache: { enabled: true } },
          history: { keep: '1y' },
          degradation: { localWords: true },
        },
        secretResolvers: [{ scheme: 'vault', resolve: async () => secret }],
      },
      { customerStores },
    );
    onTestFinished(() => deployments.close());
    return deployments;
  };
  return { folder, open };
}

export const MINE: KnowledgeDeploymentInput = {
  tenantId: 'globex',
  model: 'CustomerOwned',
  provider: 'mine',
  searchEndpoint: 'https://globex.example',
  indexName: 'knowledge',
};

/** Pushes, moves, replaces, searches and opens again, and looks into every file of the operator on the way. */
export async function expectNoText(
  { folder, open }: Operator,
  input: KnowledgeDeploymentInput,
): Promise<void> {
  const first = await open();
  const view = (await first.of({ tenant: 'globex' })).view;
  await view.push([DOCUMENT]);
  await view.push([{ ...DOCUMENT, text: `${DOCUMENT.text} It was replaced.` }]);
  await view.push([DOCUMENT]);
  await view.search({ text: 'quagganote', options: { mode: 'lexical' } });
  expect(wordsIn(folder)).not.toEqual([]);
  await first.moveTenant(input);
  expect(wordsIn(folder)).toEqual([]);
  for (const word of WORDS) expect(await filesWith(folder, word)).toEqual([]);
  await view.push([
    { ...DOCUMENT, id: 'h' },
    { id: 'i', text: 'Another zirconflorin.' },
  ]);
  await view.push([{ ...DOCUMENT, id: 'h', text: 'The quagganote was moved.' }]);
  await view.delete(['i']);
  const found = async (service: KnowledgeDeploymentService, text: string) =>
    (
      await (await service.of({ tenant: 'globex' })).view.search({ text, options: { mode: 'lexical' } })
    ).results
      .map(({ metadata }) => metadata.source)
      .sort();
  expect(await found(first, 'quagganote')).toEqual(['g', 'h']);
  expect(await found(first, 'quagganote')).toEqual(['g', 'h']);
  expect(wordsIn(folder)).toEqual([]);
  await first.close();
  expect(wordsIn(folder)).toEqual([]);
  const second = await open();
  expect(await found(second, 'zirconflorin')).toEqual(['g']);
  const { drift } = await (await second.of({ tenant: 'globex' })).view.verify();
  expect(drift).toEqual([]);
  await second.close();
  expect(wordsIn(folder)).toEqual([]);
}
