import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { RagstoneClient } from '../../src/faces/client/index.js';
import { runRagstone } from '../e2e/run-ragstone.js';
import { sharedFolder } from '../e2e/temporary-folder.js';
import { expectAccessible, goTo, HAS_BROWSER, servedPages } from './browser.js';

const CONFIG = JSON.stringify({
  rag: {
    provider: 'libsql',
    server: { maxDelayMs: 0, searchProcesses: 0, basePath: '/team/kb' },
    feedback: { enabled: true },
    audit: { enabled: true, text: true },
    conflicts: { enabled: true },
    history: { keep: '90d' },
    sources: [{ type: 'files', name: 'own', paths: ['own'] }],
  },
});

describe.runIf(HAS_BROWSER)('the page of a service with keys, below a path of a proxy', () => {
  const keys: Record<string, string> = {};
  const { openPage, url } = servedPages(async () => {
    const cwd = sharedFolder({
      'ragstone.yaml': CONFIG,
      'own/a.md': '# Own\n\nA text.\n',
      'acme/audit.md': '# Audit\n\nAudit logs of acme are kept for thirty days.\n',
      'globex/audit.md': '# Audit\n\nAudit logs of globex are burnt each evening.\n',
    });
    for (const tenant of ['acme', 'globex'])
      await runRagstone(['index', tenant, '--tenant', tenant], { cwd });
    const makeKey = async (tenant: string, ...permissions: readonly string[]): Promise<string> => {
      const allowed = permissions.flatMap((permission) => ['--permission', permission]);
      const { stdout } = await runRagstone(['keys', 'create', '--tenant', tenant, ...allowed, '--json'], {
        cwd,
      });
      return (JSON.parse(stdout) as { key: string }).key;
    };
    keys.acme = await makeKey('acme', 'read');
    keys.keeper = await makeKey('acme', 'read', 'maintain');
    keys.globex = await makeKey('globex', 'read', 'maintain');
    return cwd;
  });

  test('a key is asked for, kept for the tab, and stands in no address', async () => {
    const { page, problems } = await openPage({ refused: [401] });
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url()));
    expect(new URL(page.url()).pathname).toBe('/team/kb/');
    await page.getByText('This service wants a key.').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Key').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('The key is unknown, revoked or expired.').waitFor();
    const key = keys.acme ?? '';
    await page.getByLabel('Key').fill(key);
    await page.keyboard.press('Enter');
    await page.locator('#q').waitFor();
    await page.locator('#q').fill('how long are audit logs kept');
    await page.locator('.hit').first().waitFor();
    await page.reload();
    await page.locator('.hit').first().waitFor();
    expect(sent.filter((address) => address.includes(key) || !address.includes('/team/kb/'))).toEqual([]);
    expect(page.url()).not.toContain(key);
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByText('This service wants a key.').waitFor();
    expect(await page.evaluate<number>('sessionStorage.length + localStorage.length')).toBe(0);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('what a key may not do is said, and nothing of another tenant is shown', async () => {
    const { page, problems } = await openPage({ refused: [401, 403, 404] });
    const answers = answersTo(page);
    await enter(page, keys.acme ?? '');
    const open = (hash: string): Promise<unknown> => goTo(page, hash);
    for (const screen of ['miss', 'questions', 'sources']) {
      await open(`#/${screen}`);
      await page.getByText(/needs the permission “maintain”/).waitFor();
    }
    await expectAccessible(page);
    await open('#/search?q=audit+logs+burnt+each+evening&weak=1');
    await page.locator('.hit').first().waitFor();
    await open('#/answer?q=when+are+audit+logs+burnt');
    await page.locator('.source').first().waitFor();
    await open('#/documents');
    await page.locator('.document-row').first().waitFor();
    await open('#/compare?q=audit+logs+burnt&b.mode=lexical');
    await page.locator('.compared-hit').first().waitFor();
    await open('#/health');
    await page.getByText('Healthy').waitFor();
    const seen = await answers();
    expect(seen).toContain('acme');
    expect(seen).not.toMatch(/of globex/);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('no screen of a key that may see the whole of its tenant shows anything of another one', async () => {
    const theirs = new RagstoneClient({ url: url(), key: keys.globex });
    const [document] = (await theirs.listDocuments()).documents;
    const { requestId } = await theirs.search({ query: 'zanzibar audit logs', topK: 1, minScore: 0 });
    await theirs.sendFeedback({ requestId, relevant: [1] });
    const { page, problems } = await openPage({ refused: [401, 404] });
    const answers = answersTo(page);
    await enter(page, keys.keeper ?? '');
    const SCREENS = [
      ['search?q=audit+logs+burnt+each+evening&weak=1', '.hit'],
      ['answer?q=when+are+audit+logs+burnt', '.source'],
      ['documents', '.document-row'],
      [`documents/${document?.id}`, '[role=alert]'],
      [`miss?q=audit+logs+burnt&document=${document?.externalId}`, '.note, .panel h2'],
      ['compare?q=audit+logs+burnt&b.mode=lexical', '.compared-hit'],
      ['questions', '.panel'],
      ['sources', '.facts'],
      ['health', '.panel'],
    ] as const;
    for (const [hash, sign] of SCREENS) {
      await goTo(page, `#/${hash}`);
      await page.locator(sign).first().waitFor();
      await page.waitForLoadState('networkidle');
      expect(await page.locator('main').innerText()).not.toMatch(/of globex|zanzibar/);
    }
    await goTo(page, '#/documents');
    await page.locator('.document-row a').first().click();
    const parts = page.locator('.part:not([open]) summary');
    while ((await parts.count()) > 0) await parts.first().click();
    await page.waitForLoadState('networkidle');
    const seen = await answers();
    expect(seen).toContain('of acme');
    expect(seen).not.toMatch(/of globex|zanzibar/);
    expect(problems).toEqual([]);
    await page.context().close();
  });
});

async function enter(page: Page, key: string): Promise<void> {
  await page.getByLabel('Key').fill(key);
  await page.keyboard.press('Enter');
  await page.locator('#q').waitFor();
}

/** What the service answers the page from now on, streams of runs left out, as text. */
function answersTo(page: Page): () => Promise<string> {
  const bodies: Promise<string>[] = [];
  page.on('response', (response) => {
    if (/\/(?:api|rag|health)\//.test(response.url()) && !response.url().endsWith('/runs/events'))
      bodies.push(response.text().catch(() => ''));
  });
  return async () => (await Promise.all(bodies)).join('\n');
}
