import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { CliContext } from '../../src/faces/cli/context.js';
import { buildProgram } from '../../src/faces/cli/program.js';
import { createKnowledgeDeployments } from '../../src/index.js';
import { filesWith } from '../../src/testing/files-with.js';
import { documentOf, type ErrorDocument, openRagstone, runRagstone } from './run-ragstone.js';
import { temporaryFolder } from './temporary-folder.js';

/** Commands that ask or change the index that the tenant has, with what they need. */
const OF_THE_TENANT: Readonly<Record<string, readonly string[]>> = {
  search: ['lamp'],
  ask: ['which lamp?'],
  related: ['lamp'],
  'graph estimate': [],
  'graph extract': [],
  'graph summarize': [],
  'graph status': [],
  'graph summaries': [],
  'graph entity': ['lamp'],
  conflicts: [],
  'explain-miss': ['lamp', 'lamp'],
  status: [],
  verify: [],
  'failures list': [],
  'failures retry': [],
  forget: ['--document', 'lamp', '--yes'],
  'feedback add': ['lamp', '--answer', 'good'],
  'feedback list': [],
  'feedback judgments': [],
  'rollout show': [],
  'rollout clear': [],
  'sources status': [],
};

/** Commands of the shared index alone, which refuse a tenant that has another. */
const OF_THE_SHARED_INDEX: Readonly<Record<string, readonly string[]>> = {
  import: ['--from', 'other.yaml'],
  profile: [],
  reembed: ['--model', 'builtin'],
};

/** They read configured sources into the shared index, and say so. */
const FILLS_THE_SHARED_INDEX = ['index', 'sync'];

/** The tenant is a part of what is made or looked for, or of an index made for the moment. */
const OF_NO_INDEX = ['audit', 'encryption rotate', 'eval', 'keys create', 'migrate'];

const MCP = 'mcp';

/** Whatever takes `--tenant`, by its name. */
function commandsWithTenant(command: Command, names: readonly string[] = []): string[] {
  const own = command.options.some(({ long }) => long === '--tenant') ? [names.join(' ')] : [];
  return [...own, ...command.commands.flatMap((part) => commandsWithTenant(part, [...names, part.name()]))];
}

/** A tenant with an index of its own, and a document of it there; another of the same tenant in the shared index. */
async function withOwnIndex(isActive: boolean): Promise<string> {
  const cwd = temporaryFolder({ 'docs/a.md': '# Lamp\n\nThe shared lamp.\n', 'other.yaml': '' });
  const deployments = await createKnowledgeDeployments({ cwd, config: { provider: 'libsql' } });
  await deployments.saveDeploymentConfig({ tenantId: 'acme', model: 'Dedicated' });
  const metadata = { colour: 'blue' };
  await (await deployments.of({ tenant: 'acme' })).view.push([
    { id: 'lamp', text: 'The zirconflorin lamp.', metadata },
  ]);
  await deployments.shared.push([{ id: 'there', text: 'The lamp of the shared index.', metadata }], {
    tenant: 'acme',
  });
  if (!isActive) await deployments.saveDeploymentConfig({ tenantId: 'acme', model: 'Dedicated', isActive });
  await deployments.close();
  return cwd;
}

const failureOf = async (args: readonly string[], cwd: string): Promise<string> =>
  documentOf<Partial<ErrorDocument>>(await runRagstone([...args, '--tenant', 'acme', '--json'], { cwd }))
    .error?.reason ?? 'none';

test('of every command that takes a tenant it is known which index it is about', () => {
  const program = buildProgram(new CliContext([], new AbortController().signal));
  expect(commandsWithTenant(program).sort()).toEqual(
    [
      ...Object.keys(OF_THE_TENANT),
      ...Object.keys(OF_THE_SHARED_INDEX),
      ...FILLS_THE_SHARED_INDEX,
      ...OF_NO_INDEX,
      MCP,
    ].sort(),
  );
});

