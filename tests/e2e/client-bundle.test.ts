import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { build, type Metafile } from 'esbuild';
import { expect, test } from 'vitest';
import type { RagstoneClient } from '../../src/faces/client/index.js';
import { runRagstone } from './run-ragstone.js';
import { openService } from './start-service.js';
import { temporaryFolder } from './temporary-folder.js';

const ROOT = dirname(fileURLToPath(new URL('../../package.json', import.meta.url)));

/** As a page would: three lines over the package by its public name. */
const PROGRAM = `
import { RagstoneClient } from 'ragstone/client';
const client = new RagstoneClient({ url: serviceUrl });
globalThis.outcome = work(client);`;

/** What the whole client may cost a page, minified: what it is now and a quarter more. */
const MOST_BYTES = 16_500;

/** What a browser and Node.js both have. Nothing else is there: no `process`, no `Buffer`, no `require`. */
const PLATFORM = {
  ...{ AbortController, FormData, Headers, ReadableStream, Response, TextDecoder, URL, URLSearchParams },
  ...{ clearTimeout, crypto, fetch, performance, setTimeout },
};

/** Bundles the built package for browsers. A `node:` module or one that cannot be found fails it. */
async function bundled(
  program: string,
): Promise<{ readonly code: string; readonly inputs: Metafile['inputs'] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: ROOT },
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    // The paths of this repository's own would lead to its sources.
    tsconfigRaw: '{}',
    write: false,
    metafile: true,
    absWorkingDir: ROOT,
    logLevel: 'silent',
  });
  return { code: outputFiles[0]?.text ?? '', inputs: metafile.inputs };
}

test('a page that calls a service carries the client and nothing of the engine', async () => {
  const { code, inputs } = await bundled(PROGRAM);
  const foreign = Object.keys(inputs).filter(
    (path) =>
      path !== '<stdin>' &&
      !path.startsWith('dist/faces/client/') &&
      path !== 'dist/faces/service/api-version.js',
  );
  expect(foreign).toEqual([]);
  expect(Object.keys(inputs)).toContain('dist/faces/client/index.js');
  expect(code.length).toBeGreaterThan(2_000);
  expect(code.length).toBeLessThan(MOST_BYTES);
});

test('a module of Node.js would fail the bundle', async () => {
  await expect(bundled(`${PROGRAM} import 'node:fs';`)).rejects.toThrow('node:fs');
});

test('the bundle searches, asks and writes where there is only what browsers have', async () => {
  const cwd = temporaryFolder({
    'docs/audit.md': '# Audit\n\nAudit logs are kept for thirty days.\n',
    'ragstone.yaml': 'rag: { server: { maxDelayMs: 0 } }\n',
  });
  expect((await runRagstone(['index', 'docs'], { cwd })).code).toBe(0);
  const { url, stop } = await openService(cwd);
  try {
    const work = async (client: RagstoneClient) => {
      await client.indexDocument({ id: 'tea', content: 'Tea is at four in the garden.' });
      const { results } = await client.search({ query: 'when is tea?', minScore: 0 });
      const events: string[] = [];
      for await (const { type } of client.answerEvents({ question: 'how long are audit logs kept?' }))
        events.push(type);
      return { first: results[0]?.id, events };
    };
    const page = createContext({ ...PLATFORM, serviceUrl: url, work });
    runInContext((await bundled(PROGRAM)).code, page);
    const { first, events } = (await page.outcome) as Awaited<ReturnType<typeof work>>;
    expect(first).toBe('tea');
    expect([events[0], events.at(-1)]).toEqual(['start', 'answer']);
  } finally {
    await stop();
  }
});
