import { describe, expect, test } from 'vitest';
import { IS_LONG } from '../long-forms.js';
import { expectAccessible, expectNoOverflow, goTo, HAS_BROWSER, servedPages } from './browser.js';
import { walkedFolder } from './walked-index.js';

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

describe.runIf(HAS_BROWSER)('every screen', () => {
  const { openPage } = servedPages(walkedFolder);

  test.each(CHOSEN)('is whole and accessible at %s, %s', async (_, colorScheme, { width, height, scale }) => {
    const { page, problems } = await openPage({
      colorScheme,
      viewport: { width, height },
      deviceScaleFactor: scale,
      refused: [400, 404],
    });
    for (const [hash, sign] of SCREENS) {
      await goTo(page, hash);
      await page.locator(sign).first().waitFor();
      await page.waitForLoadState('networkidle');
      await expectNoOverflow(page);
      await expectAccessible(page);
    }
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