describe('a tenant whose deployment is not active', () => {
  test('no command falls back to the shared index; those of that index alone refuse the tenant', async () => {
    const cwd = await withOwnIndex(false);
    const receipt = 'forget-20260102T101500Z-0a1b2c3d4e5f';
    const unavailable = {
      ...OF_THE_TENANT,
      'forget --undo': [receipt],
      'forget --resume': [],
      'verify --receipt': [receipt],
    };
    const reasons: Record<string, string> = {};
    for (const [name, args] of Object.entries({ ...unavailable, ...OF_THE_SHARED_INDEX }))
      reasons[name] = await failureOf([...name.split(' '), ...args], cwd);
    expect(reasons).toEqual({
      ...Object.fromEntries(Object.keys(unavailable).map((name) => [name, 'SERVICE_UNAVAILABLE'])),
      ...Object.fromEntries(Object.keys(OF_THE_SHARED_INDEX).map((name) => [name, 'DEPLOYMENT_CONFLICT'])),
    });
  });

  test('an assistant that asks for it is told that it is not available', async () => {
    const said = await assistantFinds(await withOwnIndex(false));
    expect(said).toContain('not active');
    expect(said).not.toContain('shared index');
  });
});

describe('a tenant with an index of its own', () => {
  test('what is forgotten is forgotten there, and can be proved and undone', async () => {
    const cwd = await withOwnIndex(true);
    const acme = (...args: string[]) => runRagstone([...args, '--tenant', 'acme', '--json'], { cwd });
    expect(await filesWith(cwd, 'zirconflorin')).not.toEqual([]);
    const receipt = documentOf<{ id: string; state: string }>(
      await acme('forget', '--document', 'lamp', '--yes'),
    );
    expect(receipt).toMatchObject({ state: 'done', documents: 1 });
    expect(await filesWith(cwd, 'zirconflorin')).toEqual([]);
    expect(documentOf(await acme('verify', '--receipt', receipt.id))).toMatchObject({ clean: true });
    expect(documentOf(await acme('forget', '--resume'))).toEqual({ problems: [] });
    expect(documentOf(await acme('forget', '--undo', receipt.id))).toMatchObject({ receipt: receipt.id });
  });

  test('a receipt is shown with commands that find it', async () => {
    const cwd = await withOwnIndex(true);
    const { stdout } = await runRagstone(['forget', '--tenant', 'acme', '--yes', '--document', 'lamp'], {
      cwd,
    });
    const [, advice = ''] = /ragstone (verify --receipt [^`]+)`/.exec(stdout) ?? [];
    expect((await runRagstone(advice.split(' '), { cwd })).code).toBe(0);
    const [, undo = ''] = /ragstone (forget --undo [^`]+)`/.exec(stdout) ?? [];
    expect((await runRagstone(undo.split(' '), { cwd })).stdout).toContain('is let in again');
  });

  test('documents of it in the shared index, which stay there, are told of and fail the command', async () => {
    const cwd = await withOwnIndex(true);
    const forget = (...args: string[]) =>
      runRagstone(['forget', '--tenant', 'acme', '--yes', ...args], { cwd });
    const named = await forget('--document', 'there');
    expect(named.code).toBe(2);
    expect(named.stderr).toContain('The shared index holds 1 document of tenant "acme" that this means too');
    const both = await forget('--filter', 'colour=blue', '--json');
    expect(documentOf(both)).toMatchObject({ state: 'done', documents: 1 });
    expect(both.code).toBe(1);
    expect(both.stderr).toContain('The shared index holds 1 document');
  });

  test('an assistant finds what it holds, and nothing of the shared index', async () => {
    const said = await assistantFinds(await withOwnIndex(true));
    expect(said).toContain('zirconflorin');
    expect(said).not.toContain('shared index');
  });

  test.each(FILLS_THE_SHARED_INDEX)('%s says that it fills another', async (name) => {
    const cwd = await withOwnIndex(true);
    const args = name === 'index' ? ['docs'] : [];
    const { stderr } = await runRagstone([name, ...args, '--tenant', 'acme'], { cwd });
    expect(stderr).toContain('"acme" has an index of its own (Dedicated)');
  });
});

/** What an assistant is told over standard input and output when it searches. */
async function assistantFinds(cwd: string): Promise<string> {
  const { stdin, stdout, ended } = openRagstone(['mcp', '--tenant', 'acme'], { cwd, open: true });
  let said = '';
  const isAnswered = new Promise<void>((told) => {
    stdout.on('data', (part) => {
      said += String(part);
      if (said.split('\n').some((line) => line.includes('"id":2'))) told();
    });
  });
  const send = (message: object): unknown =>
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'test', version: '0' };
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  });
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/call', params: { name: 'search', arguments: { query: 'lamp' } } });
  await isAnswered;
  stdin.end();
  await ended;
  return said;
}
