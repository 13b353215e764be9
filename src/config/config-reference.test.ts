import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { configReference } from './config-reference.js';
import { configJsonSchema, type SchemaNode } from './json-schema.js';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

function* undescribed(node: SchemaNode, path: string): Generator<string> {
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    if (child.description === undefined) yield `${path}.${name}`;
    yield* undescribed(child, `${path}.${name}`);
    for (const option of [child.items ?? {}, ...(child.items?.oneOf ?? [])])
      yield* undescribed(option, `${path}.${name}[]`);
  }
}

describe('generated files', () => {
  test('docs/configuration.md is what "npm run generate" writes', () => {
    expect(read('docs/configuration.md')).toBe(configReference());
  });

  test('config.schema.json is what "npm run generate" writes', () => {
    expect(read('config.schema.json')).toBe(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
  });

  test('every setting is described', () => {
    expect([...undescribed(configJsonSchema(), '')]).toEqual([]);
  });

  test('an editor accepts a reference where a truth value or a number is wanted', () => {
    const provider = configJsonSchema().properties?.rag?.properties?.provider;
    expect(provider?.anyOf).toContainEqual({ type: 'string', pattern: '\\$\\{' });
  });
});
