import { join } from 'node:path';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { createEngine } from '../../engine/create-engine.js';
import { backUp } from './back-up.js';

export const notes = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `docs/note-${i}.md`,
      `# Note ${i}\n\nThe gate of house ${i} is closed.\n\n${`House ${i} has a large garden. `.repeat(20)}\n`,
    ]),
  );

export const engineIn = (cwd: string, provider: 'libsql' | 'lancedb') =>
  createEngine({
    cwd,
    config: { provider, sources: [{ name: 'docs', type: 'markdown', paths: ['docs/**/*.md'] }] },
  });

/** A small index, backed up. */
export async function backedUp(): Promise<{ folder: string; archive: string }> {
  const folder = temporaryFolder(notes(5));
  const engine = await engineIn(folder, 'libsql');
  await engine.index();
  await engine.close();
  const archive = join(folder, 'small.tar.gz');
  await backUp('small.tar.gz', { cwd: folder });
  return { folder, archive };
}

export const isWhole = async (cwd: string, provider: 'libsql' | 'lancedb') => {
  const engine = await engineIn(cwd, provider);
  try {
    const [verified, status, found] = [
      await engine.verify({ sources: false }),
      await engine.status(),
      await engine.search('gate of house 3'),
    ];
    return { drift: verified.drift, documents: status.documents, found: found.results[0]?.content };
  } finally {
    await engine.close();
  }
};
