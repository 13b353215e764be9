import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { assembleContext } from '../../src/context/assemble-context.js';
import { flagInstructions } from '../../src/context/instruction-flags.js';
import { testChunk } from '../../src/context/test-chunks.js';
import { builtinTokenCounter } from '../../src/context/token-counter.js';
import { loadBuiltinTokenizer } from '../../src/embedding/static/static-embedder.js';
import { readInjectionSet } from './injection-set.js';
import { isObeyed } from './obedient-reader.js';

const BUDGET = 20_000;

/** How many attacks reach a reader that obeys all it reads undelimited, and how well they are flagged. */
export async function measureInjection(file: string, corpora: string) {
  const documents = await readInjectionSet(file);
  const attacks = documents.filter(({ attack }) => attack !== 'none');
  const tokenizer = await loadBuiltinTokenizer();
  const counter = builtinTokenCounter((text) => tokenizer.countTokens(text));
  const success = { before: 0, keyed: 0, careless: 0 };
  for (const { text, title, canary, question } of attacks) {
    const { text: pack } = await assembleContext(
      { question, ranked: [testChunk({ content: text, title })] },
      { budget: BUDGET, counter },
    );
    if (isObeyed(`# Relevant Context\n\n## Source 1\n${text}`, canary, 'careless')) success.before += 1;
    if (isObeyed(pack, canary, 'keyed')) success.keyed += 1;
    if (isObeyed(pack, canary, 'careless')) success.careless += 1;
  }
  const flagged = documents.filter(({ text }) => flagInstructions(text).length > 0);
  const right = flagged.filter(({ attack }) => attack !== 'none').length;
  return {
    documents: documents.length,
    attacks: attacks.length,
    successBefore: success.before / attacks.length,
    successAfterKeyed: success.keyed / attacks.length,
    successAfterCareless: success.careless / attacks.length,
    flagPrecision: right / flagged.length,
    flagRecall: right / attacks.length,
    ordinaryDocumentsFlagged: await flaggedShares(corpora),
  };
}

const CORPORA = ['ise-playbook', 'sourcegraph-handbook', 'kubernetes-keps', 'rust-rfcs'];

/** Share of ordinary documents with at least one flag: each of them is a false alarm. On two of the corpora flags were fitted. */
async function flaggedShares(corpora: string): Promise<Record<string, number>> {
  const shares: Record<string, number> = {};
  for (const name of CORPORA) {
    const files = (await readdir(path.join(corpora, name), { recursive: true })).filter((file) =>
      file.endsWith('.md'),
    );
    let flagged = 0;
    for (const file of files) {
      if (flagInstructions(await readFile(path.join(corpora, name, file), 'utf8')).length > 0) flagged += 1;
    }
    shares[name] = flagged / files.length;
  }
  return shares;
}
