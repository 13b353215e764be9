import type { Command } from 'commander';
import type { ResolvedConfig } from '../../../config/resolved-config.js';
import type { CliContext } from '../context.js';
import type { Finding } from '../doctor/examinations.js';
import { ExitCode, toErrorDocument } from '../errors.js';
import { openEngine } from '../open-engine.js';
import { packageEngines } from '../package-version.js';

const EXAMPLES = `
Examples:
  $ ragstone doctor          what is wrong with this machine, this configuration or this index, and what to do
  $ ragstone doctor --json

It ends with 0 where everything works, also with warnings, and with 1 where something does not.`;

/** `ragstone doctor` */
export function registerDoctor(program: Command, context: CliContext): void {
  program
    .command('doctor')
    .description('check Node, packages, model, store, permissions and disk, and say what to do')
    .addHelpText('after', EXAMPLES)
    .action(async () => {
      const findings = await examineAll(context);
      const failed = findings.find(({ state }) => state === 'failed');
      const first = failed ?? findings.find(({ state }) => state === 'warning');
      const nextStep = first?.nextStep ?? first?.detail;
      const result = {
        ok: failed === undefined,
        findings,
        ...(nextStep === undefined ? {} : { nextStep: context.own(nextStep) }),
      };
      context.printResult(result, () => render(result, context));
      if (failed !== undefined) context.exitCode = ExitCode.failed;
    });
}

/** In an order in which each makes the next one possible. */
async function examineAll(context: CliContext): Promise<Finding[]> {
  const { examineNode, examineParts, examinePermissions, examineDisk, examineEngine } = await import(
    '../doctor/examinations.js'
  );
  const node = examineNode(process.versions.node, packageEngines());
  const read = await readConfig(context);
  if ('check' in read) return [node, read];
  const { dataDir, file } = read;
  const findings: Finding[] = [
    node,
    { check: 'configuration', state: 'ok', detail: file ?? 'There is none: defaults.' },
    ...(await examineParts(read)),
    await examinePermissions(dataDir),
    await examineDisk(dataDir),
  ];
  // What cannot be opened would only say the same again.
  if (findings.some(({ state }) => state === 'failed')) return findings;
  try {
    const engine = await openEngine(context);
    try {
      return [...findings, ...(await examineEngine(engine))];
    } finally {
      await engine.close();
    }
  } catch (error) {
    return [...findings, { check: 'index', state: 'failed', detail: toErrorDocument(error).message }];
  }
}

async function readConfig({ place }: CliContext): Promise<ResolvedConfig | Finding> {
  const { loadConfig } = await import('../../../config/load-config.js');
  try {
    return await loadConfig(place);
  } catch (error) {
    return { check: 'configuration', state: 'failed', detail: toErrorDocument(error).message };
  }
}

const SIGNS = { ok: 'ok', warning: '!', failed: 'x' } as const;

function render(
  { findings, nextStep }: { readonly findings: readonly Finding[]; readonly nextStep?: string },
  context: CliContext,
): string {
  const { colours } = context;
  const paint = { ok: colours.green, warning: colours.yellow, failed: colours.red };
  const lines = findings.map(
    ({ check, state, detail }) => `${paint[state](SIGNS[state].padEnd(3))}${check}: ${context.own(detail)}`,
  );
  return [...lines, ...(nextStep === undefined ? [] : ['', `Next: ${nextStep}`])].join('\n');
}
