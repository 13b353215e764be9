import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CLI } from '../shared/places.js';

const REPORT = fileURLToPath(new URL('./report-process.mjs', import.meta.url));

/** What a server says of itself since it was last told to begin anew; memory and processor time with those of its search processes. */
export interface ProcessReport {
  readonly delayMs: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly rssMiB: number;
  /** With those of its search processes. */
  readonly openDescriptors: number;
  readonly cpuMs: number;
}

/** `ragstone serve` in a process of its own. */
export interface Server {
  readonly url: string;
  report(what: 'reset' | 'read'): Promise<ProcessReport>;
  stop(): Promise<void>;
}

/** Starts it in a folder with a configuration, on a free port. */
export async function startServer(cwd: string, execArgv: readonly string[] = []): Promise<Server> {
  const child = fork(CLI, ['serve', '--port', '0', '--json', '--trust', '--log-level', 'silent'], {
    cwd,
    execArgv: ['--import', REPORT, ...execArgv],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const url = await urlOf(child);
  return {
    url,
    report: async (what) => {
      child.send(what);
      const [report] = (await once(child, 'message')) as [ProcessReport];
      return report;
    },
    stop: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

async function urlOf(child: ChildProcess): Promise<string> {
  let text = '';
  // Reading on keeps the pipe from filling.
  for await (const part of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    text += String(part);
    const url = /"url": "([^"]+)"/.exec(text)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error(`The server ended before it listened: ${text}`);
}
