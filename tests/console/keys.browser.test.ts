import { describe, expect, test } from 'vitest';
import { runRagstone } from '../e2e/run-ragstone.js';
import { sharedFolder } from '../e2e/temporary-folder.js';
import { expectAccessible, goTo, HAS_BROWSER, servedPages } from './browser.js';

const CONFIG = `rag: { provider: libsql, server: { maxDelayMs: 0, searchProcesses: 0, basePath: /team/kb } }\n`;

describe.runIf(HAS_BROWSER)('the page of a service with keys, below a path of a proxy', () => {
  const keys: Record<string, string> = {};
  const { openPage } = servedPages(async () => {
    const cwd = sharedFolder({
      'ragstone.yaml': CONFIG,
      'acme/audit.md': '# Audit\n\nAudit logs of acme are kept for thirty days.\n',
      'globex/audit.md': '# Audit\n\nAudit logs of globex are burnt each evening.\n',
    });
    for (const tenant of ['acme', 'globex']) {
      await runRagstone(['index', tenant, '--tenant', tenant], { cwd });
      const { stdout } = await runRagstone(
        ['keys', 'create', '--tenant', tenant, '--permission', 'read', '--json'],
        { cwd },
      );
      keys[tenant] = (JSON.parse(stdout) as { key: string }).key;
    }
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
    const bodies: Promise<string>[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/api/') || response.url().includes('/rag/'))
        bodies.push(response.text().catch(() => ''));
    });
    await page.getByLabel('Key').fill(keys.acme ?? '');
    await page.keyboard.press('Enter');
    await page.locator('#q').waitFor();
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
    const seen = (await Promise.all(bodies)).join('\n');
    expect(seen).toContain('acme');
    expect(seen).not.toMatch(/of globex/);
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
