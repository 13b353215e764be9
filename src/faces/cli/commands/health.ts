import type { Command } from 'commander';
import { withoutUndefined } from '../../../core/without-undefined.js';
import type { EngineHealth } from '../../../index.js';
import { levelWords } from '../../../platform/degradation/level-words.js';
import type { CliContext } from '../context.js';
import { ExitCode } from '../errors.js';
import { withDeployments } from '../open-engine.js';
import { doneByService } from '../refuse-on-server.js';
import { oneLine } from '../render/text.js';

const EXAMPLES = `
Examples:
  $ ragstone health                                  whether searches of this machine's index are answered, and which parts are
  $ ragstone health --server http://127.0.0.1:7240   whether the service there can answer; it needs no key
  $ ragstone health --json

It ends with 0 where searches are answered, if only without a part ("degraded"), and with 1 where none is: for a health check of a
container, which a part that is out is no reason to start again.`;

interface HealthOptions {
  readonly endpoint?: string;
}

/** What is told of an index here, and by a service. */
interface ShownHealth {
  readonly status: 'healthy' | 'degraded' | 'unhealthy';
  /** Searches are answered. */
  readonly ready: boolean;
  /** Least level that a search can have now; absent where none is answered. */
  readonly degradationLevel?: number | undefined;
  readonly checks: Readonly<Record<string, 'ok' | 'failed'>>;
  /** Why a part does not answer; a service keeps it to itself. */
  readonly problems?: Readonly<Record<string, string>>;
  /** Of all tenants; a service keeps it to itself. */
  readonly chunks?: number;
}

/** `ragstone health` */
export function registerHealth(program: Command, context: CliContext): void {
  const command = program
    .command('health')
    .description('whether the parts of the index answer, as an exit code')
    .option('--endpoint <path>', 'path of the health of the service, where it has another than /health/rag')
    .addHelpText('after', EXAMPLES)
    .action(async ({ endpoint }: HealthOptions) => {
      const health =
        context.server === undefined
          ? await withDeployments(context, async (deployments) =>
              toShown(await deployments.health({ counts: true })),
            )
          : await healthOfServer(context, endpoint);
      context.printResult(health, () => render(health));
      if (!health.ready) context.exitCode = ExitCode.failed;
    });
  doneByService(command, ['endpoint']);
}

async function healthOfServer(context: CliContext, endpoint: string | undefined): Promise<ShownHealth> {
  const { openServer } = await import('../server-view.js');
  const { status, ready, degradationLevel, checks } = await openServer(context, undefined).health(endpoint);
  return { status, ready, ...withoutUndefined({ degradationLevel }), checks };
}

function toShown({ ok, degradationLevel, parts, chunks }: EngineHealth): ShownHealth {
  const problems = parts.flatMap(({ part, ok, detail }) => (ok ? [] : [[part, detail] as const]));
  return {
    status: ok ? 'healthy' : degradationLevel === undefined ? 'unhealthy' : 'degraded',
    ready: degradationLevel !== undefined,
    ...withoutUndefined({ degradationLevel }),
    checks: Object.fromEntries(
      parts.map(({ part, ok }) => [part, ok ? ('ok' as const) : ('failed' as const)]),
    ),
    ...(problems.length === 0 ? {} : { problems: Object.fromEntries(problems) }),
    ...withoutUndefined({ chunks }),
  };
}

const render = ({ status, degradationLevel, checks, problems = {} }: ShownHealth): string =>
  [
    status === 'degraded' && degradationLevel !== undefined
      ? `degraded: searches have level ${degradationLevel} (${levelWords({ degradationLevel })}) at best`
      : status,
    ...Object.entries(checks).map(([part, state]) =>
      problems[part] === undefined
        ? `  ${part}: ${state}`
        : `  ${part}: ${state}: ${oneLine(problems[part])}`,
    ),
  ].join('\n');
