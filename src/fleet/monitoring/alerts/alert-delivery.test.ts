import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../../../tests/wait-for.js';
import { SYSTEM_RUNTIME, withRuntime } from '../../../core/runtime.js';
import { Secret } from '../../../core/secret.js';
import type { Alert } from './alert.js';
import { openAlertChannel } from './alert-channels.js';
import { AlertDelivery } from './alert-delivery.js';

/** A webhook that refuses while it is told to, with pauses that are over at once unless they are held. */
async function webhook() {
  const state = { status: 500, tries: 0, held: false };
  const told: string[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const { alert, state: change, value } = body as Alert;
      state.tries += 1;
      if (state.status === 200) told.push(`${alert} ${change} ${value}`);
      response.writeHead(state.status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const pauses: number[] = [];
  const held: (() => void)[] = [];
  const runtime = {
    ...SYSTEM_RUNTIME,
    setTimer: (callback: () => void, milliseconds: number, options?: object) => {
      // The limit of a call, which is no pause.
      if (milliseconds === 10_000) return SYSTEM_RUNTIME.setTimer(callback, milliseconds, options);
      pauses.push(milliseconds);
      if (!state.held) return SYSTEM_RUNTIME.setTimer(callback, 0, options);
      held.push(callback);
      return () => undefined;
    },
  };
  const lines: string[] = [];
  const failed: string[] = [];
  const delivery = withRuntime(
    runtime,
    () =>
      new AlertDelivery(
        openAlertChannel({ type: 'webhook', url: new Secret(url), minSeverity: 'info' }, () => undefined),
        { onFailure: (channel) => failed.push(channel), warn: (line) => lines.push(line) },
      ),
  );
  onTestFinished(() => delivery.stop());
  const goOn = (): void => {
    state.held = false;
    for (const callback of held.splice(0)) callback();
  };
  return { state, told, pauses, lines, failed, delivery, goOn };
}

const alert = (state: Alert['state'], value = 1): Alert => ({
  alert: 'indexing_failure',
  state,
  severity: 'error',
  at: '2026-01-01T00:00:00.000Z',
  value,
  threshold: 1,
  message: 'It failed.',
});

test('a webhook that is out is tried again, with pauses up to a minute, until it is told in order', async () => {
  const { state, told, pauses, lines, failed, delivery } = await webhook();
  delivery.add(alert('raised'));
  await waitFor(() => expect(pauses.length).toBeGreaterThan(12));
  expect(pauses.slice(0, 4)).toEqual([250, 500, 1_000, 2_000]);
  expect(Math.max(...pauses)).toBe(60_000);
  delivery.add(alert('resolved', 0));
  expect(told).toEqual([]);
  state.status = 200;
  await waitFor(() => expect(told).toEqual(['indexing_failure raised 1', 'indexing_failure resolved 0']));
  // One line, however often it was tried.
  expect(lines).toEqual([
    expect.stringMatching(/\(raised\) could not be told by webhook: .* tried again\.$/),
  ]);
  expect(failed).toHaveLength(pauses.length);
});

test('a time that was not told is left out where the condition holds again', async () => {
  const { state, told, lines, delivery, goOn } = await webhook();
  state.held = true;
  for (const value of [1, 2, 3]) {
    delivery.add(alert('raised', value));
    await waitFor(() => expect(state.tries).toBe(1));
    await new Promise((resolve) => setImmediate(resolve));
    if (value < 3) delivery.add(alert('resolved', 0));
  }
  state.status = 200;
  goOn();
  await delivery.stop();
  expect(told.at(-1)).toBe('indexing_failure raised 3');
  expect(told).not.toContain('indexing_failure raised 2');
  expect(lines).toContainEqual(expect.stringContaining('held and ended before webhook could be told'));
});

test('a stop waits for a few tries, and tells what is lost', async () => {
  const { state, told, lines, delivery, pauses } = await webhook();
  state.held = true;
  delivery.add(alert('raised'));
  await waitFor(() => expect(pauses).toEqual([250]));
  state.held = false;
  await delivery.stop();
  expect([state.tries, told]).toEqual([5, []]);
  expect(lines).toEqual([expect.stringMatching(/could not be told by webhook: .*500\.$/)]);
});
