import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** What starts Ragstone again from where it was called: `ragstone`, or through a package manager. */
export function ownCommand(environment: NodeJS.ProcessEnv, cwd: string): string {
  const { npm_command: command, npm_config_user_agent: agent = '', PATH = '' } = environment;
  if (command !== undefined || agent !== '') return throughManager(agent);
  const folders = PATH.split(delimiter).filter((folder) => folder !== '');
  if (folders.some((folder) => existsSync(join(folder, NAME)))) return NAME;
  return hasLocal(cwd) ? throughManager('') : NAME;
}

const NAME = 'ragstone';

const MANAGERS: Readonly<Record<string, string>> = {
  pnpm: 'pnpm exec ragstone',
  yarn: 'yarn ragstone',
  bun: 'bunx ragstone',
};

const throughManager = (agent: string): string => MANAGERS[agent.split('/')[0] ?? ''] ?? 'npx ragstone';

function hasLocal(folder: string): boolean {
  if (existsSync(join(folder, 'node_modules', '.bin', NAME))) return true;
  const above = dirname(folder);
  return above !== folder && hasLocal(above);
}

/** The same text with the commands that it names as they work here. Only for texts of ours. */
export const withOwnCommand = (text: string, command: string): string =>
  command === NAME ? text : text.replaceAll(/(?<=[`"]|\$ )ragstone(?= )/g, command);
