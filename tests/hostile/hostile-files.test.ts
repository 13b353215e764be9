import { describe, expect, it } from 'vitest';
import { RAGError } from '../../src/core/errors.js';
import { OPEN_ACCESS } from '../../src/core/scope.js';
import { createParsers } from '../../src/parsing/create-parsers.js';
import { isolateParsers } from '../../src/parsing/worker/parsing-threads.js';
import { HOSTILE_FILES, type HostileFile } from './hostile-files.js';

const parsers = isolateParsers(createParsers(), {}, { timeoutMs: 30_000, memoryMb: 1_024 });

async function outcomeOf({ name, mediaType, content }: HostileFile): Promise<string> {
  const parser = parsers.get(mediaType);
  try {
    await parser?.parse({ externalId: name, mediaType, content, metadata: {}, access: OPEN_ACCESS });
    return 'read';
  } catch (error) {
    if (RAGError.isInstance(error)) return error.reason;
    throw error;
  }
}

describe('hostile files', () => {
  it('are at least 60', () => expect(HOSTILE_FILES.length).toBeGreaterThanOrEqual(60));

  it.each(HOSTILE_FILES)('$mediaType: $name: $expected', async (file) => {
    expect(await outcomeOf(file)).toBe(file.expected);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});
