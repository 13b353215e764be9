import { type Command, Option } from 'commander';
import type { DeploymentHealth, KnowledgeDeploymentService } from '../../../index.js';
import type { CliContext } from '../context.js';
import { ExitCode, problemOf } from '../errors.js';
import type { ShownStatus } from '../index-view.js';
import { withDeployments, withView } from '../open-engine.js';
import { doneByService } from '../refuse-on-server.js';
import { renderCounts, renderFailures } from '../render/index-result.js';
import { renderFailingSources } from '../render/source-states.js';
import { describeStores } from '../render/stores.js';
import { renderTable } from '../render/table.js';
import { formatBytes, formatCount, formatDuration, formatTime, oneLine, plural } from '../render/text.js';
import { type OwnerOptions, withOwnerOptions } from '../scope-options.js';

const EXAMPLES = `
Examples:
  $ ragstone status
  $ ragstone status --tenant acme   the index that this tenant has
  $ ragstone status --deployments   every index that a tenant has of its own, and whether it answers
  $ ragstone status --json`;

/** `ragstone status [--deployments]` */
export function registerStatus(program: Command, context: CliContext): void {
  const command = program.command('status').description('what is indexed, how large it is, and what failed');
  doneByService(command, ['tenant']);
  withOwnerOptions(command)
    .addHelpText('after', EXAMPLES)
    .addOption(
      new Option('--deployments', 'the indexes that tenants have of their own').conflicts([
        'tenant',
        'project',
      ]),
    )
    .action(
      async ({ deployments = false, ...options }: OwnerOptions & { readonly deployments?: boolean }) => {
        if (deployments) return showDeployments(context);
        const status = await withView(context, options, (view) => view.status());
        context.printNotices(status);
        context.printResult(status, renderStatus);
      },
    );
}

/** What an index holds; that it cannot be told is a state too. */
async function countsOf(
  tenant: string,
  service: KnowledgeDeploymentService,
): Promise<Pick<DeploymentCounts, 'documents' | 'chunks'> | Pick<DeploymentHealth, 'ok' | 'detail'>> {
  try {
    const { documents, chunks } = await (await service.of({ tenant })).view.status();
    return { documents, chunks };
  } catch (error) {
    return { ok: false, detail: problemOf(error) };
  }
}

interface DeploymentCounts extends DeploymentHealth {
  readonly documents?: number;
  readonly chunks?: number;
}

async function showDeployments(context: CliContext): Promise<void> {
  await withDeployments(context, async (service) => {
    const deployments: DeploymentCounts[] = [];
    for (const health of await service.deploymentHealth()) {
      const { tenantId, ok } = health;
      const active = tenantId !== undefined && ok && (await service.getDeploymentConfig(tenantId)).isActive;
      deployments.push(active ? { ...health, ...(await countsOf(tenantId, service)) } : health);
    }
    const ok = deployments.every((one) => one.ok);
    context.printResult({ ok, deployments }, () =>
      deployments.length === 0
        ? 'No tenant has an index of its own.'
        : renderTable(
            ['tenant', 'model', 'documents', 'chunks', 'state'],
            deployments.map(({ tenantId, deploymentId, model, documents, chunks, detail, ...one }) => [
              tenantId ?? deploymentId,
              model ?? '',
              documents === undefined ? '' : formatCount(documents),
              chunks === undefined ? '' : formatCount(chunks),
              one.ok ? oneLine(detail) : `broken: ${oneLine(detail)}`,
            ]),
            { context },
          ),
    );
    if (!ok) context.exitCode = ExitCode.failed;
  });
}

