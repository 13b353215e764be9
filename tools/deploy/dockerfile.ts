/** An instruction of a Dockerfile, with its lines joined. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
}

export interface Stage {
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

/** What a container is started with, as the last stage says. */
export interface ImageSettings {
  readonly user: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
}

export function parseDockerfile(text: string): Stage[] {
  const joined = text.replaceAll(/^\s*#.*\n/gm, '').replaceAll(/\\\n/g, ' ');
  const stages: { base: string; instructions: Instruction[] }[] = [];
  for (const line of joined.split('\n').filter((one) => one.trim() !== '')) {
    const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line.trim()) ?? [];
    if (name === 'FROM') stages.push({ base: rest.split(/\s+/)[0] ?? '', instructions: [] });
    else stages.at(-1)?.instructions.push({ name, text: rest.replaceAll(/\s+/g, ' ') });
  }
  return stages;
}

export function settingsOf({ instructions }: Stage): ImageSettings {
  const last = (name: string): string => instructions.findLast((one) => one.name === name)?.text ?? '';
  const [, healthcheck = '[]'] = /CMD (\[.*\])$/.exec(last('HEALTHCHECK')) ?? [];
  const pairs = instructions
    .filter(({ name }) => name === 'ENV')
    .flatMap(({ text }) => text.split(' ').map((pair) => pair.split('=') as [string, string]));
  return {
    user: last('USER'),
    workdir: last('WORKDIR'),
    env: Object.fromEntries(pairs),
    entrypoint: JSON.parse(last('ENTRYPOINT')) as string[],
    command: JSON.parse(last('CMD')) as string[],
    healthcheck: JSON.parse(healthcheck) as string[],
  };
}
