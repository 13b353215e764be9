import * as z from 'zod';

/**
 * Pinecone's query language, as https://docs.pinecone.io/guides/index-data/indexing-overview ("Metadata filter expressions") has it: what is not named
 * there is refused.
 */
export type Metadata = Readonly<Record<string, string | number | boolean | readonly string[]>>;
export type Test = (metadata: Metadata) => boolean;

export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const SCALAR = z.union([z.string(), z.number(), z.boolean()]);
const VALUES = z
  .array(z.union([z.string(), z.number()]))
  .min(1)
  .max(10_000);

/** What `filter` admits. */
export function compile(filter: unknown): Test {
  if (
    typeof filter !== 'object' ||
    filter === null ||
    Array.isArray(filter) ||
    Object.keys(filter).length === 0
  )
    throw new Refused(400, 'filter must be a non-empty object');
  const tests = Object.entries(filter).map(([key, condition]) => {
    if (key === '$and' || key === '$or') return joined(key, condition);
    if (key.startsWith('$')) throw new Refused(400, `the $ operator ${key} is not supported at this level`);
    return compared(key, condition);
  });
  return (metadata) => tests.every((test) => test(metadata));
}

function joined(operator: '$and' | '$or', parts: unknown): Test {
  if (!Array.isArray(parts) || parts.length === 0)
    throw new Refused(400, `the ${operator} operator must be followed by a list of expressions`);
  const tests = parts.map(compile);
  return operator === '$and'
    ? (metadata) => tests.every((test) => test(metadata))
    : (metadata) => tests.some((test) => test(metadata));
}

function compared(key: string, condition: unknown): Test {
  if (typeof condition !== 'object' || condition === null || Array.isArray(condition))
    return operatorTest(key, '$eq', condition);
  const entries = Object.entries(condition);
  if (entries.length === 0) throw new Refused(400, `the condition on ${key} is empty`);
  const tests = entries.map(([operator, operand]) => operatorTest(key, operator, operand));
  return (metadata) => tests.every((test) => test(metadata));
}

function operatorTest(key: string, operator: string, operand: unknown): Test {
  const fails = (): never => {
    throw new Refused(400, `illegal condition for field ${key}: ${operator} does not take this value`);
  };
  const scalar = (): string | number | boolean => {
    const parsed = SCALAR.safeParse(operand);
    return parsed.success ? parsed.data : fails();
  };
  const number = (): number => (typeof operand === 'number' ? operand : fails());
  const set = (): ReadonlySet<unknown> => {
    const parsed = VALUES.safeParse(operand);
    return parsed.success ? new Set<unknown>(parsed.data) : fails();
  };
  const isIn = (values: ReadonlySet<unknown>, value: unknown): boolean =>
    Array.isArray(value) ? value.some((element) => values.has(element)) : values.has(value);
  const compares = (test: (value: number, bound: number) => boolean): Test => {
    const bound = number();
    return (metadata) => typeof metadata[key] === 'number' && test(metadata[key], bound);
  };
  switch (operator) {
    case '$eq': {
      const values = new Set<unknown>([scalar()]);
      return (metadata) => isIn(values, metadata[key]);
    }
    case '$ne': {
      const values = new Set<unknown>([scalar()]);
      return (metadata) => (key in metadata ? !isIn(values, metadata[key]) : isMissingOther(key));
    }
    case '$in': {
      const values = set();
      return (metadata) => isIn(values, metadata[key]);
    }
    case '$nin': {
      const values = set();
      return (metadata) => (key in metadata ? !isIn(values, metadata[key]) : isMissingOther(key));
    }
    case '$gt':
      return compares((value, bound) => value > bound);
    case '$gte':
      return compares((value, bound) => value >= bound);
    case '$lt':
      return compares((value, bound) => value < bound);
    case '$lte':
      return compares((value, bound) => value <= bound);
    case '$exists':
      if (typeof operand !== 'boolean') fails();
      return (metadata) => key in metadata === operand;
    default:
      throw new Refused(400, `the operator ${operator} is not supported`);
  }
}

/**
 * Whether a key that is missing is another than a value: the documentation does not say, so here it is for some keys and is not for others, and who
 * relies on either is found out.
 */
const isMissingOther = (key: string): boolean =>
  [...key].reduce((sum, character) => sum + character.charCodeAt(0), 0) % 2 === 0;
