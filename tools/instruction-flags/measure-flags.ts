import path from 'node:path';
import { flagInstructions } from '../../src/context/instruction-flags.js';
import { plant, randomNumbers, randomPiece, readCorpora } from './contexts.js';
import { type FlagText, readFlagTexts, withoutMarks } from './texts.js';

export interface FlagFigures {
  readonly texts: number;
  readonly attacks: number;
  readonly precision: number;
  readonly recall: number;
}

/** How well flags tell texts with an order to a language model from texts that only look so. */
export function flagFigures(texts: readonly { text: string; attack: boolean }[]): FlagFigures {
  const flagged = texts.filter(({ text }) => flagInstructions(text).length > 0);
  const right = flagged.filter(({ attack }) => attack).length;
  const attacks = texts.filter(({ attack }) => attack).length;
  return {
    texts: texts.length,
    attacks,
    precision: flagged.length === 0 ? 1 : right / flagged.length,
    recall: right / attacks,
  };
}

const bare = (texts: readonly FlagText[]): { text: string; attack: boolean }[] =>
  texts.map(({ text, attack }) => ({ text: withoutMarks(text).text, attack }));

const PIECES = 2_000;
const PIECE_LENGTH = 800;
const REAL = ['ise-playbook', 'sourcegraph-handbook'] as const;

/** On the kinds of text that no fit and no choice has seen, as they are and between pieces of real documents. */
export async function measureHeldOut(): Promise<FlagFigures> {
  return flagFigures(bare(readFlagTexts('held-out')));
}

export async function measureFlags(corpora: string) {
  const heldOut = readFlagTexts('held-out');
  const unseen = await readCorpora(corpora, REAL);
  const random = randomNumbers(5);
  const pieces = Array.from({ length: PIECES }, () => randomPiece(unseen, random, PIECE_LENGTH));
  const kinds = new Set(heldOut.map(({ kind }) => kind)).size;
  return {
    kinds,
    heldOut: flagFigures(bare(heldOut)),
    planted: flagFigures(bare(plant(heldOut, unseen, randomNumbers(3)))),
    realPieces: PIECES,
    realFlagged: pieces.filter((piece) => flagInstructions(piece).length > 0).length / PIECES,
    places: REAL.map((name) => path.basename(name)),
  };
}
