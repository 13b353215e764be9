import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runRagstone } from '../e2e/run-ragstone.js';
import { sharedFolder } from '../e2e/temporary-folder.js';
import { expectAccessible, goTo, HAS_BROWSER, servedPages, type WatchedPage } from './browser.js';
import { type LocalProvider, startProvider } from './local-provider.js';

describe.runIf(HAS_BROWSER)('signing in at a provider', () => {
  let provider: LocalProvider;
  const { openPage, url } = servedPages(async () => {
    provider = await startProvider();
    const server = { maxDelayMs: 0, searchProcesses: 0, jwt: provider.settings };
    const cwd = sharedFolder({
      'ragstone.yaml': JSON.stringify({ rag: { provider: 'libsql', server } }),
      'docs/audit.md': '# Audit\n\nAudit logs of acme are kept for thirty days.\n',
    });
    await runRagstone(['index', 'docs', '--tenant', 'acme'], { cwd });
    return cwd;
  });
  beforeAll(() => provider.serve(`${url()}/`));
  afterAll(() => provider.close());

  /** Of pages of the provider. */
  const FONTS = 'https://fonts.googleapis.com';
  const open = async (): Promise<WatchedPage> => {
    const watched = await openPage({ refused: [400, 401], elsewhere: [provider.issuer, FONTS] });
    await watched.page.route(`${FONTS}/**`, (route) => route.fulfill({ body: '' }));
    return watched;
  };
  const signIn = async (page: Page, name: string): Promise<void> => {
    await page.getByRole('button', { name: 'Sign in at 127.0.0.1' }).click();
    await page.locator('input[name=login]').fill(name);
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.getByRole('button', { name: 'Continue' }).click();
  };
  const kept = (page: Page): Promise<string> => page.evaluate("sessionStorage.getItem('ragstone.tokens')");
  const keep = (page: Page, tokens: object): Promise<unknown> =>
    page.evaluate(`sessionStorage.setItem('ragstone.tokens', ${JSON.stringify(JSON.stringify(tokens))})`);

  test('a person comes back to where the page was, searches, and leaves; nothing of it stands in an address', async () => {
    const { page, problems } = await open();
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.url().startsWith(url())) sent.push(request.url());
    });
    await page.getByText('Sign in, or state a key.').waitFor();
    await expectAccessible(page);
    await goTo(page, '#/search?q=audit+logs');
    await signIn(page, 'viewer');
    await page.locator('.hit').first().waitFor();
    expect(page.url()).toBe(`${url()}/#/search?q=audit+logs`);
    const { access, refresh } = JSON.parse(await kept(page)) as Record<string, string>;
    expect(sent.filter((one) => one.includes(access ?? '-') || one.includes(refresh ?? '-'))).toEqual([]);
    await goTo(page, '#/sources');
    await page.getByText(/needs the permission “maintain”/).waitFor();
    await goTo(page, '#/health');
    await page.getByText('Healthy').waitFor();
    expect(await page.getByRole('region', { name: /Keys|Parts/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByText('Sign in, or state a key.').waitFor();
    expect(await page.evaluate<number>('sessionStorage.length + localStorage.length')).toBe(0);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('an operator sees the panels of operators; a token that ends is renewed, and one that cannot be is asked for again', async () => {
    const { page, problems } = await open();
    await goTo(page, '#/health');
    await signIn(page, 'operator');
    await page.getByRole('region', { name: 'Keys' }).waitFor();
    const first = JSON.parse(await kept(page)) as { readonly access: string; readonly refresh: string };
    await keep(page, { ...first, endsAt: 0 });
    await goTo(page, '#/search?q=audit');
    await page.locator('.hit').first().waitFor();
    const second = JSON.parse(await kept(page)) as typeof first;
    expect(second.access).not.toBe(first.access);
    const ended = { access: await provider.endedToken() };
    await keep(page, ended);
    await goTo(page, '#/search?q=audit+logs');
    await page.getByText('The sign-in has ended.').waitFor();
    await expectAccessible(page);
    // The provider still knows the person.
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await page.locator('.hit').first().waitFor();
    expect(page.url()).toContain('#/search?q=audit+logs');
    await keep(page, ended);
    await page.reload();
    await page.getByText('The token is not valid.').waitFor();
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('what comes back with another state, or as a refusal, is refused with the next step', async () => {
    const { page, problems } = await open();
    await page.goto(`${url()}/?code=of-somebody-else&state=wrong`);
    await page.getByText('was not begun in this tab').waitFor();
    expect(page.url()).toBe(`${url()}/`);
    expect(await kept(page)).toBeNull();
    // In the middle of a sign-in of one's own.
    await page.getByRole('button', { name: 'Sign in at 127.0.0.1' }).click();
    await page.locator('input[name=login]').waitFor();
    await page.goto(`${url()}/?code=of-somebody-else&state=wrong`);
    await page.getByText('was not begun in this tab').waitFor();
    await page.getByRole('button', { name: 'Sign in at 127.0.0.1' }).click();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByText('access_denied').waitFor();
    await page.getByText('ask the operator of the provider').waitFor();
    await expectAccessible(page);
    await page.route(`${provider.issuer}/.well-known/**`, (route) => route.abort());
    await page.getByRole('button', { name: 'Sign in at 127.0.0.1' }).click();
    await page.getByText('does not answer this page').waitFor();
    expect(problems.filter((problem) => !problem.includes('ERR_FAILED'))).toEqual([]);
    await page.context().close();
  });
});
