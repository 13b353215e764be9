import type { Command, Option } from 'commander';
import { expect, test } from 'vitest';
import { CliContext } from '../faces/cli/context.js';
import { buildProgram } from '../faces/cli/program.js';
import { ROUTES } from '../faces/client/routes.js';
import { TOOLS } from '../faces/mcp/tools/all-tools.js';
import { testService } from '../faces/service/test-service.js';
import { FACT_OPERATIONS, OPERATIONS } from './engine.js';
import { type Count, FIELDS } from './fields.js';
import { checkedReembedding } from './upgrade-types.js';

/** What a face takes for a field. */
interface Taken {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly items?: Taken;
}

type Field = Count | readonly string[];
const isChoices = (field: Field): field is readonly string[] => Array.isArray(field);

const fieldsOf = (operation: keyof typeof FIELDS): Readonly<Record<string, Field>> => FIELDS[operation];

/** Values beyond what an operation takes. */
function refusedBy(field: Field): readonly (string | number)[] {
  if (isChoices(field)) return ['nothing of it'];
  const { least = 1, most } = field;
  return [least - 1, ...(most === undefined ? [] : [most + 1])];
}

/** Values at the ends of what an operation takes. */
function takenBy(field: Field): readonly (string | number)[] {
  if (isChoices(field)) return field;
  const { least = 1, most = least, preset = least } = field;
  return [least, most, preset];
}

const CHECKS = {
  ...OPERATIONS,
  ...FACT_OPERATIONS,
  reembed: { check: checkedReembedding },
} as unknown as Readonly<Record<keyof typeof FIELDS, { check(request: object): unknown }>>;

/** A request with a value of a field, where it stands elsewhere or beside others. */
const REQUESTS: { readonly [Name in keyof typeof FIELDS]?: (stated: object) => object } = {
  search: (options) => ({ text: 'x', options: { mode: 'graph', ...options } }),
  ask: (stated) =>
    'maxSteps' in stated || 'deadlineMs' in stated
      ? { question: 'x', limits: stated }
      : { question: 'x', ...stated },
  related: (stated) => ({ item: 'x', ...stated }),
  get: (stated) => ({ id: 'x', passages: { limit: Object.values(stated)[0] } }),
  feedback: (stated) => ({ query: 'x', shown: ['x'], ...stated }),
};

const asked = (operation: keyof typeof FIELDS, field: string, value: unknown): unknown => {
  const stated = { [field]: field === 'kinds' ? [value] : value };
  return CHECKS[operation].check(REQUESTS[operation]?.(stated) ?? stated);
};

const ALL = Object.keys(FIELDS) as (keyof typeof FIELDS)[];

test.each(ALL)('%s takes what its fields say, and nothing beyond', (operation) => {
  for (const [name, field] of Object.entries(fieldsOf(operation))) {
    for (const value of takenBy(field)) expect(() => asked(operation, name, value)).not.toThrow();
    // Modes of a search are checked where they are known.
    if (operation === 'search' && name === 'mode') continue;
    for (const value of refusedBy(field))
      expect(() => asked(operation, name, value), `${operation}.${name}: ${value}`).toThrow();
  }
});

const COMMANDS: Readonly<Record<string, keyof typeof FIELDS>> = {
  search: 'search',
  'explain-miss': 'search',
  try: 'search',
  eval: 'search',
  ask: 'ask',
  related: 'related',
  conflicts: 'conflicts',
  'feedback add': 'feedback',
  'feedback list': 'listFeedback',
  'feedback judgments': 'feedbackJudgments',
  reembed: 'reembed',
  'graph extract': 'extract',
  'graph summarize': 'extract',
  'graph summaries': 'summaries',
};

test('no command takes what its operation refuses', () => {
  const program = buildProgram(new CliContext([], new AbortController().signal));
  const compared = Object.entries(COMMANDS).flatMap(([path, operation]) => {
    const command = path
      .split(' ')
      .reduce<Command | undefined>((at, name) => at?.commands.find((one) => one.name() === name), program);
    return (command?.options ?? []).flatMap((option) => {
      const name = option.attributeName() === 'kind' ? 'kinds' : option.attributeName();
      const field = fieldsOf(operation)[name];
      if (field === undefined) return [];
      for (const value of refusedBy(field))
        expect(() => parsed(option, value), `${path} ${option.flags} ${value}`).toThrow();
      for (const value of takenBy(field)) parsed(option, value);
      return [`${path} ${option.long}`];
    });
  });
  expect(compared).toHaveLength(24);
});

const parsed = (option: Option, value: string | number): unknown =>
  option.parseArg?.(String(value), undefined as never);

function expectWithin(field: Field, taken: Taken, place: string): void {
  if (isChoices(field)) {
    const choices = taken.enum ?? taken.items?.enum ?? [];
    expect(choices.length, place).toBeGreaterThan(0);
    expect(field, place).toEqual(expect.arrayContaining([...choices]));
    return;
  }
  const { least = 1, most } = field;
  expect(taken.minimum, place).toBeGreaterThanOrEqual(least);
  if (most !== undefined) expect(taken.maximum, place).toBeLessThanOrEqual(most);
}

const OF_TOOLS: Readonly<Record<string, keyof typeof FIELDS>> = {
  search: 'search',
  explain: 'search',
  ask: 'ask',
  related_documents: 'related',
  find_conflicts: 'conflicts',
};

test('no tool takes what its operation refuses', () => {
  const compared = TOOLS.flatMap(({ name: tool, inputSchema }) => {
    const operation = OF_TOOLS[tool];
    if (operation === undefined) return [];
    return Object.entries(inputSchema.properties as Readonly<Record<string, Taken>>).flatMap(
      ([name, taken]) => {
        const field = fieldsOf(operation)[name === 'top_k' ? 'limit' : name];
        if (field === undefined) return [];
        expectWithin(field, taken, `${tool} ${name}`);
        return [`${tool} ${name}`];
      },
    );
  });
  expect(compared).toHaveLength(7);
});

const OF_ROUTES: { readonly [Name in keyof typeof ROUTES]?: keyof typeof FIELDS } = {
  search: 'search',
  explain: 'search',
  explainMiss: 'search',
  answer: 'ask',
  related: 'related',
  conflicts: 'conflicts',
};

test('no route takes what its operation refuses', async () => {
  const { app } = await testService();
  const { paths, components } = (await app.inject({ method: 'GET', url: '/openapi.json' })).json();
  const compared = Object.entries(OF_ROUTES).flatMap(([route, operation]) => {
    const stated =
      paths[ROUTES[route as keyof typeof ROUTES].path].post.requestBody.content['application/json'].schema;
    const { properties } =
      stated.$ref === undefined ? stated : components.schemas[stated.$ref.split('/').at(-1)];
    return Object.entries(fieldsOf(operation)).flatMap(([name, field]) => {
      const taken = properties[name] ?? properties.options?.properties?.[name];
      if (taken === undefined) return [];
      expectWithin(field, taken, `${route} ${name}`);
      return [`${route} ${name}`];
    });
  });
  expect(compared).toHaveLength(15);
});
