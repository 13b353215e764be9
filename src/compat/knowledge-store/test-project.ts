import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { RAGSettingsInput } from '../../config/schema/index.js';
import { runtime } from '../../core/runtime.js';
import { createHashEmbedder } from '../../testing/index.js';
import {
  getKnowledgeStore,
  type KnowledgeStore,
  KnowledgeStoreConfig,
  type KnowledgeStoreOptions,
} from './index.js';

/** A collection of its own in a project with these settings. */
export async function openStoreOfProject(
  folder: string,
  settings: RAGSettingsInput,
  { cwd, ...options }: KnowledgeStoreOptions = {},
): Promise<KnowledgeStore> {
  const project = cwd ?? (await mkdtemp(join(folder, 'project-')));
  await writeFile(join(project, 'ragstone.yaml'), JSON.stringify({ rag: settings }));
  vi.stubEnv('RAGSTONE_TRUST', project);
  const config = new KnowledgeStoreConfig({ collectionName: `Test-${runtime().uniqueName()}` });
  return getKnowledgeStore({ config, embedder: createHashEmbedder(), cwd: project, ...options });
}
