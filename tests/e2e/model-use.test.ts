import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unigramJson } from '../../src/embedding/encoder/unigram/test-unigram.js';
import type { IndexStatus, SearchResponse } from '../../src/index.js';
import { writeTinyBert } from '../../src/reranking/cross-encoder/test-bert-classifier.js';
import { openMirror } from './model-mirror.js';
import { type ErrorDocument, ragstoneJson, runRagstone } from './run-ragstone.js';
import { temporaryFolder } from './temporary-folder.js';

const MINILM = fileURLToPath(new URL('../../../shared/models/all-MiniLM-L6-v2', import.meta.url));
const SHA256 = '8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6';
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
        `${FILES['ragstone.yaml']}  embedding:\n    model: onnx:./models/all-MiniLM-L6-v2\n    sha256: ${SHA256}\n`,
      );
      const { document: status } = await ragstoneJson<IndexStatus>(['status'], { cwd });
      expect(status).toMatchObject({ documents: 1, embedder: 'onnx:all-MiniLM-L6-v2' });
      const { document: found } = await ragstoneJson<SearchResponse>(['search', 'audit'], { cwd });
      expect(found.results).toHaveLength(1);
      expect(found.notices).toEqual([]);
      expect((await runRagstone(['model', 'use', 'builtin'], { cwd })).code).toBe(0);
      expect((await ragstoneJson<IndexStatus>(['status'], { cwd })).document.embedder).toBe('builtin');
      expect(readFileSync(join(cwd, 'ragstone.yaml'), 'utf8')).not.toContain('sha256');
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
    const away = ['model', 'use', 'all-MiniLM-L6-v2', '--from', 'http://127.0.0.1:9'];
    const { error } = (await ragstoneJson<ErrorDocument>(away, { cwd })).document;
    expect(error).toMatchObject({
      reason: 'MODEL_NOT_FOUND',
      message: expect.stringContaining('HF_ENDPOINT'),
    });
    expect(readFileSync(join(cwd, 'ragstone.yaml'), 'utf8')).toBe(FILES['ragstone.yaml']);
    expect((await ragstoneJson<SearchResponse>(['search', 'audit'], { cwd })).document.results).toHaveLength(
      1,
    );
  });

  describe.skipIf(!existsSync(MINILM))('from a mirror', () => {
    let HF_ENDPOINT: string;
    beforeAll(async () => {
      // Whatever model is asked for, the mirror has this one.
      HF_ENDPOINT = await openMirror(() => MINILM);
    });

    test('a model is fetched, pinned, and refused once its file is another one', async () => {
      const cwd = temporaryFolder(FILES);
      const { document } = await ragstoneJson<Record<string, unknown>>(['model', 'use', 'owner/e5-mini'], {
        cwd,
        env: { HF_ENDPOINT },
      });
      expect(document).toEqual({
        file: join(cwd, 'ragstone.yaml'),
        model: 'onnx:owner/e5-mini',
        allowRemote: true,
        sha256: SHA256,
        queryPrefix: 'query: ',
        documentPrefix: 'passage: ',
      });
      await runRagstone(['index', 'docs'], { cwd });
      const { document: found } = await ragstoneJson<SearchResponse>(['search', 'audit'], { cwd });
      expect(found.results).toHaveLength(1);
      appendFileSync(join(cwd, '.ragstone/models/owner/e5-mini/onnx/model_quantized.onnx'), 'x');
      const changed = await ragstoneJson<ErrorDocument>(['index', 'docs'], { cwd });
      expect(changed.document.error.reason).toBe('MODEL_INVALID');
    });

    test('other bytes than those of a recommended model are not used', async () => {
      const cwd = temporaryFolder(FILES);
      const asked = ['model', 'use', 'all-MiniLM-L6-v2', '--from', HF_ENDPOINT];
      const { document } = await ragstoneJson<ErrorDocument>(asked, { cwd });
      expect(document.error).toMatchObject({
        reason: 'MODEL_INVALID',
        message: expect.stringContaining('another file'),
      });
      expect(readFileSync(join(cwd, 'ragstone.yaml'), 'utf8')).toBe(FILES['ragstone.yaml']);
      expect(existsSync(join(cwd, '.ragstone/models/Xenova/all-MiniLM-L6-v2'))).toBe(false);
    });

    test('a model with a Unigram tokenizer needs no package', async () => {
      const cwd = temporaryFolder({ ...FILES, 'models/e5-mini/readme.txt': 'below' });
      cpSync(MINILM, join(cwd, 'models/e5-mini'), { recursive: true });
      writeFileSync(join(cwd, 'models/e5-mini/tokenizer.json'), JSON.stringify(unigramJson()));
      await runRagstone(['index', 'docs'], { cwd });
      expect((await runRagstone(['model', 'use', 'e5-mini', '--from', 'models'], { cwd })).code).toBe(0);
      const config = readFileSync(join(cwd, 'ragstone.yaml'), 'utf8');
      expect(config).toContain('model: onnx:./models/e5-mini');
      expect(config).toContain('documentPrefix: "passage: "');
      const { document: status } = await ragstoneJson<IndexStatus>(['status'], { cwd });
      expect(status).toMatchObject({ documents: 1, embedder: 'onnx:e5-mini' });
    });

    test('a model that needs the package is named by it', async () => {
      const cwd = temporaryFolder({ 'models/mini/readme.txt': 'below' });
      cpSync(MINILM, join(cwd, 'models/mini'), { recursive: true });
      const config = join(cwd, 'models/mini/config.json');
      writeFileSync(config, readFileSync(config, 'utf8').replace('"bert"', '"roberta"'));
      const { document } = await ragstoneJson<Record<string, unknown>>(
        ['model', 'use', 'mini', '--from', 'models'],
        { cwd },
      );
      expect(document).toMatchObject({ model: 'transformers:./models/mini', sha256: SHA256 });
    });
  });

  describe('a reranker', () => {
    const NAME = 'ms-marco-MiniLM-L6-v2';
    const ID = 'Xenova/ms-marco-MiniLM-L-6-v2';
    let model: string;
    let address: string;
    beforeAll(async () => {
      model = mkdtempSync(join(tmpdir(), 'reranker-'));
      await writeTinyBert(model);
      address = await openMirror((id) => (id === ID ? model : 'nowhere'));
    });
    afterAll(() => rmSync(model, { recursive: true }));

    test('is listed, fetched, pinned and used without a new index, and another command goes back', async () => {
      const cwd = temporaryFolder(FILES);
      await runRagstone(['index', 'docs'], { cwd });
      const { document: before } = await ragstoneJson<IndexStatus>(['status'], { cwd });
      const { document: chosen } = await ragstoneJson<Record<string, string>>(
        ['model', 'use', NAME, '--from', address],
        { cwd },
      );
      const sha256 = chosen.sha256 ?? '';
      expect(sha256).toMatch(/^[0-9a-f]{64}$/);
      expect(chosen).toEqual({ file: join(cwd, 'ragstone.yaml'), model: `onnx:${ID}`, sha256 });
      expect(readFileSync(join(cwd, 'ragstone.yaml'), 'utf8')).toBe(
        `${FILES['ragstone.yaml']}  retrieval:\n    rerank:\n      model: onnx:${ID}\n      sha256: ${sha256}\n`,
      );
      expect((await ragstoneJson<IndexStatus>(['status'], { cwd })).document.lastRun).toEqual(before.lastRun);
      const { document: list } = await ragstoneJson<{ recommended: unknown[] }>(['model', 'list'], { cwd });
      expect(list.recommended).toContainEqual(
        expect.objectContaining({
          name: NAME,
          isReranker: true,
          path: join(cwd, '.ragstone/models', ID),
        }),
      );
      const { document: found } = await ragstoneJson<SearchResponse>(['search', 'audit', '--explain'], {
        cwd,
      });
      expect(found.degradationLevel).toBe(0);
      expect(found.notices).toEqual([]);
      expect(found.results[0]?.explanation?.rerankScore).toBeGreaterThan(0);
      appendFileSync(join(cwd, '.ragstone/models', ID, 'onnx/model.onnx'), 'x');
      const { document: changed } = await ragstoneJson<SearchResponse>(['search', 'audit'], { cwd });
      expect(changed.degradationLevel).toBe(1);
      const { stdout } = await runRagstone(['model', 'use', 'reader'], { cwd });
      expect(stdout).toContain('the index stays as it is');
      expect(readFileSync(join(cwd, 'ragstone.yaml'), 'utf8')).toBe(
        `${FILES['ragstone.yaml']}  retrieval:\n    rerank:\n      model: reader\n`,
      );
    });

    test('of a folder is switched on where reranking was off', async () => {
      const off = `${FILES['ragstone.yaml']}  retrieval: { rerank: { enabled: false } }\n`;
      const cwd = temporaryFolder({ 'ragstone.yaml': off });
      cpSync(model, join(cwd, 'models/tiny'), { recursive: true });
      expect((await runRagstone(['model', 'use', './models/tiny'], { cwd })).code).toBe(0);
      expect(readFileSync(join(cwd, 'ragstone.yaml'), 'utf8')).toMatch(
        /enabled: true,\s+model: onnx:\.\/models\/tiny/,
      );
    });

    test('that cannot rerank leaves the configuration as it was', async () => {
      const cwd = temporaryFolder(FILES);
      await writeTinyBert(join(cwd, 'models/moods'), { columns: 3 });
      const { document } = await ragstoneJson<ErrorDocument>(['model', 'use', './models/moods'], { cwd });
      expect(document.error).toMatchObject({
        reason: 'MODEL_INVALID',
        message: expect.stringContaining('a reranker returns one or two'),
      });
      expect(readFileSync(join(cwd, 'ragstone.yaml'), 'utf8')).toBe(FILES['ragstone.yaml']);
    });
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
