import { isAbsolute } from 'node:path';
import type { Command } from 'commander';
import type { ResolvedSource } from '../../../config/resolved-config.js';
import type { SourceTest } from '../../../index.js';
import type { CliContext } from '../context.js';
import { ExitCode } from '../errors.js';
import { displayPath } from '../render/place.js';
import { renderSourceStates } from '../render/source-states.js';
import { renderTable } from '../render/table.js';
import { formatDuration, oneLine, plural } from '../render/text.js';
import { type OwnerOptions, withOwnerOptions } from '../scope-options.js';

const EXAMPLES = `
Examples:
  $ ragstone sources list                the sources of the configuration
  $ ragstone sources status              when each was last listed and in step, and which fail
  $ ragstone sources test bugs           connect, count, show three documents, say what is missing
  $ ragstone sources test bugs --json    exit code 1 where something cannot be read`;

/** `ragstone sources list|status|test NAME` */
export function registerSources(program: Command, context: CliContext): void {
  const sources = program
    .command('sources')
    .description('list or try the configured sources, or say how their runs went')
    .addHelpText('after', EXAMPLES);
  sources
    .command('list')
    .description('list the sources of the configuration')
    .addHelpText('after', EXAMPLES)
    .action(() => runList(context));
  withOwnerOptions(
    sources
      .command('status')
      .description('when each source was last listed and in step, and which of them fail'),
  )
    .addHelpText('after', EXAMPLES)
    .action((options: OwnerOptions) => runStatus(context, options));
  sources
    .command('test')
    .description(
      'connect to a source, count it, show three documents and what is missing; nothing is indexed',
    )
    .argument('<name>', 'name of a source in the configuration')
    .addHelpText('after', EXAMPLES)
    .action((name: string) => runTest(context, name));
}

async function runList(context: CliContext): Promise<void> {
  const { loadConfig } = await import('../../../config/load-config.js');
  const { maskUrlCredentials } = await import('../../../config/mask-url.js');
  const { rag } = await loadConfig({ ...context.place, trust: 'unchecked' });
  const sources = rag.sources.map((source) => {
    const { name, type, enabled } = source;
    const place = placeOf(source);
    return { name, type, enabled, ...(place === undefined ? {} : { place: maskUrlCredentials(place) }) };
  });
  context.printResult({ sources }, () =>
    sources.length === 0
      ? context.own(
          'No source is configured. "ragstone init" writes a start; "ragstone index FOLDER" needs none.',
        )
      : renderTable(
          ['source', 'type', 'enabled', 'place'],
          sources.map(({ name, type, enabled, place }) => [
            name,
            type,
            enabled ? 'yes' : 'no',
            place === undefined || !isAbsolute(place) ? (place ?? '') : displayPath(context, place),
          ]),
          { context },
        ),
  );
}

/** What a source reads: a folder, a repository, a site, a project. Nothing of a database, whose address may be a secret. */
function placeOf(source: ResolvedSource): string | undefined {
  if ('root' in source) return source.root;
  if (source.type === 'git') return source.repository;
  if (source.type === 'confluence') return source.baseUrl;
  return source.type === 'azure_devops' ? `${source.organization}/${source.project}` : undefined;
}

async function runStatus(context: CliContext, options: OwnerOptions): Promise<void> {
  const { withTenantView } = await import('../open-engine.js');
  const sources = await withTenantView(context, options, (view) => view.sourceStates());
  context.printResult({ sources }, () => renderSourceStates(sources, context));
}

async function runTest(context: CliContext, name: string): Promise<void> {
  const { testSource } = await import('../../../index.js');
  const result = await testSource(name, { ...context.place, signal: context.signal });
  const extent = `${plural(result.items, 'item')} in ${formatDuration(result.tookMs)}`;
  context.printResult(result, () => renderTest(result, extent, context));
  if (!result.ok) context.exitCode = ExitCode.failed;
}

function renderTest(test: SourceTest, extent: string, { colours }: CliContext): string {
  const { name, type, ok, documents, problems, notices } = test;
  const verdict = ok ? colours.green('can be read') : colours.red('cannot be read completely');
  const lines = [`${colours.bold(name)} (${type}) ${verdict}: ${extent}`];
  for (const { id, title, url, start } of documents) {
    lines.push(
      '',
      colours.bold(oneLine(title ?? id)),
      colours.dim(
        `  ${[id, url]
          .filter((part) => part !== undefined)
          .map(oneLine)
          .join('  ')}`,
      ),
    );
    if (start !== undefined) lines.push(`  ${oneLine(start)}`);
  }
  if (notices.length > 0) lines.push('', ...notices.map((notice) => `left out: ${oneLine(notice)}`));
  for (const { item, reason, message } of problems)
    lines.push(
      '',
      `${colours.red(reason)}${item === undefined ? '' : ` ${oneLine(item)}`}`,
      `  ${oneLine(message)}`,
    );
  return lines.join('\n');
}
