/**
 * Fits the model of instruction flags and writes `models/builtin/instruction-flags.json`:
 *
 *   npx tsx tools/instruction-flags/fit.ts --data ../shared/data
 *
 * The threshold comes from a cross-validation over kinds of text, each text as it is and between pieces of real documents
 * that no fit has seen. The texts held out are not read.
 */
import { Buffer } from 'node:buffer';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ConceptReader } from '../../src/context/concept-reader.js';
import { FeatureLayout, STRUCTURES } from '../../src/context/instruction-features.js';
import { INSTRUCTION_MODEL_FILE, type InstructionModelFile } from '../../src/context/instruction-model.js';
import { moveOrders, plant, randomNumbers, randomPiece, readCorpora } from './contexts.js';
import { type Passage, passageOf } from './examples.js';
import { type Fitted, fitSparse, suspicion } from './sparse-logistic.js';
import { type FlagText, readFlagTexts } from './texts.js';

const { values: options } = parseArgs({ options: { data: { type: 'string', default: '../shared/data' } } });
const FOLDS = 6;
const GRAM_BITS = 14;
const REAL_PIECES = 150;
const REAL_LENGTH = 800;
/** Among texts of which half are attacks and the other half were written to look like them; real text is far easier. */
const TARGET_PRECISION = 0.85;
const LARGEST = 32_767;

const lexicon = JSON.parse(await readFile(new URL('./lexicon.json', import.meta.url), 'utf8')) as Record<
  string,
  string
>;
const reader = new ConceptReader(lexicon);
const layout = new FeatureLayout(reader.names.length, GRAM_BITS);
const read = (texts: readonly FlagText[]): Passage[] => texts.map((text) => passageOf(text, reader, layout));

const corpora = path.join(options.data, 'corpora');
const fitted = await readCorpora(corpora, ['rust-rfcs', 'kubernetes-keps']);
const unseen = await readCorpora(corpora, ['ise-playbook', 'sourcegraph-handbook']);
const texts = [...readFlagTexts('train'), ...readFlagTexts('development')];

const { threshold, precision, recall } = crossValidate();
const model = fitModel(texts);
await writeFile(INSTRUCTION_MODEL_FILE, `${JSON.stringify(fileOf(model), null, 1)}\n`);
console.log(JSON.stringify({ texts: texts.length, threshold, precision, recall }));

/** Each text as it is, between pieces of real documents, and its orders in other texts; real documents on their own. */
function fitModel(own: readonly FlagText[]): Fitted {
  const random = randomNumbers(11);
  const real = Array.from({ length: REAL_PIECES }, (): FlagText => {
    return { kind: 'real', attack: false, language: 'en', text: randomPiece(fitted, random, REAL_LENGTH) };
  });
  const all = [...own, ...plant(own, fitted, random), ...moveOrders(own, random), ...real];
  return fitSparse(
    read(all).flatMap(({ units }) => units),
    layout.width,
  );
}

/** Every kind is judged by a model that has not seen it. */
function crossValidate(): { threshold: number; precision: number; recall: number } {
  const kinds = [...new Set(texts.map(({ kind }) => kind))];
  const foldOf = (text: FlagText): number => (kinds.indexOf(text.kind) * 7) % FOLDS;
  const judged = Array.from({ length: FOLDS }, (_, fold) => {
    const trained = fitModel(texts.filter((text) => foldOf(text) !== fold));
    const own = texts.filter((text) => foldOf(text) === fold);
    return read([...own, ...plant(own, unseen, randomNumbers(99 + fold))]).map((passage) => ({
      attack: passage.source.attack,
      score: suspicion(trained, passage),
    }));
  }).flat();
  const attacks = judged.filter(({ attack }) => attack).length;
  const ranked = judged.sort((a, b) => b.score - a.score);
  let best = { threshold: Number.POSITIVE_INFINITY, precision: 1, recall: 0 };
  let right = 0;
  for (const [index, { attack, score }] of ranked.entries()) {
    if (attack) right += 1;
    const share = right / (index + 1);
    if (share >= TARGET_PRECISION) best = { threshold: score, precision: share, recall: right / attacks };
  }
  return best;
}

function fileOf({ weights, bias }: Fitted): InstructionModelFile {
  const most = weights.reduce((largest, weight) => Math.max(largest, Math.abs(weight)), 0);
  const scale = most / LARGEST;
  const bytes = Buffer.alloc(weights.length * 2);
  weights.forEach((weight, i) => {
    bytes.writeInt16LE(Math.round(weight / scale), i * 2);
  });
  return {
    version: 1,
    structures: [...STRUCTURES],
    gramBits: GRAM_BITS,
    threshold: Number(threshold.toFixed(3)),
    bias: Number(bias.toFixed(4)),
    scale,
    weights: bytes.toString('base64'),
    lexicon,
  };
}
