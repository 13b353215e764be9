import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { expectAccessible, goTo, HAS_BROWSER, servedPages, until, type WatchedPage } from './browser.js';
import { HAS_SHARED, walkedFolder } from './walked-index.js';

/** Milliseconds that a search may take from the answer of the service to the page. */
const MOST_SHOWN_MS = 100;

const QUESTION = HAS_SHARED ? 'how long should a code review take' : 'how long are audit logs kept';

const DOCUMENT = HAS_SHARED ? 'design/exception-handling.md' : 'answering.md';

describe.runIf(HAS_BROWSER)('a walk through the page of the service', () => {
  let watched: WatchedPage;
  let page: Page;
  const { openPage } = servedPages(walkedFolder);
  beforeEach(async () => {
    watched = await openPage({ refused: [400, 404] });
    page = watched.page;
  });
  afterEach(async () => {
    expect(watched.problems).toEqual([]);
    await page.context().close();
  });

  const open = (hash: string): Promise<unknown> => goTo(page, hash);
  const search = async (query: string): Promise<void> => {
    await open(`#/search?q=${encodeURIComponent(query)}`);
    await page.locator('.results[aria-busy=false] .hit').first().waitFor();
  };

  test('a search shows passages as one types, marked and explained', async () => {
    await page.locator('#q:focus').waitFor();
    await page.keyboard.type(QUESTION);
    await page.locator('.hit').first().waitFor();
    expect(await page.locator('.hit mark').count()).toBeGreaterThan(3);
    expect(await page.locator('.hit').first().locator('.place').innerText()).toMatch(/lines \d+/);
    await page.getByRole('button', { name: /^Why/ }).first().click();
    expect(await page.locator('.why').first().innerText()).toMatch(/similar meaning[\s\S]*score/);
    const ran = await page.getByRole('complementary', { name: 'What the search did' }).innerText();
    expect(ran).toMatch(/meaning\s+\d+ in [\d.]+ m?s/);
    expect(new URL(page.url()).hash).toContain('q=');
    await expectAccessible(page);
  });

  test('what the service answers is seen within a moment', async () => {
    await search(QUESTION);
    const shownMs = async (query: string): Promise<number> => {
      await page.evaluate(`
        performance.clearResourceTimings();
        window.seen = 0;
        const results = document.querySelector('.results');
        new MutationObserver(() => {
          if (results.getAttribute('aria-busy') === 'false' && window.seen === 0) window.seen = performance.now();
        }).observe(results, { attributes: true, attributeFilter: ['aria-busy'] });
      `);
      await open(`#/search?q=${encodeURIComponent(query)}`);
      await until(page, 'window.seen > 0');
      return page.evaluate<number>(
        "window.seen - performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/explain')).at(-1).responseEnd",
      );
    };
    const times = [];
    for (const query of ['pull request', 'code coverage', 'integration tests', 'design review', 'logging'])
      times.push(await shownMs(query));
    // The best of several: the machine may be busy with others.
    expect(Math.min(...times)).toBeLessThan(MOST_SHOWN_MS);
  });

  test('the keyboard alone finds a passage and opens it where it stands', async () => {
    await page.locator('#q').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.keyboard.type(QUESTION);
    await page.locator('.hit').first().waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await page.locator('.hit.chosen .rank').innerText()).toBe('2');
    await page.keyboard.press('k');
    expect(await page.locator('.hit.chosen .rank').innerText()).toBe('1');
    await page.keyboard.press('w');
    await page.locator('.why').waitFor();
    await page.keyboard.press('Enter');
    const marked = page.locator('.marked').first();
    await marked.waitFor();
    expect(page.url()).toContain('#/documents/');
    await until(
      page,
      "(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(document.querySelector('.marked').getBoundingClientRect())",
    );
    await expectAccessible(page);
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.goBack();
    await page.locator('.hit').first().waitFor();
  });

  test('filters narrow, and nothing found says what would bring something', async () => {
    await search('review');
    const [answer] = await Promise.all([
      page.waitForResponse((one) => one.url().endsWith('/explain')),
      page.locator('.facets label').filter({ hasText: 'issues' }).click(),
    ]);
    expect(answer.request().postDataJSON()).toMatchObject({ sources: ['issues'] });
    await open('#/search?q=review&until=1990-01-01');
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    await page.getByText(/Search without the filters: \d+ or more match/).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: /Why a document/ }).click();
    await page.getByRole('heading', { name: 'Why was it not found?' }).waitFor();
  });

  test('an answer is cited, and its citation leads to the passage', async () => {
    await open('#/answer');
    await page.getByLabel('Ask a question').fill(QUESTION);
    await page.keyboard.press('Enter');
    const citation = page.locator('.citation').first();
    await citation.waitFor();
    await citation.click();
    const focused = page.locator('.source:focus');
    expect(await focused.locator('mark').count()).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Good' }).click();
    await page.getByText('Stored').waitFor();
    await expectAccessible(page);
    await open('#/answer?q=what+is+the+airspeed+velocity+of+an+unladen+swallow');
    await page
      .getByText(/no passage clearly answers|nothing answers/i)
      .first()
      .waitFor();
    expect(await page.locator('.source').count()).toBeGreaterThan(0);
  });

  test('a missed document is explained step by step', async () => {
    await open(`#/miss?q=${encodeURIComponent(QUESTION)}&document=${DOCUMENT}`);
    await page.getByRole('heading', { name: 'Step by step' }).waitFor();
    await expectAccessible(page);
  });

  test('two settings are compared, both sides open', async () => {
    await open(`#/compare?q=${encodeURIComponent(QUESTION)}&a.mode=lexical&b.mode=dense`);
    await page.locator('.compared-hit').first().waitFor();
    expect(await page.getByText(/moved|gained|lost|no difference/).count()).toBeGreaterThan(0);
    expect(await page.locator('.compared').count()).toBe(2);
    await expectAccessible(page);
  });

  test('a question that was judged becomes one of the set', async () => {
    await search(QUESTION);
    await page.getByRole('button', { name: 'relevant', exact: true }).first().click();
    await page.locator('button[aria-pressed=true]').first().waitFor();
    await open('#/questions');
    await page.getByRole('link', { name: QUESTION }).first().waitFor();
    await expectAccessible(page);
  });

  test('sources say which one is stale, and a run goes on before the eyes', async () => {
    await open('#/sources');
    const gone = page.getByRole('region', { name: 'gone' });
    await gone.getByText('failing').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Run all sources now' }).click();
    await page.getByText(/Last run failed in part/).waitFor();
  });

  test('documents are listed, and health is told', async () => {
    await open('#/documents');
    await page.locator('.document-row').nth(20).waitFor();
    await expectAccessible(page);
    await open('#/health');
    await page.getByText('Healthy').or(page.getByText('Degraded')).first().waitFor();
    await page.getByRole('region', { name: 'Keys' }).waitFor();
    await expectAccessible(page);
  });

  test('documents that would do something are text', async () => {
    await search('quarterly marzipan report');
    await page
      .getByRole('link', { name: /Script/ })
      .first()
      .click();
    await page.locator('.markdown').waitFor();
    expect(await page.locator('main script, main img, main iframe, main style').count()).toBe(0);
    expect(await page.locator('.markdown').innerText()).toContain('<script>window.pwned = 1</script>');
    const links = await page.evaluate<string[]>(
      "[...document.querySelectorAll('main a')].map((one) => one.protocol)",
    );
    expect(links.filter((protocol) => !/^(?:https?|mailto):$/.test(protocol))).toEqual([]);
    await page.getByRole('button', { name: 'Source' }).click();
    await page.locator('.line').first().waitFor();
    await search('marzipan invoice');
    expect(await page.locator('.hit').allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringContaining('U+202E')]),
    );
    await search('a long line without an end marzipan');
    await page.getByRole('link', { name: /line/ }).first().click();
    await page.locator('.line').first().waitFor();
    expect(await page.locator('.line').count()).toBeLessThan(200);
    expect(await page.evaluate('window.pwned')).toBeUndefined();
  });
});
