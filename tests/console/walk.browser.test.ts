import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { IS_LONG } from '../long-forms.js';
import {
  expectAccessible,
  expectNoOverflow,
  goTo,
  HAS_BROWSER,
  servedPages,
  until,
  type WatchedPage,
} from './browser.js';
import { changePlaybook, HAS_SHARED, PDF, questionSet, SET_SIZE, walkedFolder } from './walked-index.js';

/** Milliseconds that a search may take from the answer of the service to the page. */
const MOST_SHOWN_MS = 100;

const QUESTION = HAS_SHARED ? 'how long should a code review take' : 'how long are audit logs kept';

const DOCUMENT = HAS_SHARED ? 'design/exception-handling.md' : 'answering.md';

/** 200 % zoom halves what a page sees of its window. */
const WINDOWS = [
  { name: '360 px', width: 360, height: 740, scale: 1 },
  { name: '768 px', width: 768, height: 1024, scale: 1 },
  { name: '1,280 px at 200 %', width: 640, height: 400, scale: 2 },
  { name: '1,440 px', width: 1_440, height: 900, scale: 1 },
  { name: '1,920 px', width: 1_920, height: 1_080, scale: 1 },
] as const;
const SCHEMES = ['light', 'dark'] as const;

/** Every screen, and what says that it is there. */
const SCREENS = [
  ['#/search?q=review', '.hit'],
  ['#/search?q=review&until=1990-01-01', '.empty'],
  ['#/answer?q=how+long+should+a+code+review+take', '.source'],
  ['#/documents', '.document-row'],
  ['#/miss?q=review&document=no+such+document', '.note'],
  ['#/compare?q=review&b.mode=lexical', '.compared-hit'],
  ['#/questions', '.panel'],
  ['#/sources', '.facts'],
  ['#/health', '.panel'],
] as const;

const CASES = WINDOWS.flatMap((window) => SCHEMES.map((scheme) => [window.name, scheme, window] as const));
const CHOSEN = IS_LONG ? CASES : CASES.filter(([name, scheme]) => name === '360 px' && scheme === 'dark');

