import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { beginsAsWritten, isAsWritten, type TranscriptStep } from './transcript.js';

/** Where the commands run. */
export interface ReplayPlace {
  readonly folder: string;
  /** The port that the README names, and the one that is free here. */
  readonly ports: { readonly written: number; readonly free: number };
  readonly env: Readonly<Record<string, string>>;
}

interface StartedCommand {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  readonly output: () => string;
}

/** Longest time of a command, in milliseconds: an installation is one. */
const COMMAND_MS = 180_000;

/** Runs the commands of a README one after the other. Throws at the first that does not print what is written there. */
export async function replayTranscript(steps: readonly TranscriptStep[], place: ReplayPlace): Promise<void> {
  const servers: StartedCommand[] = [];
  try {
    for (const step of steps.map((written) => atFreePort(written, place))) {
      const started = startCommand(step.command, place);
      if (step.isBackground) servers.push(started);
      await (step.isBackground ? untilReady(started, step) : untilEnd(started));
      const isGood = (step.isBackground ? beginsAsWritten : isAsWritten)(step.expected, started.output());
      if (!isGood) throw differenceOf(step, started.output());
    }
  } finally {
    for (const server of servers) await stop(server);
  }
}

function atFreePort(step: TranscriptStep, { ports }: ReplayPlace): TranscriptStep {
  const moved = (text: string): string => text.replaceAll(`:${ports.written}`, `:${ports.free}`);
  return { ...step, command: moved(step.command), expected: step.expected.map(moved) };
}

function startCommand(command: string, { folder, ports, env }: ReplayPlace): StartedCommand {
  const child = spawn('bash', ['-c', `exec 2>&1; ${command}`], {
    cwd: folder,
    env: { ...env, PORT: String(ports.free) },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  return {
    child,
    ended: new Promise((resolve) => child.once('close', resolve)),
    output: () => text.replace(SLOWNESS, ''),
  };
}

/** An alert that a busy machine raises. */
const SLOWNESS = /^alert warning slow_query: .*\n/gm;

async function untilEnd(started: StartedCommand): Promise<void> {
  const isLate = await Promise.race([
    started.ended.then(() => false),
    sleep(COMMAND_MS, true, { ref: false }),
  ]);
  if (isLate) await stop(started);
}

async function untilReady({ child, output }: StartedCommand, { expected }: TranscriptStep): Promise<void> {
  for (const end = Date.now() + COMMAND_MS; Date.now() < end; await sleep(50))
    if (beginsAsWritten(expected, output()) || child.exitCode !== null) return;
}

const END_MS = 10_000;

async function stop({ child, ended }: StartedCommand): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(-child.pid, signal);
    } catch {
      // It has ended meanwhile.
      return;
    }
    await Promise.race([ended, sleep(END_MS, undefined, { ref: false })]);
  }
}

const differenceOf = ({ command, expected }: TranscriptStep, output: string): Error =>
  new Error(`$ ${command}\nThe README has:\n${expected.join('\n')}\n\nIt printed:\n${output}`);
