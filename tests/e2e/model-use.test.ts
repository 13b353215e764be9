import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { IndexStatus, SearchResponse } from '../../src/index.js';
import { type ErrorDocument, ragstoneJson, runRagstone } from './run-ragstone.js';
import { temporaryFolder } from './temporary-folder.js';

const MINILM = fileURLToPath(new URL('../../../shared/models/all-MiniLM-L6-v2', import.meta.url));
const FILES = {
  'docs/audit.md': '# Audit\n\nAudit logs are kept for 30 days.\n',
  'ragstone.yaml': '# Ours.\nrag:\n  provider: libsql # small\n',
};

describe('model use', () => {
  test.skipIf(!existsSync(MINILM))(
    'one command changes to another model, another one goes back',
    async () => {
      const cwd = temporaryFolder(FILES);
      mkdirSync(join(cwd, 'models'));
      symlinkSync(MINILM, join(cwd, 'models/all-MiniLM-L6-v2'));
      await runRagstone(['index', 'docs'], { cwd });
      expect(await runRagstone(['model', 'use', 'models/all-MiniLM-L6-v2'], { cwd })).toMatchObject({
        code: 0,
      });
      expect(readFileSync(join(cwd, 'ragstone.yaml'), 'utf8')).toBe(
        `${FILES['ragstone.yaml']}  embedding:\n    model: transformers:./models/all-MiniLM-L6-v2\n`,
      );
      const { document: status } = await ragstoneJson<IndexStatus>(['status'], { cwd });
      expect(status).toMatchObject({ documents: 1, embedder: expect.stringContaining('MiniLM') });
      const { document: found } = await ragstoneJson<SearchResponse>(['search', 'audit'], { cwd });
      expect(found.results).toHaveLength(1);
      expect(found.notices).toEqual([]);
      expect((await runRagstone(['model', 'use', 'builtin'], { cwd })).code).toBe(0);
      expect((await ragstoneJson<IndexStatus>(['status'], { cwd })).document.embedder).toBe('builtin');
    },
  );

  test('a model that cannot be used leaves configuration and index as they were', async () => {
    const cwd = temporaryFolder({ ...FILES, 'models/empty/readme.txt': 'nothing' });
    await runRagstone(['index', 'docs'], { cwd });
    const { document } = await ragstoneJson<ErrorDocument>(['model', 'use', './models/empty'], { cwd });
    expect(document.error.reason).toBe('MODEL_INVALID');
    // No such id: the part behind the last slash is missing.
    const missing = await ragstoneJson<ErrorDocument>(['model', 'use', '../no/such/folder'], { cwd });
    expect(missing.document.error.reason).toBe('MODEL_NOT_FOUND');
    expect(readFileSync(join(cwd, 'ragstone.yaml'), 'utf8')).toBe(FILES['ragstone.yaml']);
    expect((await ragstoneJson<SearchResponse>(['search', 'audit'], { cwd })).document.results).toHaveLength(
      1,
    );
  });

  test('without an index it writes the configuration and says what to do', async () => {
    const cwd = temporaryFolder();
    const { code, stdout } = await runRagstone(['model', 'use', 'Xenova/multilingual-e5-small'], { cwd });
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Nothing is indexed yet'),
    });
    expect(readFileSync(join(cwd, 'ragstone.yaml'), 'utf8')).toContain('queryPrefix: "query: "');
  });

  test('a configuration that nobody trusts is neither changed nor trusted by it', async () => {
    const url = 'rag: { provider: postgres, storage: { server: { url: "postgres://u@127.0.0.1:1/x" } } }\n';
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'ragstone.yaml'), url);
    const { document } = await ragstoneJson<ErrorDocument>(['model', 'use', 'builtin'], {
      cwd,
      env: { RAGSTONE_TRUST: '' },
    });
    expect(document.error.reason).toBe('CONFIG_UNTRUSTED');
    expect(readFileSync(join(cwd, 'ragstone.yaml'), 'utf8')).toBe(url);
  });
});
