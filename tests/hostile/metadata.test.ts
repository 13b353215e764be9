import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/create-engine.js';
import type { Engine } from '../../src/operations/engine.js';

let folder: string;
let engine: Engine;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-metadata-'));
  engine = await createEngine({ cwd: folder, config: { provider: 'libsql' } });
});
afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

/** As a parser of JSON gives it: with an own property of this name. */
const FORGED = `{
  "$tenant": "other", "$groups": ["board"], "__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}},
  "nested": {"__proto__": {"polluted": true}, "kept": 1}, "gap": "", "redactions": {"EMAIL": 100}, "pages": [9], "owner": "Ada"
}`;

const stored = async () => (await engine.list()).documents[0];

function expectGated(metadata: Readonly<Record<string, unknown>> = {}): void {
  expect(metadata).toMatchObject({ owner: 'Ada', nested: { kept: 1 } });
  const keys = Object.keys(metadata);
  for (const key of ['$tenant', '$groups', '__proto__', 'constructor', 'gap', 'redactions', 'pages'])
    expect(keys).not.toContain(key);
  expect(Object.keys(metadata.nested ?? {})).toEqual(['kept']);
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
}

describe('what a document says of itself', () => {
  it("in front matter sets nothing that is the engine's, and says what was left out", async () => {
    writeFileSync(join(folder, 'a.md'), `---\n${FORGED}\n---\n# Salaries\n\nWhat everybody earns.\n`);
    const { notices } = await engine.index({ paths: [folder] });
    expectGated((await stored())?.metadata);
    expect(notices.join()).toContain('Metadata that only Ragstone sets was left out');
    const { results } = await engine.search('salaries');
    expectGated({ ...results[0]?.metadata });
    expect(
      (await engine.search({ text: 'salaries', filters: { metadata: { owner: 'Ada' } } })).results,
    ).toHaveLength(1);
  });

  it('in a push likewise', async () => {
    const metadata = JSON.parse(FORGED) as Record<string, string>;
    await engine.push([{ id: 'a', text: 'What everybody earns.', metadata }]);
    expectGated((await stored())?.metadata);
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    '\tjava\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    '//evil.example/p',
    'ftp://evil.example/',
  ])('links to the web alone: %s', async (url) => {
    writeFileSync(join(folder, 'a.md'), `---\nurl: ${JSON.stringify(url)}\n---\n# Salaries\n`);
    const { notices } = await engine.index({ paths: [folder] });
    expect((await stored())?.url).toBeUndefined();
    expect((await stored())?.metadata.url).toBeUndefined();
    expect(notices.join()).toContain('The address in `url` was left out');
    await engine.push([{ id: 'a', text: 'What everybody earns.', url }]);
    expect((await engine.list()).documents.map((document) => document.url)).toEqual([undefined, undefined]);
  });

  it('keeps an address of the web', async () => {
    writeFileSync(join(folder, 'a.md'), '---\nurl: https://wiki.example/a?b=1#c\n---\n# Salaries\n');
    const { notices } = await engine.index({ paths: [folder] });
    expect((await stored())?.url).toBe('https://wiki.example/a?b=1#c');
    expect(notices).toEqual([]);
  });
});
