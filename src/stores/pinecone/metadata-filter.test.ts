import { expect, it } from 'vitest';
import { type Comparison, not } from '../filter-condition.js';
import { numberKey, toFilter } from './metadata-filter.js';

const HOLDS: Readonly<Record<string, (value: number, operand: number) => boolean>> = {
  $lt: (value, operand) => value < operand,
  $lte: (value, operand) => value <= operand,
  $eq: (value, operand) => value === operand,
  $ne: (value, operand) => value !== operand,
  $gte: (value, operand) => value >= operand,
  $gt: (value, operand) => value > operand,
};

/** Whether a record with this number passes a filter of one comparison. */
function passes(filter: ReturnType<typeof toFilter>, value: number): boolean | undefined {
  const comparison = filter?.[numberKey('n')] as Readonly<Record<string, number>> | undefined;
  const [operator = '', operand = Number.NaN] = Object.entries(comparison ?? {})[0] ?? [];
  return HOLDS[operator]?.(value, operand);
}

it.each<[Comparison, readonly boolean[]]>([
  ['<', [true, false, false]],
  ['<=', [true, true, false]],
  ['=', [false, true, false]],
  ['>=', [false, true, true]],
  ['>', [false, false, true]],
])(
  '%s is asked as it is, and turned round to its opposite, below, at and above the boundary',
  (comparison, expected) => {
    const condition = { number: 'n', comparison, operand: 5 } as const;
    expect([4, 5, 6].map((value) => passes(toFilter(condition), value))).toEqual(expected);
    expect([4, 5, 6].map((value) => passes(toFilter(not(condition)), value))).toEqual(
      expected.map((holds) => !holds),
    );
  },
);
