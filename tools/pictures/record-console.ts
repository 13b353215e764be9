/**
 * Walks the page of the built service in Chromium and writes what a person sees to `docs/images/console.png`: `npm run build`, then
 * `npm run record:console`. Times in it differ from run to run, so it is no part of `npm run generate`.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = join(ROOT, 'dist/faces/cli/main.js');
const QUESTION = 'what happens when the reranker does not answer';

const folder = mkdtempSync(join(tmpdir(), 'ragstone-record-'));
cpSync(join(ROOT, 'docs'), join(folder, 'docs'), { recursive: true });
const environment = { ...process.env, NO_COLOR: '1' };
execFileSync(process.execPath, [MAIN, 'index', 'docs', '--quiet'], { cwd: folder, env: environment });
const service = spawn(process.execPath, [MAIN, 'serve', '--port', '0'], { cwd: folder, env: environment });
const browser = await chromium.launch({
  executablePath: process.env.RAGSTONE_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const [line] = (await once(createInterface({ input: service.stdout }), 'line')) as [string];
  const url = /http:\/\/[\d.]+:\d+/.exec(line)?.[0];
  if (url === undefined) throw new Error(line);
  const page = await browser.newPage({ viewport: { width: 1280, height: 820 }, colorScheme: 'light' });
  // Once to load what a process loads once, so that the times are those of later searches.
  for (const query of ['warm', QUESTION]) {
    await page.goto(`${url}/#/search?q=${encodeURIComponent(query)}`);
    await page.reload();
    await page.locator('.results[aria-busy=false] .hit').first().waitFor();
  }
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.keyboard.press('w');
  await page.locator('.why').waitFor();
  await page.screenshot({ path: join(ROOT, 'docs/images/console.png') });
} finally {
  await browser.close();
  service.kill();
  await once(service, 'exit');
  rmSync(folder, { recursive: true, force: true });
}
