import { Buffer } from 'node:buffer';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { RAGError } from '../core/errors.js';
import { parseJson } from '../core/parse-json.js';
import { readRegularFileSync } from '../platform/security/regular-file.js';
import { ConceptReader } from './concept-reader.js';
import { FeatureLayout, STRUCTURES, type UnitReading } from './instruction-features.js';

/** What ships with the package; the same place seen from `src/` and from `dist/`. */
export const INSTRUCTION_MODEL_FILE = fileURLToPath(
  new URL('../../models/builtin/instruction-flags.json', import.meta.url),
);

const modelSchema = z.object({
  version: z.literal(1),
  structures: z.array(z.string()),
  gramBits: z.number().int().min(1).max(20),
  /** Log odds from which on a unit is flagged. */
  threshold: z.number(),
  bias: z.number(),
  /** Weight = `scale` x 16-bit number, little-endian, in the order of `FeatureLayout`. */
  scale: z.number().positive(),
  weights: z.base64(),
  lexicon: z.record(z.string(), z.string()),
});

/** What `models/builtin/instruction-flags.json` holds; `tools/instruction-flags` makes it. */
export type InstructionModelFile = z.infer<typeof modelSchema>;

/** Structures that hide what is said: they are named first among the reasons. */
const DISGUISES = new Set(['encoded', 'hidden-characters', 'look-alikes', 'comment']);
const MOST_REASONS = 4;

/** One of which an order to a language model names: whom it is said to, what holds no more, what must not be shown. */
const NAMED_BY_ORDERS = [
  'ai',
  'assistant',
  'model',
  'you',
  'user',
  'override',
  'citations',
  'secrecy',
  'secrets',
];
/** A sentence of so many characters speaks of much, whatever it is about. */
const WORDY = 120;
/** Log odds that ordinary prose and code reach. No attack of the texts that the model is fitted to and measured on needs less. */
const THRESHOLD_OF_STATEMENTS = 2;
const THRESHOLD_OF_LONG = 2.5;

/** A logistic regression over what a unit speaks of, how it is built, and its words. */
export class InstructionModel {
  readonly reader: ConceptReader;
  readonly #threshold: number;
  readonly #layout: FeatureLayout;
  readonly #weights: Float32Array;
  readonly #bias: number;
  readonly #namedByOrders: readonly number[];

  /** @throws RAGError `MODEL_INVALID`. */
  constructor(file: InstructionModelFile) {
    this.reader = new ConceptReader(file.lexicon);
    this.#threshold = file.threshold;
    this.#bias = file.bias;
    this.#namedByOrders = NAMED_BY_ORDERS.map((name) => this.reader.names.indexOf(name));
    this.#layout = new FeatureLayout(this.reader.names.length, file.gramBits);
    const bytes = Buffer.from(file.weights, 'base64');
    if (bytes.length !== this.#layout.width * 2 || file.structures.join() !== STRUCTURES.join())
      throw invalid('it was made for other features than this version computes');
    this.#weights = Float32Array.from(
      { length: this.#layout.width },
      (_, i) => bytes.readInt16LE(i * 2) * file.scale,
    );
  }

  /** Log odds that a unit is an instruction to a language model. */
  logOdds(unit: UnitReading, before?: UnitReading, behind?: UnitReading): number {
    let sum = this.#bias;
    this.#layout.visit({ unit, before, behind }, (index, value) => {
      sum += (this.#weights[index] ?? 0) * value;
    });
    return sum;
  }

  /**
   * Log odds from which on a unit is flagged. The sum grows with all that a unit speaks of, so long ones need more, and so do
   * code and wordy sentences that name nothing of what orders name.
   *
   * @param length of the unit, in UTF-16 code units
   */
  thresholdOf({ concepts, quoted, structures }: UnitReading, length: number): number {
    if (structures.has('long')) return THRESHOLD_OF_LONG;
    const isOrdinary =
      (length > WORDY || structures.has('code-line')) &&
      !this.#namedByOrders.some((concept) => concepts.has(concept) || quoted.has(concept));
    return isOrdinary ? THRESHOLD_OF_STATEMENTS : this.#threshold;
  }

  /** What made a unit look like one, strongest first, at most four; disguises in front. */
  reasons(unit: UnitReading): string[] {
    const shares = new Map<string, number>();
    const add = (name: string | undefined, share: number): void => {
      if (name !== undefined) shares.set(name, (shares.get(name) ?? 0) + share);
    };
    this.#layout.visit({ unit }, (index, value) => {
      const { concepts, structure } = this.#layout.meaningOf(index);
      const share = ((this.#weights[index] ?? 0) * value) / Math.max(1, concepts.length);
      for (const concept of concepts) add(this.reader.names[concept], share);
      if (structure !== undefined && concepts.length === 0) add(structure, share);
    });
    const disguises = [...unit.structures].filter((name) => DISGUISES.has(name));
    const strongest = [...shares]
      .filter(([name, share]) => share > 0 && !DISGUISES.has(name))
      .sort((a, b) => b[1] - a[1]);
    return [...disguises, ...strongest.map(([name]) => name)].slice(0, MOST_REASONS);
  }
}

const invalid = (problem: string): RAGError =>
  new RAGError(
    'MODEL_INVALID',
    `${INSTRUCTION_MODEL_FILE} cannot be used: ${problem}. Install the package again.`,
    { details: { file: INSTRUCTION_MODEL_FILE } },
  );

let builtin: InstructionModel | undefined;

/**
 * The model that ships with the package, read once.
 * @throws RAGError `MODEL_NOT_FOUND` or `MODEL_INVALID`.
 */
export function builtinInstructionModel(): InstructionModel {
  builtin ??= new InstructionModel(readModel());
  return builtin;
}

function readModel(): InstructionModelFile {
  let text: string;
  try {
    text = readRegularFileSync(INSTRUCTION_MODEL_FILE).toString('utf8');
  } catch (cause) {
    throw new RAGError(
      'MODEL_NOT_FOUND',
      `The model of instruction flags ${INSTRUCTION_MODEL_FILE} cannot be read. Install the package again.`,
      { cause, details: { file: INSTRUCTION_MODEL_FILE } },
    );
  }
  const parsed = modelSchema.safeParse(parseJson(text));
  if (!parsed.success) throw invalid(z.prettifyError(parsed.error));
  return parsed.data;
}
