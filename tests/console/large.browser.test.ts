import { describe, expect, test } from 'vitest';
import { runRagstone } from '../e2e/run-ragstone.js';
import { sharedFolder } from '../e2e/temporary-folder.js';
import { IS_LONG } from '../long-forms.js';
import { goTo, HAS_BROWSER, servedPages, until } from './browser.js';

const DOCUMENTS = 100_000;
/** Characters of one line. */
const LINE = IS_LONG ? 50_000_000 : 5_000_000;

const documentOf = (n: number) => ({
  id: String(n),
  externalId: `many/${n}.md`,
  source: 'many',
  sourceType: 'markdown',
  title: `Document ${n}`,
  metadata: {},
  access: { groups: ['*'], level: 0 },
  status: 'indexed',
  indexedAt: '2026-01-01T00:00:00.000Z',
});

/** The service answers the page with more than anybody wants to index for a test. */
describe.runIf(HAS_BROWSER)('what is large', () => {
  const { openPage } = servedPages(async () => {
    const cwd = sharedFolder({
      'ragstone.yaml': 'rag: { provider: libsql, server: { maxDelayMs: 0, searchProcesses: 0 } }\n',
      'docs/a.md': '# A\n\nA text.\n',
    });
    await runRagstone(['index', 'docs'], { cwd });
    return cwd;
  });

  test('a list of 100,000 documents scrolls, a page at a time', async () => {
    const { page, problems } = await openPage();
    await page.route('**/api/ai/rag/documents?*', (route) => {
      const query = new URL(route.request().url()).searchParams;
      const [from, limit] = [Number(query.get('cursor') ?? 0), Number(query.get('limit'))];
      const to = Math.min(DOCUMENTS, from + limit);
      const documents = Array.from({ length: to - from }, (_, at) => documentOf(from + at));
      return route.fulfill({
        json: { documents, ...(to < DOCUMENTS ? { cursor: String(to) } : {}) },
        headers: { 'x-ragstone-api': '1' },
      });
    });
    await goTo(page, '#/documents');
    await page.locator('.document-row').first().waitFor();
    const list = page.locator('.documents');
    const loaded = (): Promise<number> => list.evaluate((element) => Math.round(element.scrollHeight / 46));
    const wanted = IS_LONG ? DOCUMENTS : 5_000;
    while ((await loaded()) < wanted) {
      const before = await loaded();
      await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await until(page, `document.querySelector('.documents').scrollHeight > ${before * 46 + 46}`);
    }
    await list.evaluate((element, top) => element.scrollTo(0, top), wanted * 46 - 200);
    await page.getByText(`Document ${wanted - 1}`, { exact: true }).waitFor();
    expect(await page.locator('.document-row').count()).toBeLessThan(200);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test('a line of many megabytes is shown, and the page stays usable', async () => {
    const { page, problems } = await openPage({ refused: [404] });
    const text = `begin ${'x'.repeat(LINE)} end`;
    await page.route('**/api/ai/rag/documents/9', (route) =>
      route.fulfill({ json: { ...documentOf(9), text }, headers: { 'x-ragstone-api': '1' } }),
    );
    await goTo(page, `#/documents/9?from=${text.length - 3}&to=${text.length}`);
    await until(page, "document.querySelector('.line.marked') !== null");
    const [last, rows] = await page.evaluate<[string, number]>(
      "(lines => [lines.at(-1)?.textContent ?? '', lines.length])([...document.querySelectorAll('.line')])",
    );
    expect(last).toMatch(/end$/);
    expect(rows).toBeLessThan(200);
    const start = Date.now();
    await goTo(page, '#/search');
    await until(page, "document.querySelector('#q') !== null");
    // Of a page that hangs nothing is seen for long.
    expect(Date.now() - start).toBeLessThan(5_000);
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
