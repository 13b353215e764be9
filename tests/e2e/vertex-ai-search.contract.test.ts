import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { IndexResult, IndexStatus, SearchResponse, VerifyResult } from '../../src/index.js';
import { keyFileOf, TEST_ACCOUNT } from '../fakes/services/vertex-search/test-account.js';
import { VertexSearchService } from '../fakes/services/vertex-search/vertex-search-service.js';
import { documentOf, type ErrorDocument, spawnRagstone } from './run-ragstone.js';
import { temporaryFolder } from './temporary-folder.js';

let service: VertexSearchService;
beforeAll(async () => {
  service = await VertexSearchService.start();
});
afterAll(() => service.stop());

let cwd: string;
let env: Record<string, string>;
beforeEach(() => {
  cwd = temporaryFolder({
    'docs/alpha.md': '# Alpha\n\nThe marmalade queue is drained hourly.\n',
    'docs/beta.md': '# Beta\n\nThe gondola waits for passengers.\n',
    'key.json': keyFileOf(TEST_ACCOUNT),
  });
  env = { GOOGLE_APPLICATION_CREDENTIALS: join(cwd, 'key.json') };
  configure('project: test-project');
});

const configure = (more: string): void =>
  writeFileSync(
    join(cwd, 'ragstone.yaml'),
    `rag:
  provider: vertex_ai_search
  storage: { cloud: { controllerHost: '${service.url}', namespace: t${Math.random().toString(36).slice(2, 12)}, ${more} } }
  sources: [{ type: files, name: docs, paths: [docs] }]
`,
  );

// Google's library reads the variables of its process.
const run = async <T>(...args: string[]) => {
  const outcome = await spawnRagstone([...args, '--json'], { cwd, env });
  return { ...outcome, document: documentOf<T>(outcome) };
};

async function found(query: string, mode: string): Promise<(string | undefined)[]> {
  const { document } = await run<SearchResponse>('search', query, '--mode', mode);
  return document.results.map(({ metadata }) => metadata.source);
}

describe('an index in Vertex AI Search', () => {
  test('is made, searched, verified, brought up to date and forgotten', async () => {
    expect((await run<IndexResult>('index')).code).toBe(0);
    for (const mode of ['dense', 'lexical'])
      expect((await found('When is the marmalade queue drained?', mode))[0], mode).toBe('docs/alpha.md');
    expect((await run<VerifyResult>('verify')).document).toMatchObject({ ok: true, drift: [] });
    expect(JSON.stringify((await run<IndexStatus>('status')).document)).toContain('vertex_ai_search');

    writeFileSync(join(cwd, 'docs/beta.md'), '# Beta\n\nThe gondola is painted green.\n');
    expect((await run<IndexResult>('index')).code).toBe(0);
    const { document } = await run<SearchResponse>('search', 'gondola');
    expect(document.results[0]?.content).toContain('painted green');
    expect((await run('forget', '--document', 'docs/alpha.md', '-y')).code).toBe(0);
    const kept = [...service.dataStores.keys()].flatMap((name) => service.documentsOf(name));
    expect(JSON.stringify(kept)).not.toContain('marmalade');
    expect(await found('marmalade', 'lexical')).not.toContain('docs/alpha.md');
  });

  test('an account that is not taken, and settings of other stores, end with what to do', async () => {
    const stranger = keyFileOf({ ...TEST_ACCOUNT, clientEmail: 'stranger@test.iam.gserviceaccount.com' });
    writeFileSync(join(cwd, 'key.json'), stranger);
    const { code, document } = await run<ErrorDocument>('index');
    expect(code).not.toBe(0);
    expect(document.error).toMatchObject({
      reason: 'CONFIG_INVALID',
      message: expect.stringContaining('gcloud auth') as string,
    });
    expect(JSON.stringify(document)).not.toContain('PRIVATE');
    for (const [setting, told] of [
      ['environment: eu', /project is needed/],
      ["project: test-project, apiKey: 'abc'", /GOOGLE_APPLICATION_CREDENTIALS/],
      ['project: test-project, index: notes', /use namespace/],
      ['project: test-project, environment: us-east-1-aws', /global, us, eu/],
    ] as const) {
      configure(setting);
      expect((await run<ErrorDocument>('index')).document.error.message).toMatch(told);
    }
  });
});
