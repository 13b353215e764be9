import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type KnowledgeDeploymentService, RagDeploymentModel } from '../../src/index.js';
import { deploymentsOver, type MoveLogLine, STEADY, TARGETS, textOf } from './moving-scene.js';

/*
 * A service that moves a tenant from place to place, writes and searches meanwhile, until it is killed: by its parent, or by itself at the
 * n-th write to the store of the customer. What it is about to do, and what it did, is in a file.
 */

const [folder = '', life = '0', killAt = '0'] = process.argv.slice(2);
const log = (line: MoveLogLine): void => appendFileSync(join(folder, 'log'), `${JSON.stringify(line)}\n`);
const wrong = (what: string): void => log({ kind: 'wrong', what });

let writesLeft = Number(killAt);
const deployments = await deploymentsOver(folder, () => {
  writesLeft -= 1;
  if (writesLeft === 0) process.kill(process.pid, 'SIGKILL');
});
const onProblem = (tenant: string, error: unknown): void => wrong(`${tenant}: ${String(error)}`);
log({ kind: 'begun' });
process.stdout.write('begun\n');
// As `ragstone serve` does while it serves.
const resumed = deployments.finishWrites({ onProblem }).then(async (written) => {
  for (const { left } of written) if (left.length > 0) wrong(`left: ${left.join()}`);
  await deployments.resumeMoves({ onProblem });
});
await Promise.all([resumed.then(() => move(deployments)), write(deployments), search(deployments)]);

async function move(service: KnowledgeDeploymentService): Promise<never> {
  for (;;) {
    const { model } = await service.getDeploymentConfig('acme');
    const models = Object.values(RagDeploymentModel);
    const target = TARGETS[(models.indexOf(model) + 1) % models.length];
    if (target === undefined) throw new Error('no target');
    try {
      await service.moveTenant(target);
    } catch (error) {
      wrong(`move to ${target.model}: ${String(error)}`);
    }
    log({ kind: 'moved', model: target.model });
  }
}

async function write(service: KnowledgeDeploymentService): Promise<never> {
  const { view } = await service.of({ tenant: 'acme' });
  for (let n = 0; ; n++) {
    const id = `changing-${n % 4}`;
    const version = `${life}-${n}`;
    const isDeletion = n % 7 === 6;
    log({ kind: 'writing', id, version: isDeletion ? undefined : version });
    try {
      if (isDeletion) await view.delete([id]);
      else await view.push([{ id, text: textOf(id, version) }]);
      log({ kind: 'written', id, version: isDeletion ? undefined : version });
    } catch (error) {
      wrong(`write: ${String(error)}`);
    }
    await sleep(5);
  }
}

async function search(service: KnowledgeDeploymentService): Promise<never> {
  const { view } = await service.of({ tenant: 'acme' });
  for (;;) {
    try {
      const { results } = await view.search({ text: 'steady lamp', topK: 50, options: { minSimilarity: 0 } });
      const found = results.map(({ metadata }) => String(metadata.source));
      const steady = found.filter((id) => id.startsWith('steady')).sort();
      if (steady.join() !== STEADY.join()) {
        const { model, move } = await service.getDeploymentConfig('acme');
        const shown = results
          .filter(({ metadata }) => String(metadata.source).startsWith('steady'))
          .map(({ id, content, metadata }) => [id, content, metadata.documentId, metadata.revision]);
        wrong(`life ${life}, ${model} ${move?.stage ?? ''}: ${JSON.stringify(shown)}`);
      }
      if (results.some(({ content }) => content.includes('foreign'))) wrong('found what is foreign');
      log({ kind: 'searched' });
    } catch (error) {
      wrong(`search: ${String(error)}`);
    }
    await sleep(5);
  }
}
