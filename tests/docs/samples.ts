import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of the repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A fenced block of a page. */
export interface Sample {
  /** Path from the root, and the line of the block's first line. */
  readonly place: string;
  readonly language: string;
  readonly text: string;
}

/** README and every page under `docs`, by path from the root. */
export const PAGES: readonly string[] = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path.replaceAll('\\', '/')}`)
    .sort(),
];

const FENCE = /^```(\w+)\n(.*?)^```$/gms;

/** Every fenced block in one of these languages, in the order of the pages. */
export function samplesIn(...languages: readonly string[]): Sample[] {
  return PAGES.flatMap((page) => {
    const text = readPage(page);
    return [...text.matchAll(FENCE)].flatMap(({ 1: language = '', 2: sample = '', index }) =>
      languages.includes(language)
        ? [{ place: `${page}:${text.slice(0, index).split('\n').length + 1}`, language, text: sample }]
        : [],
    );
  });
}

const LINK = /\]\((?!https?:|mailto:)([^)\s]+)\)/g;

function rawLinks(text: string): string[] {
  const prose = text.replaceAll(FENCE, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(LINK)].map(([, link = '']) => link);
}

/** Paths from the root that a page links to, without headings. */
export const linksOf = (page: string, text = readPage(page)): string[] =>
  rawLinks(text)
    .map((link) => link.split('#')[0] ?? '')
    .filter((path) => path !== '')
    .map((path) => join(dirname(page), path).replaceAll('\\', '/'));

/** Links of a page that lead to no file, or to no heading of it. */
export const deadLinks = (page: string, text = readPage(page)): string[] =>
  rawLinks(text).filter((link) => !leadsSomewhere(link, page));

function leadsSomewhere(link: string, page: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? join(ROOT, page) : resolve(ROOT, dirname(page), path);
  if (!existsSync(target)) return false;
  return anchor === undefined || anchorsOf(readFileSync(target, 'utf8')).includes(anchor);
}

/** As GitHub makes them: lower case, marks dropped, spaces to hyphens. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );

export function readPage(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}
