import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What a command came to. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const program = (file: string): string[] => [
  '--import',
  import.meta.resolve('tsx'),
  fileURLToPath(new URL(`../src/${file}`, import.meta.url)),
];

/** Runs a program of this example in a folder, with these variables over those of the test. */
export const runProgram = (
  [file = '', ...args]: readonly string[],
  { folder, env = {} }: { readonly folder: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Ran> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [...program(file), ...args],
      // The configuration lies in the folder: somebody has to say that it may connect to services.
      { cwd: folder, env: { ...process.env, NO_COLOR: '1', RAGSTONE_TRUST: '1', ...env } },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
