import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createEngine } from '../../src/engine/create-engine.js';
import { temporaryFolder } from '../e2e/temporary-folder.js';

/** Files that a walk of ARCHITECTURE.md names, by the end of their paths. */
function namedFiles(walk: string): string[] {
  const text = readFileSync('ARCHITECTURE.md', 'utf8');
  const [, section = ''] = text.split('## Two walks');
  const paragraph = section.split('\n\n').find((part) => part.startsWith(`**${walk}**`)) ?? '';
  return [...paragraph.matchAll(/`([\w/.-]+\.ts)`/g)].map(([, name = '']) => name);
}

/** Files of `src` of which a function with a name was called meanwhile. */
async function calledFiles(work: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ functions }) =>
        functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0),
      )
      .flatMap(({ url }) => /\/src\/(.+\.ts)$/.exec(url)?.[1] ?? []);
  } finally {
    session.disconnect();
  }
}

test('the two walks of ARCHITECTURE.md name files that a search and a run pass through', async () => {
  const cwd = temporaryFolder({ 'docs/retries.md': '# Retries\n\nPayments are retried three times.\n' });
  const engine = await createEngine({ config: { provider: 'libsql' }, cwd, waitForReader: true });
  try {
    const indexing = await calledFiles(() => engine.index({ paths: [join(cwd, 'docs')] }));
    const searching = await calledFiles(() => engine.search('how often are payments tried again?'));
    const missing = (walk: string, called: readonly string[]) =>
      namedFiles(walk).filter((name) => !called.some((file) => `/${file}`.endsWith(`/${name}`)));
    expect(namedFiles('A query').length).toBeGreaterThan(20);
    expect(namedFiles('A document').length).toBeGreaterThan(12);
    expect({ query: missing('A query', searching), document: missing('A document', indexing) }).toEqual({
      query: [],
      document: [],
    });
  } finally {
    await engine.close();
  }
});