/** What is indexed, by source and state; model, store, size, last run, failures. */
function renderStatus(status: ShownStatus, context: CliContext): string {
  const { bytes, provider, providerOrigin } = status;
  const facts: [string, string | undefined][] = [
    ['service', context.server],
    ['data folder', status.dataDir],
    ['store', providerOrigin === undefined ? provider : `${provider} (${providerOrigin})`],
    ['stores', status.stores === undefined ? undefined : describeStores(status.stores)],
    ['embedding model', `${status.embedder}, ${status.dimensions} dimensions`],
    ['documents', describeDocuments(status)],
    ['chunks', formatCount(status.chunks)],
    ['size', bytes === undefined ? undefined : describeSize(bytes)],
    ['history', status.history === undefined ? undefined : describeHistory(status.history)],
    ['vector index', status.vectorIndex],
    ['text index', status.textIndex],
    ['read ahead', describeReading(status)],
    ['last run', describeLastRun(status)],
  ];
  const parts = [
    facts
      .flatMap(([name, value]) =>
        value === undefined ? [] : [`${context.colours.bold(name.padEnd(16))} ${oneLine(value)}`],
      )
      .join('\n'),
  ];
  if (status.sources.length > 0) parts.push(renderSources(status, context));
  const failing = renderFailingSources(
    // When a source that is followed is read next stands below, with the others.
    status.sources.map(({ source, sync }) => ({
      ...{ source, ...sync },
      ...(isFollowed(status, source) ? { nextAttemptAt: undefined } : {}),
    })),
    context,
  );
  if (failing !== '') parts.push(failing);
  if (status.following !== undefined) parts.push(renderFollowing(status.following, status, context));
  if (status.work !== undefined) parts.push(renderWork(status.work, context));
  for (const [word, kind] of [
    ['redacted', 'redactions'],
    ['not read', 'unread'],
  ] as const) {
    const counts = status.sources.map((source) => [source.source, source[kind] ?? {}] as const);
    const rendered = renderCounts(word, counts, context);
    if (rendered !== '') parts.push(rendered);
  }
  if (status.upgrade !== undefined) parts.push(renderUpgrade(status.upgrade, context));
  const failures = renderFailures(status.failures, context, status.documents);
  if (failures !== '') parts.push(failures);
  return parts.join('\n\n');
}

const describeReading = ({ reading }: ShownStatus): string | undefined =>
  reading && `${formatCount(reading.read)} of ${formatCount(reading.passages)} passages`;

/** Those that are known, and how many of them are found as they are now. */
function describeDocuments({ documents, sources }: ShownStatus): string {
  const indexed = sources.reduce((sum, source) => sum + source.documents.indexed, 0);
  return indexed === documents
    ? formatCount(documents)
    : `${formatCount(documents)}, ${formatCount(indexed)} of them in step with their sources`;
}

const describeHistory = ({ keep, begins, past, bytes }: NonNullable<ShownStatus['history']>): string =>
  begins === undefined
    ? `not begun: the next run of "ragstone index" begins it (rag.history.keep: ${keep})`
    : `since ${formatTime(begins)} (${keep} are kept), ${plural(past, 'past version')}, ${formatBytes(bytes)}`;

type ShownWork = NonNullable<ShownStatus['work']>;

function renderWork({ sources, queue }: ShownWork, context: CliContext): string {
  const server =
    queue.isUp && queue.waiting !== undefined
      ? `The queue holds ${plural(queue.waiting, 'batch', 'batches')}, and ${formatCount(queue.active ?? 0)} are under way.`
      : queue.isUp
        ? 'The queue answers.'
        : 'The server of the queue does not answer; workers wait for it.';
  if (sources.length === 0) return `Nothing waits for workers. ${server}`;
  return [
    `Left to workers ("ragstone worker"). ${server}`,
    renderTable(
      ['source', 'waiting', 'under way', 'oldest'],
      sources.map(({ source, waiting, active, oldestSeconds }) => [
        oneLine(source),
        formatCount(waiting),
        formatCount(active),
        formatDuration(oldestSeconds * 1_000),
      ]),
      { context, numeric: [1, 2] },
    ),
  ].join('\n');
}

type ShownUpgrade = NonNullable<ShownStatus['upgrade']>;

function renderUpgrade(upgrade: ShownUpgrade, context: CliContext): string {
  const { wanted, state, done, total, perSecond = 0 } = upgrade;
  const left = total - done;
  const pace =
    state === 'filling' && perSecond > 0
      ? `, ${perSecond.toFixed(1)} a second, ${formatDuration((left * 1000) / perSecond)} left of work`
      : '';
  const count = state === 'live' ? '' : `: ${formatCount(done)} of ${formatCount(total)} chunks${pace}`;
  return [
    `${context.colours.bold('better vectors'.padEnd(16))} ${oneLine(wanted)}, ${state}${count}`,
    ...(state === 'live' ? [] : [upgrade.notice]),
  ].join('\n');
}

