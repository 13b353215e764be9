import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { findLinters } from './linters.js';
import { MANIFESTS, ROOT } from './manifests.js';

// With the proofs, for the linters come from a registry.
describe('linters', () => {
  const linters = findLinters();
  const isMissing = 'missing' in linters;
  if (isMissing) console.warn(`deploy: not linted, because the linters cannot be had: ${linters.missing}`);
  const rendered = mkdtempSync(join(tmpdir(), 'ragstone-manifests-'));
  afterAll(() => rmSync(rendered, { recursive: true }));

  test.skipIf(isMissing)('hadolint finds nothing in the Dockerfile', () => {
    if ('missing' in linters) return;
    const { stdout, status } = spawnSync(
      linters.hadolint,
      ['--failure-threshold', 'style', 'deploy/Dockerfile'],
      { cwd: ROOT, encoding: 'utf8' },
    );
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
  });

  // What kustomize makes of them is looked at too, where kubectl is at hand.
  const hasKustomize = spawnSync('kubectl', ['kustomize', '--help']).status === 0;
  test.skipIf(isMissing)('the schemas of Kubernetes take every manifest', () => {
    if ('missing' in linters) return;
    const files = MANIFESTS.map((path) => join(ROOT, path));
    if (hasKustomize)
      for (const form of ['base', 'scaled-out']) {
        const { stdout, stderr, status } = spawnSync(
          'kubectl',
          ['kustomize', join(ROOT, 'deploy/kubernetes', form)],
          { encoding: 'utf8' },
        );
        expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
        files.push(join(rendered, `${form}.yaml`));
        writeFileSync(files.at(-1) ?? '', stdout);
      }
    const { stdout, stderr, status } = spawnSync(
      linters.kubernetesValidate,
      ['--strict', '-k', '1.34', ...files],
      { encoding: 'utf8' },
    );
    expect({ status, report: `${stdout}${stderr}` }).toEqual({
      status: 0,
      report: expect.stringContaining('passed'),
    });
  });
});
