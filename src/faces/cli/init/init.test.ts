import { describe, expect, test } from 'vitest';
import { validateTree } from '../../../config/validate-tree.js';
import { parseYamlFile } from '../../../config/yaml-file.js';
import { withLanceDb } from './add-lancedb.js';
import { STARTER_CONFIG } from './starter-config.js';

test('the starter configuration is valid, and reads files of every kind', () => {
  const { value } = parseYamlFile(STARTER_CONFIG, 'ragstone.yaml');
  const checked = validateTree({ value, variables: new Map(), missing: [], problems: [] });
  expect(checked).toMatchObject({ config: { rag: { sources: [{ type: 'files', paths: ['**'] }] } } });
});

describe('withLanceDb', () => {
  test('keeps what the manifest states, and is the same when done twice', () => {
    const manifest = {
      name: 'mine',
      dependencies: { left: '1' },
      overrides: { other: '2', '@lancedb/lancedb': { openai: 'npm:mine@1' } },
    };
    const once = withLanceDb(manifest, 'package.json');
    expect(once).toMatchObject({
      name: 'mine',
      dependencies: { left: '1', '@lancedb/lancedb': '0.37.1' },
      overrides: { other: '2', '@lancedb/lancedb': { openai: 'npm:mine@1' } },
    });
    expect(withLanceDb(once, 'package.json')).toEqual(once);
  });

  test('does not guess where the package is overridden by another', () => {
    expect(() => withLanceDb({ overrides: { '@lancedb/lancedb': '1.0.0' } }, 'package.json')).toThrow(
      /by hand/,
    );
  });
});
