import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { transformSync } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import * as testing from '../../src/testing/index.js';

const page = readFileSync(new URL('../../docs/own-parts.md', import.meta.url), 'utf8');
const module = new URL('../../dist/index.js', import.meta.url).href;
const examples = [
  ...page.matchAll(/^## (.*?)$(?:(?!^## )[\s\S])*?```ts\n(.*?)```\n\n```text\n(.*?)```/gms),
].map(([, title = '', code = '', output = '']) => ({ title, code, output }));

const folder = mkdtempSync(join(tmpdir(), 'ragstone-docs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, code: string): string {
  const path = join(folder, name);
  const { code: program } = transformSync(code.replaceAll("'ragstone'", JSON.stringify(module)), {
    loader: 'ts',
  });
  writeFileSync(path, program);
  return path;
}

it('every program of docs/own-parts.md is followed by what it prints', () => {
  expect(examples).toHaveLength(page.match(/```ts\n/g)?.length ?? 0);
  expect(examples.length).toBeGreaterThan(4);
});

it.each(examples)('$title', async ({ code, output }) => {
  const cwd = mkdtempSync(join(folder, 'program-'));
  const program = write(join(basename(cwd), 'program.mjs'), code);
  const { stdout } = await promisify(execFile)(process.execPath, [program], { cwd });
  expect(stdout).toBe(output);
});

it('every suite that the page names is exported, and every suite is named', () => {
  const named = [...page.matchAll(/`(test[A-Z]\w+)`/g)].map(([, name]) => name);
  const exported = Object.keys(testing).filter((name) => name.startsWith('test'));
  expect([...new Set(named)].sort()).toEqual(exported.sort());
});