type ShownFollowing = NonNullable<ShownStatus['following']>;

function renderFollowing(
  { process, isFollowed: isAny, sources }: ShownFollowing,
  status: ShownStatus,
  context: CliContext,
): string {
  const who =
    process === undefined ? 'a process' : `process ${process.pid} on ${process.host} (${process.command})`;
  return [
    isAny
      ? `Sources are followed by ${who}:`
      : 'Sources are not followed now; "ragstone sync --daemon" does it. As they were left:',
    renderTable(
      ['source', 'state', 'last run', 'next run'],
      sources.map((source) => [
        oneLine(source.source),
        source.state,
        source.lastFinishedAt === undefined ? 'never' : formatTime(source.lastFinishedAt),
        isAny ? nextRunOf(source) : '',
      ]),
      { context, numeric: [] },
    ),
    ...(isAny ? renderUnscheduled(status) : []),
  ].join('\n');
}

const NO_SCHEDULE = 'no schedule';

/** Sources of the configuration that nobody follows, while others are followed. */
function renderUnscheduled(status: ShownStatus): string[] {
  const names = status.sources.flatMap(({ source, sync }) =>
    sync?.isConfigured === true && !isFollowed(status, source) ? [oneLine(source)] : [],
  );
  return names.length === 0
    ? []
    : [
        `${NO_SCHEDULE}: ${names.join(', ')}; read by "ragstone index", "ragstone sync" or the page of the service`,
      ];
}

const isFollowed = ({ following }: ShownStatus, name: string): boolean =>
  following?.isFollowed === true &&
  following.sources.some((one) => one.source === name && nextRunOf(one) !== NO_SCHEDULE);

function nextRunOf({ state, watch, nextAt }: ShownFollowing['sources'][number]): string {
  if (state === 'running') return 'now';
  const when = [
    ...(watch === undefined ? [] : ['when it changes']),
    ...(nextAt === undefined
      ? []
      : [Date.parse(nextAt) < Date.now() ? `due ${formatTime(nextAt)}, not begun` : formatTime(nextAt)]),
  ];
  return when.length === 0 ? NO_SCHEDULE : when.join(', ');
}

const NOT_TOLD = 'not told: the index holds other tenants or projects too';

/** A store without a size of its own is on a server, or in the ledger's file. */
const describeSize = ({ ledger, store }: NonNullable<ShownStatus['bytes']>): string => {
  if (ledger === undefined) return NOT_TOLD;
  return `ledger ${formatBytes(ledger)}${store === undefined ? '' : `, store ${formatBytes(store)}`}`;
};

function describeLastRun({ lastRun, bytes }: ShownStatus): string {
  if (lastRun === undefined && bytes === undefined) return 'never, or not told';
  if (lastRun === undefined) return bytes?.ledger === undefined ? NOT_TOLD : 'never';
  const { command, startedAt, finishedAt, success, error } = lastRun;
  if (finishedAt === undefined) return `${command}, begun ${formatTime(startedAt)}, not finished`;
  if (error !== undefined)
    return `${command}, ${formatTime(finishedAt)}, failed (${error.reason})${'message' in error ? `: ${error.message}` : ''}`;
  return `${command}, ${formatTime(finishedAt)}, ${success === true ? 'fine' : 'with failures'}`;
}

function renderSources({ sources }: ShownStatus, context: CliContext): string {
  return renderTable(
    ['source', 'type', 'indexed', 'pending', 'outdated', 'failed', 'chunks', 'last read'],
    sources.map(({ source, sourceType, documents, failedItems, chunks, sync }) => [
      oneLine(source),
      oneLine(sourceType),
      formatCount(documents.indexed),
      formatCount(documents.pending),
      formatCount(documents.outdated),
      formatCount(failedItems),
      formatCount(chunks),
      sync?.lastSuccessAt === undefined ? '' : formatTime(sync.lastSuccessAt),
    ]),
    { context, numeric: [2, 3, 4, 5, 6] },
  );
}
