import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { RagstoneClient } from '../../src/faces/client/index.js';
import { runRagstone } from '../e2e/run-ragstone.js';
import { sharedFolder, writeFiles } from '../e2e/temporary-folder.js';
import { IS_LONG } from '../long-forms.js';
import { goTo, HAS_BROWSER, servedPages, until } from './browser.js';

/** In the long form they are indexed, which takes minutes for more. */
const DOCUMENTS = IS_LONG ? 20_000 : 100_000;
/** Of the page's style, in pixels. */
const ROW = 46;
/** Characters of one line. */
const LINE = IS_LONG ? 50_000_000 : 5_000_000;
/** An index of so much takes minutes to make. */
const LONG_MS = { timeoutMs: 1_800_000 };

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

/** In its short form the browser stands for a service that holds so much; in the long one the service does. */
describe.runIf(HAS_BROWSER)('what is large', () => {
  const { openPage, url } = servedPages(async () => {
    const cwd = sharedFolder({
      'ragstone.yaml': JSON.stringify({
        rag: {
          provider: 'libsql',
          limits: { maxFileBytes: 2 * LINE },
          server: { maxDelayMs: 0, searchProcesses: 0, timeoutMs: 600_000 },
        },
      }),
      'docs/a.md': '# A\n\nA text.\n',
    });
    if (IS_LONG) {
      writeFiles(cwd, { 'docs/line.txt': lineText() });
      for (let n = 0; n < DOCUMENTS; n++)
        writeFiles(cwd, { [`docs/many/${n}.md`]: `# Document ${n}\n\nDocument ${n} says little.\n` });
    }
    await runRagstone(['index', 'docs'], { cwd });
    return cwd;
  }, LONG_MS);

  test(
    `a list of ${DOCUMENTS.toLocaleString('en')} documents scrolls, a page at a time`,
    async () => {
      const { page, problems } = await openPage();
      if (!IS_LONG) await standIn(page);
      await goTo(page, '#/documents');
      await page.locator('.document-row').first().waitFor();
      const list = page.locator('.documents');
      const loaded = (): Promise<number> =>
        list.evaluate((element, row) => Math.round(element.scrollHeight / row), ROW);
      const wanted = IS_LONG ? DOCUMENTS : 5_000;
      while ((await loaded()) < wanted) {
        const before = await loaded();
        await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
        await until(page, `document.querySelector('.documents').scrollHeight > ${(before + 1) * ROW}`);
      }
      await list.evaluate((element, top) => element.scrollTo(0, top), wanted * ROW - 200);
      // Beside the many there are two.
      if (IS_LONG) await page.getByText(/^20,002 loaded of 20,002 documents/).waitFor();
      else await page.getByText(`Document ${wanted - 1}`, { exact: true }).waitFor();
      expect(await page.locator('.document-row').count()).toBeLessThan(200);
      expect(problems).toEqual([]);
      await page.context().close();
    },
    LONG_MS.timeoutMs,
  );

  test('a line of many megabytes is shown, and the page stays usable', async () => {
    const { page, problems } = await openPage({ refused: [404] });
    const text = lineText();
    if (!IS_LONG)
      await page.route('**/api/ai/rag/documents/9', (route) =>
        route.fulfill({ json: { ...documentOf(9), text }, headers: { 'x-ragstone-api': '1' } }),
      );
    const id = IS_LONG ? await idOf(url(), 'line.txt') : '9';
    await goTo(page, `#/documents/${id}?from=${text.length - 3}&to=${text.length}`);
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

/** One line, of words where it is indexed. */
function lineText(): string {
  const words = IS_LONG ? 'wide words in a line without an end ' : 'x';
  return `begin ${words.repeat(Math.floor(LINE / words.length))} end`;
}

/** Lets the browser answer the list itself. */
async function standIn(page: Page): Promise<void> {
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
}

async function idOf(url: string, name: string): Promise<string> {
  const { results } = await new RagstoneClient({ url }).search({
    query: 'wide words without an end',
    topK: 5,
  });
  const found = results.find(({ source }) => source.endsWith(name));
  if (found === undefined) throw new Error(`${name} is not indexed.`);
  return found.documentId;
}