describe.runIf(HAS_BROWSER)('a walk through the page of the service', () => {
  let watched: WatchedPage;
  let page: Page;
  const { openPage, folder, kill, startAgain } = servedPages(walkedFolder);
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
    expect(await page.locator('#q').inputValue()).toBe(QUESTION);
    await page.keyboard.press('/');
    await page.keyboard.press('ArrowDown');
    expect(await page.locator('.hit.chosen .rank').innerText()).toBe('1');
    await page.keyboard.press('j');
    expect(await page.locator('.hit.chosen .rank').innerText()).toBe('2');
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
    // The first focus is on what closes it.
    await page.keyboard.press('Enter');
    expect(page.url()).toContain('#/documents/');
    await page.goBack();
    await page.locator('.hit.chosen h2 a:focus').waitFor();
    expect(await page.locator('.hit.chosen .rank').innerText()).toBe('2');
    await page.getByRole('link', { name: 'Answer', exact: true }).click();
    await page.locator('#question:focus').waitFor();
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
    await search(QUESTION);
    await page.getByRole('link', { name: 'Why not found' }).click();
    const [miss] = await Promise.all([
      page.waitForResponse((one) => one.url().endsWith('/explain-miss')),
      page
        .getByLabel('Document: its path')
        .fill(DOCUMENT)
        .then(() => page.keyboard.press('Enter')),
    ]);
    expect(miss.request().postDataJSON()).toMatchObject({ query: QUESTION, topK: 10 });
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
    expect(await page.locator('.steps li').first().innerText()).toMatch(/^indexed\b/);
    await expectAccessible(page);
    await open(`#/miss?q=${encodeURIComponent(QUESTION)}&document=${DOCUMENT.replace('ing.', 'in.')}`);
    await page.getByText('Did you mean').last().waitFor();
    await page.locator('main li button').click();
    await page.locator('.steps li').nth(2).waitFor();
  });

  test('two settings are compared, both sides open', async () => {
    await open(`#/compare?q=${encodeURIComponent(QUESTION)}&a.mode=lexical&b.mode=dense`);
    await page.locator('.compared-hit').first().waitFor();
    expect(await page.getByText(/moved|gained|lost|no difference/).count()).toBeGreaterThan(0);
    expect(await page.locator('.compared').count()).toBe(2);
    await expectAccessible(page);
  });

  test('two settings are compared on a set of questions: what moved, and whether it may be chance', async () => {
    await open('#/compare?a.mode=lexical&b.mode=dense');
    await page.getByLabel('A question set from a file…').setInputFiles({
      name: 'questions.jsonl',
      mimeType: 'application/json',
      buffer: Buffer.from(questionSet()),
    });
    const rows = page.getByRole('group', { name: 'Measures' }).locator('tbody tr');
    await rows.first().waitFor();
    for (const cells of await Promise.all(
      (await rows.all()).map((row) => row.locator('td').allInnerTexts()),
    )) {
      const [a, b, , , p, counts, verdict] = cells;
      expect([a, b, p].map(Number).every((value) => value >= 0 && value <= 1)).toBe(true);
      const judged = (counts ?? '').split('/').reduce((sum, count) => sum + Number(count), 0);
      expect(judged).toBe(SET_SIZE);
      const isEven = (counts ?? '').startsWith('0 / 0 /');
      expect(verdict).toMatch(isEven ? /^the same$/ : /may be chance|is better/);
    }
    // Words and meaning find different files for some questions.
    expect(await rows.filter({ hasNotText: `0 / 0 / ${SET_SIZE}` }).count()).toBeGreaterThan(0);
    const told = (await page.locator('summary').allInnerTexts()).join('\n');
    expect(told).toMatch(/\d+ moved/);
    expect(told).toMatch(/\d+ gained/);
    expect(told).toMatch(/\d+ lost/);
    await page.locator('summary').first().click();
    await page.locator('.compared-hit').first().waitFor();
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
    // It is read when a service starts, and by nobody after.
    const playbook = page.getByRole('region', { name: 'playbook' });
    await playbook.getByText('no schedule: read by').waitFor();
    expect(await playbook.getByText('in step').count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Run all sources now' }).click();
    await page.getByText(/Last run failed in part/).waitFor();
  });

  test.runIf(IS_LONG)('a run that the service dies in is followed over its restart', async () => {
    await open('#/sources');
    const runs = page.getByRole('region', { name: 'Runs' });
    await runs.getByText(/Last run/).waitFor();
    changePlaybook(folder());
    await runs.getByRole('button', { name: 'Run all sources now' }).click();
    await runs.getByText(/ of \d+, \d+ documents\/s/).waitFor();
    await kill();
    await runs.getByText('The service does not answer').waitFor();
    await expectAccessible(page);
    await startAgain();
    // The source says that it is read when a service starts.
    await runs.getByText('as configured').waitFor();
    expect(await runs.getByText('The service does not answer').count()).toBe(0);
    await runs.getByText('No run is under way').waitFor();
    await runs.getByText(/Last run succeeded/).waitFor();
    const { length } = watched.problems.filter(
      (problem) => !/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED/.test(problem),
    );
    expect(length).toBe(0);
    watched.problems.length = 0;
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

  test('a document says what contradicts it and what it said before', async () => {
    await search('backups of the billing database are kept');
    await page.locator('.hit').filter({ hasText: 'pages/rule.md' }).getByRole('link').first().click();
    const about = page.getByRole('complementary', { name: 'About the document' });
    const part = (title: string) => about.locator('.part').filter({ hasText: title });
    await part('Versions').locator('summary').click();
    await part('Versions').getByText('present').waitFor();
    expect(await part('Versions').getByText('until').count()).toBe(1);
    await part('Conflicts').locator('summary').click();
    await part('Conflicts').getByText('1 conflict, 0 duplicates').waitFor();
    await part('Conflicts')
      .getByText(/30 days or 90 days|90 days or 30 days/)
      .waitFor();
    await expectAccessible(page);
    await part('Conflicts').getByRole('link', { name: 'Retention' }).click();
    await page.locator('.place').getByText('pages/handbook.md').waitFor();
    expect(await page.locator('.marked').first().innerText()).toContain('90 days');
  });

  test('a passage of a PDF is marked on its page', async () => {
    await search(PDF.question);
    await page.locator('.hit').filter({ hasText: 'tariff.pdf' }).getByRole('link').first().click();
    await page.locator('.border-name').first().waitFor();
    const lines = await page.locator('.line').allInnerTexts();
    const third = lines.findIndex((line) => line.includes('page 3'));
    const told = lines.findIndex((line, at) => at >= third && line.includes(PDF.sentence));
    expect(third).toBeGreaterThan(lines.findIndex((line) => line.includes('page 2')));
    expect(told).toBeGreaterThanOrEqual(third);
    expect(await page.locator('.line').nth(told).getAttribute('class')).toContain('marked');
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

  test.each(CHOSEN)(
    'every screen is whole and accessible at %s, %s',
    async (_, colorScheme, { width, height, scale }) => {
      const own = await openPage({
        colorScheme,
        viewport: { width, height },
        deviceScaleFactor: scale,
        refused: [400, 404],
      });
      for (const [hash, sign] of SCREENS) {
        await goTo(own.page, hash);
        await own.page.locator(sign).first().waitFor();
        await own.page.waitForLoadState('networkidle');
        await expectNoOverflow(own.page);
        await expectAccessible(own.page);
      }
      expect(own.problems).toEqual([]);
      await own.page.context().close();
    },
  );
});
