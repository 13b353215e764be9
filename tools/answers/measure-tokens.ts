import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { builtinTokenCounter, openAITokenCounter, tokensOf } from '../../src/context/token-counter.js';
import { loadBuiltinTokenizer } from '../../src/embedding/static/static-embedder.js';

const PASSAGE = 1_200;
const FILES = 60;

/** How often the built-in count with its margin is below that of public tokenizers, over passages of real files. */
export async function measureTokens(corpora: string) {
  const tokenizer = await loadBuiltinTokenizer();
  const ours = builtinTokenCounter((text) => tokenizer.countTokens(text));
  const passages = await somePassages(corpora);
  const compare = async (encoding: 'o200k_base' | 'cl100k_base') => {
    const exact = await openAITokenCounter(encoding);
    const ratios = passages.map((text) => tokensOf(ours, text) / exact.count(text)).sort((a, b) => a - b);
    return {
      undercounted: ratios.filter((ratio) => ratio < 1).length / ratios.length,
      medianRatio: ratios[Math.floor(ratios.length / 2)] ?? 0,
    };
  };
  return {
    passages: passages.length,
    margin: ours.margin,
    o200k_base: await compare('o200k_base'),
    cl100k_base: await compare('cl100k_base'),
  };
}

async function somePassages(corpora: string): Promise<string[]> {
  const files = (await readdir(corpora, { recursive: true }))
    .filter((file) => /\.(md|ya?ml)$/.test(file))
    .sort();
  const step = Math.max(1, Math.floor(files.length / FILES));
  const passages: string[] = [];
  for (const file of files.filter((_, i) => i % step === 0)) {
    const text = await readFile(path.join(corpora, file), 'utf8');
    for (let at = 0; at < text.length; at += PASSAGE) {
      const passage = text.slice(at, at + PASSAGE);
      if (passage.trim().length > 100) passages.push(passage);
    }
  }
  return passages;
}
