import type { Command } from 'commander';
import type { ScopeInput } from '../../../index.js';
import type { AuditLog } from '../../../operations/audit/audit-log.js';
import type { AuditedCalls } from '../../mcp/index.js';
import type { CliContext } from '../context.js';
import { openDeployments, placeOf } from '../open-engine.js';
import { packageVersion } from '../package-version.js';
import { wholeNumber } from '../parse-options.js';
import { displayPath } from '../render/place.js';
import { type ScopeOptions, toScope, withScopeOptions } from '../scope-options.js';

interface McpCommandOptions extends ScopeOptions {
  readonly maxTokens?: number;
}

const EXAMPLES = `
Examples:
  $ ragstone mcp
  $ ragstone mcp --config /home/me/project/ragstone.yaml   for an assistant that starts it in another folder
  $ ragstone mcp --tenant acme --group hr --clearance 2    what the assistant may read
  $ claude mcp add ragstone -- npx ragstone mcp            Claude Code asks it from now on

An assistant starts it and talks to it over standard input and output (Model Context Protocol). It only reads.`;

/** `ragstone mcp` */
export function registerMcp(program: Command, context: CliContext): void {
  const command = program
    .command('mcp')
    .description('let coding assistants ask the index, over the Model Context Protocol')
    .option('--max-tokens <n>', 'most tokens of one answer (default: 6000)', wholeNumber(500));
  withScopeOptions(command)
    .addHelpText('after', EXAMPLES)
    .action((options: McpCommandOptions) => runMcp(context, options));
}

async function runMcp(context: CliContext, { maxTokens, ...options }: McpCommandOptions): Promise<void> {
  if (context.stdin.isTTY === true)
    context.note(
      'Waiting for an assistant on standard input (docs/mcp.md says how to set one up). Ctrl-C ends it.',
    );
  const { serveStdio } = await import('../../mcp/serve-stdio.js');
  const { followIndex } = await import('../../mcp/follow-index.js');
  const { describeChain } = await import('../error-chain.js');
  const scope = toScope(options);
  const index = followIndex(() => openDeployments(context, { waitForReader: false }), scope);
  try {
    await serveStdio(
      index,
      {
        version: packageVersion(),
        maxTokens,
        showPath: (path) => displayPath(context, path),
        own: (text) => context.own(text),
        audited: auditedTools(context, scope),
        onError: (error) =>
          context.log('error', error instanceof Error ? describeChain(error) : String(error)),
      },
      {
        streams: { input: context.stdin, output: context.out.stream, log: context.side.stream },
        signal: context.signal,
      },
    );
  } finally {
    await index.close();
  }
}

/** The calls of the assistant in the audit log, where one is kept. */
function auditedTools(context: CliContext, { tenant, project }: ScopeInput): AuditedCalls {
  let opened: Promise<AuditLog | undefined> | undefined;
  // A configuration that is mended meanwhile is read anew.
  const log = (): Promise<AuditLog | undefined> => {
    opened ??= openLog(context);
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  };
  return async (action, index, work) => {
    const { audited, notedCalls } = await import('../../../operations/audit/audit-trail.js');
    const kept = await log();
    if (kept === undefined) return work(index);
    return audited({ face: 'mcp', action, tenant, project }, kept, (trail) => work(notedCalls(index, trail)));
  };
}

async function openLog(context: CliContext): Promise<AuditLog | undefined> {
  const { openAuditLog } = await import('../../../operations/audit/open-audit-log.js');
  return openAuditLog(await placeOf(context), ({ message }) => context.log('warn', message));
}
