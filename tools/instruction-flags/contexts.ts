import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FlagText } from './texts.js';

/** Random numbers from 0 to 1 that are the same in each run. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The Markdown files of real corpora. */
export async function readCorpora(folder: string, names: readonly string[]): Promise<string[]> {
  const texts: string[] = [];
  for (const name of names) {
    const files = await readdir(path.join(folder, name), { recursive: true });
    for (const file of files.filter((each) => each.endsWith('.md')).sort())
      texts.push((await readFile(path.join(folder, name, file), 'utf8')).replace(/[⟦⟧]/gu, ''));
  }
  return texts;
}

/** A piece of a random file that begins with a paragraph and ends with a word. */
export function randomPiece(files: readonly string[], random: () => number, length: number): string {
  const text = files[Math.floor(random() * files.length)] ?? '';
  const at = text.indexOf('\n\n', Math.floor(random() * text.length)) + 2;
  return text.slice(at < 2 ? 0 : at, (at < 2 ? 0 : at) + length).replace(/\s+\S*$/, '');
}

const AROUND = 350;

/** Each text between pieces of real documents: what stands around an order must not give it away. */
export const plant = (
  texts: readonly FlagText[],
  files: readonly string[],
  random: () => number,
): FlagText[] =>
  texts.map((each) => {
    const [before, behind] = [randomPiece(files, random, AROUND), randomPiece(files, random, AROUND)];
    return { ...each, text: `${before}\n\n${each.text}\n\n${behind}` };
  });

const ABOUT_MODELS = /\b(?:AI|model|assistant|prompt|bot)/i;

/** The orders alone, each in a harmless text of its language. */
export function moveOrders(texts: readonly FlagText[], random: () => number): FlagText[] {
  const hosts = texts.filter(({ attack, text }) => !attack && !ABOUT_MODELS.test(text));
  return texts
    .filter(({ attack }) => attack)
    .map((each) => {
      const orders = (each.text.match(/⟦[^⟧]*⟧/gu) ?? []).join(' ');
      const own = hosts.filter(({ language }) => language === each.language);
      const host = own[Math.floor(random() * own.length)]?.text ?? '';
      return { ...each, text: random() < 0.5 ? `${host} ${orders}` : `${orders}\n\n${host}` };
    });
}
