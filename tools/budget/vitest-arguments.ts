const RUNS: Readonly<Record<string, readonly string[]>> = { test: ['unit', 'e2e'], proofs: ['proofs'] };
const RECORD = '--record';

export interface VitestArguments {
  readonly line: readonly string[];
  /** Every file of the command is run, in the way that it always is. */
  readonly isWhole: boolean;
  readonly records: boolean;
}

/** What Vitest is given: the projects of a command, but for a choice of projects in what was given. */
export function argumentsOf(name: string, given: readonly string[]): VitestArguments {
  const own = RUNS[name];
  if (own === undefined) throw new Error(`There is no run "${name}": ${Object.keys(RUNS).join(', ')}.`);
  const more = given.filter((argument) => argument !== RECORD);
  const choosesProject = more.some((argument) => argument.startsWith('--project'));
  const projects = choosesProject ? [] : own.flatMap((project) => ['--project', project]);
  return {
    line: [...projects, ...more],
    isWhole: more.length === 0,
    records: more.length < given.length,
  };
}

const COMMANDS: Readonly<Record<string, string>> = {
  proof: 'npm run test:proofs',
  contract: 'npm run test:stores',
  slow: 'npm run test:full',
};

/** Which command runs a file that was given, where that is another one. */
export const elsewhere = (name: string, given: readonly string[]): string[] =>
  given.flatMap((argument) => {
    const kind = /\.(proof|contract|slow)\.test\.ts$/.exec(argument)?.[1] ?? '';
    const command = COMMANDS[kind];
    return command === undefined || `${kind}s` === name ? [] : [`${argument} is run by \`${command}\`.`];
  });
