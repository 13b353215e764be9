import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { IndexResult, IndexStatus, SearchResponse, VerifyResult } from '../../src/index.js';
import { AzureSearchService } from '../fakes/services/azure-search/azure-search-service.js';
import { type ErrorDocument, ragstoneJson, runRagstone } from './run-ragstone.js';
import { temporaryFolder } from './temporary-folder.js';

let service: AzureSearchService;
beforeAll(async () => {
  service = await AzureSearchService.start({ apiKey: 'sesame' });
});
afterAll(() => service.stop());

let cwd: string;
const env = { AZURE_SEARCH_KEY: 'sesame' };
beforeEach(() => {
  cwd = temporaryFolder({
    'docs/alpha.md': '# Alpha\n\nThe marmalade queue is drained hourly.\n',
    'docs/beta.md': '# Beta\n\nThe gondola waits for passengers.\n',
  });
  const namespace = `t${Math.random().toString(36).slice(2, 12)}`;
  writeFileSync(
    join(cwd, 'ragstone.yaml'),
    `rag:
  provider: azure_ai_search
  storage: { server: { url: '${service.url}', apiKey: 'env:AZURE_SEARCH_KEY', namespace: ${namespace} } }
  sources: [{ type: files, name: docs, paths: [docs] }]
`,
  );
});

const run = <T>(...args: string[]) => ragstoneJson<T>(args, { cwd, env });

async function found(query: string, mode: string): Promise<(string | undefined)[]> {
  const { document } = await run<SearchResponse>('search', query, '--mode', mode);
  return document.results.map(({ metadata }) => metadata.source);
}

describe('an index in Azure AI Search', () => {
  test('is made, searched, verified, brought up to date and forgotten', async () => {
    expect((await run<IndexResult>('index')).code).toBe(0);
    for (const mode of ['dense', 'lexical'])
      expect((await found('When is the marmalade queue drained?', mode))[0], mode).toBe('docs/alpha.md');
    expect((await run<VerifyResult>('verify')).document).toMatchObject({ ok: true, drift: [] });
    const status = await run<IndexStatus>('status');
    expect(JSON.stringify(status.document)).toContain('azure_ai_search');
    expect(JSON.stringify(status.document)).not.toContain('sesame');

    writeFileSync(join(cwd, 'docs/beta.md'), '# Beta\n\nThe gondola is painted green.\n');
    expect((await run<IndexResult>('index')).code).toBe(0);
    const { document } = await run<SearchResponse>('search', 'gondola');
    expect(document.results[0]?.content).toContain('painted green');
    expect((await run<VerifyResult>('verify')).document).toMatchObject({ ok: true });

    expect((await run('forget', '--document', 'docs/alpha.md', '-y')).code).toBe(0);
    const kept = () => JSON.stringify(service.indexNames.flatMap((name) => service.documentsOf(name)));
    await expect.poll(kept).not.toContain('marmalade');
    expect(await found('marmalade', 'lexical')).not.toContain('docs/alpha.md');
  });

  test('with a wrong key ends with an error that says what to do', async () => {
    const { code, document } = await ragstoneJson<ErrorDocument>(['index'], {
      cwd,
      env: { AZURE_SEARCH_KEY: 'wr0ng' },
    });
    expect(code).not.toBe(0);
    expect(document.error).toMatchObject({
      reason: 'CONFIG_INVALID',
      message: expect.stringContaining('admin key'),
    });
    expect(JSON.stringify(document)).not.toContain('wr0ng');
  });

  test('doctor and config check know it', async () => {
    const { code, stdout } = await runRagstone(['config', 'check'], { cwd, env });
    expect(code, stdout).toBe(0);
    const doctor = await runRagstone(['doctor'], { cwd, env });
    expect(doctor.stdout).toContain('ok store: It answers.');
    expect(doctor.stdout).not.toContain('sesame');
  });
});
