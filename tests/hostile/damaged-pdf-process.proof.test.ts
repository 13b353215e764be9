import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('parse-damaged-pdfs.ts', import.meta.url));

it('a process that ends at any rejection outlives every damaged PDF', () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--unhandled-rejections=strict', '--import', 'tsx', SCRIPT],
    { encoding: 'utf8', timeout: 60_000 },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const outcomes = JSON.parse(stdout) as string[];
  expect(outcomes.length).toBeGreaterThan(100);
  expect(outcomes.filter((outcome) => outcome !== 'read' && outcome !== 'DOCUMENT_INVALID')).toEqual([]);
  expect(new Set(outcomes).size).toBe(2);
});
