import type { ConceptReader } from '../../src/context/concept-reader.js';
import { type FeatureLayout, readUnit } from '../../src/context/instruction-features.js';
import { candidateUnits } from '../../src/context/instruction-flags.js';
import { type FlagText, withoutMarks } from './texts.js';

/** Features of one unit, and whether it is an order. */
export interface Example {
  readonly indices: Uint32Array;
  readonly values: Float32Array;
  readonly isOrder: boolean;
}

export interface Passage {
  readonly source: FlagText;
  readonly units: readonly Example[];
}

const LEAST_SHARED = 12;

/** The units of a text as the shipped code cuts and reads them. */
export function passageOf(source: FlagText, reader: ConceptReader, layout: FeatureLayout): Passage {
  const { text, orders } = withoutMarks(source.text);
  const cut = candidateUnits(text);
  const readings = cut.map(({ start, end, kind }) => readUnit(text.slice(start, end), kind, reader));
  const units = cut.flatMap(({ start, end }, i): Example[] => {
    const unit = readings[i];
    if (unit === undefined) return [];
    const indices: number[] = [];
    const values: number[] = [];
    layout.visit({ unit, before: readings[i - 1], behind: readings[i + 1] }, (index, value) => {
      indices.push(index);
      values.push(value);
    });
    const isOrder = orders.some(
      (order) =>
        Math.min(order.end, end) - Math.max(order.start, start) > Math.min(LEAST_SHARED, (end - start) / 2),
    );
    return [{ indices: Uint32Array.from(indices), values: Float32Array.from(values), isOrder }];
  });
  return { source, units };
}
