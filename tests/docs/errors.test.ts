import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ERROR_TABLE } from '../../src/core/errors.js';

const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (E\d{3}) \| (\w+) \|/gm)].map(
  ([, reason, code, category]) => [reason, { code, category }],
);

test('docs/errors.md lists exactly the reasons of the error table, with their codes and categories', () => {
  const table = Object.entries(ERROR_TABLE).map(([reason, { code, category }]) => [
    reason,
    { code, category },
  ]);
  expect(rows).toEqual(table);
});

test('docs/errors.md names exactly the reasons that can be retried', () => {
  const [, section = ''] = /## Which errors can be retried\n([\s\S]*?)\n## /.exec(page) ?? [];
  const named = [...section.matchAll(/`([A-Z_]+)`/g)].map(([, reason]) => reason);
  const retryable = Object.entries(ERROR_TABLE).flatMap(([reason, facts]) =>
    facts.retryable ? [reason] : [],
  );
  expect(named).toEqual(retryable);
});
