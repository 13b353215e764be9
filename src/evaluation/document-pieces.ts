export interface DatasetDocument {
  readonly id: string;
  /** Empty where the set has none. */
  readonly title: string;
  readonly text: string;
  /** Passages of the larger document that this one is a piece of, where the set says so (see `withSurroundings`). */
  readonly surroundings?: readonly string[];
}

/** A document of a data set with its place in the larger document that it was cut from. */
export interface PieceOfDocument extends DatasetDocument {
  readonly whole?: string;
  readonly index?: number;
}

/** `metadata.doc_id` and `metadata.index` of a corpus line, where a set of chunks states them. */
export function placeOf(metadata: unknown): Pick<PieceOfDocument, 'whole' | 'index'> {
  if (typeof metadata !== 'object' || metadata === null) return {};
  const whole = 'doc_id' in metadata ? metadata.doc_id : undefined;
  const index = 'index' in metadata ? metadata.index : undefined;
  return typeof whole === 'string' && typeof index === 'number' ? { whole, index } : {};
}

/** As an index that cut the documents itself would know them (see `codeChunks`). */
const REACHES = [1, 2] as const;

/** Gives each piece the passages around it, as it would have them if the engine had cut the larger document. */
export function withSurroundings(pieces: readonly PieceOfDocument[]): DatasetDocument[] {
  const texts = new Map(pieces.map(({ whole, index, text }) => [keyOf(whole, index), text] as const));
  return pieces.map(({ whole, index, ...document }) => {
    if (whole === undefined || index === undefined) return document;
    const passage = (reach: number): string =>
      Array.from(
        { length: 2 * reach + 1 },
        (_, at) => texts.get(keyOf(whole, index - reach + at)) ?? '',
      ).join('\n');
    return { ...document, surroundings: REACHES.map(passage) };
  });
}

const keyOf = (whole: string | undefined, index: number | undefined): string =>
  JSON.stringify([whole, index]);
