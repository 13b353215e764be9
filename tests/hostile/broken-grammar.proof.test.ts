import { expect, test } from 'vitest';
import { codeMediaType } from '../../src/core/media-types.js';
import { OPEN_ACCESS } from '../../src/core/scope.js';
import { createParsers } from '../../src/parsing/create-parsers.js';
import { isolateParsers, parsingFor } from '../../src/parsing/worker/parsing-threads.js';

const parsers = isolateParsers(createParsers(), {}, { timeoutMs: 30_000, memoryMb: 1_024 });

const CODE = ['def read():', '    return 1', ''].join('\n');

test('a file that breaks a grammar costs no other file, of its tenant or of another', async () => {
  const good = Array.from(
    { length: 3 },
    (_, at) => ({ name: `good${at}.py`, language: 'python', content: CODE }) as const,
  );
  const bad = { name: 'Bad.java', language: 'java', content: 'a=>\n'.repeat(50_000) } as const;
  const parsed = await Promise.all(
    ['evil', 'beta'].flatMap((tenant) =>
      (tenant === 'evil' ? [bad, ...good, bad] : good).map(({ name, language, content }) =>
        parsingFor(tenant, async () =>
          parsers.get(codeMediaType(language))?.parse({
            externalId: name,
            mediaType: codeMediaType(language),
            content,
            metadata: {},
            access: OPEN_ACCESS,
          }),
        ),
      ),
    ),
  );
  const cut = parsed.filter((document) => document?.code === undefined);
  expect(cut.map((document) => document?.title)).toEqual(['Bad.java', 'Bad.java']);
  expect(parsed.flatMap((document) => document?.warnings)).toEqual(
    cut.map(() => expect.stringContaining('the grammar of java failed on it')),
  );
});
