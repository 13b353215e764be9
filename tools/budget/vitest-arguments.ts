const RUNS: Readonly<
  Record<string, { readonly projects: readonly string[]; readonly more: readonly string[] }>
> = {
  test: { projects: ['unit', 'e2e'], more: ['--exclude', '**/*.slow.test.ts'] },
  proofs: { projects: ['proofs'], more: ['--exclude', '**/*.slow.test.ts'] },
};
const RECORD = '--record';

export interface VitestArguments {
  readonly line: readonly string[];
  /** Every file of the command is run, in the way that it always is. */
  readonly isWhole: boolean;
  readonly records: boolean;
}

/** What Vitest is given: the projects of a command, but for a choice of projects in what was given. */
export function argumentsOf(name: string, given: readonly string[]): VitestArguments {
  const run = RUNS[name];
  if (run === undefined) throw new Error(`There is no run "${name}": ${Object.keys(RUNS).join(', ')}.`);
  const own = given.filter((argument) => argument !== RECORD);
  const choosesProject = own.some((argument) => argument.startsWith('--project'));
  const projects = choosesProject ? [] : run.projects.flatMap((project) => ['--project', project]);
  return {
    line: [...projects, ...run.more, ...own],
    isWhole: own.length === 0,
    records: own.length < given.length,
  };
}
