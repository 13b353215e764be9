import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { type SpawnedService, startService } from '../e2e/start-service.js';

const PLACES = [
  process.env.RAGSTONE_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].filter((path) => path !== undefined);

/** The browser of the machine; undefined where it has none. */
export const CHROMIUM = PLACES.find((path) => existsSync(path));

/** Says why the walks are skipped. The gate, which installs the browser, fails instead. */
export const HAS_BROWSER = ((): boolean => {
  if (CHROMIUM !== undefined) return true;
  const reason = 'There is no Chromium (`apt-get install chromium`, or its path in RAGSTONE_CHROMIUM).';
  if (process.env.CI === 'true') throw new Error(reason);
  console.warn(`The page of the service is not walked: ${reason}`);
  return false;
})();

/** A page that notes what it must not do. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors on its console, and requests that leave the service. */
  readonly problems: string[];
}

/** `refused`: statuses of answers that the walk provokes; the browser reports them on its console. `elsewhere`: origins that it asks too. */
type PageOptions = BrowserContextOptions & {
  readonly refused?: readonly number[];
  readonly elsewhere?: readonly string[];
};

/** A service, and a browser to look at it with. */
interface Served {
  readonly openPage: (options?: PageOptions) => Promise<WatchedPage>;
  /** Address of the service. */
  readonly url: () => string;
  readonly folder: () => string;
  /** Ends the service in the middle of whatever it does. */
  readonly kill: () => Promise<void>;
  /** Starts it again at its address. */
  readonly startAgain: () => Promise<void>;
}

/**
 * A browser, and a service over the index of a folder, for the tests of a group. Both end with them.
 */
export function servedPages(
  makeFolder: () => Promise<string>,
  { timeoutMs }: { readonly timeoutMs?: number } = {},
): Served {
  let folder: string | undefined;
  let service: SpawnedService | undefined;
  let browser: Browser | undefined;
  beforeAll(async () => {
    folder = await makeFolder();
    service = await startService(folder);
    // A container has no user namespaces for the sandbox, and what is walked are pages of this service alone.
    const args = ['--no-sandbox', '--disable-dev-shm-usage'];
    browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args });
  }, timeoutMs);
  afterAll(async () => {
    await browser?.close();
    service?.process.kill();
    await service?.ended;
  });
  const known = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error('Tests alone know the service.');
    return value;
  };
  const url = (): string => known(service).url;
  return {
    url,
    folder: () => known(folder),
    kill: async () => {
      known(service).process.kill('SIGKILL');
      await known(service).ended;
    },
    startAgain: async () => {
      service = await startService(known(folder), ['--port', new URL(url()).port]);
    },
    openPage: (options) => openPage(known(browser), url(), options),
  };
}

/** Against what hangs; long enough for a machine that does ten other things, and for an index of very much. */
const MOST_WAIT_MS = 240_000;

async function openPage(browser: Browser, url: string, options: PageOptions = {}): Promise<WatchedPage> {
  const { refused = [], elsewhere = [], ...rest } = options;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...rest });
  context.setDefaultTimeout(MOST_WAIT_MS);
  const page = await context.newPage();
  const problems: string[] = [];
  const isExpected = (text: string): boolean =>
    refused.some((status) => text.includes(`status of ${status} `));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !isExpected(message.text()))
      problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    const address = new URL(request.url());
    const isOwn = [new URL(url).origin, ...elsewhere].includes(address.origin);
    if (!isOwn && !['data:', 'blob:'].includes(address.protocol)) problems.push(`asked for ${request.url()}`);
  });
  await page.goto(url);
  return { page, problems };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Holds a page against the rules of WCAG 2.2 AA and good practice. */
export async function expectAccessible(page: Page): Promise<void> {
  // By the protocol of the browser: the policy of the page allows no script of elsewhere.
  await page.evaluate(AXE);
  const found = await page.evaluate<readonly Violation[]>(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
  );
  const told = found.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map(({ html, failureSummary }) => `  ${html}\n  ${failureSummary ?? ''}`).join('\n')}`,
  );
  expect(told).toEqual([]);
}

/** Leads the page to another address of its own. What runs in the page is text: these tests know no types of browsers. */
export const goTo = (page: Page, hash: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

/** Waits until an expression of the page is true. Not by `waitForFunction`, which the policy of the page does not let read a text. */
export const until = (page: Page, expression: string): Promise<void> =>
  expect.poll(() => page.evaluate<boolean>(expression), { interval: 20 }).toBe(true);

/** The page is no wider than its window. */
export async function expectNoOverflow(page: Page): Promise<void> {
  const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  expect(over).toBeLessThanOrEqual(0);
}
