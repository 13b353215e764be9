import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from './load-config.js';
import { configFileToWrite, settingsToYaml, writeSettings } from './write-settings.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-write-settings-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const SETTINGS = { retrieval: { hybrid: { weights: { semantic: 0.3, keyword: 0.7 } } } };

const VARIABLE = `"\${MODEL:-builtin}"`;

describe('writing settings into a configuration', () => {
  test('keeps comments, variables and other settings', async () => {
    const file = join(folder, 'ragstone.yaml');
    writeFileSync(
      file,
      `# ours\nrag:\n  embedding: { model: ${VARIABLE} } # which\n  retrieval:\n    topK: 7\n`,
    );
    await writeSettings(file, SETTINGS);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('# ours');
    expect(text).toContain(`${VARIABLE} } # which`);
    const { rag } = await loadConfig({ file, env: {} });
    expect(rag.retrieval).toMatchObject({ topK: 7, ...SETTINGS.retrieval });
  });

  test('replaces what was there, and makes a file that was not', async () => {
    const file = await configFileToWrite(folder, undefined);
    expect(file).toBe(join(folder, 'ragstone.yaml'));
    await writeSettings(file, { retrieval: { topK: 3 } });
    await writeSettings(file, { retrieval: { topK: 4 } });
    expect(readFileSync(file, 'utf8')).toBe(settingsToYaml({ retrieval: { topK: 4 } }));
    expect((await loadConfig({ cwd: folder, env: {} })).rag.retrieval.topK).toBe(4);
  });

  test.each([
    'a: 1\n',
    'rag:\n',
    'rag: { retrieval: }\n',
    'rag:\n  retrieval: # ours\n    # below\n  provider: libsql\n',
    'rag:\n  retrieval: { rerank: { sha256: x } }\n',
  ])(
    'sections that are not there or empty are made, and nothing is missed that was to go: %j',
    async (text) => {
      const file = join(folder, 'ragstone.yaml');
      writeFileSync(file, text);
      await writeSettings(file, { retrieval: { rerank: { model: 'reader' } } }, [
        ['retrieval', 'rerank', 'sha256'],
      ]);
      const written = readFileSync(file, 'utf8');
      const { rag, ...rest } = parse(written) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
      expect(rag?.retrieval).toEqual({ rerank: { model: 'reader' } });
      expect({ ...rest, provider: rag?.provider }).toEqual({
        ...(text.startsWith('a') ? { a: 1 } : {}),
        provider: text.includes('libsql') ? 'libsql' : undefined,
      });
      for (const comment of text.match(/# \w+/g) ?? []) expect(written).toContain(comment);
    },
  );

  test('a file with nothing in it counts as empty; a broken one stays as it is', async () => {
    const file = join(folder, 'x.yaml');
    writeFileSync(file, '# nothing yet\n');
    await writeSettings(file, { retrieval: { topK: 3 } });
    expect((await loadConfig({ file, env: {} })).rag.retrieval.topK).toBe(3);
    writeFileSync(file, 'a: [\n');
    await expect(writeSettings(file, SETTINGS)).rejects.toMatchObject({ reason: 'CONFIG_INVALID' });
    expect(readFileSync(file, 'utf8')).toBe('a: [\n');
  });
});
